package text

import (
	"bytes"
	"unicode/utf8"
)

// The most that a tool shows of its output.
const (
	MaxLines = 2000
	MaxBytes = 50 << 10
)

// A Cut is a text that was cut to at most MaxLines lines and MaxBytes bytes, on character boundaries.
type Cut struct {
	Text       string
	Truncated  bool
	ByLines    bool // if Truncated: the number of lines was what limited it, not that of bytes
	Lines      int  // in Text
	TotalLines int
	TotalBytes int
	// Partial: Text begins (of a Tail) or ends (of a Head) inside a line.
	Partial bool
}

// A Tail keeps the end of a text, in constant memory. The zero Tail is ready for use, by one goroutine at a time.
type Tail struct {
	buf   []byte // at least the last MaxBytes+1 bytes
	bytes int
	feeds int
}

// Write adds s to the text.
func (t *Tail) Write(s []byte) {
	t.bytes += len(s)
	t.feeds += bytes.Count(s, []byte{'\n'})
	if len(s) > MaxBytes+1 {
		s = s[len(s)-MaxBytes-1:]
	}
	if len(t.buf)+len(s) > 4*MaxBytes {
		keep := copy(t.buf, t.buf[len(t.buf)-MaxBytes-1:])
		t.buf = t.buf[:keep]
	}
	t.buf = append(t.buf, s...)
}

// Whole returns the text so far, if no part of it had to be left out yet.
func (t *Tail) Whole() ([]byte, bool) {
	return t.buf, t.bytes <= MaxBytes && t.lines() <= MaxLines
}

func (t *Tail) lines() int {
	if n := len(t.buf); n > 0 && t.buf[n-1] != '\n' {
		return t.feeds + 1
	}
	return t.feeds
}

// Cut returns the end of the text so far, whole lines if possible.
func (t *Tail) Cut() Cut {
	c := Cut{TotalLines: t.lines(), TotalBytes: t.bytes}
	b := t.buf
	if len(b) > MaxBytes {
		b, c.Partial = lastBytes(b)
		c.Truncated = true
	}
	if start, n := lastLines(b); start > 0 {
		b, c.Truncated, c.ByLines, c.Partial = b[start:], true, true, false
		c.Lines = n
	} else {
		c.Lines = n
	}
	c.Text = string(b)
	return c
}

// lastBytes returns the end of b, and whether it had to begin inside a line.
func lastBytes(b []byte) (end []byte, partial bool) {
	start := len(b) - MaxBytes
	if b[start-1] == '\n' {
		return b[start:], false
	}
	if i := bytes.IndexByte(b[start:], '\n'); i >= 0 && start+i+1 < len(b) {
		return b[start+i+1:], false
	}
	for start < len(b) && !utf8.RuneStart(b[start]) {
		start++
	}
	return b[start:], true
}

// lastLines returns where the last MaxLines lines of b begin, and how many lines there are from there on.
func lastLines(b []byte) (start, lines int) {
	end := len(b)
	if end > 0 && b[end-1] == '\n' {
		end--
	}
	for len(b) > 0 {
		lines++
		i := bytes.LastIndexByte(b[:end], '\n')
		if i < 0 || lines == MaxLines {
			return i + 1, lines
		}
		end = i
	}
	return 0, 0
}

// A Head keeps the begin of a text that comes line by line, in constant memory. The zero Head is ready for use, by one
// goroutine at a time.
type Head struct {
	buf     []byte
	cut     Cut
	noLimit bool
}

// NewList returns a Head that takes any number of lines; only their bytes are limited.
func NewList() *Head { return &Head{noLimit: true} }

// Add adds a line; line has no line feed. It returns false if the line, or part of it, had to be left out.
func (h *Head) Add(line string) bool {
	h.cut.TotalLines++
	h.cut.TotalBytes += len(line) + 1
	if h.cut.Truncated {
		return false
	}
	if !h.noLimit && h.cut.Lines == MaxLines {
		h.cut.Truncated, h.cut.ByLines = true, true
		return false
	}
	if len(h.buf)+len(line) > MaxBytes {
		h.cut.Truncated = true
		if h.cut.Lines == 0 {
			h.buf = append(h.buf, Prefix(line, MaxBytes)...)
			h.cut.Partial, h.cut.Lines = true, 1
		}
		return false
	}
	h.buf = append(append(h.buf, line...), '\n')
	h.cut.Lines++
	return true
}

// Cut returns the begin of the text so far. It does not end in a line feed.
func (h *Head) Cut() Cut {
	c := h.cut
	c.Text = string(bytes.TrimSuffix(h.buf, []byte{'\n'}))
	c.TotalBytes = max(0, c.TotalBytes-1)
	return c
}

// CutHead returns the begin of s.
func CutHead(s string) Cut {
	var h Head
	for line := range bytes.SplitSeq([]byte(s), []byte{'\n'}) {
		h.Add(string(line))
	}
	return h.Cut()
}

// Prefix returns the longest begin of s that has at most n bytes and does not split a character.
func Prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
