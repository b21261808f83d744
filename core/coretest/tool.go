package coretest

import (
	"context"
	"fmt"

	"github.com/dualagent/agent/core"
)

// A Tool is a tool made of functions.
type Tool struct {
	Name   string
	Risk   core.Risk // default: read
	Judge  func(core.ToolCall) core.Assessment
	Action func(ctx context.Context, inv core.Invocation) (core.ToolResult, error) // default: says "NAME ran"
}

// Spec implements core.Tool.
func (t *Tool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: t.Name, Description: "a tool for tests", Parameters: []byte(`{"type":"object"}`), Risk: t.risk(),
	}
}

func (t *Tool) risk() core.Risk {
	if t.Risk == "" {
		return core.RiskRead
	}
	return t.Risk
}

// Assess implements core.Tool.
func (t *Tool) Assess(call core.ToolCall) core.Assessment {
	if t.Judge != nil {
		return t.Judge(call)
	}
	return core.Assessment{Risk: t.risk(), Unknown: t.risk() != core.RiskRead}
}

// Run implements core.Tool.
func (t *Tool) Run(ctx context.Context, inv core.Invocation) (core.ToolResult, error) {
	if t.Action == nil {
		return core.TextResult(t.Name + " ran"), nil
	}
	return t.Action(ctx, inv)
}

// A BlockingTool blocks each call until it is released or its context ends.
type BlockingTool struct {
	Tool
	Started  chan string   // gets the id of each call that runs
	Released chan struct{} // one value, or being closed, lets a call go on
}

// NewBlockingTool returns a tool that blocks. Its risk is read.
func NewBlockingTool(name string) *BlockingTool {
	t := &BlockingTool{
		Tool:    Tool{Name: name},
		Started: make(chan string, 100), Released: make(chan struct{}),
	}
	t.Action = func(ctx context.Context, inv core.Invocation) (core.ToolResult, error) {
		t.Started <- inv.ID
		select {
		case <-t.Released:
			return core.TextResult("released"), nil
		case <-ctx.Done():
			return core.ErrorResult(fmt.Sprintf("%s gave up", name)), nil
		}
	}
	return t
}
