package coretest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dualagent/agent/core"
)

// A Recorder is a sink that remembers every event.
type Recorder struct {
	mu      sync.Mutex
	events  []core.Event
	changed chan struct{}
}

// NewRecorder returns an empty Recorder.
func NewRecorder() *Recorder { return &Recorder{changed: make(chan struct{})} }

// Put implements core.Sink.
func (r *Recorder) Put(ev core.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, ev)
	close(r.changed)
	r.changed = make(chan struct{})
}

// Ready implements core.Sink.
func (r *Recorder) Ready(context.Context) error { return nil }

// Events returns the events so far.
func (r *Recorder) Events() []core.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]core.Event(nil), r.events...)
}

// Until waits until match accepts an event, old or new, and returns it. It gives up after ten seconds.
func (r *Recorder) Until(match func(core.Event) bool) (core.Event, error) {
	limit := time.After(10 * time.Second)
	for seen := 0; ; {
		r.mu.Lock()
		events, changed := r.events, r.changed
		r.mu.Unlock()
		for ; seen < len(events); seen++ {
			if match(events[seen]) {
				return events[seen], nil
			}
		}
		select {
		case <-changed:
		case <-limit:
			return nil, fmt.Errorf("no such event among %d:\n%s", len(events), strings.Join(Names(events), "\n"))
		}
	}
}

// Settled waits until n turns have settled.
func (r *Recorder) Settled(n int) error {
	_, err := r.Until(func(ev core.Event) bool {
		if _, ok := ev.(core.Settled); ok {
			n--
		}
		return n == 0
	})
	return err
}

// Names describes events in a word or two each: what a test compares.
func Names(events []core.Event) []string {
	var names []string
	for _, ev := range events {
		if name := nameOf(ev); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func nameOf(ev core.Event) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", ev), "core.")
	switch e := ev.(type) {
	case core.EntryAdded, core.UsageUpdated:
		return ""
	case core.StateChanged:
		return string(e.Phase)
	case core.MessageAdded:
		return "user: " + e.Message.Text()
	case core.TextDelta:
		return "text: " + e.Text
	case core.ReplyEnded:
		return "reply: " + e.Message.Text() + " (" + string(e.Message.Stop) + ")"
	case core.ToolCalled:
		return "call " + e.Call.Name
	case core.ToolFinished:
		return "finished " + e.Call.Name + ": " + string(e.Outcome)
	case core.ToolAnswered:
		return "answer " + e.Call.Name + ": " + e.Message.Text()
	case core.ApprovalRequested:
		return "ask " + e.Call.Name
	case core.ApprovalResolved:
		return fmt.Sprintf("resolved approved=%t answered=%t", e.Approved, e.Answered)
	case core.QueueChanged:
		return fmt.Sprintf("queue %d+%d", len(e.Steering), len(e.FollowUp))
	case core.TurnEnded:
		if e.Err != nil {
			return fmt.Sprintf("end %s: %v", e.Reason, e.Err)
		}
		return fmt.Sprintf("end %s: %s", e.Reason, e.Reply)
	default:
		return name
	}
}
