package risk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An arg is a word of a command, as far as it can be known before the command runs.
type arg struct {
	text  string // without quotes
	fixed bool   // text is all that it can become, but for a glob or a leading ~
	glob  bool   // text has unquoted pattern characters
	tilde bool   // text begins with an unquoted ~
}

// plain reports whether the word is exactly its text.
func (a arg) plain() bool { return a.fixed && !a.glob && !a.tilde }

// flag reports whether the command may take the word for an option.
func (a arg) flag() bool { return strings.HasPrefix(a.text, "-") && a.text != "-" }

// mayBeFlag reports whether a file's name can make the word an option.
func (a arg) mayBeFlag() bool { return a.glob && strings.ContainsAny(a.text[:1], "*?[") }

// paths returns those parts of the word that a command may take for a path.
func (a arg) paths() []string {
	switch {
	case !a.flag():
		if _, value, ok := strings.Cut(a.text, "="); ok && strings.ContainsAny(value, "/~") {
			return []string{a.text, value}
		}
		return []string{a.text}
	case strings.HasPrefix(a.text, "--"):
		if _, value, ok := strings.Cut(a.text, "="); ok {
			return []string{value}
		}
		return nil
	default: // the value of a short option begins anywhere behind it
		out := []string{a.text[2:]}
		if i := strings.IndexAny(a.text, "/~"); i > 1 {
			out = append(out, a.text[i:])
		}
		if i := strings.Index(a.text, ".."); i > 1 {
			out = append(out, a.text[i:])
		}
		return out
	}
}

// argOf returns what is known about a word.
func argOf(w *syntax.Word) arg {
	a := arg{fixed: true}
	var text strings.Builder
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			a.literal(part.Value, i == 0, &text)
		case *syntax.SglQuoted:
			if part.Dollar {
				a.fixed = false
			}
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			if part.Dollar {
				a.fixed = false
			}
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					a.fixed = false
					continue
				}
				text.WriteString(unescape(lit.Value, "$`\"\\"))
			}
		default:
			a.fixed = false
		}
	}
	a.text = text.String()
	return a
}

// literal adds an unquoted literal. Braces may expand to several words.
func (a *arg) literal(s string, first bool, text *strings.Builder) {
	if first && strings.HasPrefix(s, "~") {
		a.tilde = true
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i == len(s) {
				return
			}
		case '*', '?', '[':
			a.glob = a.glob || s != "[" // the command of that name
		case '{':
			a.fixed = a.fixed && strings.HasPrefix(s[i:], "{}")
		}
		text.WriteByte(s[i])
	}
}

// unescape takes the backslashes away that stand before one of chars.
func unescape(s, chars string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(chars, s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// word looks at what a word does when it is expanded.
func (l *look) word(w *syntax.Word) {
	if w != nil {
		l.parts(w.Parts)
	}
}

func (l *look) parts(parts []syntax.WordPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			l.parts(part.Parts)
		case *syntax.CmdSubst:
			if part.TempFile || part.ReplyVar {
				l.destructive()
			}
			l.stmts(part.Stmts)
		case *syntax.ProcSubst:
			l.stmts(part.Stmts)
		case *syntax.ParamExp:
			l.param(part)
		default: // arithmetic can run commands through array indices
			l.destructive()
		}
	}
}

// param looks at a parameter expansion. Only the plain forms cannot assign or run anything.
func (l *look) param(p *syntax.ParamExp) {
	plain := p.Param != nil && p.NestedParam == nil && p.Flags == nil && !p.Excl && !p.Width && !p.IsSet && p.Index == nil &&
		p.Modifiers == nil && p.Slice == nil && p.Repl == nil && p.Names == 0
	if !plain {
		l.destructive()
		return
	}
	if p.Exp == nil {
		return
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull,
		syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		l.word(p.Exp.Word)
	default:
		l.destructive()
	}
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
