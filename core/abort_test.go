package core_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

func TestPromptThenAbort(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	for range 2000 {
		r := start(t, options{}, Reply(Wait(never)))
		r.prompt("go")
		r.Abort()
		r.settled(1)
		if end := r.ends()[0]; end.Reason != core.FinishAborted || !errors.Is(end.Err, core.ErrAborted) {
			t.Fatalf("ended with %s, %v; want aborted", end.Reason, end.Err)
		}
		r.close()
	}
}

// TestAbortInEachState brings a turn into a state, aborts it, and wants it to end at once and the next turn to work.
func TestAbortInEachState(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply func(never <-chan struct{}) []Step
		ready func(core.Event) bool
		limit time.Duration
	}{
		{"before the first chunk", func(never <-chan struct{}) []Step { return Reply(Wait(never)) }, is[core.StepStarted], 0},
		{"between chunks", func(never <-chan struct{}) []Step { return Reply(Say("half"), Wait(never)) }, is[core.TextDelta], 0},
		{"inside a call", func(never <-chan struct{}) []Step {
			return Reply(Say("half"), Call(0, "c", "block", `{"a`), Wait(never))
		}, is[core.ToolCallDelta], 0},
		{"in a tool", replies(Call(0, "c", "block", "{}")), is[core.ToolCalled], 0},
		{"in one of two tools", replies(Call(0, "a", "block", "{}"), Call(1, "b", "block", "{}")), is[core.ToolCalled], 0},
		{"in a tool that does not stop", replies(Call(0, "c", "stubborn", "{}")), is[core.ToolCalled], time.Second},
		{"while waiting for approval", replies(Call(0, "a", "rm", "{}"), Call(1, "b", "rm", "{}")), is[core.ApprovalRequested], 0},
		{"in a retry pause", replies(Fail(&core.ProviderError{Message: "503", Retry: true})), is[core.RetryScheduled], 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				never := make(chan struct{})
				defer close(never)
				r := start(t, options{tools: abortable(never)}, c.reply(never), Reply(Say("next")))
				r.prompt("go")
				if _, err := r.events.Until(c.ready); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				begin := time.Now()
				r.Abort()
				r.settledWithin(time.Minute)
				if took := time.Since(begin); took > c.limit {
					t.Errorf("took %v, want %v at most", took, c.limit)
				}
				if end := r.ends()[0]; end.Reason != core.FinishAborted || !errors.Is(end.Err, core.ErrAborted) {
					t.Errorf("ended with %s, %v", end.Reason, end.Err)
				}
				r.prompt("on")
				r.settledWithin(time.Minute)
				if end := r.ends()[1]; end.Reply != "next" {
					t.Errorf("next turn: %+v", end)
				}
			})
		})
	}
}

func replies(steps ...Step) func(<-chan struct{}) []Step {
	return func(<-chan struct{}) []Step { return steps }
}

// abortable returns tools to abort: one that stops when it is told to, one that does not, and one that is asked about.
func abortable(never <-chan struct{}) []core.Tool {
	stubborn := &Tool{Name: "stubborn", Action: func(context.Context, core.Invocation) (core.ToolResult, error) {
		<-never
		return core.ToolResult{}, nil
	}}
	return []core.Tool{NewBlockingTool("block"), stubborn, &Tool{Name: "rm", Risk: core.RiskDestructive}}
}

func is[E core.Event](ev core.Event) bool { _, ok := ev.(E); return ok }

func TestAbortKeepsPartialText(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	r := start(t, options{}, Reply(Think("hm"), Say("half a "), Say("thought"), Wait(never)), Reply(Say("ok")))
	r.prompt("go")
	if _, err := r.events.Until(func(ev core.Event) bool { d, ok := ev.(core.TextDelta); return ok && d.Text == "thought" }); err != nil {
		t.Fatal(err)
	}
	r.Abort()
	r.settled(1)
	messages := r.Messages()
	last := messages[len(messages)-1]
	if last.Text() != "half a thought" || last.Stop != core.StopAborted || last.Error != "Request was aborted" {
		t.Errorf("kept %q, %s, %q", last.Text(), last.Stop, last.Error)
	}
	r.prompt("go on")
	r.settled(2)
	if sent := r.provider.Requests()[1].Messages; len(sent) != 3 || sent[1].Text() != "half a thought" {
		t.Errorf("the next request does not hold the partial text: %+v", sent)
	}
}

func TestAbortLeavesWhatWaits(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	r := start(t, options{}, Reply(Say("half"), Wait(never)), Reply(Say("second")))
	r.prompt("first")
	r.prompt("second")
	until[core.TextDelta](r)
	r.Abort()
	r.settled(2)
	if ends := r.ends(); ends[0].Reason != core.FinishAborted || ends[1].Reply != "second" {
		t.Errorf("ends: %+v", ends)
	}
}

