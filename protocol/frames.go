package protocol

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

const (
	// DefaultMaxFrame is the longest line in bytes, its end not counted, that is read unless told otherwise.
	DefaultMaxFrame = 64 << 20
	// readSize is how much is asked for at once, and what a buffer shrinks to after a long line.
	readSize = 64 << 10
)

// samePiece is how soon the rest of what a client has written in one piece comes: it waits for room in the pipe, and then, on a
// busy machine, for a processor.
const samePiece = 100 * time.Millisecond

// A TooLongError tells that a line was longer than the limit. It was skipped.
type TooLongError struct{ Max int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("frame exceeds %d bytes", e.Max)
}

// frames splits a stream into lines. Lines end with LF alone; one CR before it is dropped; lines of white space are passed
// over; so is a byte order mark at the very start; a last line without LF counts.
type frames struct {
	r   io.Reader
	max int
	// idle, if set, is called each time before more is read, which may take for ever; arrived, if set, when something has been
	// read and no part of a line was there before.
	idle, arrived func()

	buf     []byte // buf[at:] has been read and not yet returned
	at      int
	scanned int // buf[at:scanned] holds no LF
	begun   bool
	filled  bool  // the last read took all that there was room for
	err     error // of the last read
}

func newFrames(r io.Reader, limit int) *frames {
	if limit <= 0 {
		limit = DefaultMaxFrame
	}
	return &frames{r: r, max: limit}
}

// next returns the next line, which is valid until the next call. A line over the limit is skipped and reported as
// a *TooLongError; the lines behind it are read as usual. The end of the stream, however it comes, is io.EOF.
func (f *frames) next() ([]byte, error) {
	for {
		line, ok, err := f.raw()
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return nil, io.EOF
		}
		if !f.begun {
			f.begun = true
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(bytes.Trim(line, " \t\r\n")) > 0 {
			return line, nil
		}
	}
}

// raw returns the next line without its LF; ok is false at the end of the stream.
func (f *frames) raw() (line []byte, ok bool, _ error) {
	for {
		if i := bytes.IndexByte(f.buf[f.scanned:], '\n'); i >= 0 {
			end := f.scanned + i
			line, f.at, f.scanned = f.buf[f.at:end], end+1, end+1
			if len(line) > f.max+1 || len(line) == f.max+1 && line[f.max] != '\r' {
				return nil, false, &TooLongError{f.max}
			}
			return line, true, nil
		}
		f.scanned = len(f.buf)
		if f.err == nil && len(f.buf)-f.at > f.max+1 {
			return nil, false, f.skip()
		}
		if f.err != nil {
			line, f.at = f.buf[f.at:], len(f.buf)
			if len(line) > f.max {
				return nil, false, &TooLongError{f.max}
			}
			return line, len(line) > 0, nil
		}
		f.fill()
	}
}

// skip drops what there is of a line and all that follows up to its LF.
func (f *frames) skip() error {
	for f.err == nil {
		f.buf, f.at = f.buf[:0], 0
		f.fill()
		if i := bytes.IndexByte(f.buf, '\n'); i >= 0 {
			f.at = i + 1
			break
		}
		f.at = len(f.buf)
	}
	f.scanned = f.at
	return &TooLongError{f.max}
}

// fill reads once, when all that there is has been scanned.
func (f *frames) fill() {
	if len(f.buf) == f.at || cap(f.buf)-len(f.buf) < readSize/4 {
		f.makeRoom()
	}
	if f.idle != nil {
		f.idle()
	}
	begin := time.Now()
	n, err := f.r.Read(f.buf[len(f.buf):cap(f.buf)])
	// After a read that filled the buffer, more of the same piece may have been left behind: then it was there at once.
	fresh := f.at == len(f.buf) && !(f.filled && time.Since(begin) < samePiece)
	f.filled = n == cap(f.buf)-len(f.buf)
	if fresh && n > 0 && f.arrived != nil {
		f.arrived()
	}
	f.buf = f.buf[:len(f.buf)+n]
	f.err = err
}

// makeRoom moves what is left to the front of the buffer, or of a larger or, after a long line, smaller one.
func (f *frames) makeRoom() {
	rest := f.buf[f.at:]
	to := f.buf[:0]
	switch {
	case len(rest) > cap(f.buf)/2:
		to = make([]byte, 0, 2*cap(f.buf))
	case len(rest) < readSize/2 && cap(f.buf) != readSize:
		to = make([]byte, 0, readSize)
	}
	f.buf = append(to, rest...)
	f.at, f.scanned = 0, len(f.buf)
}
