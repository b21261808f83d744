package core_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

func wantStats(t *testing.T, s core.Stats, entries, path, requests, input, output int) {
	t.Helper()
	if s.Entries != entries || s.Path != path || s.Requests != requests || s.Usage.Input != input || s.Usage.Output != output {
		t.Errorf("%d entries, %d of them on the path, %d requests of %d and %d tokens; want %d, %d, %d, %d, %d",
			s.Entries, s.Path, s.Requests, s.Usage.Input, s.Usage.Output, entries, path, requests, input, output)
	}
}

// TestStats: what was paid for counts, whether it succeeded or is still part of the conversation or not, and after a resume.
func TestStats(t *testing.T) {
	r := start(t, options{host: core.HostOptions{System: "Be brief", Retry: core.RetryPolicy{Max: -1}}},
		Reply(Say("one"), Use(100, 10)), Reply(Say("half"), Use(50, 5), Fail(errors.New("gone"))), Reply(Say("three"), Use(7, 3)))
	wantStats(t, r.Stats(), 0, 0, 0, 0, 0)
	r.prompt("first")
	r.settled(1)
	r.prompt("second")
	r.settled(2)
	wantStats(t, r.Stats(), 6, 6, 2, 150, 15)
	r.between(func() { must(r, r.Clear()) })
	wantStats(t, r.Stats(), 8, 2, 2, 150, 15)
	r.prompt("12345678") // 2 tokens, and 4 for being a message
	r.settled(3)
	s := r.Stats()
	wantStats(t, s, 10, 4, 3, 157, 18)
	if got := []int{s.Tokens[core.RoleSystem], s.Tokens[core.RoleUser], s.Tokens[core.RoleAssistant]}; !slices.Equal(got, []int{2, 6, 5}) {
		t.Errorf("tokens of the system prompt, the user and the model: %v", got)
	}
	if s.Context.Used != 10 || len(s.Messages) != 2 || s.Model.ID != "one" {
		t.Errorf("%d tokens used by %d messages of %s", s.Context.Used, len(s.Messages), s.Model)
	}
	e, err := r.host.Open(context.Background(), core.EngineOptions{Session: core.SessionOptions{Ref: s.Session.Path}}, NewRecorder())
	if err != nil {
		t.Fatal(err)
	}
	wantStats(t, e.Stats(), 10, 4, 3, 157, 18)
}

