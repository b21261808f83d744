package protocol

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/dualagent/agent/core"
)

const (
	// outboxLimit is how many bytes of events may wait for a slow client before turns are held up.
	outboxLimit = 256 << 10
	// replyLimit is how many bytes of replies may wait before no more commands are read: a client that writes and
	// never reads.
	replyLimit = 4 << 20
	// joinLimit is how long the text of joined deltas may get.
	joinLimit = 32 << 10
	// flushSize is how much is encoded before it is written.
	flushSize = 64 << 10
)

// An Outbox is the one ordered way from an engine and its codec to the client. Events and replies leave it in the order in
// which they were put in, except that the replies to a command go ahead of the events that the command causes.
//
// It never drops anything and never blocks those who put things in. When the client is slow, neighbouring deltas are
// joined; when it is slower still, Ready holds up the turn. Put, Ready, Reply and Later may be called from any goroutine;
// Answer and Flush belong to the reader, Run to the writer.
type Outbox struct {
	wait atomic.Bool // Ready has to wait: commands are in hand, or too much is not written

	mu      sync.Mutex
	items   []any // wait for the writer
	held    []any // wait for the replies of the commands in hand
	hold    bool  // commands are in hand
	flushes int   // how often that has ended
	events  int   // bytes of events that are not written
	owed    int   // bytes of replies that are not written
	closed  bool  // nothing more will come
	failed  bool  // writing has failed: what comes is dropped
	wake    chan struct{}
	room    chan struct{} // closed and replaced when those who wait should look again
	queued  int           // how many wait for room

	later  int        // functions given to Later that have not returned
	joined *sync.Cond // later has become 0

	written atomic.Int64 // bytes, ever
	quit    chan struct{}
	quitter sync.Once
}

// NewOutbox returns an empty Outbox.
func NewOutbox() *Outbox {
	o := &Outbox{wake: make(chan struct{}, 1), room: make(chan struct{})}
	o.joined = sync.NewCond(&o.mu)
	o.quit = make(chan struct{})
	return o
}

// Put adds an event. It is a core.Sink's.
func (o *Outbox) Put(ev core.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.failed:
		return
	case o.replacedLocked(ev):
		return
	case o.hold:
		o.held = append(o.held, ev)
	default:
		o.items = append(o.items, ev)
	}
	o.events += sizeOf(ev)
	o.updateLocked()
	if !o.hold {
		o.wakeLocked()
	}
}

// replacedLocked puts a tool's progress in the place of an older one that is not written yet.
func (o *Outbox) replacedLocked(ev core.Event) bool {
	p, ok := ev.(core.ToolProgress)
	if !ok || o.events < outboxLimit/2 {
		return false
	}
	for i := len(o.items) - 1; i >= 0; i-- {
		if old, ok := o.items[i].(core.ToolProgress); ok && old.Call.ID == p.Call.ID && old.Turn == p.Turn {
			o.items[i] = p
			o.events += len(p.Text) - len(old.Text)
			return true
		}
	}
	return false
}

