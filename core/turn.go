package core

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// A turn works on one prompt. Its context exists from the moment of acceptance, so that an abort always finds it. The engine's
// mutex guards asked, asks, ahead, ended and abortedAt; the rest belongs to the worker.
type turn struct {
	id     TurnID
	input  Input
	ctx    context.Context
	cancel context.CancelCauseFunc

	asked bool       // answers are no longer taken ahead
	asks  bool       // the client has been asked something that it had not answered ahead
	ahead []Decision // answers that were sent ahead
	ended bool       // TurnEnded is published
	// abortedAt is the last turn that had been accepted when this one was aborted.
	abortedAt TurnID

	start    time.Time
	model    Model
	thinking ThinkingLevel
	step     int
	requests int
	drained  bool // messages were taken from a queue, and nobody has been told
	empty    int  // empty replies in a row
	attempt  int  // retries of the request in hand
	usage    Usage
	reply    string
	calls    []CallRecord
	messages []Message
}

// runTurn works on t from TurnStarted to Settled. Whatever happens in between, it ends properly.
//
//	runTurn
//	  begin                       the prompt becomes part of the conversation
//	  loop: iterate
//	    request -> reply          one message of the model, streamed       (reply.go)
//	    runBatch                  the tools that it calls                   (batch.go)
//	    seam                      what the user has said meanwhile          (queue.go)
//	  finish                      TurnEnded, Settled
func (e *Engine) runTurn(t *turn) {
	defer t.cancel(nil)
	t.start = time.Now()
	// A client that sends several commands in one piece is heard out before anything happens; if the turn is aborted
	// meanwhile, it still starts, to end in the usual way.
	_ = e.bus.Ready(t.ctx)
	e.bus.Publish(TurnStarted{t.id})
	said, err := e.begin(t)
	for more := true; more; {
		var reason FinishReason
		if err == nil {
			reason, err = e.loop(t, said)
		}
		said, more = e.finish(t, reason, err)
	}
}

// loop iterates until the turn is over.
func (e *Engine) loop(t *turn, said []Message) (reason FinishReason, err error) {
	defer func() {
		if p := recover(); p != nil {
			e.host.o.Log.Error("panic in a turn", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	for err == nil && reason == "" {
		said, reason, err = e.iterate(t, said)
	}
	return reason, err
}

// begin settles what the turn works with and returns the messages that open it.
func (e *Engine) begin(t *turn) ([]Message, error) {
	e.mu.Lock()
	t.model, t.thinking = e.model, e.thinking
	said := []Message{t.input.message()}
	if e.o.SteerAtStart && t.ctx.Err() == nil {
		said = append(said, e.takeLocked(steering)...)
		t.drained = len(said) > 1
	}
	e.mu.Unlock()
	return said, e.recordSettings(t.model, t.thinking)
}

// iterate says what is to be said, gets one reply and runs the tools that it calls. It returns what is to be said next, or the
// reason why the turn is over.
func (e *Engine) iterate(t *turn, said []Message) ([]Message, FinishReason, error) {
	t.step++
	e.bus.Publish(StepStarted{t.id, t.step})
	if t.drained {
		t.drained = false
		e.mu.Lock()
		e.bus.Publish(e.session.queued())
		e.mu.Unlock()
	}
	for _, m := range said {
		if err := e.say(t, m); err != nil {
			return nil, "", err
		}
	}
	e.bus.Publish(StateChanged{t.id, PhaseThinking})
	reply, err := e.request(t)
	if err != nil {
		e.bus.Publish(StepEnded{Turn: t.id, Step: t.step, Reply: reply})
		if again, rerr := e.retryAfter(t, reply, err); again || rerr != nil {
			t.step--
			return nil, "", rerr
		}
		return nil, "", err
	}
	e.succeeded(t)
	batch := e.runBatch(t, reply)
	e.bus.Publish(StepEnded{Turn: t.id, Step: t.step, Reply: reply, Results: batch.results})
	if batch.err != nil {
		return nil, "", batch.err
	}
	return e.next(t, reply, batch)
}

// next decides how the turn goes on after a reply and its tools.
func (e *Engine) next(t *turn, reply Message, b batch) ([]Message, FinishReason, error) {
	if b.redirect != "" {
		return []Message{Input{Text: b.redirect}.message()}, "", nil
	}
	calls := len(b.results) > 0
	limit := e.host.o.MaxSteps
	if calls && limit > 0 && t.step >= limit {
		return nil, FinishMaxIterations, nil
	}
	if !calls && e.o.MaxEmpty > 0 && reply.Text() == "" {
		if t.empty++; t.empty >= e.o.MaxEmpty {
			return nil, FinishEmpty, nil
		}
		return nil, "", nil
	}
	t.empty = 0
	said := e.seam(t, !calls)
	switch {
	case calls || len(said) > 0:
		return said, "", nil
	case reply.Stop == StopLength:
		return nil, FinishLength, nil
	default:
		return nil, FinishStop, nil
	}
}

// say makes a user message part of the conversation.
func (e *Engine) say(t *turn, m Message) error {
	t.messages = append(t.messages, m)
	return e.record(MessageAdded{t.id, m}, Entry{Type: EntryMessage, Message: &m})
}

// finish reports the end of t, once and last, unless something was said at the last moment: then the turn goes on with that.
func (e *Engine) finish(t *turn, reason FinishReason, err error) (said []Message, more bool) {
	if serr := e.session.log.Sync(); serr != nil && err == nil {
		err = fmt.Errorf("write session: %w", serr)
	}
	switch {
	case err == nil:
	case t.ctx.Err() != nil:
		reason, err = FinishAborted, context.Cause(t.ctx)
	default:
		reason = FinishError
		e.host.o.Log.Warn("a turn failed", "model", t.model.String(), "error", err)
	}
	end := TurnEnded{
		Turn: t.id, Tag: t.input.Tag, Reply: t.reply, Steps: t.step, Usage: t.usage, Requests: t.requests,
		Calls: t.calls, Messages: t.messages, Took: time.Since(t.start), Reason: reason, Err: err,
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil && reason != FinishMaxIterations && t.ctx.Err() == nil {
		if said = e.seamLocked(t, true); len(said) > 0 {
			return said, true
		}
	}
	t.ended = true
	e.bus.Publish(end)
	if t.attempt > 0 {
		e.bus.Publish(RetryEnded{Turn: t.id, Attempt: t.attempt, Err: err})
	}
	e.bus.Publish(Settled{Turn: t.id, Aborted: errors.Is(err, ErrAborted) || errors.Is(err, ErrShutdown)})
	return nil, false
}
