package core

import "time"

// An Event reports something that has happened. Events are plain values that nobody changes. A codec translates
// those that its protocol has words for and passes over the rest.
type Event interface{ event() }

// A TurnID numbers the turns of an engine, from 1.
type TurnID uint64

// An ApprovalID numbers the approvals of an engine, from 1.
type ApprovalID uint64

// A Phase is what a turn is busy with.
type Phase string

// The phases of a turn.
const (
	PhaseIdle      Phase = "idle" // between turns; TurnEnded says so, no StateChanged does
	PhaseThinking  Phase = "thinking"
	PhaseExecuting Phase = "executing_tool"
	PhaseAwaiting  Phase = "awaiting_approval"
)

// A FinishReason says why a turn ended.
type FinishReason string

// The reasons for the end of a turn. With FinishAborted and FinishError, TurnEnded has an Err.
const (
	FinishStop          FinishReason = "stop"
	FinishLength        FinishReason = "length"
	FinishMaxIterations FinishReason = "max_iterations"
	FinishEmpty         FinishReason = "consecutive_empty_responses"
	FinishAborted       FinishReason = "aborted"
	FinishError         FinishReason = "error"
)

// An Outcome says what became of a tool call.
type Outcome string

// The outcomes of tool calls. A skipped call was never looked at, because its batch was given up.
const (
	OutcomeSuccess Outcome = "success"
	OutcomeError   Outcome = "error"
	OutcomeDenied  Outcome = "denied"
	OutcomeSkipped Outcome = "skipped"
)

// The life of a turn, in the order of its events. A step is one request to the model and the tools that it calls.
//
//	TurnStarted
//	  StepStarted, [QueueChanged], MessageAdded (user messages), StateChanged(thinking)
//	    ReplyStarted, TextDelta | ReasoningDelta | ToolCallDelta ..., ReplyEnded, UsageUpdated
//	    per call: ToolCalled, [StateChanged(awaiting), ApprovalRequested, ApprovalResolved,]
//	              StateChanged(executing), ToolProgress ..., ToolFinished, ToolAnswered
//	  StepEnded
//	  [RetryScheduled, RetryStarted or RetryEnded]
//	  ...
//	  TurnEnded, Settled
//
// Calls that run side by side are called in source order, finish in any order, and are answered in source order.
// EntryAdded follows each event whose content was stored. Nothing of a turn follows its Settled.
type (
	// SessionStarted tells that the engine now works in this session.
	SessionStarted struct{ Session SessionInfo }

	// NameChanged tells that the session has got another name, which is stored.
	NameChanged struct{ Name string }

	// TurnStarted tells that an accepted prompt is being worked on.
	TurnStarted struct{ Turn TurnID }

	// StepStarted and StepEnded enclose a request to the model with its tool calls.
	StepStarted struct {
		Turn TurnID
		Step int // from 1
	}
	StepEnded struct {
		Turn    TurnID
		Step    int
		Reply   Message
		Results []Message // in source order
	}

	// StateChanged tells what the turn is busy with from now on.
	StateChanged struct {
		Turn  TurnID
		Phase Phase
	}

	// MessageAdded tells of a user message (a prompt, steering, a follow-up) that is now part of the conversation.
	MessageAdded struct {
		Turn    TurnID
		Message Message
	}

	// ReplyStarted and ReplyEnded enclose the deltas of one reply. ReplyStarted's message has no content yet.
	ReplyStarted struct {
		Turn    TurnID
		Message Message
	}
	ReplyEnded struct {
		Turn    TurnID
		Message Message
	}

	// TextDelta, ReasoningDelta and ToolCallDelta are pieces of a reply. Block is the index of the piece's block in the
	// content of the message. Joining neighbours with the same Turn and Block loses nothing.
	TextDelta struct {
		Turn  TurnID
		Block int
		Text  string
	}
	ReasoningDelta struct {
		Turn  TurnID
		Block int
		Text  string
	}
	ToolCallDelta struct {
		Turn     TurnID
		Block    int
		ID, Name string // of the call, the same in each piece
		Text     string // of its arguments
	}

	// ToolCalled tells that a tool call of the model is being looked at.
	ToolCalled struct {
		Turn TurnID
		Call ToolCall
		Risk Risk
	}
	// ToolProgress carries the output so far, as a whole: of two for the same call the later one is enough.
	ToolProgress struct {
		Turn TurnID
		Call ToolCall
		Text string
	}
	// ToolFinished tells that a call has come to its end, also when it was never allowed to run.
	ToolFinished struct {
		Turn    TurnID
		Call    ToolCall
		Outcome Outcome
		Result  ToolResult
		Took    time.Duration // 0 if it did not run
	}
	// ToolAnswered tells that the result of a call is now part of the conversation.
	ToolAnswered struct {
		Turn    TurnID
		Call    ToolCall
		Outcome Outcome
		// Redirected: the client wants something else instead; see Decision.
		Redirected bool
		Message    Message
	}

	// ApprovalRequested asks the client whether a call may run. ApprovalResolved tells that it need not answer any
	// more.
	ApprovalRequested struct {
		Turn    TurnID
		ID      ApprovalID
		Call    ToolCall
		Risk    Risk
		Outside []string // paths outside the workspace that the call names
	}
	ApprovalResolved struct {
		Turn     TurnID
		ID       ApprovalID
		Call     ToolCall
		Approved bool
		Answered bool // false: withdrawn, by an abort, a time limit, or because nobody can answer any more
	}

	// UsageUpdated tells what the last request cost, and how full the context is.
	UsageUpdated struct {
		Turn    TurnID
		Step    int
		Usage   Usage
		Context ContextUsage
	}

	// RetryScheduled tells that a request failed and will be made again after Delay; RetryStarted, that this happens now;
	// RetryEnded, that no more attempts are made. The failed reply, if there was one, no longer counts.
	RetryScheduled struct {
		Turn         TurnID
		Attempt, Max int // Attempt counts from 1
		Delay        time.Duration
		Err          error
		Messages     []Message // new in this turn so far
	}
	RetryStarted struct{ Turn TurnID }
	RetryEnded   struct {
		Turn    TurnID
		Attempt int
		Err     error // nil: the request succeeded
	}

	// TurnEnded is the terminal event of a turn: one for each accepted prompt, whatever happens.
	TurnEnded struct {
		Turn     TurnID
		Tag      any // of the prompt's Input
		Reply    string
		Steps    int
		Usage    Usage
		Requests int
		Calls    []CallRecord
		Messages []Message // new in this turn, the prompt included
		Took     time.Duration
		Reason   FinishReason
		Err      error // the cause, with FinishAborted and FinishError
	}
	// Settled tells that nothing more will happen for the turn.
	Settled struct {
		Turn    TurnID
		Aborted bool
	}

	// QueueChanged tells what now waits to be said to the model.
	QueueChanged struct{ Steering, FollowUp []Message }

	// ModelChanged and ThinkingChanged tell what the next request will use.
	ModelChanged    struct{ Model Model }
	ThinkingChanged struct{ Level ThinkingLevel }

	// EntryAdded tells that an entry is in the session.
	EntryAdded struct{ Entry Entry }

	// ShellOutput and ShellEnded tell of a command that the user runs. Tag is that of the ShellCommand.
	ShellOutput struct {
		Tag  any
		Text string
	}
	ShellEnded struct {
		Tag     any
		Message Message
	}

	// Notice is for people: something that they should know and that stops nothing.
	Notice struct{ Text string }
)

