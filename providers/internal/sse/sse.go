// Package sse reads event streams as model servers send them, which is not always as the standard has it.
package sse

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"

	gosse "github.com/tmaxmax/go-sse"
)

// MaxEvent is the size in bytes of the largest event that Read takes, field names and line ends included.
const MaxEvent = 16 << 20

// An Event is an event with data.
type Event struct {
	Type string // "" if the event has no name
	Data string // lines joined with LF; never empty
}

// A TooLongError says that a server sent an event larger than MaxEvent.
type TooLongError struct{}

func (*TooLongError) Error() string {
	return fmt.Sprintf("an event of the stream is larger than %d MiB", MaxEvent>>20)
}

// Read returns the events of r that have data, as they come; comments and empty events are passed over. The last event
// counts even if the stream ends without a blank line behind it. A JSON object without a field name is data. An error of r, or a *TooLongError, is the last thing that
// is yielded; the end of r ends the events without an error. Read does not close r, needs time linear in what it reads
// however small the pieces are, and reads no further than the event asked for needs.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		// The events that reach the parser are whole and within MaxEvent; the parser's own limit is never the one that is met.
		config := &gosse.ReadConfig{MaxEventSize: MaxEvent + 1<<10}
		for ev, err := range gosse.Read(&frames{src: r, blank: true}, config) {
			switch {
			case errors.Is(err, bufio.ErrTooLong):
				yield(Event{}, &TooLongError{})
				return
			case err != nil:
				yield(Event{}, err)
				return
			case ev.Data == "":
			case !yield(Event{Type: ev.Type, Data: ev.Data}, nil):
				return
			}
		}
	}
}
