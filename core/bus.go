package core

import (
	"context"
	"slices"
	"sync"
)

// A Sink takes events. Put is called by one goroutine at a time, in the order that all sinks share.
type Sink interface {
	// Put takes the event and returns at once, whatever the state of whoever reads it.
	Put(Event)
	// Ready returns when the sink can take more, or ctx's error. A turn calls it before it begins, and before it asks for
	// more of a reply.
	Ready(ctx context.Context) error
}

// A Bus hands each event to every sink, in one order that all sinks share. The zero Bus is ready for use.
type Bus struct {
	mu    sync.Mutex
	sinks []*subscription // replaced, never changed
}

type subscription struct{ Sink }

// Subscribe adds a sink. When cancel has returned, the sink gets no more events.
func (b *Bus) Subscribe(s Sink) (cancel func()) {
	sub := &subscription{s}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sinks = append(slices.Clip(b.sinks), sub)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.sinks = slices.DeleteFunc(slices.Clone(b.sinks), func(s *subscription) bool { return s == sub })
	}
}

// Publish hands ev to every sink. It never blocks.
func (b *Bus) Publish(ev Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.sinks {
		s.Put(ev)
	}
}

// Ready returns when every sink can take more, or the cause of ctx's end.
func (b *Bus) Ready(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	b.mu.Lock()
	sinks := b.sinks
	b.mu.Unlock()
	for _, s := range sinks {
		if err := s.Ready(ctx); err != nil {
			return err
		}
	}
	return nil
}
