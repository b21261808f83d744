package jsonl

import (
	"reflect"
	"strconv"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
	"github.com/dualagent/agent/internal/wire"
)

// A record is a row of the table of records: how an event is told to the client.
type record struct {
	name  string // its type on the wire
	doc   string
	only  Dialect // the dialect that has it; "": both
	event reflect.Type
	typ   reflect.Type                 // of the body
	body  func(c *codec, item any) any // its other members; nil: this event is not told
}

// out makes a row from a function that makes the body of a record from an event; nil if the event is not told.
func out[E any, B any](name, doc string, f func(*codec, E) *B) record {
	return record{
		name: name, doc: doc, event: reflect.TypeFor[E](), typ: reflect.TypeFor[B](),
		body: func(c *codec, item any) any {
			if b := f(c, item.(E)); b != nil {
				return b
			}
			return nil
		},
	}
}

// only restricts a row to a dialect.
func only(d Dialect, r record) record {
	r.only = d
	return r
}

// records is the table of records. The rows of one event are told in this order. The records message_update are not in it:
// message.go writes them, because there are so many.
var records = []record{
	only(RPI, out("session_started", "The session in use, at the start and after each change.", sessionStarted)),

	out("session_info_changed", "The session has another name.",
		func(_ *codec, e core.NameChanged) *sessionNameBody { return &sessionNameBody{e.Name} }),

	out("agent_start", "The agent has begun to work on a prompt.", func(*codec, core.TurnStarted) *nothing { return &nothing{} }),
	out("turn_start", "A request to the model begins.", func(*codec, core.StepStarted) *nothing { return &nothing{} }),
	out("message_start", "A user message.", func(_ *codec, e core.MessageAdded) *messageBody { return message(e.Message) }),
	out("message_end", "", func(_ *codec, e core.MessageAdded) *messageBody { return message(e.Message) }),
	out("message_start", "A reply begins; it has no content yet.",
		func(_ *codec, e core.ReplyStarted) *messageBody { return message(e.Message) }),
	out("message_end", "The reply as a whole.", func(_ *codec, e core.ReplyEnded) *messageBody { return message(e.Message) }),
	out("tool_execution_start", "A tool call is looked at.", toolStarted),
	out("tool_execution_update", "The output of a tool so far.", toolUpdate),
	out("tool_execution_end", "A tool call has come to its end.", toolEnded),
	out("message_start", "The result of a tool call.", func(_ *codec, e core.ToolAnswered) *messageBody { return message(e.Message) }),
	out("message_end", "", func(_ *codec, e core.ToolAnswered) *messageBody { return message(e.Message) }),
	out("turn_end", "The reply and the results of its tool calls.", turnEnd),
	out("agent_end", "All messages of the prompt so far; the request that failed is made again.", retryEnd),
	out("auto_retry_start", "The request is made again after a pause.", retryScheduled),
	out("agent_start", "", func(*codec, core.RetryStarted) *nothing { return &nothing{} }),
	out("auto_retry_end", "No more attempts are made.", retriesEnded),
	out("agent_end", "All messages of the prompt.", agentEnd),
	out("run_failed", "The turn has ended without a reply; agent_settled follows.", runFailed),
	out("agent_settled", "Nothing more will happen for the prompt.", settled),
	out("run_failed", "", func(_ *codec, e refusal) *failedBody { return &failedBody{e.problem} }),
	out("agent_settled", "", func(*codec, refusal) *settledBody { return &settledBody{} }),

	only(RPI, out("queue_update", "What now waits to be said to the model.", queuedMessages)),
	only(Pi, out("queue_update", "What now waits to be said to the model.", queuedTexts)),
	only(RPI, out("entry_appended", "An entry is in the session.", entryAppended)),
	only(Pi, out("entry_appended", "A message no longer counts.", editAppended)),
	only(RPI, out("model_select", "The model for the requests to come.",
		func(_ *codec, e core.ModelChanged) *modelBody { return &modelBody{v3.FromModel(e.Model)} })),
	only(RPI, out("thinking_level_select", "The thinking level for the requests to come.",
		func(_ *codec, e core.ThinkingChanged) *levelSelectBody { return &levelSelectBody{e.Level} })),
	only(Pi, out("thinking_level_changed", "The thinking level for the requests to come.",
		func(_ *codec, e core.ThinkingChanged) *levelBody { return &levelBody{e.Level} })),

	out("bash_execution_update", "Output of a bash command, with the command's id.", shellOutput),
	only(RPI, out("bash_execution_end", "A bash command has ended.", shellEnded)),
	out("extension_ui_request", "A question to the user, or a note for the user.", approvalRequest),
	out("extension_ui_resolved", "A question need not be answered any more.", approvalResolved),
	out("extension_ui_request", "", notify),
}

// rows holds records by type of event.
var rows = byEvent(records)

func byEvent(table []record) map[reflect.Type][]record {
	m := map[reflect.Type][]record{}
	for _, r := range table {
		m[r.event] = append(m[r.event], r)
	}
	return m
}

func sessionStarted(_ *codec, e core.SessionStarted) *sessionBody {
	s := e.Session
	return &sessionBody{sessionHeader{
		Version: v3.Version, ID: s.ID, Timestamp: v3.FormatTime(s.Time), Cwd: s.Cwd, ParentSession: s.Parent,
	}}
}

func message(m core.Message) *messageBody { return &messageBody{encodable(m, true)} }

