package core_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

func texts(messages []core.Message) []string {
	var out []string
	for _, m := range messages {
		out = append(out, string(m.Role)+": "+m.Text())
	}
	return out
}

func TestSteering(t *testing.T) {
	for _, c := range []struct {
		name   string
		engine core.EngineOptions
		script func(r *rig, tool *BlockingTool)
		want   []string // what the model has read at its last request
	}{
		{"during a tool", core.EngineOptions{}, func(r *rig, tool *BlockingTool) {
			r.prompt("go")
			<-tool.Started
			must(r, r.Steer(core.Input{Text: "faster"}))
			close(tool.Released)
		}, []string{"user: go", "assistant: ", "tool: released", "user: faster"}},
		{"two during a tool, all at once", core.EngineOptions{}, func(r *rig, tool *BlockingTool) {
			r.prompt("go")
			<-tool.Started
			must(r, r.Steer(core.Input{Text: "a"}))
			must(r, r.Steer(core.Input{Text: "b"}))
			close(tool.Released)
		}, []string{"user: go", "assistant: ", "tool: released", "user: a", "user: b"}},
		{"two during a tool, one at a time", core.EngineOptions{OneAtATime: true}, func(r *rig, tool *BlockingTool) {
			r.prompt("go")
			<-tool.Started
			must(r, r.Steer(core.Input{Text: "a"}))
			must(r, r.Steer(core.Input{Text: "b"}))
			close(tool.Released)
		}, []string{"user: go", "assistant: ", "tool: released", "user: a", "assistant: one", "user: b"}},
		{"while idle, for the first seam", core.EngineOptions{}, func(r *rig, tool *BlockingTool) {
			must(r, r.Steer(core.Input{Text: "first"}))
			close(tool.Released)
			r.prompt("go")
		}, []string{"user: go", "assistant: ", "tool: released", "user: first"}},
		{"while idle, right behind the prompt", core.EngineOptions{SteerAtStart: true}, func(r *rig, tool *BlockingTool) {
			must(r, r.Steer(core.Input{Text: "first"}))
			close(tool.Released)
			r.prompt("go")
		}, []string{"user: go", "user: first", "assistant: ", "tool: released"}},
		{"follow-up", core.EngineOptions{}, func(r *rig, tool *BlockingTool) {
			r.prompt("go")
			<-tool.Started
			must(r, r.FollowUp(core.Input{Text: "then"}))
			close(tool.Released)
		}, []string{"user: go", "assistant: ", "tool: released", "assistant: one", "user: then"}},
		{"steering goes before follow-ups", core.EngineOptions{}, func(r *rig, tool *BlockingTool) {
			r.prompt("go")
			<-tool.Started
			must(r, r.FollowUp(core.Input{Text: "then"}))
			must(r, r.Steer(core.Input{Text: "faster"}))
			close(tool.Released)
		}, []string{"user: go", "assistant: ", "tool: released", "user: faster", "assistant: one", "user: then"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tool := NewBlockingTool("block")
			r := start(t, options{tools: []core.Tool{tool}, engine: c.engine},
				Reply(Call(0, "c", "block", "{}")), Reply(Say("one")), Reply(Say("two")), Reply(Say("three")))
			c.script(r, tool)
			r.settled(1)
			requests := r.provider.Requests()
			if got := texts(requests[len(requests)-1].Messages); !slices.Equal(got, c.want) {
				t.Errorf("the model read\n%q, want\n%q", got, c.want)
			}
			if s, f := r.Queued(); len(s)+len(f) != 0 {
				t.Errorf("left in the queues: %d, %d", len(s), len(f))
			}
		})
	}
}

