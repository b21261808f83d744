// Package text makes the output of programs and files fit to be shown: it cleans text and cuts it to size.
package text

import (
	"slices"
	"unicode/utf8"
)

// A Cleaner turns bytes that come in pieces into plain text: valid UTF-8 without terminal escapes and control characters
// (tab and line feed excepted). What is not UTF-8 becomes U+FFFD; a character that is split between two pieces is kept
// whole. The zero Cleaner is ready for use, by one goroutine at a time.
type Cleaner struct {
	state  escapeState
	length int    // of the control string so far
	part   []byte // the begin of a character, at the end of the last piece
}

type escapeState uint8

const (
	ground       escapeState = iota
	escape                   // after ESC
	intermediate             // after ESC and a byte that wants one more
	sequence                 // in a control sequence, ESC [
	str                      // in a control string, such as ESC ]
	strEscape                // after ESC in a control string
)

// maxString is how long a control string may be. A longer one is a program's mistake and must not swallow its output.
const maxString = 4096

// Append appends what can be shown of src to dst.
func (c *Cleaner) Append(dst, src []byte) []byte {
	if len(c.part) > 0 {
		src = slices.Concat(c.part, src)
		c.part = c.part[:0]
	}
	for len(src) > 0 {
		if c.state != ground {
			if c.consume(src[0]) {
				src = src[1:]
			}
			continue
		}
		n := plain(src)
		dst, src = append(dst, src[:n]...), src[n:]
		switch {
		case len(src) == 0:
		case src[0] == 0x1b:
			c.state, src = escape, src[1:]
		case src[0] < utf8.RuneSelf:
			src = src[1:]
		case !utf8.FullRune(src):
			c.part = append(c.part, src...)
			return dst
		default:
			r, n := utf8.DecodeRune(src)
			if r > 0x9f {
				dst = utf8.AppendRune(dst, r)
			}
			src = src[n:]
		}
	}
	return dst
}

// Flush appends what is left when there are no more pieces.
func (c *Cleaner) Flush(dst []byte) []byte {
	if len(c.part) > 0 {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	*c = Cleaner{}
	return dst
}

// plain returns how many bytes at the begin of b are printable ASCII, tabs or line feeds.
func plain(b []byte) int {
	for i, c := range b {
		if (c < 0x20 && c != '\n' && c != '\t') || c >= 0x7f {
			return i
		}
	}
	return len(b)
}

// consume takes a byte of an escape. It returns false if b ends the escape without being part of it.
func (c *Cleaner) consume(b byte) bool {
	final := b >= 0x40 && b <= 0x7e
	switch c.state {
	case escape:
		return c.begin(b)
	case intermediate:
		if b >= 0x20 && b <= 0x2f {
			return true
		}
		c.state = ground
		return b >= 0x30 && b <= 0x7e
	case sequence:
		if b >= 0x20 && b <= 0x3f {
			return true
		}
		c.state = ground
		return final
	case strEscape:
		c.state = escape
		if b == '\\' {
			c.state = ground
			return true
		}
		return false
	default:
		return c.inString(b)
	}
}

func (c *Cleaner) begin(b byte) bool {
	c.state = ground
	switch {
	case b == '[':
		c.state = sequence
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
		c.state, c.length = str, 0
	case b >= 0x20 && b <= 0x2f:
		c.state = intermediate
	case b < 0x20 || b > 0x7e:
		return false
	}
	return true
}

func (c *Cleaner) inString(b byte) bool {
	c.length++
	switch {
	case b == 0x1b:
		c.state = strEscape
	case b == '\n' || c.length > maxString:
		c.state = ground
		return false
	case b == 0x07:
		c.state = ground
	}
	return true
}

// Clean returns what can be shown of s.
func Clean(s string) string {
	if plain([]byte(s)) == len(s) {
		return s
	}
	var c Cleaner
	return string(c.Flush(c.Append(nil, []byte(s))))
}

// Visible returns a file's text as it is, as far as it can be shown: valid UTF-8, in which pictures such as U+241B stand for control
// characters. Tab, line feed and carriage return are kept. Nothing is left out, so a file cannot hide a part of itself.
func Visible(s string) string {
	if plain([]byte(s)) == len(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		switch {
		case r < 0x20 && r != '\t' && r != '\n' && r != '\r':
			r += 0x2400
		case r == 0x7f:
			r = 0x2421
		case r > 0x7f && r < 0xa0:
			r = utf8.RuneError
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}