// encodable returns the JSON form of m, with its role or without.
func encodable(m core.Message, role bool) any {
	j := v3.FromMessage(&m)
	if !role {
		j.Role = ""
	}
	return j.Value()
}

func encodables(messages []core.Message, role bool) []any {
	list := make([]any, len(messages))
	for i, m := range messages {
		list[i] = encodable(m, role)
	}
	return list
}

func arguments(call core.ToolCall) wire.Raw {
	object, _ := v3.Arguments(call.Arguments) // what is wrong with them is in the message
	return object
}

func toolStarted(_ *codec, e core.ToolCalled) *toolStartBody {
	return &toolStartBody{ToolCallID: e.Call.ID, ToolName: e.Call.Name, Args: arguments(e.Call)}
}

func toolUpdate(c *codec, e core.ToolProgress) *toolUpdateBody {
	return &toolUpdateBody{
		ToolCallID: e.Call.ID, ToolName: e.Call.Name, Args: arguments(e.Call),
		PartialResult: c.toolResult(core.TextResult(e.Text), wire.Raw("{}")),
	}
}

func toolEnded(c *codec, e core.ToolFinished) *toolEndBody {
	b := &toolEndBody{ToolCallID: e.Call.ID, ToolName: e.Call.Name, Result: c.toolResult(e.Result, nil), IsError: e.Result.IsError}
	if c.pi && e.Took > 0 {
		b.DurationMs = new(e.Took.Milliseconds())
	}
	return b
}

// toolResult returns the JSON form of a result; without is what pi writes if it has no details.
func (c *codec) toolResult(r core.ToolResult, without wire.Raw) v3.ToolResult {
	j := v3.FromToolResult(&r)
	if !c.pi {
		without = wire.Raw("null")
		j.Terminate = new(bool)
	}
	if j.Details == nil {
		j.Details = without
	}
	return j
}

func turnEnd(c *codec, e core.StepEnded) *turnEndBody {
	return &turnEndBody{Message: encodable(e.Reply, c.pi), ToolResults: encodables(e.Results, c.pi)}
}

func retryEnd(c *codec, e core.RetryScheduled) *agentEndBody {
	return c.endOf(e.Messages, true)
}

// agentEnd tells nothing if a pause between attempts has been cut short: the end came before the pause.
func agentEnd(c *codec, e core.TurnEnded) *agentEndBody {
	if c.pausing.Load() != 0 {
		return nil
	}
	return c.endOf(e.Messages, false)
}

func (c *codec) endOf(messages []core.Message, again bool) *agentEndBody {
	b := &agentEndBody{Messages: encodables(messages, true)}
	if c.pi {
		b.WillRetry = &again
	}
	return b
}

func retryScheduled(_ *codec, e core.RetryScheduled) *retryStartBody {
	return &retryStartBody{
		Attempt: e.Attempt, MaxAttempts: e.Max, DelayMs: e.Delay.Milliseconds(), ErrorMessage: problem(e.Err),
	}
}

func retriesEnded(c *codec, e core.RetryEnded) *retryEndBody {
	b := &retryEndBody{Success: e.Err == nil, Attempt: e.Attempt}
	switch {
	case e.Err == nil:
	case c.pausing.Load() != 0:
		b.FinalError = "Retry cancelled"
	default:
		b.FinalError = problem(e.Err)
	}
	return b
}

// runFailed comes behind the end of the retries, which comes behind the end of the turn.
func runFailed(c *codec, _ core.Settled) *failedBody {
	if c.failed == "" {
		return nil
	}
	return &failedBody{c.failed}
}

func settled(c *codec, e core.Settled) *settledBody {
	if !c.pi {
		return &settledBody{}
	}
	return &settledBody{Aborted: &e.Aborted}
}

func queuedMessages(_ *codec, e core.QueueChanged) *queueBody {
	return &queueBody{Steering: encodables(e.Steering, true), FollowUp: encodables(e.FollowUp, true)}
}

func queuedTexts(_ *codec, e core.QueueChanged) *queueTexts { return textsOf(e.Steering, e.FollowUp) }

func textsOf(steering, followUp []core.Message) *queueTexts {
	return &queueTexts{Steering: texts(steering), FollowUp: texts(followUp)}
}

func texts(messages []core.Message) []string {
	list := make([]string, len(messages))
	for i, m := range messages {
		list[i] = m.Text()
	}
	return list
}

// editAppended tells of those entries that clients of pi know of.
func editAppended(c *codec, e core.EntryAdded) *entryBody {
	if e.Entry.Type != core.EntryEdit {
		return nil
	}
	return entryAppended(c, e)
}

func entryAppended(c *codec, e core.EntryAdded) *entryBody {
	line, err := v3.EncodeEntry(e.Entry)
	if err != nil {
		c.o.Log.Error("an entry does not encode", "error", err)
		return nil
	}
	return &entryBody{line}
}

func shellOutput(_ *codec, e core.ShellOutput) *shellOutputBody {
	b := &shellOutputBody{Delta: e.Text}
	if req, ok := e.Tag.(*request); ok {
		b.ID = req.id
	}
	return b
}

func shellEnded(_ *codec, e core.ShellEnded) *messageBody {
	return &messageBody{encodable(e.Message, false)}
}

func notify(c *codec, e core.Notice) *uiRequestBody {
	return &uiRequestBody{
		ID: "notice-" + strconv.Itoa(c.notices), Method: "notify", Message: e.Text, NotifyType: "warning", ExtensionID: host,
	}
}
