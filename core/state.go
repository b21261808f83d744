package core

import (
	"slices"
)

// A State is what an engine is set to and busy with.
type State struct {
	Session  SessionInfo
	Model    Model
	Thinking ThinkingLevel
	System   string // system prompt
	Busy     bool   // a turn runs or waits

	SteeringOneAtATime bool
	FollowUpOneAtATime bool
	AutoRetry          bool

	Messages int // in the conversation, the system prompt not counted
	Pending  int // messages in both queues
}

// State returns the engine's state.
func (e *Engine) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.session
	return State{
		Session:            s.info,
		Model:              e.model,
		Thinking:           e.thinking,
		System:             e.host.o.System,
		Busy:               e.busyLocked(),
		SteeringOneAtATime: e.modes[steering],
		FollowUpOneAtATime: e.modes[followUp],
		AutoRetry:          e.retry,
		Messages:           len(s.messages),
		Pending:            len(s.queues[steering]) + len(s.queues[followUp]),
	}
}

// Messages returns the conversation on the active path, without the system prompt. The caller does not change it.
func (e *Engine) Messages() []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clip(e.session.messages)
}

// Context tells how full the context of the engine's model is.
func (e *Engine) Context() ContextUsage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.contextLocked()
}

func (e *Engine) contextLocked() ContextUsage {
	c := ContextUsage{Used: e.session.tokens(e.host.o.System), Window: e.model.ContextWindow, Reserve: e.host.o.Reserve}
	if budget := e.host.o.TokenBudget; budget > 0 {
		c.Window = budget
	}
	if room := c.Window - c.Reserve; room > 0 {
		c.Percent = min(c.Used*100/room, 255)
	}
	return c
}

// SetModel sets the model that ref names for the turns to come. It fails with ErrUnknownModel or ErrUnknownProvider,
// and changes nothing then.
func (e *Engine) SetModel(ref ModelRef) (Model, error) {
	m, level, err := FindModel(e.host.o.Providers, ref)
	if err != nil {
		return Model{}, err
	}
	e.UseModel(m, level)
	return m, nil
}

// UseModel sets the model for the turns to come, and the thinking level if it is not "". The level is clamped to what
// the model supports.
func (e *Engine) UseModel(m Model, level ThinkingLevel) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.useModelLocked(m, level)
}

func (e *Engine) useModelLocked(m Model, level ThinkingLevel) {
	before := e.thinking
	e.model = m
	if level == "" {
		level = e.thinking
	}
	e.thinking = m.Clamp(level)
	e.bus.Publish(ModelChanged{m})
	if e.thinking != before {
		e.bus.Publish(ThinkingChanged{e.thinking})
	}
}

// SetThinking sets the level for the turns to come and returns the one that the model supports instead of it.
func (e *Engine) SetThinking(l ThinkingLevel) ThinkingLevel {
	e.mu.Lock()
	defer e.mu.Unlock()
	if got := e.model.Clamp(l); got != e.thinking {
		e.thinking = got
		e.bus.Publish(ThinkingChanged{got})
	}
	return e.thinking
}

// SetAutoRetry says whether failed requests are made again by themselves.
func (e *Engine) SetAutoRetry(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.retry = on
}
