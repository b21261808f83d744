package core

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// runTool runs one allowed call. A tool that does not heed the end of its context is left behind.
func (e *Engine) runTool(t *turn, j job) answer {
	if j.tool == nil {
		return answer{outcome: OutcomeError, result: ErrorResult(fmt.Sprintf("Tool %s not found", j.call.Name))}
	}
	start := time.Now()
	progress := &progress{engine: e, turn: t.id, call: j.call}
	done := make(chan ToolResult, 1)
	// The tool is joined below, unless it ignores its context: then it cannot be, and its late result is dropped.
	go func() {
		done <- e.call(t.ctx, j, progress.report)
	}()
	var result ToolResult
	select {
	case result = <-done:
	case <-t.ctx.Done():
		select {
		case result = <-done:
		case <-time.After(abandonAfter):
			e.host.o.Log.Warn("a tool does not stop; going on without it", "tool", j.call.Name)
			result = ErrorResult(abortedText)
		}
		result.IsError = true
	}
	progress.stop()
	a := answer{outcome: OutcomeSuccess, result: result, took: max(time.Since(start), 1)}
	if result.IsError {
		a.outcome = OutcomeError
	}
	return a
}

// call runs the tool. A panic, or an error, is a result that says so: the model is told, and the turn goes on.
func (e *Engine) call(ctx context.Context, j job, report func(string)) (result ToolResult) {
	defer func() {
		if p := recover(); p != nil {
			e.host.o.Log.Error("panic in a tool", "tool", j.call.Name, "panic", p, "stack", string(debug.Stack()))
			result = ErrorResult(fmt.Sprintf("Tool %s failed: internal error: %v", j.call.Name, p))
		}
	}()
	inv := Invocation{ToolCall: j.call, Outside: len(j.assess.Outside) > 0 && j.asked, Progress: report}
	result, err := j.tool.Run(ctx, inv)
	switch {
	case err == nil:
		return result
	case ctx.Err() != nil:
		return ErrorResult(abortedText)
	default:
		return ErrorResult(err.Error())
	}
}

// progress passes on what a tool reports until the tool has ended.
type progress struct {
	engine *Engine
	turn   TurnID
	call   ToolCall

	mu      sync.Mutex
	stopped bool
}

func (p *progress) report(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		p.engine.bus.Publish(ToolProgress{Turn: p.turn, Call: p.call, Text: text})
	}
}

func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
}
