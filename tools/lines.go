package tools

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// maxLine is how much of a line is looked at.
const maxLine = 64 << 10

// A lineReader reads lines of any length in constant memory.
type lineReader struct {
	r    *bufio.Reader
	line []byte // the current line without its end, at most maxLine bytes of it
	size int    // of the whole line
	ends bool   // the line ends in a line feed
	err  error  // why there are no more lines; nil at the end of the file
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReaderSize(r, 64<<10)} }

// next reads a line. It returns false at the end.
func (l *lineReader) next() bool {
	l.line, l.size, l.ends = l.line[:0], 0, false
	for {
		b, err := l.r.ReadSlice('\n')
		l.size += len(b)
		l.line = append(l.line, b[:min(len(b), maxLine-len(l.line))]...)
		switch {
		case err == nil:
			l.trim()
			return true
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return l.size > 0
		default:
			l.err = err
			return false
		}
	}
}

// trim takes the line end away.
func (l *lineReader) trim() {
	l.ends = true
	l.size--
	l.line = bytes.TrimSuffix(l.line, []byte{'\n'})
	if bytes.HasSuffix(l.line, []byte{'\r'}) {
		l.line = l.line[:len(l.line)-1]
		l.size--
	}
}

// sniffed is how much of a file decides whether it is text.
const sniffed = 8 << 10

// binary reports whether the begin of a file is not text: it has a NUL, or much of it is neither UTF-8 nor printable.
func binary(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return true
	}
	odd := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 && utf8.FullRune(b[i:]) || r < 0x20 && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != 0x1b {
			odd++
		}
		i += n
	}
	return odd*10 > len(b)*3
}