// A CallRecord tells what became of one tool call of a turn.
type CallRecord struct {
	Call    ToolCall
	Outcome Outcome
	Output  string        // of OutcomeError
	Took    time.Duration // 0 if it did not run
}

// ContextUsage tells how full a model's context is, in tokens.
type ContextUsage struct {
	Used    int // estimated where the provider has not said
	Window  int
	Reserve int // kept free for the reply
	Percent int // of Window less Reserve
}

func (SessionStarted) event()    {}
func (NameChanged) event()       {}
func (TurnStarted) event()       {}
func (StepStarted) event()       {}
func (StepEnded) event()         {}
func (StateChanged) event()      {}
func (MessageAdded) event()      {}
func (ReplyStarted) event()      {}
func (ReplyEnded) event()        {}
func (TextDelta) event()         {}
func (ReasoningDelta) event()    {}
func (ToolCallDelta) event()     {}
func (ToolCalled) event()        {}
func (ToolProgress) event()      {}
func (ToolFinished) event()      {}
func (ToolAnswered) event()      {}
func (ApprovalRequested) event() {}
func (ApprovalResolved) event()  {}
func (UsageUpdated) event()      {}
func (RetryScheduled) event()    {}
func (RetryStarted) event()      {}
func (RetryEnded) event()        {}
func (TurnEnded) event()         {}
func (Settled) event()           {}
func (QueueChanged) event()      {}
func (ModelChanged) event()      {}
func (ThinkingChanged) event()   {}
func (EntryAdded) event()        {}
func (ShellOutput) event()       {}
func (ShellEnded) event()        {}
func (Notice) event()            {}
