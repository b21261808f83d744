package jsonrpc

import (
	"reflect"

	"github.com/dualagent/agent/core"
)

// A note is a row of the table of notifications: how an event of the core is told to the client.
type note struct {
	method string
	doc    string
	event  reflect.Type
	params func(item any) any // a nil result: this event is not told
	typ    reflect.Type       // of the params
}

// out makes a row from a function that makes params from an event; nil if the event is not told.
func out[E core.Event, P any](method, doc string, f func(E) *P) note {
	return note{
		method: method, doc: doc, event: reflect.TypeFor[E](), typ: reflect.TypeFor[P](),
		params: func(item any) any {
			if p := f(item.(E)); p != nil {
				return p
			}
			return nil
		},
	}
}

// notes is the table of notifications. The rows of one event are told in this order.
var notes = []note{
	out("ready", "The server takes requests. Sent once, before anything else.", func(core.SessionStarted) *Ready { return nil }),
	out("agent/start", "The agent has begun to work on a prompt.", func(core.TurnStarted) *Nothing { return &Nothing{} }),
	out("state/change", "What the turn is busy with: thinking, executing_tool, awaiting_approval or idle.",
		func(e core.StateChanged) *StateChange { return &StateChange{string(e.Phase)} }),
	out("message/delta", "A piece of the reply.", func(e core.TextDelta) *Delta { return &Delta{e.Text} }),
	out("reasoning/delta", "A piece of the reasoning.", func(e core.ReasoningDelta) *Delta { return &Delta{e.Text} }),
	out("usage", "What the last request cost, and how full the context is.", usage),
	out("tool/call", "The model calls a tool.", func(e core.ToolCalled) *ToolCall {
		return &ToolCall{Name: e.Call.Name, Arguments: arguments(e.Call), ToolCallID: e.Call.ID}
	}),
	out("approval/request", "A tool call waits for an approvalResponse.", func(e core.ApprovalRequested) *ApprovalRequest {
		return &ApprovalRequest{
			Tool: e.Call.Name, Arguments: arguments(e.Call), Risk: string(e.Risk), ID: e.Call.ID, ToolCallID: e.Call.ID,
			Outside: e.Outside,
		}
	}),
	out("tool/result", "A tool has finished, or could not do its job.", toolResult),
	out("tool/denied", "A tool call was denied.", toolDenied),
	out("state/change", "", idleBefore),
	out("agent/end", "The turn has ended with a reply.", agentEnd),
	out("agent/error", "The turn has ended without one.", agentError),
	out("state/change", "", idleAfter),
}

// rows holds the rows of notes by type of event.
var rows = byEvent(notes)

func byEvent(notes []note) map[reflect.Type][]note {
	m := map[reflect.Type][]note{}
	for _, n := range notes {
		m[n.event] = append(m[n.event], n)
	}
	return m
}

// arguments returns a call's arguments as clients expect them: an object, even if the model wrote nothing.
func arguments(c core.ToolCall) string {
	if c.Arguments == "" {
		return "{}"
	}
	return c.Arguments
}

func usage(e core.UsageUpdated) *UsageNote {
	return &UsageNote{
		Iteration: e.Step,
		Usage: Usage{
			InputTokens: input(e.Usage), OutputTokens: e.Usage.Output, CachedTokens: e.Usage.CacheRead,
			Cost: e.Usage.Cost.Total, RequestCount: 1,
		},
		Context: Context{
			EstimatedUsed: e.Context.Used, ContextWindow: e.Context.Window, CompletionReserve: e.Context.Reserve,
			UtilizationPercent: e.Context.Percent,
		},
	}
}

// input counts what was sent, from a cache or not.
func input(u core.Usage) int { return u.Input + u.CacheRead + u.CacheWrite }

func toolResult(e core.ToolAnswered) *ToolResult {
	if e.Outcome != core.OutcomeSuccess && e.Outcome != core.OutcomeError {
		return nil
	}
	return &ToolResult{Name: e.Call.Name, IsError: e.Message.IsError, Output: e.Message.Text(), ToolCallID: e.Call.ID}
}

func toolDenied(e core.ToolAnswered) *ToolDenied {
	if e.Outcome != core.OutcomeDenied || e.Redirected {
		return nil
	}
	return &ToolDenied{Name: e.Call.Name, ToolCallID: e.Call.ID}
}

// A turn that succeeds is idle before its agent/end, one that fails after its agent/error.
func idleBefore(e core.TurnEnded) *StateChange { return idle(e.Err == nil) }
func idleAfter(e core.TurnEnded) *StateChange  { return idle(e.Err != nil) }

func idle(told bool) *StateChange {
	if !told {
		return nil
	}
	return &StateChange{string(core.PhaseIdle)}
}

func agentEnd(e core.TurnEnded) *AgentEnd {
	if e.Err != nil {
		return nil
	}
	calls := make([]CallRecord, len(e.Calls))
	for i, c := range e.Calls {
		calls[i] = CallRecord{
			Name: c.Call.Name, Arguments: arguments(c.Call), ToolCallID: c.Call.ID,
			Outcome: Outcome{Kind: string(c.Outcome), Output: c.Output},
		}
		if c.Took > 0 {
			ms := c.Took.Milliseconds()
			calls[i].DurationMs = &ms
		}
	}
	return &AgentEnd{
		Reply: e.Reply, Iterations: e.Steps,
		Usage: TurnUsage{
			InputTokens: input(e.Usage), OutputTokens: e.Usage.Output, TotalTokens: e.Usage.Total(),
			TotalCost: e.Usage.Cost.Total, RequestCount: e.Requests,
		},
		ToolCalls: calls, DurationMs: e.Took.Milliseconds(), FinishReason: string(e.Reason),
	}
}

func agentError(e core.TurnEnded) *AgentError {
	if e.Err == nil {
		return nil
	}
	return &AgentError{e.Err.Error()}
}

// answerTo makes the answer to the prompt whose turn has ended.
func answerTo(req *request, e core.TurnEnded) reply {
	if e.Err != nil {
		text := e.Err.Error()
		return reply{to: req, result: PromptResult{Error: &text}}
	}
	return reply{to: req, result: PromptResult{Reply: &e.Reply}}
}
