package core_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

// risky is a tool that is asked about, and a reply that calls it.
func risky() (options, []Step) {
	tool := &Tool{Name: "rm", Risk: core.RiskDestructive}
	return options{tools: []core.Tool{tool}}, Reply(Call(0, "c1", "rm", "{}"))
}

func TestApproval(t *testing.T) {
	for _, c := range []struct {
		name string
		d    core.Decision
		want []string // from the question to the next step
	}{
		{"approve", core.Decision{Approved: true}, []string{
			"awaiting_approval", "ask rm", "resolved approved=true answered=true",
			"executing_tool", "finished rm: success", "answer rm: rm ran", "StepEnded", "StepStarted", "thinking"}},
		{"deny", core.Decision{}, []string{
			"awaiting_approval", "ask rm", "resolved approved=false answered=true",
			"finished rm: denied", "answer rm: Tool call denied by user.", "StepEnded", "StepStarted", "thinking"}},
		{"redirect", core.Decision{Redirect: "list them instead"}, []string{
			"awaiting_approval", "ask rm", "resolved approved=false answered=true",
			"finished rm: denied", "answer rm: Tool call redirected by user.", "StepEnded",
			"StepStarted", "user: list them instead", "thinking"}},
		{"approve with a message", core.Decision{Approved: true, CallID: "c1"}, []string{
			"awaiting_approval", "ask rm", "resolved approved=true answered=true",
			"executing_tool", "finished rm: success", "answer rm: rm ran", "StepEnded", "StepStarted", "thinking"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, reply := risky()
			r := start(t, o, reply, Reply(Say("ok")))
			r.prompt("clean up")
			until[core.ApprovalRequested](r)
			if err := r.Decide(0, c.d); err != nil {
				t.Fatal(err)
			}
			r.settled(1)
			names := Names(r.events.Events())
			i := slices.Index(names, "awaiting_approval")
			if got := names[i : i+len(c.want)]; !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if end := r.ends()[0]; end.Reply != "ok" {
				t.Errorf("end %+v", end)
			}
		})
	}
}

func TestRedirectSkipsTheRestOfTheBatch(t *testing.T) {
	o, _ := risky()
	r := start(t, o, Reply(Call(0, "a", "rm", "{}"), Call(1, "b", "rm", "{}"), Call(2, "c", "rm", "{}")), Reply(Say("ok")))
	r.prompt("clean up")
	until[core.ApprovalRequested](r)
	if err := r.Decide(0, core.Decision{Redirect: "stop"}); err != nil {
		t.Fatal(err)
	}
	r.settled(1)
	calls := 0
	for _, ev := range r.events.Events() {
		if _, ok := ev.(core.ToolCalled); ok {
			calls++
		}
	}
	if calls != 1 || len(r.ends()[0].Calls) != 1 {
		t.Errorf("%d calls were looked at, %d reported; want 1", calls, len(r.ends()[0].Calls))
	}
}

