package core_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A rig is an engine with all that is around it.
type rig struct {
	*core.Engine
	t        *testing.T
	host     *core.Host
	events   *Recorder
	provider *Provider
	store    *Store
}

type options struct {
	host   core.HostOptions
	engine core.EngineOptions
	tools  []core.Tool
}

// start opens an engine on a scripted model. When the test ends it checks that every request was valid and every turn ended
// once.
func start(t *testing.T, o options, replies ...[]Step) *rig {
	t.Helper()
	r := &rig{t: t, events: NewRecorder(), provider: NewProvider(replies...), store: &Store{}}
	o.host.Providers = []core.Provider{r.provider}
	o.host.Store = r.store
	o.host.Tools = o.tools
	if o.host.Cwd == "" {
		o.host.Cwd = "/work"
	}
	r.host = core.NewHost(o.host)
	e, err := r.host.Open(context.Background(), o.engine, r.events)
	if err != nil {
		t.Fatal(err)
	}
	r.Engine = e
	t.Cleanup(r.close)
	return r
}

func (r *rig) close() {
	if err := r.host.Close(); err != nil {
		r.t.Errorf("close: %v", err)
	}
	checkTurns(r.t, r.events.Events())
	for i, req := range r.provider.Requests() {
		checkHistory(r.t, i, req.Messages)
	}
}

// checkTurns holds that each turn starts once, ends once, settles once, and that nothing of it comes later.
func checkTurns(t *testing.T, events []core.Event) {
	t.Helper()
	var started, ended, settled []core.TurnID
	for _, ev := range events {
		switch e := ev.(type) {
		case core.TurnStarted:
			started = append(started, e.Turn)
		case core.TurnEnded:
			ended = append(ended, e.Turn)
		case core.Settled:
			settled = append(settled, e.Turn)
		case core.TextDelta:
			notAfter(t, ended, e.Turn, ev)
		case core.ToolProgress:
			notAfter(t, ended, e.Turn, ev)
		case core.ToolFinished:
			notAfter(t, ended, e.Turn, ev)
		case core.ToolAnswered:
			notAfter(t, ended, e.Turn, ev)
		case core.StateChanged:
			notAfter(t, ended, e.Turn, ev)
		}
	}
	if !slices.Equal(started, ended) || !slices.Equal(ended, settled) {
		t.Errorf("turns started %v, ended %v, settled %v; want the same, once each", started, ended, settled)
	}
}

func notAfter(t *testing.T, ended []core.TurnID, id core.TurnID, ev core.Event) {
	t.Helper()
	if slices.Contains(ended, id) {
		t.Errorf("%T of turn %d after its end", ev, id)
	}
}

// checkHistory holds that each tool call has one result, right behind its message.
func checkHistory(t *testing.T, n int, messages []core.Message) {
	t.Helper()
	var open []string
	for _, m := range messages {
		if m.Role == core.RoleTool {
			i := slices.Index(open, m.ToolCallID)
			if i < 0 {
				t.Errorf("request %d: a result for %q, which was not called", n, m.ToolCallID)
				continue
			}
			open = slices.Delete(open, i, i+1)
			continue
		}
		if len(open) > 0 {
			t.Errorf("request %d: calls %q have no result", n, open)
		}
		open = nil
		for _, c := range m.ToolCalls() {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		t.Errorf("request %d: calls %q have no result at the end", n, open)
	}
}

func (r *rig) prompt(text string) {
	r.t.Helper()
	if _, err := r.Prompt(core.Input{Text: text}); err != nil {
		r.t.Fatalf("prompt %q: %v", text, err)
	}
}

func (r *rig) settled(n int) {
	r.t.Helper()
	if err := r.events.Settled(n); err != nil {
		r.t.Fatal(err)
	}
}

// until waits for an event of type E.
func until[E core.Event](r *rig) E {
	r.t.Helper()
	ev, err := r.events.Until(func(ev core.Event) bool { _, ok := ev.(E); return ok })
	if err != nil {
		var zero E
		r.t.Fatalf("waiting for %T: %v", zero, err)
	}
	return ev.(E)
}

// ends returns the terminal events so far.
func (r *rig) ends() []core.TurnEnded {
	var all []core.TurnEnded
	for _, ev := range r.events.Events() {
		if e, ok := ev.(core.TurnEnded); ok {
			all = append(all, e)
		}
	}
	return all
}

func (r *rig) wantEvents(want ...string) {
	r.t.Helper()
	got := Names(r.events.Events())
	if !slices.Equal(got, want) {
		r.t.Errorf("events (-want +got):\n%s", cmp.Diff(want, got))
	}
}

// between runs f in line with the turns and waits for it.
func (r *rig) between(f func()) {
	r.t.Helper()
	done := make(chan struct{})
	if err := r.Between(func() { defer close(done); f() }); err != nil {
		r.t.Fatal(err)
	}
	<-done
}
