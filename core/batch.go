package core

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// maxParallel bounds how many tools of one reply run side by side.
	maxParallel = 8
	// abandonAfter is how long a tool may go on after its context has ended before the turn goes on without it.
	abandonAfter = time.Second
)

// What the model reads of calls that did not run.
const (
	deniedText     = "Tool call denied by user."
	forbiddenText  = "Tool call denied by policy."
	redirectedText = "Tool call redirected by user."
	skippedText    = "Tool call skipped: the user asked for something else."
	abortedText    = "Operation aborted"
	cutOffText     = "Tool call not run: the reply was cut off at the length limit. Make the call again, in smaller pieces."
)

// A batch is what came of the tool calls of one reply.
type batch struct {
	results  []Message // one for each call, in source order
	redirect string    // what the user wants instead
	err      error     // why the turn cannot go on
}

// A job is one call on its way.
type job struct {
	call    ToolCall
	tool    Tool // nil: there is none of that name
	assess  Assessment
	verdict Verdict
	asked   bool // somebody has approved it, now or for the session
}

// scope is what an approval of the call for the whole session is bound to.
func (j job) scope() string {
	return strings.Join(append([]string{j.call.Name, j.assess.Key}, j.assess.Outside...), "\x00")
}

// An answer is what came of one call.
type answer struct {
	outcome    Outcome
	result     ToolResult
	took       time.Duration
	redirected bool
}

// runBatch runs the tools that a reply calls and records a result for each, whatever happens. Calls that need no question and
// do not get in each other's way run side by side; others one after the other.
func (e *Engine) runBatch(t *turn, reply Message) batch {
	var b batch
	jobs := e.jobs(reply)
	switch {
	case reply.Stop == StopLength:
		for _, j := range jobs {
			e.called(t, j)
			e.settle(t, &b, j, answer{outcome: OutcomeError, result: ErrorResult(cutOffText)})
		}
	case len(jobs) > 1 && independent(jobs):
		e.runParallel(t, &b, jobs)
	default:
		e.runSerial(t, &b, jobs)
	}
	if b.err == nil && t.ctx.Err() != nil {
		b.err = context.Cause(t.ctx)
	}
	return b
}

func (e *Engine) jobs(reply Message) []job {
	var jobs []job
	for _, call := range reply.ToolCalls() {
		jobs = append(jobs, e.judge(call))
	}
	return jobs
}

// judge finds the tool of a call, and what may be done with the call as things stand.
func (e *Engine) judge(call ToolCall) job {
	j := job{call: call, assess: Assessment{Risk: RiskDestructive, Unknown: true}, verdict: Allow}
	tool, ok := e.findTool(call.Name)
	if !ok {
		return j
	}
	j.tool = tool
	j.call.Name = tool.Spec().Name
	j.assess = assess(tool, j.call)
	j.verdict = e.host.o.Approver(j.call, j.assess)
	if j.verdict == Ask && e.allowed(j) {
		j.verdict, j.asked = Allow, true
	}
	return j
}

func (e *Engine) allowed(j job) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.session.allowed[j.scope()]
}

func (e *Engine) allow(j job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session.allowed[j.scope()] = true
}

// findTool finds a tool by the name that a model has written, which may be wrapped in spaces or a namespace.
func (e *Engine) findTool(name string) (Tool, bool) {
	if t, ok := e.host.tool(name); ok {
		return t, true
	}
	return e.host.tool(strings.TrimPrefix(strings.TrimSpace(name), "functions."))
}

// assess asks the tool what a call would do; a panic counts as not knowing.
func assess(tool Tool, call ToolCall) (a Assessment) {
	defer func() {
		if recover() != nil {
			a = Assessment{Risk: RiskDestructive, Unknown: true}
		}
	}()
	return tool.Assess(call)
}

// independent reports whether calls may run side by side: none is asked about, and each only reads or touches paths that
// no other one does.
func independent(jobs []job) bool {
	touched := map[string]bool{} // path -> somebody writes it
	for _, j := range jobs {
		reads := j.assess.Risk == RiskRead
		if j.verdict != Allow || j.assess.Unknown && !reads {
			return false
		}
		for _, path := range j.assess.Touches {
			if writes, seen := touched[path]; seen && (writes || !reads) {
				return false
			}
			touched[path] = !reads
		}
	}
	return writersKnowTheirPaths(jobs)
}

