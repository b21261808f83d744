package jsonrpc

import "github.com/dualagent/agent/internal/wire"

// The types in this file are what goes over the wire: params, results, and the params of notifications. Nothing else here has
// JSON names. Optional members are pointers or omitted when empty; lists are never null.

// Nothing is the params or the result of what has nothing to say.
type Nothing struct{}

// PromptParams are the params of prompt.
type PromptParams struct {
	Message string  `json:"message"`
	Steer   bool    `json:"steer,omitempty"`
	Images  []Image `json:"images,omitempty"`
}

// Image is an inline picture.
type Image struct {
	Type     string `json:"type"`
	Data     string `json:"data"`
	MimeType string `json:"mimeType"`
}

// PromptResult is the result of prompt: Reply after success, Error after failure, neither for steering.
type PromptResult struct {
	Reply *string `json:"reply,omitempty"`
	Error *string `json:"error,omitempty"`
}

// ApprovalParams are the params of approvalResponse. They are decoded member by member: what is not a boolean does not approve.
type ApprovalParams struct {
	Approved wire.Raw `json:"approved"`
	Message  wire.Raw `json:"message,omitempty"`
	ID       wire.Raw `json:"id,omitempty"`
	Scope    wire.Raw `json:"scope,omitempty"` // "session": the same is allowed for the rest of the session
}

// SetModelParams are the params of setModel.
type SetModelParams struct {
	Model string `json:"model"`
}

// SetModelResult is the result of setModel.
type SetModelResult struct {
	Model              string `json:"model"`
	Provider           string `json:"provider"`
	ContextWindow      int    `json:"contextWindow"`
	EstimatedUsed      int    `json:"estimatedUsed"`
	UtilizationPercent int    `json:"utilizationPercent"`
}

// State is the result of getState.
type State struct {
	Model        string `json:"model"`
	Provider     string `json:"provider"`
	Cwd          string `json:"cwd"`
	MessageCount int    `json:"messageCount"`
}

// Messages is the result of getMessages.
type Messages struct {
	Messages []Message `json:"messages"`
}

// Message is one message as the model sees it.
type Message struct {
	Role       string      `json:"role"`
	ToolCallID string      `json:"toolCallId,omitempty"`
	Content    string      `json:"content"`
	ToolCalls  *[]CallText `json:"toolCalls,omitempty"` // of every assistant message
}

// CallText is a tool call as the model wrote it.
type CallText struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Session is the result of newSession.
type Session struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
}

// Sessions is the result of listSessions.
type Sessions struct {
	Sessions []StoredSession `json:"sessions"`
}

// StoredSession is a session that can be resumed.
type StoredSession struct {
	Path       string `json:"path"`
	MtimeSecs  int64  `json:"mtimeSecs"` // seconds since 1970
	SizeKb     int64  `json:"sizeKb"`    // units of 1024 bytes
	EntryCount int    `json:"entryCount"`
}

// ResumeParams are the params of resumeSession.
type ResumeParams struct {
	Path string `json:"path"`
}

// ResumeResult is the result of resumeSession.
type ResumeResult struct {
	Path       string `json:"path"` // as it was given
	Model      string `json:"model"`
	Cwd        string `json:"cwd"` // of the session; tools work where they did
	EntryCount int    `json:"entryCount"`
}

// SessionStats is the result of getSessionStats. The figures of roleTokens, resolutionTokens and phaseTokens are estimates;
// estimatedUsed is the provider's count as far as there is one.
type SessionStats struct {
	ContextWindow       int `json:"contextWindow"`
	CompletionReserve   int `json:"completionReserve"`
	EstimatedUsed       int `json:"estimatedUsed"`
	EstimatedRemaining  int `json:"estimatedRemaining"`
	UtilizationPercent  int `json:"utilizationPercent"`
	MessageCount        int `json:"messageCount"`
	EntryCount          int `json:"entryCount"`          // of the whole session
	PathEntryCount      int `json:"pathEntryCount"`      // of what was not forgotten
	CompactedEntryCount int `json:"compactedEntryCount"` // 0: nothing is compacted
	CompactionTokens    int `json:"compactionTokens"`

	RoleTokens       RoleTokens       `json:"roleTokens"`
	ResolutionTokens ResolutionTokens `json:"resolutionTokens"`
	PhaseTokens      PhaseTokens      `json:"phaseTokens"`
	APIUsage         APIUsage         `json:"apiUsage"`
}

// RoleTokens is what messages of each role cost.
type RoleTokens struct {
	System    int `json:"system"`
	User      int `json:"user"`
	Assistant int `json:"assistant"`
	Tool      int `json:"tool"`
}

// ResolutionTokens is what is shown to the model in full, and what in other forms: nothing.
type ResolutionTokens struct {
	Full       int `json:"full"`
	Outlined   int `json:"outlined"`
	Summarized int `json:"summarized"`
	Pinned     int `json:"pinned"`
}

