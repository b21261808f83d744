package core_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

func TestTextTurn(t *testing.T) {
	r := start(t, options{}, Reply(Think("hm"), Say("Hel", "lo"), Use(10, 2)))
	r.prompt("hi")
	r.settled(1)
	r.wantEvents(
		"SessionStarted", "TurnStarted", "StepStarted", "user: hi", "thinking",
		"ReplyStarted", "ReasoningDelta", "text: Hel", "text: lo", "reply: Hello (stop)", "StepEnded",
		"end stop: Hello", "Settled")
	end := r.ends()[0]
	if end.Usage.Input != 10 || end.Usage.Output != 2 || end.Requests != 1 || end.Steps != 1 {
		t.Errorf("end of turn: %+v", end)
	}
}

func TestTwoPromptsRunInOrder(t *testing.T) {
	r := start(t, options{}, Reply(Say("one")), Reply(Say("two")))
	r.prompt("first")
	r.prompt("second")
	r.settled(2)
	ends := r.ends()
	if ends[0].Reply != "one" || ends[1].Reply != "two" {
		t.Errorf("replies %q, %q", ends[0].Reply, ends[1].Reply)
	}
	texts := []string{}
	for _, m := range r.Messages() {
		texts = append(texts, m.Text())
	}
	if want := []string{"first", "one", "second", "two"}; !slices.Equal(texts, want) {
		t.Errorf("conversation: %q, want %q", texts, want)
	}
}

func TestToolTurn(t *testing.T) {
	tool := &Tool{Name: "look", Action: func(_ context.Context, inv core.Invocation) (core.ToolResult, error) {
		inv.Progress("half")
		return core.TextResult("saw " + inv.Arguments), nil
	}}
	r := start(t, options{tools: []core.Tool{tool}},
		Reply(Say("Let me see."), Call(0, "c1", "look", `{"a"`, `:1}`)), Reply(Say("Done.")))
	r.prompt("look")
	r.settled(1)
	r.wantEvents(
		"SessionStarted", "TurnStarted", "StepStarted", "user: look", "thinking",
		"ReplyStarted", "text: Let me see.", "ToolCallDelta", "ToolCallDelta", "reply: Let me see. (tools)",
		"call look", "executing_tool", "ToolProgress", "finished look: success", `answer look: saw {"a":1}`, "StepEnded",
		"StepStarted", "thinking", "ReplyStarted", "text: Done.", "reply: Done. (stop)", "StepEnded",
		"end stop: Done.", "Settled")
}

func TestReadersRunSideBySide(t *testing.T) {
	first, second := NewBlockingTool("first"), NewBlockingTool("second")
	r := start(t, options{tools: []core.Tool{first, second}},
		Reply(Call(0, "a", "first", "{}"), Call(1, "b", "second", "{}")), Reply(Say("ok")))
	r.prompt("go")
	<-first.Started
	<-second.Started
	close(second.Released) // the second one ends first
	if _, err := r.events.Until(func(ev core.Event) bool { f, ok := ev.(core.ToolFinished); return ok && f.Call.ID == "b" }); err != nil {
		t.Fatal(err)
	}
	close(first.Released)
	r.settled(1)
	var answered []string
	for _, m := range r.Messages() {
		if m.Role == core.RoleTool {
			answered = append(answered, m.ToolCallID)
		}
	}
	if !slices.Equal(answered, []string{"a", "b"}) {
		t.Errorf("results come in the order %q, want the order of the calls", answered)
	}
}

func TestWritersOfDifferentPathsRunSideBySide(t *testing.T) {
	for _, c := range []struct {
		name     string
		paths    [2]string
		together bool
	}{
		{"different paths", [2]string{"/a", "/b"}, true},
		{"the same path", [2]string{"/a", "/a"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tool := NewBlockingTool("write")
				tool.Judge = func(call core.ToolCall) core.Assessment {
					return core.Assessment{Risk: core.RiskWrite, Touches: []string{call.Arguments}}
				}
				r := start(t, options{tools: []core.Tool{tool}, host: core.HostOptions{Approver: core.ApproveAll.Approver()}},
					Reply(Call(0, "a", "write", c.paths[0]), Call(1, "b", "write", c.paths[1])), Reply(Say("ok")))
				r.prompt("go")
				synctest.Wait()
				if got := len(tool.Started) == 2; got != c.together {
					t.Errorf("both run at once: %t, want %t", got, c.together)
				}
				close(tool.Released)
				r.settled(1)
			})
		})
	}
}

