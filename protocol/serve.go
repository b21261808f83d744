package protocol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// A Codec speaks one wire protocol with one client. It starts no goroutine and does no I/O.
type Codec interface {
	// Handle carries out one line and returns the replies that are ready. Lines come in order, on the reader's goroutine.
	// Handle must not wait for a turn or for I/O; what takes time goes to Outbox.Later or Engine.Between. The line is
	// only valid during the call.
	Handle(ctx context.Context, line []byte) (replies []any)
	// Malformed returns the replies to a line that was not even looked at: it was too long, is not UTF-8, or is nested
	// too deeply. Reader's goroutine.
	Malformed(err error) (replies []any)
	// Hangup tells that no more lines will come. Called once, by the reader's goroutine or after it has ended.
	Hangup()
	// Append encodes an event or a reply as zero or more lines. It runs on the writer's goroutine.
	Append(buf []byte, item any) ([]byte, error)
}

// An Arriver is a Codec that wants to know when the client begins to send. Arrived is called on the reader's goroutine when
// something has been read and no part of a line was waiting; the lines that come with it are handled next.
type Arriver interface{ Arrived() }

// Open starts a codec on an engine of h whose events and replies go to out.
type Open func(ctx context.Context, h *core.Host, out *Outbox) (Codec, error)

// ServeOptions are limits of a server. Zero fields mean defaults.
type ServeOptions struct {
	MaxFrame int           // bytes of the longest line; default DefaultMaxFrame
	Stop     time.Duration // for ending in good order after ctx has; default 2.5 s
	Stall    time.Duration // how long a client may read nothing when all else is done; default 60 s
}

func (o ServeOptions) withDefaults() ServeOptions {
	if o.Stop == 0 {
		o.Stop = 2500 * time.Millisecond
	}
	if o.Stall == 0 {
		o.Stall = time.Minute
	}
	return o
}

// Errors of Serve.
var (
	// ErrStalled means that the client has stopped reading.
	ErrStalled = errors.New("the client has stopped reading")
	// ErrOutput wraps the error of a write to the client.
	ErrOutput = errors.New("write to the client")
)

// Serve speaks with one client: it reads commands from r and writes replies and events to w, and nothing else does. It
// returns nil after the end of r, when all that was asked for is done and written. When ctx ends, turns are ended, and Serve
// returns ctx's cause when their ends are written, or after o.Stop. When w fails, turns are ended, and the error is
// ErrOutput. The caller closes h.
//
// Its goroutines: a reader, which may outlive it, since a read cannot be interrupted; a writer, which may outlive it if
// w blocks; and one that waits for the engine.
func Serve(ctx context.Context, h *core.Host, open Open, r io.Reader, w io.Writer, o ServeOptions) error {
	o = o.withDefaults()
	out := NewOutbox()
	codec, err := open(ctx, h, out)
	if err != nil {
		return err
	}
	written := make(chan error, 1)
	go func() { written <- out.Run(w, codec.Append) }()
	hungUp := make(chan struct{})
	go func() {
		defer close(hungUp)
		read(ctx, codec, out, newFrames(r, o.MaxFrame))
	}()

	select {
	case <-hungUp:
		codec.Hangup()
	case <-ctx.Done():
	case err := <-written:
		return lost(h, err)
	}
	return settle(ctx, h, out, written, o)
}

// read hands lines to the codec until there are no more, or one of them has asked to quit.
func read(ctx context.Context, codec Codec, out *Outbox, lines *frames) {
	lines.idle = out.Flush
	if a, ok := codec.(Arriver); ok {
		lines.arrived = a.Arrived
	}
	defer out.Flush()
	for !closed(out.quit) {
		line, err := lines.next()
		if err == nil {
			err = wire.CheckText(line)
		}
		switch {
		case err == nil:
			out.Answer(func() []any { return codec.Handle(ctx, line) })
		case errors.Is(err, io.EOF):
			return
		default:
			out.Answer(func() []any { return codec.Malformed(err) })
		}
	}
}

// settle waits until all that was asked for is done and written.
func settle(ctx context.Context, h *core.Host, out *Outbox, written <-chan error, o ServeOptions) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		out.Wait()
		_ = h.Wait(context.Background()) // cannot fail without an end to its context
		out.Close()
	}()
	stopping := ctx.Done()
	var limit <-chan time.Time
	stall := time.NewTicker(o.Stall)
	defer stall.Stop()
	before := out.written.Load()
	for {
		select {
		case err := <-written:
			if err != nil {
				return lost(h, err)
			}
			return context.Cause(ctx)
		case <-stopping:
			stopping = nil
			h.Shutdown(core.ErrShutdown)
			timer := time.NewTimer(o.Stop)
			defer timer.Stop()
			limit = timer.C
		case <-limit:
			return context.Cause(ctx)
		case <-stall.C:
			now := out.written.Load()
			if closed(done) && now == before {
				return ErrStalled
			}
			before = now
		}
	}
}

// lost ends what runs: nobody is there any more to see it.
func lost(h *core.Host, err error) error {
	h.Shutdown(core.ErrAborted)
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrOutput, err)
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