func must(r *rig, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// TestSteeringIsNeverStranded sends a message at the last moment before the end of a reply: the turn goes on with it.
func TestSteeringIsNeverStranded(t *testing.T) {
	var r *rig
	r = start(t, options{}, Reply(Say("one"), Do(func() { must(r, r.Steer(core.Input{Text: "wait"})) })), Reply(Say("two")))
	r.prompt("go")
	r.settled(1)
	if end := r.ends()[0]; end.Reply != "two" || end.Steps != 2 {
		t.Errorf("end: %+v", end)
	}
}

// TestSteeringAtTheVeryEnd sends a message when the turn has decided to end and has not said so yet.
func TestSteeringAtTheVeryEnd(t *testing.T) {
	r := start(t, options{}, Reply(Say("one")), Reply(Say("two")))
	once := true
	r.store.OnSync = func() {
		if once {
			once = false
			must(r, r.Steer(core.Input{Text: "wait"}))
		}
	}
	r.prompt("go")
	r.settled(1)
	if end := r.ends()[0]; end.Reply != "two" || end.Steps != 2 {
		t.Errorf("end: %+v", end)
	}
}

// TestDo: what is quick is done at once if nothing is in the way, and in its place if something is.
func TestDo(t *testing.T) {
	gate := make(chan struct{})
	r := start(t, options{}, Reply(Wait(gate), Say("one")))
	ran := false
	must(r, r.Do(func() { ran = true }))
	if !ran {
		t.Error("an idle engine has not done it at once")
	}
	r.prompt("go")
	until[core.StepStarted](r)
	done := make(chan int)
	must(r, r.Do(func() { done <- len(r.ends()) }))
	close(gate)
	if n := <-done; n != 1 {
		t.Errorf("%d turns had ended when it was done, want 1", n)
	}
	must(r, r.Do(func() { // what is queued meanwhile runs after it
		if err := r.Between(func() { close(done) }); err != nil {
			t.Error(err)
		}
	}))
	<-done
}

func TestQueuesStayAfterAnAbort(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	r := start(t, options{}, Reply(Say("x"), Wait(never)))
	r.prompt("go")
	until[core.TextDelta](r)
	must(r, r.Steer(core.Input{Text: "a"}))
	must(r, r.FollowUp(core.Input{Text: "b"}))
	r.Abort()
	r.settled(1)
	if s, f := r.ClearQueues(); len(s) != 1 || len(f) != 1 {
		t.Errorf("queues after an abort: %d, %d; want 1, 1", len(s), len(f))
	}
	if s := r.State(); s.Pending != 0 || s.Busy {
		t.Errorf("state after that: %+v", s)
	}
}

// TestEntriesFormATree holds that each entry continues the one before, and that an entry is stored before it is told.
func TestEntriesFormATree(t *testing.T) {
	r := start(t, options{tools: []core.Tool{&Tool{Name: "look"}}}, Reply(Call(0, "c", "look", "{}")), Reply(Say("ok")))
	r.Subscribe(sinkFunc(func(ev core.Event) {
		if e, ok := ev.(core.EntryAdded); ok {
			entries := r.store.Entries()
			if !slices.ContainsFunc(entries, func(have core.Entry) bool { return have.ID == e.Entry.ID }) {
				t.Errorf("entry %s is told before it is stored", e.Entry.ID)
			}
		}
	}))
	r.prompt("go")
	r.settled(1)
	var types []core.EntryType
	parent, ids := "", map[string]bool{}
	for _, e := range r.store.Entries() {
		types = append(types, e.Type)
		if e.Parent != parent || len(e.ID) != 8 || ids[e.ID] {
			t.Errorf("entry %q has parent %q, want %q", e.ID, e.Parent, parent)
		}
		parent, ids[e.ID] = e.ID, true
	}
	const m = core.EntryMessage
	if want := []core.EntryType{core.EntryModel, core.EntryThinking, m, m, m, m}; !slices.Equal(types, want) {
		t.Errorf("entries: %q, want %q", types, want)
	}
}

func TestResume(t *testing.T) {
	r := start(t, options{}, Reply(Say("one")), Reply(Say("two")))
	r.UseModel(core.Model{ID: "two", Provider: "test", Name: "Two"}, "")
	r.prompt("first")
	r.settled(1)
	path := r.State().Session.Path

	second := NewRecorder()
	e, err := r.host.Open(context.Background(), core.EngineOptions{Session: core.SessionOptions{Ref: path}}, second)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := texts(e.Messages()), texts(r.Messages()); !slices.Equal(got, want) {
		t.Errorf("resumed %q, want %q", got, want)
	}
	if s := e.State(); s.Model.ID != "two" || s.Thinking != "off" || s.Session.ID != r.State().Session.ID {
		t.Errorf("resumed with %s at %s in %s", s.Model, s.Thinking, s.Session.ID)
	}
	before := len(r.store.Entries())
	if _, err := e.Prompt(core.Input{Text: "second"}); err != nil {
		t.Fatal(err)
	}
	if err := second.Settled(1); err != nil {
		t.Fatal(err)
	}
	if entries := r.store.Entries(); len(entries) != before+2 || entries[before].Parent != entries[before-1].ID {
		t.Errorf("a resumed session goes on with %d entries, the first one's parent is %q; want 2 that continue", len(entries)-before, entries[before].Parent)
	}
	_, err = r.host.Open(context.Background(), core.EngineOptions{Session: core.SessionOptions{Ref: "mem:none"}}, NewRecorder())
	if !errors.Is(err, core.ErrNoSession) {
		t.Errorf("a session that is not there: %v", err)
	}
}

func TestNewSessionAndClearWaitTheirTurn(t *testing.T) {
	r := start(t, options{}, Reply(Say("one")), Reply(Say("two")), Reply(Say("three")))
	first := r.State().Session.ID
	r.prompt("first")
	var info core.SessionInfo
	var err error
	if qerr := r.Between(func() { info, err = r.NewSession(context.Background(), core.SessionOptions{}, nil) }); qerr != nil {
		t.Fatal(qerr)
	}
	r.prompt("second")
	r.settled(2)
	if err != nil || info.ID == first || r.State().Session.ID != info.ID {
		t.Errorf("new session: %+v, %v", info, err)
	}
	if got, want := texts(r.Messages()), []string{"user: second", "assistant: two"}; !slices.Equal(got, want) {
		t.Errorf("conversation: %q, want %q", got, want)
	}
	r.between(func() { must(r, r.Clear()) })
	if n := r.State().Messages; n != 0 {
		t.Errorf("%d messages after clear", n)
	}
	r.prompt("third")
	r.settled(3)
	e, err := r.host.Open(context.Background(), core.EngineOptions{Session: core.SessionOptions{Ref: r.State().Session.Path}}, NewRecorder())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := texts(e.Messages()), []string{"user: third", "assistant: three"}; !slices.Equal(got, want) {
		t.Errorf("resumed after clear: %q, want %q", got, want)
	}
}

func TestNewSessionDuringATurnIsBusy(t *testing.T) {
	gate := make(chan struct{})
	r := start(t, options{}, Reply(Wait(gate), Say("x")))
	r.prompt("go")
	until[core.StepStarted](r)
	if _, err := r.NewSession(context.Background(), core.SessionOptions{}, nil); !errors.Is(err, core.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	close(gate)
	r.settled(1)
}

// A shell for tests: it says hello, waits for its end, and says how it ended.
type shell struct{ end chan struct{} }

func (s shell) Run(ctx context.Context, _ string, output func(string)) (core.ShellRun, error) {
	output("hello\n")
	select {
	case <-s.end:
		code := 0
		return core.ShellRun{Output: "hello\n", ExitCode: &code}, nil
	case <-ctx.Done():
		return core.ShellRun{Output: "hello\n", Cancelled: true}, nil
	}
}

func TestShellBesideATurn(t *testing.T) {
	sh, gate := shell{make(chan struct{})}, make(chan struct{})
	r := start(t, options{host: core.HostOptions{Shell: sh}}, Reply(Wait(gate), Say("ok")))
	r.prompt("go")
	until[core.StepStarted](r)
	done := make(chan core.ShellRun)
	go func() {
		run := r.runShell(core.ShellCommand{Command: "echo hello", Tag: "tag"})
		done <- run
	}()
	if out := until[core.ShellOutput](r); out.Text != "hello\n" || out.Tag != "tag" {
		t.Errorf("output: %+v", out)
	}
	close(sh.end)
	if run := <-done; run.Cancelled || *run.ExitCode != 0 || run.Command != "echo hello" {
		t.Errorf("the command ended with %+v while a turn runs", run)
	}
	if n := r.State().Messages; n != 1 {
		t.Errorf("%d messages while the turn runs, want only the prompt", n)
	}
	close(gate)
	r.settled(1)
	r.between(func() {})
	roles := []core.Role{}
	for _, m := range r.Messages() {
		roles = append(roles, m.Role)
	}
	if want := []core.Role{core.RoleUser, core.RoleAssistant, core.RoleShell}; !slices.Equal(roles, want) {
		t.Errorf("conversation: %q, want %q", roles, want)
	}
}

func TestAbortShell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{host: core.HostOptions{Shell: shell{make(chan struct{})}}})
		done := make(chan core.ShellRun)
		go func() {
			run := r.runShell(core.ShellCommand{Command: "sleep 1000"})
			done <- run
		}()
		synctest.Wait()
		r.Abort() // is for turns
		synctest.Wait()
		r.AbortShell()
		if run := <-done; !run.Cancelled {
			t.Errorf("ended with %+v, want cancelled", run)
		}
		if n := r.State().Messages; n != 1 {
			t.Errorf("%d messages, want the command's, at once", n)
		}
	})
}