func TestToolsThatCannotDoTheirJob(t *testing.T) {
	for _, c := range []struct {
		name string
		call Step
		want string
	}{
		{"unknown", Call(0, "c", "nope", "{}"), "Tool nope not found"},
		{"no name", Call(0, "c", "", "{}"), "Tool  not found"},
		{"panics", Call(0, "c", "panics", "{}"), "Tool panics failed: internal error: boom"},
		{"errors", Call(0, "c", "errors", "{}"), "disk on fire"},
		{"name in spaces", Call(0, "c", " fine ", "{}"), "fine ran"},
		{"name in a namespace", Call(0, "c", "functions.fine", "{}"), "fine ran"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools := []core.Tool{
				&Tool{Name: "fine"},
				&Tool{Name: "panics", Action: func(context.Context, core.Invocation) (core.ToolResult, error) { panic("boom") }},
				&Tool{Name: "errors", Action: func(context.Context, core.Invocation) (core.ToolResult, error) {
					return core.ToolResult{}, errors.New("disk on fire")
				}},
			}
			r := start(t, options{tools: tools}, Reply(c.call), Reply(Say("ok")))
			r.prompt("go")
			r.settled(1)
			if got := until[core.ToolAnswered](r).Message.Text(); got != c.want {
				t.Errorf("the model reads %q, want %q", got, c.want)
			}
			if end := r.ends()[0]; end.Reason != core.FinishStop || end.Reply != "ok" {
				t.Errorf("end %+v", end)
			}
		})
	}
}

func TestIDsOfCallsAreMadeUnique(t *testing.T) {
	tool := &Tool{Name: "look"}
	r := start(t, options{tools: []core.Tool{tool}},
		Reply(Call(0, "same", "look", "{}"), Call(1, "same", "look", "{}"), Call(2, "", "look", "{}")), Reply(Say("ok")))
	r.prompt("go")
	r.settled(1)
	ids := map[string]bool{}
	for _, m := range r.Messages() {
		if m.Role == core.RoleTool {
			ids[m.ToolCallID] = true
		}
	}
	if len(ids) != 3 || ids[""] || !ids["same"] {
		t.Errorf("ids of the results: %v, want three different ones", ids)
	}
}

func TestCutOffCallsDoNotRun(t *testing.T) {
	tool := &Tool{Name: "look"}
	r := start(t, options{tools: []core.Tool{tool}}, Reply(Call(0, "c", "look", `{"a":`), Stop(core.StopLength)), Reply(Say("ok")))
	r.prompt("go")
	r.settled(1)
	if got := until[core.ToolFinished](r); got.Outcome != core.OutcomeError || got.Took != 0 {
		t.Errorf("a call that was cut off: %+v, want an error without running", got)
	}
}

func TestFinishReasons(t *testing.T) {
	tool := &Tool{Name: "look"}
	again := Reply(Call(0, "", "look", "{}"))
	for _, c := range []struct {
		name    string
		o       options
		replies [][]Step
		want    core.FinishReason
		steps   int
	}{
		{"stop", options{}, [][]Step{Reply(Say("x"))}, core.FinishStop, 1},
		{"length", options{}, [][]Step{Reply(Say("x"), Stop(core.StopLength))}, core.FinishLength, 1},
		{"too many steps", options{host: core.HostOptions{MaxSteps: 2}}, [][]Step{again, again}, core.FinishMaxIterations, 2},
		{"empty replies", options{engine: core.EngineOptions{MaxEmpty: 2}}, [][]Step{Reply(), Reply()}, core.FinishEmpty, 2},
		{"one empty reply", options{engine: core.EngineOptions{MaxEmpty: 2}}, [][]Step{Reply(), Reply(Say("x"))}, core.FinishStop, 2},
		{"empty is fine", options{}, [][]Step{Reply()}, core.FinishStop, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.tools = []core.Tool{tool}
			r := start(t, c.o, c.replies...)
			r.prompt("go")
			r.settled(1)
			if end := r.ends()[0]; end.Reason != c.want || end.Steps != c.steps || end.Err != nil {
				t.Errorf("ended with %s after %d steps (%v), want %s after %d", end.Reason, end.Steps, end.Err, c.want, c.steps)
			}
		})
	}
}

// TestOneTerminalEventAtEveryCut lets the model fail, break off and panic before each of its chunks. The checks of the rig
// do the counting.
func TestOneTerminalEventAtEveryCut(t *testing.T) {
	whole := []Step{Think("a"), Say("b"), Say("c"), Call(0, "x", "look", "{"), Call(0, "", "", "}"), Use(1, 1)}
	for i := range len(whole) + 1 {
		for name, cut := range map[string]Step{
			"fails": Fail(errors.New("broken")), "breaks off": Cut(), "panics": Panic("boom"),
		} {
			t.Run(fmt.Sprintf("%s before chunk %d", name, i), func(t *testing.T) {
				steps := append(slices.Clone(whole[:i]), cut)
				r := start(t, options{tools: []core.Tool{&Tool{Name: "look"}}, host: core.HostOptions{Retry: core.RetryPolicy{Max: -1}}},
					steps, Reply(Say("next")))
				r.prompt("go")
				r.prompt("and on")
				r.settled(2)
				ends := r.ends()
				if ends[0].Reason != core.FinishError || ends[0].Err == nil {
					t.Errorf("first turn: %s, %v; want an error", ends[0].Reason, ends[0].Err)
				}
				if ends[1].Reply != "next" {
					t.Errorf("second turn: %q, %v", ends[1].Reply, ends[1].Err)
				}
			})
		}
	}
}