// PhaseTokens is what belongs to phases of the work. Messages are not classified.
type PhaseTokens struct {
	Exploration  int `json:"exploration"`
	Execution    int `json:"execution"`
	Verification int `json:"verification"`
	Conclusion   int `json:"conclusion"`
	Unclassified int `json:"unclassified"`
}

// APIUsage is what all requests of the session have cost, those that failed too.
type APIUsage struct {
	TotalInputTokens  int     `json:"totalInputTokens"`
	TotalOutputTokens int     `json:"totalOutputTokens"`
	TotalCachedTokens int     `json:"totalCachedTokens"`
	TotalTokens       int     `json:"totalTokens"`
	TotalCost         float64 `json:"totalCost"`
	RequestCount      int     `json:"requestCount"`
}

// Models is the result of listModels.
type Models struct {
	Models []Model `json:"models"`
}

// Model names a model.
type Model struct {
	ID       string `json:"id"`
	Provider string `json:"provider"`
}

// Providers is the result of listProviders.
type Providers struct {
	Providers []Provider `json:"providers"`
}

// Provider is a configured provider.
type Provider struct {
	Name       string `json:"name"`
	IsExternal bool   `json:"isExternal"`
	Reachable  bool   `json:"reachable"`
	Active     bool   `json:"active"`
}

// Tools is the result of listTools.
type Tools struct {
	Tools []Tool `json:"tools"`
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Risk        string   `json:"risk"`
	Parameters  wire.Raw `json:"parameters"`
}

// Ready is the params of ready.
type Ready struct {
	Version      string   `json:"version"`
	Protocol     string   `json:"protocol"`
	Capabilities []string `json:"capabilities"`
}

// StateChange is the params of state/change.
type StateChange struct {
	State string `json:"state"`
}

// Delta is the params of message/delta and reasoning/delta.
type Delta struct {
	Delta string `json:"delta"`
}

// ToolCall is the params of tool/call.
type ToolCall struct {
	Name       string `json:"name"`
	Arguments  string `json:"arguments"`
	ToolCallID string `json:"toolCallId"`
}

// ToolResult is the params of tool/result.
type ToolResult struct {
	Name       string `json:"name"`
	IsError    bool   `json:"is_error"`
	Output     string `json:"output"`
	ToolCallID string `json:"toolCallId"`
}

// ToolDenied is the params of tool/denied.
type ToolDenied struct {
	Name       string `json:"name"`
	ToolCallID string `json:"toolCallId"`
}

// ApprovalRequest is the params of approval/request. ID is what an approvalResponse may name.
type ApprovalRequest struct {
	Tool       string   `json:"tool"`
	Arguments  string   `json:"arguments"`
	Risk       string   `json:"risk"`
	ID         string   `json:"id"`
	ToolCallID string   `json:"toolCallId"`
	Outside    []string `json:"outside,omitempty"` // paths outside the workspace
}

// UsageNote is the params of usage.
type UsageNote struct {
	Iteration int     `json:"iteration"`
	Usage     Usage   `json:"usage"`
	Context   Context `json:"context"`
}

// Usage is what one request cost.
type Usage struct {
	InputTokens  int     `json:"inputTokens"`
	OutputTokens int     `json:"outputTokens"`
	CachedTokens int     `json:"cachedTokens"`
	Cost         float64 `json:"cost"`
	RequestCount int     `json:"requestCount"`
}

// Context tells how full the model's context is.
type Context struct {
	EstimatedUsed      int `json:"estimatedUsed"`
	ContextWindow      int `json:"contextWindow"`
	CompletionReserve  int `json:"completionReserve"`
	UtilizationPercent int `json:"utilizationPercent"`
}

// AgentEnd is the params of agent/end.
type AgentEnd struct {
	Reply        string       `json:"reply"`
	Iterations   int          `json:"iterations"`
	Usage        TurnUsage    `json:"usage"`
	ToolCalls    []CallRecord `json:"toolCalls"`
	DurationMs   int64        `json:"durationMs"`
	FinishReason string       `json:"finishReason"`
}

// TurnUsage is what a turn cost.
type TurnUsage struct {
	InputTokens  int     `json:"inputTokens"`
	OutputTokens int     `json:"outputTokens"`
	TotalTokens  int     `json:"totalTokens"`
	TotalCost    float64 `json:"totalCost"`
	RequestCount int     `json:"requestCount"`
}

// CallRecord tells what became of a tool call.
type CallRecord struct {
	Name       string  `json:"name"`
	Arguments  string  `json:"arguments"`
	Outcome    Outcome `json:"outcome"`
	DurationMs *int64  `json:"durationMs,omitempty"` // of calls that ran
	ToolCallID string  `json:"toolCallId"`
}

// Outcome is success, error or denied; Output comes with error.
type Outcome struct {
	Kind   string `json:"kind"`
	Output string `json:"output,omitempty"`
}

// AgentError is the params of agent/error.
type AgentError struct {
	Error string `json:"error"`
}
