package sessions

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
	"github.com/dualagent/agent/internal/wire"
)

// The longest lines that are read, in bytes.
const (
	maxHeader = 1 << 20
	maxLine   = 64 << 20
)

// maxWhere is the number of lines that could not be read of which it is kept where they are.
const maxWhere = 100

var errEmpty = fmt.Errorf("the file is empty: %w", core.ErrNoSession)

// A line is a line of a file, without its line feed.
type line struct {
	text   []byte // valid until the next line is read; unknown if long
	number int    // from 1
	end    int64  // where it ends in the file, its line feed included
	ended  bool   // it has a line feed
	long   bool   // it is longer than the limit
}

// A lineReader reads a file line by line.
type lineReader struct {
	r    *bufio.Reader
	buf  []byte
	at   int64
	read int // lines
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line, or io.EOF behind the last. A line longer than limit bytes costs no more memory than that.
func (l *lineReader) next(limit int) (line, error) {
	got, start := line{}, l.at
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		l.at += int64(len(part))
		if err == nil {
			got.ended, part = true, part[:len(part)-1]
		}
		got.long = got.long || len(l.buf)+len(part) > limit
		if !got.long {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && l.at == start:
			return line{}, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return line{}, err
		}
		l.read++
		got.text, got.number, got.end = l.buf, l.read, l.at
		return got, nil
	}
}

// trim cuts zero bytes off the end of the last line of a file, if that has no line feed: a crash can leave them there. It
// reports whether what is left is not a whole record.
func (l *line) trim() (torn bool, err error) {
	if l.ended {
		return false, nil
	}
	if l.long {
		return false, fmt.Errorf("its last line is longer than %d bytes", maxLine)
	}
	all := len(l.text)
	l.text = bytes.TrimRight(l.text, "\x00")
	l.end -= int64(all - len(l.text))
	record := bytes.TrimLeft(l.text, "\x00")
	return !bytes.HasPrefix(record, []byte{'{'}) || !wire.Valid(record), nil
}

// A scan is what there is to know of a session file beside its entries.
type scan struct {
	header  core.Header
	skipped int   // lines that could not be read
	where   []int // the numbers of the first of them, at most maxWhere
	end     int64 // what lies behind is torn or padding
	unended bool  // the last line has no line feed
}

// scanFile reads a session and calls visit with each entry, in order. It counts the line of an entry that visit does not
// accept among those that could not be read.
func scanFile(ctx context.Context, r io.Reader, visit func(core.Entry) bool) (scan, error) {
	in := newLineReader(r)
	s, err := scanHeader(in)
	if err != nil {
		return scan{}, err
	}
	for ctx.Err() == nil {
		l, err := in.next(maxLine)
		if errors.Is(err, io.EOF) {
			return s, nil
		} else if err != nil {
			return scan{}, err
		}
		if torn, err := l.trim(); torn || err != nil {
			return s, err
		}
		s.end, s.unended = l.end, !l.ended
		s.visit(&l, visit)
	}
	return scan{}, ctx.Err()
}

func scanHeader(in *lineReader) (scan, error) {
	l, err := in.next(maxHeader)
	switch {
	case errors.Is(err, io.EOF):
		return scan{}, errEmpty
	case err != nil:
		return scan{}, err
	case l.long:
		return scan{}, v3.ErrNotSession
	}
	if torn, _ := l.trim(); torn {
		return scan{}, v3.ErrNotSession
	}
	h, err := v3.DecodeHeader(l.text)
	return scan{header: h, end: l.end, unended: !l.ended}, err
}

// visit calls f with the entry of a line, if it holds one.
func (s *scan) visit(l *line, f func(core.Entry) bool) {
	if l.long {
		s.skip(l)
		return
	}
	text := bytes.TrimSuffix(bytes.Trim(l.text, "\x00"), []byte{'\r'})
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if e, err := v3.DecodeEntry(text); err != nil || !f(e) {
		s.skip(l)
	}
}

func (s *scan) skip(l *line) {
	s.skipped++
	if len(s.where) < maxWhere {
		s.where = append(s.where, l.number)
	}
}
