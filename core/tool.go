package core

import "context"

// A Risk says what a tool call may do.
type Risk string

// The risks, mildest first. Network reaches other machines.
const (
	RiskRead        Risk = "read"
	RiskWrite       Risk = "write"
	RiskDestructive Risk = "destructive"
	RiskNetwork     Risk = "network"
)

// A Tool does one kind of job for a model. All methods may be called from many goroutines at once.
type Tool interface {
	Spec() ToolSpec
	// Assess says what the call would do. It is quick, changes nothing and does not fail: what it cannot make
	// sense of is RiskDestructive.
	Assess(call ToolCall) Assessment
	// Run does the job. Its error means that the tool could not do it at all; what the model should read, good
	// or bad, is in the result. When ctx ends, Run stops what it has started and returns within 100 ms, with
	// what it has so far.
	Run(ctx context.Context, inv Invocation) (ToolResult, error)
}

// A ToolSpec describes a tool to models and to clients.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  []byte // JSON Schema of the arguments, an object
	Risk        Risk   // the greatest that a call usually has
}

// An Assessment says what one call would do.
type Assessment struct {
	Risk    Risk
	Outside []string // paths outside the workspace that it names, cleaned and absolute
	// Touches lists the absolute paths that the call reads or changes, if it knows them all; else Unknown is true. Calls with
	// RiskRead, and calls that touch different paths, may run side by side.
	Touches []string
	Unknown bool
	// Key is what an approval for the whole session is bound to, besides the tool; "" means the tool as such.
	Key string
}

// An Invocation is a call that has been allowed.
type Invocation struct {
	ToolCall
	// Outside: the user has approved that this call leaves the workspace.
	Outside bool
	// Progress reports the output so far (its capped tail, the whole of it each time). It must not be called
	// after Run has returned. It is never nil and does not block.
	Progress func(text string)
}

// A ToolResult is what a tool has to say.
type ToolResult struct {
	Content []Block
	IsError bool
	Details any // for clients, not for the model: a value that encodes to JSON
}

// TextResult returns a result that is one block of text.
func TextResult(s string) ToolResult { return ToolResult{Content: []Block{TextBlock(s)}} }

// ErrorResult returns a result that tells the model what went wrong.
func ErrorResult(s string) ToolResult {
	return ToolResult{Content: []Block{TextBlock(s)}, IsError: true}
}

// A Shell runs the commands that the user, not the model, gives. It may be called from many goroutines at once.
type Shell interface {
	// Run runs command, calls output with each piece of valid UTF-8 as it comes, and returns when the command has ended
	// or ctx has. A call of output may block until ctx ends; the command is held up meanwhile. It fills in all but Command
	// and Exclude. Its error means that nothing was run.
	Run(ctx context.Context, command string, output func(text string)) (ShellRun, error)
}