func TestAnswersThatMustNotCount(t *testing.T) {
	o, reply := risky()
	r := start(t, o, reply, reply, Reply(Say("ok")))
	want := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, core.ErrNoApproval) {
			t.Errorf("%s: got %v, want ErrNoApproval", what, err)
		}
	}
	want("while idle", r.Decide(0, core.Decision{Approved: true}))
	r.prompt("clean up")
	r.prompt("and again")
	first := until[core.ApprovalRequested](r)
	want("for another call", r.Decide(0, core.Decision{Approved: true, CallID: "c2"}))
	want("for another question", r.Decide(first.ID+1, core.Decision{Approved: true}))
	if err := r.Decide(first.ID, core.Decision{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.events.Until(func(ev core.Event) bool { a, ok := ev.(core.ApprovalRequested); return ok && a.ID == first.ID+1 }); err != nil {
		t.Fatal(err)
	}
	want("for the first question, late", r.Decide(first.ID, core.Decision{Approved: true}))
	if err := r.Decide(0, core.Decision{}); err != nil {
		t.Fatal(err)
	}
	r.prompt("sent after the answer")
	want("a second click, with a turn waiting", r.Decide(0, core.Decision{Approved: true}))
	r.provider.Add(Reply(Say("ok")), Reply(Say("ok")))
	r.settled(3)
	want("after the end", r.Decide(0, core.Decision{Approved: true}))
}

func TestAnswersSentAhead(t *testing.T) {
	o, reply := risky()
	gate := make(chan struct{})
	r := start(t, o,
		Reply(Wait(gate), Call(0, "a", "rm", "{}"), Call(1, "b", "rm", "{}")), Reply(Say("one")),
		reply, Reply(Say("two")), reply, Reply(Say("three")))
	decide := func(d core.Decision) {
		t.Helper()
		if err := r.Decide(0, d); err != nil {
			t.Fatal(err)
		}
	}
	r.prompt("first") // asks twice
	decide(core.Decision{})
	decide(core.Decision{Approved: true})
	r.prompt("second")
	decide(core.Decision{Approved: true})
	decide(core.Decision{Approved: true}) // one too many: forgotten with its turn
	close(gate)
	r.settled(2)
	r.prompt("third")
	until := func(n int) {
		t.Helper()
		if _, err := r.events.Until(func(ev core.Event) bool {
			a, ok := ev.(core.ApprovalResolved)
			if ok && a.Turn == 3 {
				t.Fatal("an answer was kept beyond its turn")
			}
			q, ok := ev.(core.ApprovalRequested)
			return ok && q.Turn == core.TurnID(n)
		}); err != nil {
			t.Fatal(err)
		}
	}
	until(3)
	decide(core.Decision{Approved: true})
	r.settled(3)
	var got []bool
	for _, ev := range r.events.Events() {
		if a, ok := ev.(core.ApprovalResolved); ok {
			got = append(got, a.Approved)
		}
	}
	if want := []bool{false, true, true, true}; !slices.Equal(got, want) {
		t.Errorf("approved: %v, want %v", got, want)
	}
}

func TestNobodyToAsk(t *testing.T) {
	for _, early := range []bool{true, false} {
		o, reply := risky()
		r := start(t, o, reply, Reply(Say("ok")))
		if early {
			r.Hangup()
		}
		r.prompt("clean up")
		until[core.ApprovalRequested](r)
		r.Hangup()
		r.settled(1)
		if a := until[core.ApprovalResolved](r); a.Approved || a.Answered {
			t.Errorf("hung up early=%t: %+v, want withdrawn", early, a)
		}
		if end := r.ends()[0]; end.Reply != "ok" || end.Calls[0].Outcome != core.OutcomeDenied {
			t.Errorf("hung up early=%t: %+v, want a denied call and a reply", early, end)
		}
	}
}

func TestApprovalTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, reply := risky()
		o.host.ApprovalTimeout = time.Minute
		r := start(t, o, reply, Reply(Say("ok")))
		begin := time.Now()
		r.prompt("clean up")
		r.settledWithin(time.Hour)
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("waited %v, want a minute", took)
		}
		if a := until[core.ApprovalResolved](r); a.Approved || a.Answered {
			t.Errorf("%+v, want withdrawn", a)
		}
	})
}

func TestApprovalModes(t *testing.T) {
	const allow, ask = core.Allow, core.Ask
	outside := core.Assessment{Risk: core.RiskRead, Outside: []string{"/etc/passwd"}}
	for _, c := range []struct {
		mode                              core.ApprovalMode
		read, write, destroy, net, beyond core.Verdict
	}{
		{core.ApproveReads, allow, ask, ask, ask, ask},
		{core.ApproveWrites, allow, allow, ask, ask, ask},
		{core.ApproveAll, allow, allow, allow, allow, allow},
	} {
		f := c.mode.Approver()
		for _, x := range []struct {
			a    core.Assessment
			want core.Verdict
		}{
			{core.Assessment{Risk: core.RiskRead}, c.read}, {core.Assessment{Risk: core.RiskWrite}, c.write},
			{core.Assessment{Risk: core.RiskDestructive}, c.destroy}, {core.Assessment{Risk: core.RiskNetwork}, c.net},
			{outside, c.beyond},
		} {
			if got := f(core.ToolCall{}, x.a); got != x.want {
				t.Errorf("%s, %+v: got %v, want %v", c.mode, x.a, got, x.want)
			}
		}
	}
}

// TestOutsideNeedsApproval: only a call that was asked about and approved may leave the workspace.
func TestOutsideNeedsApproval(t *testing.T) {
	for _, mode := range []core.ApprovalMode{core.ApproveReads, core.ApproveAll} {
		var outside []bool
		tool := &Tool{
			Name: "read",
			Judge: func(core.ToolCall) core.Assessment {
				return core.Assessment{Risk: core.RiskRead, Outside: []string{"/etc/hosts"}}
			},
			Action: func(_ context.Context, inv core.Invocation) (core.ToolResult, error) {
				outside = append(outside, inv.Outside)
				return core.TextResult("x"), nil
			},
		}
		o := options{tools: []core.Tool{tool}, host: core.HostOptions{Approver: mode.Approver()}}
		r := start(t, o, Reply(Call(0, "c", "read", "{}")), Reply(Say("ok")))
		r.prompt("go")
		if mode == core.ApproveReads {
			until[core.ApprovalRequested](r)
			if err := r.Decide(0, core.Decision{Approved: true}); err != nil {
				t.Fatal(err)
			}
		}
		r.settled(1)
		if want := mode == core.ApproveReads; len(outside) != 1 || outside[0] != want {
			t.Errorf("%s: the tool ran with Outside %v, want %t", mode, outside, want)
		}
	}
}