// TestEachAbortMeansItsPrompt: prompt, abort, prompt, abort ends both; abort twice spares what had been queued.
func TestEachAbortMeansItsPrompt(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *rig)
		want []core.FinishReason
	}{
		{"prompt, abort, prompt, abort", func(r *rig) { r.prompt("A"); r.Abort(); r.prompt("B"); r.Abort() },
			[]core.FinishReason{core.FinishAborted, core.FinishAborted}},
		{"prompt, prompt, abort, abort", func(r *rig) { r.prompt("A"); r.prompt("B"); r.Abort(); r.Abort() },
			[]core.FinishReason{core.FinishAborted, core.FinishStop}},
		{"prompt, prompt, abort, prompt, abort", func(r *rig) { r.prompt("A"); r.prompt("B"); r.Abort(); r.prompt("C"); r.Abort() },
			[]core.FinishReason{core.FinishAborted, core.FinishStop, core.FinishAborted}},
		{"all", func(r *rig) { r.prompt("A"); r.prompt("B"); r.AbortAll(); r.prompt("C") },
			[]core.FinishReason{core.FinishAborted, core.FinishAborted, core.FinishStop}},
	} {
		t.Run(c.name, func(t *testing.T) {
			hold, held := make(chan struct{}), make(chan struct{})
			r := start(t, options{}, Reply(Say("x")), Reply(Say("x")), Reply(Say("x")))
			must(r, r.Between(func() { close(held); <-hold })) // nothing begins before all is said
			<-held
			c.do(r)
			close(hold)
			r.settled(len(c.want))
			for i, end := range r.ends() {
				if end.Reason != c.want[i] {
					t.Errorf("turn %d ended with %s, want %s", i+1, end.Reason, c.want[i])
				}
			}
		})
	}
}

// TestSteeringBehindAnAbortWaits: an aborted turn takes nothing with it.
func TestSteeringBehindAnAbortWaits(t *testing.T) {
	r := start(t, options{}, Reply(Say("one")))
	r.Subscribe(sinkFunc(func(ev core.Event) {
		if _, ok := ev.(core.StepEnded); ok {
			go func() {
				r.Abort()
				must(r, r.Steer(core.Input{Text: "later"}))
			}()
		}
	}))
	r.store.OnSync = func() { // the turn is about to end: wait until both are done
		for {
			if s, _ := r.Queued(); len(s) == 1 {
				return
			}
			runtime.Gosched()
		}
	}
	r.prompt("go")
	r.settled(1)
	if s, _ := r.Queued(); len(s) != 1 {
		t.Errorf("%d messages wait, want the one behind the abort", len(s))
	}
}

func TestAbortWhileIdle(t *testing.T) {
	r := start(t, options{}, Reply(Say("ok")))
	r.Abort()
	r.Abort()
	r.prompt("go")
	r.settled(1)
	if end := r.ends()[0]; end.Reply != "ok" {
		t.Errorf("an idle abort reaches the next turn: %+v", end)
	}
}

func TestShutdownEndsEveryTurn(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	r := start(t, options{}, Reply(Say("half"), Wait(never)))
	r.prompt("first")
	r.prompt("second")
	r.prompt("third")
	until[core.TextDelta](r)
	r.host.Shutdown(core.ErrShutdown)
	r.settled(3)
	for i, end := range r.ends() {
		if !errors.Is(end.Err, core.ErrShutdown) {
			t.Errorf("turn %d ended with %v, want ErrShutdown", i+1, end.Err)
		}
	}
	if _, err := r.Prompt(core.Input{Text: "more"}); !errors.Is(err, core.ErrClosed) {
		t.Errorf("a prompt after that: %v, want ErrClosed", err)
	}
}

// TestSlowClientHoldsUpTheModel: a sink that is not ready pauses the stream, and an abort ends the pause.
func TestSlowClientHoldsUpTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pieces := make([]string, 1000)
		for i := range pieces {
			pieces[i] = "x"
		}
		r := start(t, options{}, Reply(Say(pieces...)))
		slow := &slowSink{room: 10}
		r.Subscribe(slow)
		r.prompt("go")
		synctest.Wait()
		if slow.deltas > 11 {
			t.Errorf("%d pieces came although the sink had room for %d", slow.deltas, 10)
		}
		r.Abort()
		r.settledWithin(time.Second)
		if end := r.ends()[0]; end.Reason != core.FinishAborted {
			t.Errorf("end: %+v", end)
		}
	})
}

type slowSink struct{ room, deltas int }

func (s *slowSink) Put(ev core.Event) {
	if _, ok := ev.(core.TextDelta); ok {
		s.deltas++
	}
}

func (s *slowSink) Ready(ctx context.Context) error {
	if s.deltas < s.room {
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}
