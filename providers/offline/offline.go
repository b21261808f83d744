// Package offline is the built-in model offline/guide. It needs no network and no key, and answers the same to the same: it
// understands plain requests such as "read go.mod and then run `go version`", calls the tools for them, one request after the
// other, and says what came of it.
package offline

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/dualagent/agent/core"
)

// Names of the provider, of its model and of its wire API.
const (
	Name    = "offline"
	ModelID = "guide"
	API     = "offline"
)

// A Provider is a core.Provider with the one model guide. The zero Provider is ready for use.
type Provider struct {
	mu sync.Mutex
	// mu guards begun: what the last request of each session asked for, by session id; one entry for each session of the process.
	begun map[string]span
}

// A span is a run of user messages, by their times.
type span struct{ first, last time.Time }

var _ core.Provider = (*Provider)(nil)

// New returns a provider.
func New() *Provider { return &Provider{} }

// Model returns the model guide.
func Model() core.Model {
	return core.Model{ID: ModelID, Name: "Offline guide", API: API, Provider: Name, Reasoning: true, ContextWindow: 128000}
}

// Name returns "offline".
func (p *Provider) Name() string { return Name }

// Lookup knows the model guide.
func (p *Provider) Lookup(id string) (core.Model, bool) { return Model(), id == ModelID }

// Models returns the model guide.
func (p *Provider) Models(context.Context) ([]core.Model, error) { return []core.Model{Model()}, nil }

// Stream answers r. It fails only when ctx ends, with the cause of that. However long the reply is, it takes no more memory
// than a piece of it.
func (p *Provider) Stream(ctx context.Context, r core.Request) iter.Seq2[core.Chunk, error] {
	return func(yield func(core.Chunk, error) bool) {
		s := &speaker{ctx: ctx, yield: yield, calls: countCalls(r.Messages)}
		if s.answer(r, p.situation(r)); ctx.Err() != nil && !s.left {
			yield(core.Chunk{}, context.Cause(ctx))
		}
	}
}

// A situation is how far the work on the user's last words has come.
type situation struct {
	asked  []string // what the user has said, in order
	rounds []round  // replies with tool calls since
}

// A round is a reply with tool calls, and the results.
type round struct {
	calls   []core.ToolCall
	results map[string]*core.Message // by id of the call
}

// situation reads the messages from the end. Several user messages in a row are all to be answered, but for those that an
// earlier request has ended with: work on them was broken off.
func (p *Provider) situation(r core.Request) situation {
	last := len(r.Messages) - 1
	for last >= 0 && r.Messages[last].Role != core.RoleUser {
		last--
	}
	if last < 0 {
		return situation{asked: []string{""}}
	}
	first := last
	for first > 0 && r.Messages[first-1].Role == core.RoleUser {
		first--
	}
	from := p.begin(r.SessionID, r.Messages[first:last+1])
	var s situation
	for i := first; i <= last; i++ {
		if m := &r.Messages[i]; i == last || !m.Time.Before(from) {
			s.asked = append(s.asked, m.Text())
		}
	}
	for i := last + 1; i < len(r.Messages); i++ {
		s.add(&r.Messages[i])
	}
	return s
}

// begin notes that the messages of run are worked on, and returns the time of the first one that was not begun before.
func (p *Provider) begin(session string, run []core.Message) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, last := p.begun[session], run[len(run)-1].Time
	if !before.last.IsZero() && before.last.Equal(last) {
		return before.first
	}
	from := last
	for i := len(run) - 1; i >= 0 && run[i].Time.After(before.last); i-- {
		from = run[i].Time
	}
	if p.begun == nil {
		p.begun = map[string]span{}
	}
	p.begun[session] = span{from, last}
	return from
}

func (s *situation) add(m *core.Message) {
	switch m.Role {
	case core.RoleAssistant:
		if calls := m.ToolCalls(); len(calls) > 0 {
			s.rounds = append(s.rounds, round{calls, map[string]*core.Message{}})
		}
	case core.RoleTool:
		if n := len(s.rounds); n > 0 {
			s.rounds[n-1].results[m.ToolCallID] = m
		}
	}
}

func countCalls(messages []core.Message) int {
	n := 0
	for i := range messages {
		n += len(messages[i].ToolCalls())
	}
	return n
}