func TestFindModel(t *testing.T) {
	providers := []core.Provider{catalogue{"near", []string{"m", "qwen:7b", "x/y:free"}}, catalogue{"far", []string{"n", "m"}}}
	for ref, want := range map[core.ModelRef]string{
		"m": "near/m", "near/m": "near/m", "far:m": "far/m", "n": "far/n", "n:high": "far/n high", "far/n:off": "far/n off",
		"qwen:7b": "near/qwen:7b", "near/qwen:7b": "near/qwen:7b", "near:qwen:7b:low": "near/qwen:7b low",
		"x/y:free": "near/x/y:free", "near/x/y:free:max": "near/x/y:free max",
		"z:high": "far/z high",
		"none":   "not found", "none/m": `unknown provider "none"`, "near/none": "not found", "": "not found", ":": "not found", "near/": "not found",
	} {
		m, level, err := core.FindModel(providers, ref)
		if ref == "z:high" {
			m, level, err = core.FindModel(append(providers, trusting{}), ref)
		}
		got := m.String()
		if level != "" {
			got += " " + string(level)
		}
		if err != nil {
			got = err.Error()
		}
		if got != want && !(err != nil && contains(got, want)) {
			t.Errorf("%q: got %s, want %s", ref, got, want)
		}
	}
}