// writersKnowTheirPaths refuses batches in which something reads it knows not what while another call writes.
func writersKnowTheirPaths(jobs []job) bool {
	writes := slices.ContainsFunc(jobs, func(j job) bool { return j.assess.Risk != RiskRead })
	return !writes || !slices.ContainsFunc(jobs, func(j job) bool { return j.assess.Unknown })
}

func (e *Engine) runSerial(t *turn, b *batch, jobs []job) {
	for i, j := range jobs {
		if i > 0 {
			j = e.judge(j.call) // a call before it may have changed what it does, or have been allowed for the session
		}
		switch {
		case b.redirect != "":
			e.answered(t, b, j, answer{outcome: OutcomeSkipped, result: ErrorResult(skippedText)})
		case t.ctx.Err() != nil:
			e.answered(t, b, j, answer{outcome: OutcomeSkipped, result: ErrorResult(abortedText)})
		default:
			e.called(t, j)
			a, redirect := e.decideAndRun(t, j)
			b.redirect = redirect
			e.settle(t, b, j, a)
		}
	}
}

// decideAndRun gets one call allowed and runs it, or says why not.
func (e *Engine) decideAndRun(t *turn, j job) (a answer, redirect string) {
	switch j.verdict {
	case Deny:
		return answer{outcome: OutcomeDenied, result: ErrorResult(forbiddenText)}, ""
	case Ask:
		d := e.ask(t, j.call, j.assess)
		switch {
		case t.ctx.Err() != nil:
			return answer{outcome: OutcomeSkipped, result: ErrorResult(abortedText)}, ""
		case d.Approved:
			j.asked = true
			if d.Session {
				e.allow(j)
			}
		case d.Redirect != "":
			return answer{outcome: OutcomeDenied, result: ErrorResult(redirectedText), redirected: true}, d.Redirect
		default:
			return answer{outcome: OutcomeDenied, result: ErrorResult(deniedText)}, ""
		}
	}
	e.bus.Publish(StateChanged{t.id, PhaseExecuting})
	return e.runTool(t, j), ""
}

func (e *Engine) runParallel(t *turn, b *batch, jobs []job) {
	for _, j := range jobs {
		e.called(t, j)
	}
	e.bus.Publish(StateChanged{t.id, PhaseExecuting})
	answers := make([]answer, len(jobs))
	slots := make(chan struct{}, maxParallel)
	var wg sync.WaitGroup
	for i, j := range jobs {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			answers[i] = e.runTool(t, j)
			e.finished(t, j, answers[i])
		})
	}
	wg.Wait()
	for i, j := range jobs {
		e.answered(t, b, j, answers[i])
	}
}

func (e *Engine) called(t *turn, j job) {
	e.bus.Publish(ToolCalled{Turn: t.id, Call: j.call, Risk: j.assess.Risk})
}

func (e *Engine) settle(t *turn, b *batch, j job, a answer) {
	e.finished(t, j, a)
	e.answered(t, b, j, a)
}

func (e *Engine) finished(t *turn, j job, a answer) {
	e.bus.Publish(ToolFinished{Turn: t.id, Call: j.call, Outcome: a.outcome, Result: a.result, Took: a.took})
}

// answered makes the result of a call part of the conversation.
func (e *Engine) answered(t *turn, b *batch, j job, a answer) {
	m := resultMessage(j.call, a.result)
	m.Took = a.took
	b.results = append(b.results, m)
	t.messages = append(t.messages, m)
	if a.outcome != OutcomeSkipped {
		rec := CallRecord{Call: j.call, Outcome: a.outcome, Took: a.took}
		if a.outcome == OutcomeError {
			rec.Output = m.Text()
		}
		t.calls = append(t.calls, rec)
	}
	ev := ToolAnswered{Turn: t.id, Call: j.call, Outcome: a.outcome, Redirected: a.redirected, Message: m}
	if err := e.record(ev, Entry{Type: EntryMessage, Message: &m}); err != nil && b.err == nil {
		b.err = err
	}
}

func resultMessage(c ToolCall, r ToolResult) Message {
	content := r.Content
	if len(content) == 0 {
		content = []Block{TextBlock("")}
	}
	return Message{
		Role: RoleTool, Time: time.Now(), Content: content, ToolCallID: c.ID, ToolName: c.Name,
		IsError: r.IsError, Details: r.Details,
	}
}