// TestApprovalForTheSession: the same command runs unasked from then on, another one does not, and a new session forgets.
func TestApprovalForTheSession(t *testing.T) {
	tool := &Tool{Name: "bash", Judge: func(call core.ToolCall) core.Assessment {
		return core.Assessment{Risk: core.RiskDestructive, Unknown: true, Key: call.Arguments}
	}}
	r := start(t, options{tools: []core.Tool{tool}},
		Reply(Call(0, "a", "bash", "rm x")), Reply(Call(0, "b", "bash", "rm x")), Reply(Call(0, "c", "bash", "rm x; rm y")), Reply(Say("ok")),
		Reply(Call(0, "d", "bash", "rm x")), Reply(Say("ok")))
	r.provider.Add(Reply(Call(0, "e", "bash", "rm z"), Call(1, "f", "bash", "rm z")), Reply(Say("ok")))
	asked := func() []string {
		var ids []string
		for _, ev := range r.events.Events() {
			if q, ok := ev.(core.ApprovalRequested); ok {
				ids = append(ids, q.Call.ID)
			}
		}
		return ids
	}
	answer := func(id string, d core.Decision) {
		t.Helper()
		if _, err := r.events.Until(func(ev core.Event) bool { q, ok := ev.(core.ApprovalRequested); return ok && q.Call.ID == id }); err != nil {
			t.Fatal(err)
		}
		if err := r.Decide(0, d); err != nil {
			t.Fatal(err)
		}
	}
	r.prompt("go")
	answer("a", core.Decision{Approved: true, Session: true})
	answer("c", core.Decision{})
	r.settled(1)
	r.between(func() {
		if _, err := r.NewSession(context.Background(), core.SessionOptions{}, nil); err != nil {
			t.Error(err)
		}
	})
	r.prompt("again")
	answer("d", core.Decision{})
	r.settled(2)
	r.prompt("twice in one reply")
	answer("e", core.Decision{Approved: true, Session: true})
	r.settled(3)
	if got := asked(); !slices.Equal(got, []string{"a", "c", "d", "e"}) {
		t.Errorf("asked about %q", got)
	}
}

// TestAnAnswerIsForWhatWasShown: a second click must not approve a question that the client has not seen yet.
func TestAnAnswerIsForWhatWasShown(t *testing.T) {
	o, _ := risky()
	r := start(t, o, Reply(Call(0, "a", "rm", "{}"), Call(1, "b", "rm", "{}")), Reply(Say("ok")))
	r.prompt("go")
	first := until[core.ApprovalRequested](r).ID
	must(r, r.Answer(first, core.Decision{}))
	if _, err := r.events.Until(func(ev core.Event) bool { q, ok := ev.(core.ApprovalRequested); return ok && q.ID > first }); err != nil {
		t.Fatal(err)
	}
	if err := r.Answer(first, core.Decision{Approved: true}); !errors.Is(err, core.ErrNoApproval) {
		t.Errorf("a second click, sent when only the first question was shown: %v", err)
	}
	must(r, r.Answer(first+1, core.Decision{}))
	r.settled(1)
	if calls := r.ends()[0].Calls; calls[0].Outcome != core.OutcomeDenied || calls[1].Outcome != core.OutcomeDenied {
		t.Errorf("calls: %+v", calls)
	}
}

// TestCallsAreJudgedWhenTheirTurnComes: what a call does may depend on the one before it.
func TestCallsAreJudgedWhenTheirTurnComes(t *testing.T) {
	changed := false
	change := &Tool{Name: "change", Risk: core.RiskWrite, Action: func(context.Context, core.Invocation) (core.ToolResult, error) {
		changed = true
		return core.TextResult("done"), nil
	}}
	use := &Tool{Name: "use", Judge: func(core.ToolCall) core.Assessment {
		if changed {
			return core.Assessment{Risk: core.RiskDestructive, Unknown: true}
		}
		return core.Assessment{Risk: core.RiskRead}
	}}
	r := start(t, options{tools: []core.Tool{change, use}, host: core.HostOptions{Approver: core.ApproveWrites.Approver()}},
		Reply(Call(0, "a", "change", "{}"), Call(1, "b", "use", "{}")), Reply(Say("ok")))
	r.prompt("go")
	if q := until[core.ApprovalRequested](r); q.Call.ID != "b" {
		t.Errorf("asked about %s", q.Call.ID)
	}
	must(r, r.Decide(0, core.Decision{}))
	r.settled(1)
}
