package sse

import (
	"bytes"
	"io"
)

// readSize is how much is read at once. A stream's piece is rarely larger.
const readSize = 16 << 10

// frames passes on one whole event for each Read. The parser behind it looks at an event again from its start whenever more
// of it comes, which would take quadratic time; and it drops an event that the end of the stream cuts off.
type frames struct {
	src   io.Reader
	buf   []byte // what was read and not passed on
	start int    // of buf: the first byte that belongs to no event that was passed on
	seen  int    // of buf: how far line ends have been looked for
	blank bool   // the line at seen is empty so far
	cr    bool   // the byte before seen is a CR, which an LF may complete
	event []byte // the part of the event in hand that is still to be passed on
	err   error  // of src
}

// Read fills p from one event.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.event) == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.event)
	f.event = f.event[n:]
	return n, nil
}

// next gets the next event in hand.
func (f *frames) next() error {
	for {
		end := f.scan()
		switch {
		case end > 0 && end-f.start > MaxEvent, end == 0 && len(f.buf)-f.start > MaxEvent:
			return &TooLongError{}
		case end > 0:
			f.event = named(f.buf[f.start:end])
			f.start = end
			return nil
		case f.err == io.EOF && f.start < len(f.buf):
			f.buf = append(f.buf, "\n\n"...)
			f.event, f.start, f.seen = named(f.buf[f.start:]), len(f.buf), len(f.buf)
			return nil
		case f.err != nil:
			return f.err
		default:
			f.fill()
		}
	}
}

// named returns an event with a name before each line if it is bare JSON, as servers send that fail half-way.
func named(event []byte) []byte {
	if event[0] != '{' {
		return event
	}
	lines := bytes.FieldsFunc(event, func(r rune) bool { return r == '\r' || r == '\n' })
	return append(append([]byte("data: "), bytes.Join(lines, []byte("\ndata: "))...), "\n\n"...)
}

// scan looks for the blank line that ends the event at start, and returns where the event ends; 0 if it does not yet. Blank
// lines ahead of the event are passed over.
func (f *frames) scan() int {
	lf := -1
	for f.seen < len(f.buf) {
		if f.cr && f.buf[f.seen] == '\n' {
			f.cr = false
			f.step()
			continue
		}
		if lf < f.seen {
			lf = indexFrom(f.buf, f.seen, '\n')
		}
		end := indexFrom(f.buf[:lf], f.seen, '\r')
		f.cr = false
		if end > f.seen {
			f.blank, f.seen = false, end
			continue
		}
		f.cr = f.buf[end] == '\r'
		wasBlank := f.blank
		f.blank = true
		if wasBlank && f.seen > f.start {
			f.seen++
			return f.seen
		}
		f.step()
	}
	return 0
}

// step goes past a byte of a line end. If no event has begun, the byte belongs to none.
func (f *frames) step() {
	if f.start == f.seen {
		f.start++
	}
	f.seen++
}

// indexFrom returns the index of the first c in b at or after i, len(b) if there is none.
func indexFrom(b []byte, i int, c byte) int {
	if n := bytes.IndexByte(b[i:], c); n >= 0 {
		return i + n
	}
	return len(b)
}

// fill reads once. What was passed on makes room first.
func (f *frames) fill() {
	if f.start > 0 {
		n := copy(f.buf, f.buf[f.start:])
		f.buf, f.seen, f.start = f.buf[:n], f.seen-f.start, 0
	}
	if cap(f.buf)-len(f.buf) < readSize/4 {
		grown := make([]byte, len(f.buf), 2*cap(f.buf)+readSize)
		copy(grown, f.buf)
		f.buf = grown
	}
	n, err := f.src.Read(f.buf[len(f.buf):min(cap(f.buf), len(f.buf)+readSize)])
	f.buf, f.err = f.buf[:len(f.buf)+n], err
}
