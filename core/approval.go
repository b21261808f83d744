package core

import (
	"fmt"
	"slices"
	"time"
)

// A Verdict says what is done with a tool call.
type Verdict uint8

// The verdicts.
const (
	Ask   Verdict = iota // the client decides
	Allow                // it runs
	Deny                 // it does not, and nobody is asked
)

// An Approver decides about a call. It is pure: the same call gets the same verdict.
type Approver func(call ToolCall, a Assessment) Verdict

// An ApprovalMode says what runs without a question.
type ApprovalMode string

// The approval modes.
const (
	ApproveReads  ApprovalMode = "ask"   // reading runs, the rest is asked
	ApproveWrites ApprovalMode = "write" // writing inside the workspace runs too
	ApproveAll    ApprovalMode = "yolo"  // all runs; calls that leave the workspace are refused by the tools
)

// Valid reports whether m is one of the modes.
func (m ApprovalMode) Valid() bool {
	return m == ApproveReads || m == ApproveWrites || m == ApproveAll
}

// Approver returns the mode as an Approver.
func (m ApprovalMode) Approver() Approver {
	return func(_ ToolCall, a Assessment) Verdict {
		switch {
		case m == ApproveAll:
			return Allow
		case len(a.Outside) > 0:
			return Ask
		case a.Risk == RiskRead, a.Risk == RiskWrite && m == ApproveWrites:
			return Allow
		default:
			return Ask
		}
	}
}

// A Decision is a client's answer to a question.
type Decision struct {
	Approved bool
	// Redirect, with Approved false, is what the user wants instead: the rest of the batch is given up and the model gets
	// this as a message.
	Redirect string
	// Session, with Approved true, allows the same for the rest of the session: the same command, or calls of the same tool
	// inside the workspace.
	Session bool
	// CallID, if not "", is the tool call that the answer is for.
	CallID string
}

// An approval is a question that waits for its answer.
type approval struct {
	id     ApprovalID
	callID string
	answer chan Decision // has room for the one answer; closed: withdrawn
}

// withdraw gives up the question. The engine's mutex is held.
func (a *approval) withdraw() {
	if a.answer != nil {
		close(a.answer)
		a.answer = nil
	}
}

// Decide answers the approval that waits; id 0 means whichever that is. An answer that is sent ahead, before the turn accepted
// last has asked for the first time, and while no turn is under way that has asked the client, is kept for that turn's questions,
// in order, and forgotten at its end. Anything else is ErrNoApproval: an answer that comes late, or twice, must not
// approve what it was not meant for.
func (e *Engine) Decide(id ApprovalID, d Decision) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.decideLocked(id, d)
}

// Answer is Decide for an answer that names no question. shown is the last one that the client had been shown when it began to
// send the answer, 0 if there was none: of the questions that come later, only a client's first can be meant.
func (e *Engine) Answer(shown ApprovalID, d Decision) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.pending; p != nil && shown > 0 && p.id > shown && d.CallID == "" {
		return fmt.Errorf("%w: the question that waits had not been asked when this answer was sent", ErrNoApproval)
	}
	return e.decideLocked(0, d)
}

func (e *Engine) decideLocked(id ApprovalID, d Decision) error {
	if p := e.pending; p != nil && p.answer != nil {
		if id != 0 && id != p.id || d.CallID != "" && d.CallID != p.callID {
			return fmt.Errorf("%w for that call: %s waits for its answer", ErrNoApproval, p.callID)
		}
		p.answer <- d
		p.answer = nil
		return nil
	}
	if id != 0 || len(e.queue) == 0 {
		return ErrNoApproval
	}
	t := e.lastAcceptedLocked()
	if t == nil || t.asked || t.ended || len(t.ahead) >= maxQueued {
		return ErrNoApproval
	}
	t.ahead = append(t.ahead, d)
	return nil
}

// asksLocked reports whether a turn is under way in which the client has been asked.
func (e *Engine) asksLocked() bool {
	return slices.ContainsFunc(e.queue, func(it item) bool { return it.turn != nil && it.turn.asks && !it.turn.ended })
}

func (e *Engine) lastAcceptedLocked() *turn {
	for _, it := range slices.Backward(e.queue) {
		if it.turn != nil {
			return it.turn
		}
	}
	return nil
}

// ask puts a call to the client and waits for the answer. What nobody can answer, or does not in time, is denied.
func (e *Engine) ask(t *turn, call ToolCall, a Assessment) Decision {
	if err := e.session.log.Sync(); err != nil {
		e.host.o.Log.Warn("syncing the session before an approval", "error", err)
	}
	id, answer, ahead := e.register(t, call)
	e.bus.Publish(StateChanged{t.id, PhaseAwaiting})
	e.bus.Publish(ApprovalRequested{Turn: t.id, ID: id, Call: call, Risk: a.Risk, Outside: a.Outside})
	d, answered := ahead, answer == nil
	if !answered {
		d, answered = e.await(t, answer)
	}
	e.bus.Publish(ApprovalResolved{Turn: t.id, ID: id, Call: call, Approved: d.Approved, Answered: answered})
	return d
}

// register makes the question known. If its answer was sent ahead, that is returned and the channel is nil.
func (e *Engine) register(t *turn, call ToolCall) (ApprovalID, <-chan Decision, Decision) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t.asked = true
	e.lastAsked++
	for i, d := range t.ahead {
		if d.CallID == "" || d.CallID == call.ID {
			t.ahead = slices.Delete(t.ahead, i, i+1)
			return e.lastAsked, nil, d
		}
	}
	// From here on, until the turn ends, the client is asked, not a script played: an answer that finds no question is one too
	// many, and must not be kept for a turn that waits or is sent meanwhile.
	t.asks = true
	for _, it := range e.queue {
		if it.turn != nil {
			it.turn.asked = true
		}
	}
	answer := make(chan Decision, 1)
	e.pending = &approval{id: e.lastAsked, callID: call.ID, answer: answer}
	if e.hungUp {
		e.pending.withdraw()
	}
	return e.lastAsked, answer, Decision{}
}

func (e *Engine) await(t *turn, answer <-chan Decision) (d Decision, answered bool) {
	var late <-chan time.Time
	if limit := e.host.o.ApprovalTimeout; limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case d, answered = <-answer:
	case <-late:
	case <-t.ctx.Done():
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pending = nil
	if !answered && t.ctx.Err() == nil {
		// The answer may have come in between: what the client was told has been accepted counts.
		select {
		case d, answered = <-answer:
		default:
		}
	}
	return d, answered
}
