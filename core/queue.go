package core

import "slices"

// The queues of messages that wait for a running turn.
const (
	steering = iota // said at the next seam
	followUp        // said when the turn would otherwise end
)

// Steer queues a message for the next seam of the running turn; without one, for the next turn. It fails with
// ErrEmptyPrompt, ErrOverloaded or ErrClosed.
func (e *Engine) Steer(in Input) error { return e.enlist(steering, in) }

// FollowUp queues a message that is said when the running turn would otherwise end; without one, in the next turn. It fails as
// Steer does.
func (e *Engine) FollowUp(in Input) error { return e.enlist(followUp, in) }

// Join says something to the turn that is under way, as Steer or, later, as FollowUp does, or starts one with it, as Prompt does,
// if there is none that would still take it up: it has ended, or is being aborted. It fails as Prompt does.
func (e *Engine) Join(in Input, later bool) (started bool, err error) {
	which := steering
	if later {
		which = followUp
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.listensLocked() {
		_, err := e.promptLocked(in)
		return true, err
	}
	return false, e.enlistLocked(which, in)
}

// Listens reports whether a turn is under way, or waits, that takes up what is said to it.
func (e *Engine) Listens() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.listensLocked()
}

func (e *Engine) listensLocked() bool {
	return slices.ContainsFunc(e.queue, func(it item) bool {
		return it.turn != nil && !it.turn.ended && it.turn.ctx.Err() == nil
	})
}

func (e *Engine) enlist(which int, in Input) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.enlistLocked(which, in)
}

func (e *Engine) enlistLocked(which int, in Input) error {
	if in.Text == "" && len(in.Images) == 0 {
		return ErrEmptyPrompt
	}
	q := &e.session.queues[which]
	switch {
	case e.closed:
		return ErrClosed
	case len(*q) >= maxQueued:
		return ErrOverloaded
	}
	// Readers hold the old slice: it is extended, never changed in place.
	*q = append(slices.Clip(*q), in.message())
	e.bus.Publish(e.session.queued())
	return nil
}

// SetSteeringMode and SetFollowUpMode say whether one queued message is taken at a seam, or all.
func (e *Engine) SetSteeringMode(oneAtATime bool) { e.setMode(steering, oneAtATime) }

// SetFollowUpMode: see SetSteeringMode.
func (e *Engine) SetFollowUpMode(oneAtATime bool) { e.setMode(followUp, oneAtATime) }

func (e *Engine) setMode(which int, oneAtATime bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.modes[which] = oneAtATime
}

// Queued returns the messages that wait, oldest first.
func (e *Engine) Queued() (steer, follow []Message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.session.queues[steering], e.session.queues[followUp]
}

// ClearQueues forgets the messages that wait and returns them.
func (e *Engine) ClearQueues() (steer, follow []Message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.session
	steer, follow = s.queues[steering], s.queues[followUp]
	s.queues = [2][]Message{}
	e.bus.Publish(s.queued())
	return steer, follow
}

// takeLocked removes from a queue what is due at a seam, oldest first.
func (e *Engine) takeLocked(which int) []Message {
	q := &e.session.queues[which]
	n := len(*q)
	if n > 1 && e.modes[which] {
		n = 1
	}
	taken := slices.Clone((*q)[:n])
	*q = (*q)[n:]
	return taken
}

// seam takes what is to be said before the next request. Between tools and the next request that is steering; at the end
// of a reply without calls, follow-ups too.
func (e *Engine) seam(t *turn, end bool) []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seamLocked(t, end)
}

func (e *Engine) seamLocked(t *turn, end bool) []Message {
	if t.ctx.Err() != nil {
		return nil // what waits is for the turn that comes next
	}
	taken := e.takeLocked(steering)
	if len(taken) == 0 && end {
		taken = e.takeLocked(followUp)
	}
	t.drained = len(taken) > 0
	return taken
}
