package risk

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// A source is the text of a command beside its syntax tree. The parser is not the shell: where the two might read a text
// differently, a part of it that the tree holds for text could be run. sound refuses all forms in which that is known to happen,
// and whatever looks like the begin of a command and is not one in the tree.
type source struct {
	text   string
	broken bool
	known  map[uint]bool // where expansions begin, and backquotes end
	quoted []span        // what nothing is expanded in
}

// A span is a part of the text, by offsets.
type span struct{ from, to uint }

func (s span) holds(at uint) bool { return s.from <= at && at < s.to }

func spanOf(n syntax.Node) span { return span{n.Pos().Offset(), n.End().Offset()} }

var (
	delimiter = lazy(`^\w+$`)
	// backquoted is what may stand between backquotes: inside of them each shell has rules of its own for quotes.
	backquoted = lazy(`^[\w ./=,:@%+-]*$`)
	// behindDelimiter is what may follow the << of a here-document in its line, so that all agree where that ends.
	behindDelimiter = lazy(`^[\w ./|&;<>=,:@%+-]*$`)
	// literal is what may stand behind the operator in ${x:-…}.
	literal = lazy(`^[\w ./:@%+,=-]*$`)
	opening = lazy("\\$\\(|\\$\\{|\\$\\[|`|[<>]\\(")
)

// odd reports whether r is a character about which shells and parsers may disagree.
func odd(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0xa0 || r == 0xfffd || r > 0xa0 && (unicode.IsSpace(r) || unicode.Is(unicode.Cf, r))
}

// sound reports whether the shell certainly reads text as the parser did.
func sound(text string, file *syntax.File) bool {
	if strings.Contains(text, "\\\n") {
		return false
	}
	s := &source{text: text, known: map[uint]bool{}}
	s.walk(file, false)
	return !s.broken && s.accounted()
}

// accounted reports whether all that may begin a command in the text is in the tree.
func (s *source) accounted() bool {
	for _, m := range opening().FindAllStringIndex(s.text, -1) {
		at := uint(m[0])
		if s.known[at] || s.escaped(m[0]) {
			continue
		}
		inQuotes := false
		for _, q := range s.quoted {
			inQuotes = inQuotes || q.holds(at)
		}
		if !inQuotes {
			return false
		}
	}
	return true
}

// escaped reports whether the character at a place outside of single quotes has a backslash before it that counts.
func (s *source) escaped(at int) bool {
	before := s.text[:at]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

// walk looks at a node and what is in it. Inside tells that it is part of a substitution.
func (s *source) walk(node syntax.Node, inside bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if s.broken || n == nil || n == node {
			return !s.broken
		}
		switch n := n.(type) {
		case *syntax.Comment:
			s.comment(n, inside)
		case *syntax.SglQuoted:
			s.broken = s.broken || n.Dollar
			s.quoted = append(s.quoted, spanOf(n))
		case *syntax.DblQuoted:
			s.broken = s.broken || n.Dollar
		case *syntax.CaseClause:
			s.broken = s.broken || inside // older shells end the substitution at the first parenthesis of it
		case *syntax.CmdSubst:
			s.substitution(n)
			return false
		case *syntax.ProcSubst:
			s.known[n.Pos().Offset()] = true
			s.walk(n, true)
			return false
		case *syntax.ParamExp:
			s.param(n)
			return false
		case *syntax.ArithmExp:
			s.broken = true
		case *syntax.Redirect:
			if n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc {
				s.document(n, inside)
				return false
			}
		}
		return !s.broken
	})
}

// comment: it begins where a word could, and tells nothing that someone who does not take it for a comment would run.
func (s *source) comment(c *syntax.Comment, inside bool) {
	at := c.Hash.Offset()
	if inside || at > 0 && !strings.ContainsRune(" \t\n;", rune(s.text[at-1])) {
		s.broken = true
	}
}

func (s *source) substitution(c *syntax.CmdSubst) {
	s.known[c.Left.Offset()] = true
	if c.Backquotes {
		s.known[c.Right.Offset()] = true
		from, to := c.Left.Offset()+1, c.Right.Offset()
		if from > to || !backquoted().MatchString(s.text[from:to]) {
			s.broken = true
		}
	}
	if len(c.Last) > 0 {
		s.broken = true
	}
	s.walk(c, true)
}

// param: quotes in ${x:-…} mean one thing to the shell inside of double quotes, and another outside.
func (s *source) param(p *syntax.ParamExp) {
	s.known[p.Pos().Offset()] = true
	if p.Exp == nil || p.Exp.Word == nil {
		return
	}
	for _, part := range p.Exp.Word.Parts {
		if lit, ok := part.(*syntax.Lit); !ok || !literal().MatchString(lit.Value) {
			s.broken = true
		}
	}
}

// document looks at a here-document. Its delimiter, and what follows in the line, leave no doubt about where it begins and ends.
func (s *source) document(r *syntax.Redirect, inside bool) {
	if inside || r.Op != syntax.Hdoc || len(r.Word.Parts) != 1 {
		s.broken = true
		return
	}
	line, _, _ := strings.Cut(s.text[r.Word.End().Offset():], "\n")
	if !behindDelimiter().MatchString(line) {
		s.broken = true
	}
	switch d := r.Word.Parts[0].(type) {
	case *syntax.SglQuoted:
		s.broken = s.broken || d.Dollar || !delimiter().MatchString(d.Value)
		if r.Hdoc != nil {
			s.quoted = append(s.quoted, spanOf(r.Hdoc))
		}
		return
	case *syntax.Lit:
		s.broken = s.broken || !delimiter().MatchString(d.Value)
	default:
		s.broken = true
	}
	if r.Hdoc == nil {
		return
	}
	for _, part := range r.Hdoc.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			s.broken = s.broken || strings.ContainsAny(part.Value, "\\`")
		case *syntax.ParamExp:
			s.broken = s.broken || part.Exp != nil
			s.known[part.Pos().Offset()] = true
		default:
			s.broken = true
		}
	}
}