func contains(s, part string) bool { return len(part) > 0 && strings.Contains(s, part) }

// A catalogue is a provider that only has models.
type catalogue struct {
	name string
	ids  []string
}

func (c catalogue) Name() string { return c.name }

func (c catalogue) Lookup(id string) (core.Model, bool) {
	return core.Model{ID: id, Provider: c.name, Name: id}, slices.Contains(c.ids, id)
}

func (c catalogue) Models(context.Context) ([]core.Model, error) { return nil, nil }

func (c catalogue) Stream(context.Context, core.Request) iter.Seq2[core.Chunk, error] { return nil }

// A trusting provider takes any id.
type trusting struct{ catalogue }

func (trusting) Name() string { return "far" }

func (trusting) Lookup(id string) (core.Model, bool) {
	return core.Model{ID: id, Provider: "far"}, true
}

func (r *rig) runShell(c core.ShellCommand) core.ShellRun {
	run, err := r.StartShell(c)
	must(r, err)
	res, err := run()
	must(r, err)
	return res
}

// TestResumeAfterARetry: what a retry has voided stays so when the session is read again, also if the retry never came.
func TestResumeAfterARetry(t *testing.T) {
	down := &core.ProviderError{Message: "503", Retry: true}
	for _, abort := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, options{engine: core.EngineOptions{RetryVisible: true}}, Reply(Say("half"), Fail(down)), Reply(Say("whole")))
			r.prompt("go")
			synctest.Wait()
			if abort {
				r.Abort()
			}
			r.settledWithin(time.Hour)
			e, err := r.host.Open(context.Background(), core.EngineOptions{Session: core.SessionOptions{Ref: r.State().Session.Path}}, NewRecorder())
			if err != nil {
				t.Fatal(err)
			}
			got, want := texts(e.Messages()), texts(r.Messages())
			if !slices.Equal(got, want) || contains(strings.Join(got, " "), "half") {
				t.Errorf("aborted=%t: resumed %q, before %q; want the same, without the failed attempt", abort, got, want)
			}
		})
	}
}