func TestEntriesAreThoseOfTheStore(t *testing.T) {
	r := start(t, options{engine: core.EngineOptions{Session: core.SessionOptions{Name: "demo"}}}, Reply(Say("one")))
	ids := func() (ids []string, leaf string) {
		t.Helper()
		entries, leaf, err := r.Entries(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
		return ids, leaf
	}
	check := func(n int) {
		t.Helper()
		var want []string
		for _, e := range r.store.Entries() {
			want = append(want, e.ID)
		}
		got, leaf := ids()
		if !slices.Equal(got, want) || len(got) != n || leaf != want[n-1] {
			t.Errorf("entries %v with leaf %q, want the %d of the store, %v", got, leaf, n, want)
		}
	}
	check(1)
	must(r, r.Rename("other"))
	check(2)
	r.prompt("go")
	r.settled(1)
	check(6)
	must(r, r.Rename("third"))
	check(7)
}

func TestRenameDuringATurn(t *testing.T) {
	gate := make(chan struct{})
	r := start(t, options{}, Reply(Wait(gate), Say("x")))
	r.prompt("go")
	until[core.StepStarted](r)
	must(r, r.Rename("a"))
	must(r, r.Rename("b"))
	if got := r.State().Session.Name; got != "b" {
		t.Errorf("the name is %q at once, want b", got)
	}
	close(gate)
	r.between(func() {})
	events := r.events.Events()
	var named []string
	for i, ev := range events {
		if n, ok := ev.(core.NameChanged); ok {
			named = append(named, n.Name)
			if !slices.ContainsFunc(events[:i], func(ev core.Event) bool { _, ok := ev.(core.Settled); return ok }) {
				t.Error("the name is told before the turn has settled")
			}
		}
	}
	if !slices.Equal(named, []string{"a", "b"}) || r.State().Session.Name != "b" {
		t.Errorf("told %q, at last %q", named, r.State().Session.Name)
	}
	e, err := r.host.Open(context.Background(), core.EngineOptions{Session: core.SessionOptions{Ref: r.State().Session.Path}}, NewRecorder())
	if err != nil {
		t.Fatal(err)
	}
	if got := e.State().Session.Name; got != "b" {
		t.Errorf("resumed with the name %q", got)
	}
}

// TestANameGoesToTheSessionInUse: a session that is replaced before the name is stored does not get it.
func TestANameGoesToTheSessionInUse(t *testing.T) {
	gate := make(chan struct{})
	r := start(t, options{}, Reply(Wait(gate), Say("x")))
	r.prompt("go")
	until[core.StepStarted](r)
	var err error
	must(r, r.Between(func() { _, err = r.NewSession(context.Background(), core.SessionOptions{}, nil) }))
	must(r, r.Rename("new"))
	close(gate)
	r.between(func() {})
	entries := r.store.Entries() // of the new session
	if err != nil || r.State().Session.Name != "new" || len(entries) != 1 || entries[0].Name != "new" {
		t.Errorf("%v: the name is %q, the entries are %+v", err, r.State().Session.Name, entries)
	}
}

func TestANameThatCannotBeStored(t *testing.T) {
	r := start(t, options{})
	must(r, r.Rename("kept"))
	r.store.FailAppends(errors.New("disk full"))
	if err := r.Rename("lost"); err == nil || err.Error() != "write session: disk full" {
		t.Errorf("got %v", err)
	}
	if got := r.State().Session.Name; got != "kept" {
		t.Errorf("the name is %q, want the old one", got)
	}
	until[core.Notice](r)
}

// stored leaves a session that was used with the model two, and returns its path.
func stored(r *rig) string {
	r.t.Helper()
	e, err := r.host.Open(context.Background(), core.EngineOptions{Model: "two"}, NewRecorder())
	if err != nil {
		r.t.Fatal(err)
	}
	log, _, _, err := r.store.Open(context.Background(), "", e.State().Session.ID)
	if err == nil {
		err = log.Append(core.Entry{ID: "1", Type: core.EntryModel, Provider: "test", Model: "two"},
			core.Entry{ID: "2", Parent: "1", Type: core.EntryThinking, Thinking: "low"})
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return log.Path()
}

func TestResumeWithinAnEngine(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name     string
		since    func(r *rig) *core.State
		want     string
		thinking core.ThinkingLevel
	}{
		{"keeps the model", func(*rig) *core.State { return nil }, "one", "medium"},
		{"restores the model", func(r *rig) *core.State { s := r.State(); return &s }, "two", "off"},
		{"unless one was chosen meanwhile", func(r *rig) *core.State {
			s := r.State()
			r.SetThinking("high")
			return &s
		}, "one", "high"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, options{})
			path, own := stored(r), r.State().Session
			since, told := c.since(r), 0
			tell := func(core.SessionInfo) { told++ }
			r.between(func() {
				info, err := r.Resume(ctx, core.ResumeOptions{Ref: path, Since: since, Tell: tell})
				if err != nil || info.Path != path {
					t.Errorf("resumed %+v, %v", info, err)
				}
			})
			if s := r.State(); s.Session.Path != path || s.Model.ID != c.want || s.Thinking != c.thinking {
				t.Errorf("in %s with %s at %s, want %s at %s", s.Session.Path, s.Model, s.Thinking, c.want, c.thinking)
			}
			before := len(r.events.Events())
			for _, ref := range []string{path, r.State().Session.ID} {
				r.between(func() {
					if info, err := r.Resume(ctx, core.ResumeOptions{Ref: ref, Since: since, Tell: tell}); err != nil || info.Path != path {
						t.Errorf("resumed %s itself: %+v, %v", ref, info, err)
					}
				})
			}
			if got := r.events.Events()[before:]; len(got) != 0 || told != 3 {
				t.Errorf("a session resumed in itself tells of %q; told %d times, want 3", Names(got), told)
			}
			r.between(func() {
				if _, err := r.Resume(ctx, core.ResumeOptions{Ref: "mem:none"}); !errors.Is(err, core.ErrNoSession) {
					t.Errorf("no such session: %v", err)
				}
			})
			if got := r.State().Session.Path; got != path || own.Path == path {
				t.Errorf("after a failure the session is %s, want %s", got, path)
			}
		})
	}
}

func TestResumeWithAModelThatIsGone(t *testing.T) {
	r := start(t, options{})
	log, err := r.store.Create(context.Background(), core.Header{ID: "old"})
	if err == nil {
		err = log.Append(core.Entry{ID: "1", Type: core.EntryModel, Provider: "test", Model: "ten"},
			core.Entry{ID: "2", Parent: "1", Type: core.EntryThinking, Thinking: "low"})
	}
	must(r, err)
	now := r.State()
	r.between(func() {
		_, err = r.Resume(context.Background(), core.ResumeOptions{Ref: "mem:old", Since: &now})
	})
	if s := r.State(); err != nil || s.Model.ID != "one" || s.Thinking != "low" {
		t.Errorf("%v: %s at %s, want one at low", err, s.Model, s.Thinking)
	}
	if n := until[core.Notice](r); n.Text != "The session's model, test/ten, is not available; test/one is used on." {
		t.Errorf("notice %q", n.Text)
	}
}