// TestStoreFailsAtEveryWrite lets the disk fill up before each write of a turn with a tool.
func TestStoreFailsAtEveryWrite(t *testing.T) {
	full := errors.New("no space left on device")
	for n := range 7 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := start(t, options{tools: []core.Tool{&Tool{Name: "look"}}},
				Reply(Call(0, "x", "look", "{}")), Reply(Say("ok")), Reply(Say("later")), Reply(Say("later")))
			seen := 0
			cancel := r.Subscribe(sinkFunc(func(ev core.Event) {
				if _, ok := ev.(core.EntryAdded); ok {
					if seen++; seen == n {
						r.store.FailAppends(full)
					}
				}
			}))
			defer cancel()
			if n == 0 {
				r.store.FailAppends(full)
			}
			r.prompt("go")
			r.settled(1)
			end := r.ends()[0]
			if wrote := seen < n; wrote != (end.Err == nil) {
				t.Errorf("after %d of %d writes: %v", seen, n, end.Err)
			}
			if end.Err != nil && !errors.Is(end.Err, full) {
				t.Errorf("the turn ended with %v, want the disk's error", end.Err)
			}
			r.store.FailAppends(nil)
			r.prompt("again")
			r.settled(2)
			if err := r.ends()[1].Err; err != nil {
				t.Errorf("when there is room again: %v", err)
			}
		})
	}
}

type sinkFunc func(core.Event)

func (f sinkFunc) Put(ev core.Event)           { f(ev) }
func (f sinkFunc) Ready(context.Context) error { return nil }

func TestRetry(t *testing.T) {
	down := &core.ProviderError{Message: "503", Status: 503, Retry: true}
	for _, c := range []struct {
		name    string
		engine  core.EngineOptions
		replies [][]Step
		want    string // reply, or part of the error
		pauses  []time.Duration
	}{
		{"works at the third attempt", core.EngineOptions{}, [][]Step{Reply(Fail(down)), Reply(Fail(down)), Reply(Say("ok"))}, "ok",
			[]time.Duration{2 * time.Second, 4 * time.Second}},
		{"never works", core.EngineOptions{}, [][]Step{Reply(Fail(down)), Reply(Fail(down)), Reply(Fail(down)), Reply(Fail(down))},
			"retry budget exhausted after 4 attempts: 503", []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}},
		{"not after visible text", core.EngineOptions{}, [][]Step{Reply(Say("half"), Fail(down))}, "503", nil},
		{"after visible text that can be voided", core.EngineOptions{RetryVisible: true},
			[][]Step{Reply(Say("half"), Fail(down)), Reply(Say("whole"))}, "whole", []time.Duration{2 * time.Second}},
		{"not what will not help", core.EngineOptions{}, [][]Step{Reply(Fail(&core.ProviderError{Message: "401", Status: 401}))}, "401", nil},
		{"as long as the server says", core.EngineOptions{},
			[][]Step{Reply(Fail(&core.ProviderError{Message: "429", Retry: true, RetryAfter: 17 * time.Second})), Reply(Say("ok"))},
			"ok", []time.Duration{17 * time.Second}},
		{"not if the server says too long", core.EngineOptions{},
			[][]Step{Reply(Fail(&core.ProviderError{Message: "429", Retry: true, RetryAfter: time.Hour}))}, "1h0m0s", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options{engine: c.engine}, c.replies...)
				begin := time.Now()
				r.prompt("go")
				synctest.Wait()
				r.settledWithin(time.Hour)
				end := r.ends()[0]
				if got := fmt.Sprint(end.Reply, end.Err); !strings.Contains(got, c.want) {
					t.Errorf("ended with %q, %v; want %q", end.Reply, end.Err, c.want)
				}
				var total time.Duration
				for _, p := range c.pauses {
					total += p
				}
				if took := time.Since(begin); took < total*3/4 || took > total*5/4 {
					t.Errorf("took %v, want %v give or take a quarter", took, total)
				}
				if n := len(r.provider.Requests()); n != len(c.replies) {
					t.Errorf("%d requests, want %d", n, len(c.replies))
				}
				for _, m := range r.Messages() {
					if c.want == "whole" && m.Text() == "half" {
						t.Error("the failed attempt is still part of the conversation")
					}
				}
			})
		})
	}
}

// settledWithin waits on the bubble's clock.
func (r *rig) settledWithin(d time.Duration) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if err := r.host.Wait(ctx); err != nil {
		r.t.Fatalf("still busy after %v", d)
	}
}

func TestQueueIsBounded(t *testing.T) {
	gate := make(chan struct{})
	r := start(t, options{}, Reply(Wait(gate), Say("x")))
	accepted := 0
	var err error
	for err == nil {
		if _, err = r.Prompt(core.Input{Text: "go"}); err == nil {
			accepted++
		}
	}
	if !errors.Is(err, core.ErrOverloaded) || accepted != 1000 {
		t.Errorf("accepted %d, then %v; want 1000, then ErrOverloaded", accepted, err)
	}
	close(gate)
	r.settled(accepted)
}
