package script

import (
	"context"
	"fmt"
	"iter"
	"os"
	"sync"

	"github.com/dualagent/agent/core"
)

// API is the name of the wire API in models and stored messages.
const API = "script"

// Name is the name of the provider.
const Name = "script"

const defaultWindow = 128000

// A Script is what a model says, reply by reply. It does not change.
type Script struct {
	name    string
	models  []core.Model
	replies [][]step
	loop    bool
}

// A Provider is a core.Provider that plays a Script. Each Stream that is ranged over plays the next reply, whoever asks.
type Provider struct {
	script *Script

	mu sync.Mutex
	// mu guards played, the replies that were taken, and calls, the number of the last call.
	played int
	calls  int
}

var _ core.Provider = (*Provider)(nil)

// Load returns a provider for the script in the file at path.
func Load(path string) (*Provider, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	s, err := Parse(path, text)
	if err != nil {
		return nil, err
	}
	return New(s), nil
}

// New returns a provider that plays s from its first reply on.
func New(s *Script) *Provider { return &Provider{script: s} }

// Name returns "script".
func (p *Provider) Name() string { return Name }

// Lookup knows the models that the script declares.
func (p *Provider) Lookup(id string) (core.Model, bool) {
	for _, m := range p.script.models {
		if m.ID == id {
			return m, true
		}
	}
	return core.Model{}, false
}

// Models returns the models that the script declares, the default one first.
func (p *Provider) Models(context.Context) ([]core.Model, error) {
	return append([]core.Model(nil), p.script.models...), nil
}

// Stream plays the next reply. Errors are a *core.ProviderError, those of gates, or the cause of ctx's end.
func (p *Provider) Stream(ctx context.Context, r core.Request) iter.Seq2[core.Chunk, error] {
	return func(yield func(core.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(core.Chunk{}, context.Cause(ctx))
			return
		}
		reply, firstCall, err := p.next(r)
		if err != nil {
			yield(core.Chunk{}, err)
			return
		}
		player := &player{ctx: ctx, yield: yield, firstCall: firstCall}
		if err := player.play(reply, r); err != nil && !player.left {
			yield(core.Chunk{}, err)
		}
	}
}

// next takes the next reply, and as many numbers of calls as it has calls.
func (p *Provider) next(r core.Request) (reply []step, firstCall int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.script
	if p.played >= len(s.replies) && (!s.loop || len(s.replies) == 0) {
		return nil, 0, &core.ProviderError{Message: fmt.Sprintf("%s: the script has no more replies (%d played)", s.name, p.played)}
	}
	reply = s.replies[p.played%len(s.replies)]
	p.played++
	calls := 0
	for _, st := range reply {
		if st.kind == call {
			calls++
		}
	}
	if calls > 0 {
		p.calls = max(p.calls, lastCall(r.Messages))
	}
	firstCall = p.calls + 1
	p.calls += calls
	return reply, firstCall, nil
}
