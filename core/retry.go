package core

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// A RetryPolicy says how failed requests are made again. Zero fields mean defaults.
type RetryPolicy struct {
	Max  int           // retries of one request; default 3, negative: none
	Base time.Duration // pause before the first retry, doubled for each further one; default 2 s
	// Limit is the longest pause that a server may ask for; default 60 s. If it asks for more, the turn fails.
	Limit time.Duration
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.Max == 0 {
		p.Max = 3
	}
	if p.Base == 0 {
		p.Base = 2 * time.Second
	}
	if p.Limit == 0 {
		p.Limit = time.Minute
	}
	return p
}

// pause returns how long to wait before retry n (from 1): exponential, with up to a quarter taken off or added so that
// many clients do not come back at once.
func (p RetryPolicy) pause(n int) time.Duration {
	d := min(p.Base<<(n-1), p.Limit)
	return d*3/4 + time.Duration(rand.Int64N(int64(d)/2+1))
}

// explain adds to a provider's error why it is not tried again, if that is because of how long the server asks to wait.
func (p RetryPolicy) explain(err error) error {
	var pe *ProviderError
	if errors.As(err, &pe) && pe.Retry && pe.RetryAfter > p.Limit {
		return fmt.Errorf("%w (the server asks to wait %v, longer than the limit of %v)", err, pe.RetryAfter, p.Limit)
	}
	return err
}

// retryAfter decides whether the request that failed is made again, and waits until then. The failed reply stays in the session
// and no longer counts.
func (e *Engine) retryAfter(t *turn, reply Message, err error) (again bool, _ error) {
	var p *ProviderError
	if t.ctx.Err() != nil || !errors.As(err, &p) || !p.Retry || p.Overflow {
		return false, nil
	}
	policy := e.host.o.Retry
	if p.RetryAfter > policy.Limit {
		return false, nil
	}
	e.mu.Lock()
	on := e.retry && (e.o.RetryVisible || reply.Text() == "")
	e.mu.Unlock()
	if !on || policy.Max < 0 {
		return false, nil
	}
	if t.attempt >= policy.Max {
		return false, fmt.Errorf("retry budget exhausted after %d attempts: %w", t.attempt+1, err)
	}
	t.attempt++
	delay := p.RetryAfter
	if delay <= 0 {
		delay = policy.pause(t.attempt)
	}
	e.host.o.Log.Warn("the request failed; trying again", "model", t.model.String(), "attempt", t.attempt, "in", delay, "error", err)
	e.bus.Publish(RetryScheduled{
		Turn: t.id, Attempt: t.attempt, Max: policy.Max, Delay: delay, Err: err, Messages: t.messages,
	})
	if err := e.drop(t, reply); err != nil {
		return false, err
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		e.bus.Publish(RetryStarted{t.id})
		return true, nil
	case <-t.ctx.Done():
		return false, context.Cause(t.ctx)
	}
}

// drop takes the failed reply, which is the last entry, out of the conversation, for good: the session says so, too.
func (e *Engine) drop(t *turn, reply Message) error {
	if !failed(reply) {
		return nil
	}
	t.messages = t.messages[: len(t.messages)-1 : len(t.messages)-1]
	e.mu.Lock()
	s := e.session
	s.messages = s.messages[: len(s.messages)-1 : len(s.messages)-1]
	e.mu.Unlock()
	return e.record(nil, Entry{Type: EntryEdit, Target: s.leaf})
}

// succeeded ends a series of retries.
func (e *Engine) succeeded(t *turn) {
	if t.attempt > 0 {
		e.bus.Publish(RetryEnded{Turn: t.id, Attempt: t.attempt})
		t.attempt = 0
	}
}