// Ready returns when the client has read enough for more events to be worth having and no commands are in hand, or the
// cause of ctx's end.
func (o *Outbox) Ready(ctx context.Context) error {
	for begun := -1; o.wait.Load(); {
		o.mu.Lock()
		if begun < 0 {
			begun = o.flushes
		}
		// A client that never stops sending commands holds up a turn for one batch of them, not for ever.
		heard := !o.hold || o.flushes > begun
		if o.failed || heard && o.events <= outboxLimit {
			o.mu.Unlock()
			return nil
		}
		room := o.room
		o.queued++
		o.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (o *Outbox) fullLocked() bool { return !o.failed && (o.hold || o.events > outboxLimit) }

// updateLocked tells those who wait when what they wait for has changed.
func (o *Outbox) updateLocked() {
	full := o.fullLocked()
	if full != o.wait.Load() {
		o.wait.Store(full)
	}
	if !full {
		o.roomLocked()
	}
}

func (o *Outbox) roomLocked() {
	if o.queued > 0 {
		o.queued = 0
		close(o.room)
		o.room = make(chan struct{})
	}
}

// Answer carries out a command and adds its replies; events that come meanwhile, and until Flush, go behind them. It first
// waits while the client leaves too many replies unread.
func (o *Outbox) Answer(command func() []any) {
	o.mu.Lock()
	for o.owed > replyLimit && !o.failed {
		o.releaseLocked()
		room := o.room
		o.queued++
		o.mu.Unlock()
		<-room
		o.mu.Lock()
	}
	o.hold = true
	o.updateLocked()
	o.mu.Unlock()
	replies := command()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answerLocked(replies)
}

// Flush lets go what Answer held back. The reader calls it before it waits for more commands, so that commands which came in
// one piece are carried out together before the client hears of what they cause.
func (o *Outbox) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushes++
	o.releaseLocked()
}

func (o *Outbox) releaseLocked() {
	o.hold = false
	o.items = append(o.items, o.held...)
	clear(o.held)
	o.held = o.held[:0]
	o.updateLocked()
	o.wakeLocked()
}

// Reply adds a reply that comes from elsewhere than Codec.Handle: it goes behind the events that were put in before.
func (o *Outbox) Reply(r any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.replyLocked(r)
}

func (o *Outbox) replyLocked(r any) {
	if o.failed {
		return
	}
	o.owed += sizeOf(r)
	if o.hold {
		o.held = append(o.held, r)
		return
	}
	o.items = append(o.items, r)
	o.wakeLocked()
}

// answerLocked adds the replies to the command in hand, ahead of what is held.
func (o *Outbox) answerLocked(replies []any) {
	if o.failed {
		return
	}
	for _, r := range replies {
		o.items = append(o.items, r)
		o.owed += sizeOf(r)
	}
}

// Later runs reply on a goroutine of its own and adds what it returns, if that is not nil. Close waits for it.
func (o *Outbox) Later(reply func() any) {
	o.mu.Lock()
	o.later++
	o.mu.Unlock()
	// Wait and Close join it by the counter: a WaitGroup forbids to add while somebody waits.
	go func() {
		r := reply()
		o.mu.Lock()
		defer o.mu.Unlock()
		if r != nil {
			o.replyLocked(r)
		}
		if o.later--; o.later == 0 {
			o.joined.Broadcast()
		}
	}()
}

// Quit asks Serve to read no more commands and to end as at the end of its input.
func (o *Outbox) Quit() { o.quitter.Do(func() { close(o.quit) }) }

// Wait returns when nothing that Later has started is under way.
func (o *Outbox) Wait() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waitLocked()
}

func (o *Outbox) waitLocked() {
	for o.later > 0 {
		o.joined.Wait()
	}
}

// Close tells that nothing more will come. Run returns when all that there is has been written.
func (o *Outbox) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waitLocked()
	o.releaseLocked()
	o.closed = true
}

func (o *Outbox) wakeLocked() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Run writes what is put in until the Outbox is closed and empty. It fails with the first error of w; from then on what is
// put in is dropped and nobody is held up. encode appends one item as zero or more lines.
func (o *Outbox) Run(w io.Writer, encode func(buf []byte, item any) ([]byte, error)) error {
	buf := make([]byte, 0, flushSize+flushSize/4)
	var items []any
	for {
		var events, owed int
		var crowded, closed bool
		items, events, owed, crowded, closed = o.take(items)
		if len(items) == 0 && closed {
			return nil
		}
		if crowded {
			items = join(items)
		}
		for i, item := range items {
			var err error
			if buf, err = encode(buf, item); err != nil {
				o.fail()
				return err
			}
			items[i] = nil
			if len(buf) < flushSize && i < len(items)-1 {
				continue
			}
			if buf, err = o.write(w, buf); err != nil {
				o.fail()
				return err
			}
		}
		o.release(events, owed)
	}
}

func (o *Outbox) write(w io.Writer, buf []byte) ([]byte, error) {
	for rest := buf; len(rest) > 0; {
		n, err := w.Write(rest[:min(len(rest), flushSize)])
		o.written.Add(int64(n))
		if err != nil {
			return buf, err
		}
		rest = rest[n:]
	}
	if cap(buf) > 4*flushSize { // one large record must not keep its memory
		return make([]byte, 0, flushSize+flushSize/4), nil
	}
	return buf[:0], nil
}

// take waits for items and takes them all; spare is used for those that come next.
func (o *Outbox) take(spare []any) (items []any, events, owed int, crowded, closed bool) {
	for {
		o.mu.Lock()
		if len(o.items) > 0 || o.closed {
			items, o.items = o.items, spare[:0]
			events, owed, closed = o.events, o.owed, o.closed
			o.mu.Unlock()
			return items, events, owed, events > outboxLimit/2, closed
		}
		o.mu.Unlock()
		<-o.wake
	}
}

// release tells that items of that many bytes are written.
func (o *Outbox) release(events, owed int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events -= events
	o.owed -= owed
	o.updateLocked()
	o.roomLocked()
	if o.closed {
		o.wakeLocked()
	}
}

func (o *Outbox) fail() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed = true
	o.items, o.held, o.events, o.owed = nil, nil, 0, 0
	o.updateLocked()
}
