// Package coretest has what tests of the engine and of codecs need: a scripted model, tools that do as they are told, a
// store in memory, and a sink that remembers.
package coretest

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/dualagent/agent/core"
)

// A Step is a piece of a scripted reply. It yields chunks, or an error, and reports whether the reply goes on.
type Step func(ctx context.Context, yield func(core.Chunk, error) bool) bool

// Say yields a text delta for each piece.
func Say(pieces ...string) Step {
	return func(_ context.Context, yield func(core.Chunk, error) bool) bool {
		for _, p := range pieces {
			if !yield(core.Chunk{Kind: core.ChunkText, Text: p}, nil) {
				return false
			}
		}
		return true
	}
}

// Think yields a reasoning delta.
func Think(text string) Step { return yields(core.Chunk{Kind: core.ChunkReasoning, Text: text}) }

// Call yields the call-th tool call of the reply, its arguments in the pieces given.
func Call(call int, id, name string, arguments ...string) Step {
	return func(_ context.Context, yield func(core.Chunk, error) bool) bool {
		for i, a := range arguments {
			c := core.Chunk{Kind: core.ChunkToolCall, Call: call, Text: a}
			if i == 0 {
				c.ID, c.Name = id, name
			}
			if !yield(c, nil) {
				return false
			}
		}
		return true
	}
}

// Use yields a usage report.
func Use(input, output int) Step {
	return yields(core.Chunk{Kind: core.ChunkUsage, Usage: core.Usage{Input: input, Output: output}})
}

// Stop ends the reply for a reason other than the usual one.
func Stop(why core.StopReason) Step {
	return func(_ context.Context, yield func(core.Chunk, error) bool) bool {
		yield(core.Chunk{Kind: core.ChunkStop, Stop: why}, nil)
		return false
	}
}

// Fail ends the reply with an error.
func Fail(err error) Step {
	return func(_ context.Context, yield func(core.Chunk, error) bool) bool {
		yield(core.Chunk{}, err)
		return false
	}
}

// Cut ends the reply in the middle: the stream is over, and no stop has come.
func Cut() Step {
	return func(context.Context, func(core.Chunk, error) bool) bool { return false }
}

// Panic panics.
func Panic(v any) Step {
	return func(context.Context, func(core.Chunk, error) bool) bool { panic(v) }
}

// Wait waits until gate is closed or the request is given up.
func Wait(gate <-chan struct{}) Step {
	return func(ctx context.Context, yield func(core.Chunk, error) bool) bool {
		select {
		case <-gate:
			return true
		case <-ctx.Done():
			yield(core.Chunk{}, context.Cause(ctx))
			return false
		}
	}
}

// Do calls f.
func Do(f func()) Step {
	return func(context.Context, func(core.Chunk, error) bool) bool { f(); return true }
}

func yields(c core.Chunk) Step {
	return func(_ context.Context, yield func(core.Chunk, error) bool) bool { return yield(c, nil) }
}

// A Provider plays scripted replies, one for each request. Its name is "test"; its models are "one" and "two".
type Provider struct {
	mu       sync.Mutex
	replies  [][]Step
	requests []core.Request
}

// NewProvider returns a Provider with the replies, each made of steps.
func NewProvider(replies ...[]Step) *Provider { return &Provider{replies: replies} }

// Reply makes a reply of steps. One that no Stop, Fail or Cut ends is ended in the usual way.
func Reply(steps ...Step) []Step { return steps }

// Add adds replies to the script.
func (p *Provider) Add(replies ...[]Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replies = append(p.replies, replies...)
}

// Requests returns the requests so far.
func (p *Provider) Requests() []core.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]core.Request(nil), p.requests...)
}

// Name implements core.Provider.
func (p *Provider) Name() string { return "test" }

// Lookup implements core.Provider.
func (p *Provider) Lookup(id string) (core.Model, bool) {
	models, _ := p.Models(context.Background())
	for _, m := range models {
		if m.ID == id {
			return m, true
		}
	}
	return core.Model{}, false
}

// Models implements core.Provider.
func (p *Provider) Models(context.Context) ([]core.Model, error) {
	return []core.Model{
		{ID: "one", Name: "One", API: "test", Provider: "test", ContextWindow: 100_000, Reasoning: true},
		{ID: "two", Name: "Two", API: "test", Provider: "test", ContextWindow: 100_000},
	}, nil
}

// ErrNoReply is what a request gets when the script has come to its end.
var ErrNoReply = errors.New("the script has no more replies")

// Stream implements core.Provider.
func (p *Provider) Stream(ctx context.Context, r core.Request) iter.Seq2[core.Chunk, error] {
	return func(yield func(core.Chunk, error) bool) {
		p.mu.Lock()
		p.requests = append(p.requests, r)
		var steps []Step
		ok := len(p.replies) > 0
		if ok {
			steps, p.replies = p.replies[0], p.replies[1:]
		}
		p.mu.Unlock()
		if !ok {
			yield(core.Chunk{}, ErrNoReply)
			return
		}
		for _, step := range steps {
			if ctx.Err() != nil {
				yield(core.Chunk{}, context.Cause(ctx))
				return
			}
			if !step(ctx, yield) {
				return
			}
		}
		yield(core.Chunk{Kind: core.ChunkStop, Stop: core.StopEnd}, nil)
	}
}
