package tools

import (
	"fmt"
	"regexp"
	"strings"
)

// A wildmatch is a pattern as git understands it: byte by byte, * and ? do not match a slash, ** between slashes matches folders.
type wildmatch struct {
	literal string         // how every match begins
	rest    *regexp.Regexp // what follows; nil: nothing
	never   bool           // it is broken, and matches nothing
}

func (w wildmatch) match(name string) bool {
	rest, ok := strings.CutPrefix(name, w.literal)
	if !ok || w.never || w.rest == nil {
		return ok && !w.never && rest == ""
	}
	return w.rest.MatchString(bytesAsRunes(rest))
}

// bytesAsRunes returns a string of one character for each byte of s, so that a regular expression sees bytes.
func bytesAsRunes(s string) string {
	var out strings.Builder
	for i := range len(s) {
		out.WriteRune(rune(s[i]))
	}
	return out.String()
}

// compileWildmatch reads a pattern. What stands before the first special character is compared as it is, and what follows counts
// as the begin of a pattern, as with git.
func compileWildmatch(pattern string) wildmatch {
	first := strings.IndexAny(pattern, `*?[\`)
	if first < 0 {
		return wildmatch{literal: pattern}
	}
	c := wildcards{pattern: pattern[first:]}
	c.out.WriteString(`\A(?s:`)
	for c.at < len(c.pattern) && !c.broken {
		c.next()
	}
	c.out.WriteString(`)\z`)
	w := wildmatch{literal: pattern[:first], never: c.broken}
	re, err := regexp.Compile(c.out.String())
	w.rest, w.never = re, w.never || err != nil
	return w
}

// wildcards turns a pattern into a regular expression.
type wildcards struct {
	pattern string
	at      int
	out     strings.Builder
	broken  bool
}

func (c *wildcards) next() {
	b := c.pattern[c.at]
	c.at++
	switch b {
	case '*':
		c.stars()
	case '?':
		c.out.WriteString(`[^/]`)
	case '[':
		c.class()
	case '\\':
		if c.at == len(c.pattern) {
			c.broken = true
			return
		}
		b = c.pattern[c.at]
		c.at++
		fallthrough
	default:
		fmt.Fprintf(&c.out, `\x{%x}`, b)
	}
}

func (c *wildcards) stars() {
	first := c.at - 1
	for strings.HasPrefix(c.pattern[c.at:], "*") {
		c.at++
	}
	rest := c.pattern[c.at:]
	bound := (first == 0 || c.pattern[first-1] == '/') && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
	switch {
	case c.at-first == 1 || !bound:
		c.out.WriteString(`[^/]*`)
	case strings.HasPrefix(rest, "/"):
		c.out.WriteString(`(?:.*/)?`)
		c.at++
	default:
		c.out.WriteString(`.*`)
	}
}

// set is a set of bytes.
type set [256]bool

// class reads what stands in brackets.
func (c *wildcards) class() {
	var in set
	negated := strings.HasPrefix(c.pattern[c.at:], "!") || strings.HasPrefix(c.pattern[c.at:], "^")
	if negated {
		c.at++
	}
	last := -1 // the begin of a range, if one can follow
	for first := true; ; first = false {
		rest := c.pattern[c.at:]
		switch {
		case rest == "":
			c.broken = true
			return
		case rest[0] == ']' && !first:
			c.at++
			c.write(in, negated)
			return
		case rest[0] == '-' && last >= 0 && len(rest) > 1 && rest[1] != ']':
			c.at++
			for b, to := last, int(c.char()); b <= to; b++ {
				in[b] = true
			}
			c.at++
			last = -1
		case strings.HasPrefix(rest, "[:") && c.named(rest, &in):
			last = -1
		default:
			last = int(c.char())
			in[last] = true
			c.at++
		}
		if c.broken {
			return
		}
	}
}

// char returns the byte at hand, which may have a backslash before it, and stays on it.
func (c *wildcards) char() byte {
	if c.pattern[c.at] == '\\' {
		if c.at++; c.at == len(c.pattern) {
			c.broken = true
			c.at--
		}
	}
	return c.pattern[c.at]
}

// named adds a class such as [:alpha:]. It returns false if there is none.
func (c *wildcards) named(rest string, in *set) bool {
	end := strings.IndexByte(rest[2:], ']')
	if end < 0 {
		c.broken = true
		return true
	}
	name, ok := strings.CutSuffix(rest[2:2+end], ":")
	if !ok {
		return false
	}
	re, err := regexp.Compile("[[:" + name + ":]]")
	if err != nil || name == "word" || name == "ascii" || strings.HasPrefix(name, "^") {
		c.broken = true // git knows no others
		return true
	}
	for b := range 128 {
		in[b] = in[b] || re.MatchString(string(rune(b)))
	}
	c.at += 2 + end + 1
	return true
}

// write adds the class to the expression.
func (c *wildcards) write(in set, negated bool) {
	c.out.WriteByte('[')
	empty := true
	for b := range in {
		if in[b] != negated && b != '/' {
			fmt.Fprintf(&c.out, `\x{%x}`, b)
			empty = false
		}
	}
	c.out.WriteByte(']')
	c.broken = c.broken || empty
}
