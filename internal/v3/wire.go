package v3

import "github.com/dualagent/agent/internal/wire"

// A Message is a message of any role; the keys of other roles are nil and left out. Without Role it encodes without that
// key, as some events want it. Time stamps are milliseconds since 1970.
type Message struct {
	Role string `json:"role,omitempty"`

	ToolCallID *string `json:"toolCallId,omitempty"`
	ToolName   *string `json:"toolName,omitempty"`

	Command        *string `json:"command,omitempty"`
	Output         *string `json:"output,omitempty"`
	ExitCode       *int    `json:"exitCode,omitempty"`
	Cancelled      *bool   `json:"cancelled,omitempty"`
	Truncated      *bool   `json:"truncated,omitempty"`
	FullOutputPath string  `json:"fullOutputPath,omitempty"`

	Content Content `json:"content,omitzero"`
	Summary *string `json:"summary,omitempty"`

	API           *string `json:"api,omitempty"`
	Provider      *string `json:"provider,omitempty"`
	Model         *string `json:"model,omitempty"`
	ResponseID    string  `json:"responseId,omitempty"`
	Usage         *Usage  `json:"usage,omitempty"`
	StopReason    string  `json:"stopReason,omitempty"`
	ErrorMessage  string  `json:"errorMessage,omitempty"`
	RawStopReason string  `json:"rawStopReason,omitempty"`

	Details       wire.Raw `json:"details,omitempty"` // null as a value is written, nil is not
	IsError       *bool    `json:"isError,omitempty"`
	DurationMs    int64    `json:"durationMs,omitempty"`
	ThinkingLevel string   `json:"thinkingLevel,omitempty"`

	Timestamp          int64 `json:"timestamp"`
	ExcludeFromContext bool  `json:"excludeFromContext,omitempty"`

	raw wire.Raw // if set, the message is this and nothing else
}

// Content is the blocks of a message. It also decodes from a string.
type Content []Block

// A Block is a block of any type; the keys of other types are nil and left out. Without Type it encodes without that key.
type Block struct {
	Type string `json:"type,omitempty"`

	Text          *string `json:"text,omitempty"`
	TextSignature string  `json:"textSignature,omitempty"`

	Thinking          *string `json:"thinking,omitempty"`
	ThinkingSignature string  `json:"thinkingSignature,omitempty"`
	Redacted          bool    `json:"redacted,omitempty"`

	Data     *string `json:"data,omitempty"`
	MimeType *string `json:"mimeType,omitempty"`

	ID               *string  `json:"id,omitempty"`
	Name             *string  `json:"name,omitempty"`
	Arguments        wire.Raw `json:"arguments,omitempty"` // always an object
	ArgumentsError   string   `json:"argumentsError,omitempty"`
	ThoughtSignature string   `json:"thoughtSignature,omitempty"`
}

// Usage counts tokens.
type Usage struct {
	Input        int  `json:"input"`
	Output       int  `json:"output"`
	CacheRead    int  `json:"cacheRead"`
	CacheWrite   int  `json:"cacheWrite"`
	CacheWrite1h int  `json:"cacheWrite1h"`
	Reasoning    int  `json:"reasoning"`
	TotalTokens  int  `json:"totalTokens"`
	Cost         Cost `json:"cost"`
	Estimated    bool `json:"estimated,omitempty"`
}

// Cost is US dollars.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
}

// A ToolResult is what a tool had to say, as events carry it. Keys that are nil are left out; wire.Raw("null") writes null.
type ToolResult struct {
	Content   Content  `json:"content"`
	Details   wire.Raw `json:"details,omitempty"`
	Terminate *bool    `json:"terminate,omitempty"`
}

// A Model describes a model. All keys are always there.
type Model struct {
	ID               string       `json:"id"`
	Name             string       `json:"name"`
	API              string       `json:"api"`
	Provider         string       `json:"provider"`
	BaseURL          string       `json:"baseUrl"`
	Reasoning        bool         `json:"reasoning"`
	ImageGeneration  bool         `json:"imageGeneration"`
	ThinkingLevelMap *ThinkingMap `json:"thinkingLevelMap"`
	Input            []string     `json:"input"` // of "text", "image"
	Cost             Prices       `json:"cost"`
	ContextWindow    int          `json:"contextWindow"`
	MaxTokens        int          `json:"maxTokens"`
	Headers          wire.Raw     `json:"headers"`
	Compat           wire.Raw     `json:"compat"`
}

// A ThinkingMap names the thinking levels of a model. A level of the first five that it does not support is null; the last
// two are there only if it supports them.
type ThinkingMap struct {
	Off     *string `json:"off"`
	Minimal *string `json:"minimal"`
	Low     *string `json:"low"`
	Medium  *string `json:"medium"`
	High    *string `json:"high"`
	XHigh   *string `json:"xhigh,omitempty"`
	Max     *string `json:"max,omitempty"`
}

// Prices are US dollars per million tokens.
type Prices struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Tiers      []Price `json:"tiers"`
}

// A Price would be another price above some number of tokens; no model of ours has one.
type Price struct{}

// A Header is the first line of a session file.
type Header struct {
	Type          string `json:"type"` // "session"
	Version       int    `json:"version"`
	ID            string `json:"id"`
	Timestamp     string `json:"timestamp"`
	Cwd           string `json:"cwd"`
	ParentSession string `json:"parentSession,omitempty"`
}

// A Frame is what all entries have. Time stamps look like 2026-08-14T09:00:00.000Z.
type Frame struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	ParentID  *string `json:"parentId"` // nil at the root
	Timestamp string  `json:"timestamp"`
}

// The entries that are understood.
type (
	messageEntry struct {
		Frame
		Message any `json:"message"`
	}
	modelEntry struct {
		Frame
		Provider string `json:"provider"`
		ModelID  string `json:"modelId"`
	}
	thinkingEntry struct {
		Frame
		ThinkingLevel string `json:"thinkingLevel"`
	}
	nameEntry struct {
		Frame
		Name string `json:"name"`
	}
	// editEntry takes a message out of the conversation: the replacement is null.
	editEntry struct {
		Frame
		TargetID    string   `json:"targetId"`
		Replacement wire.Raw `json:"replacement"`
	}
)

// anyEntry takes any of them.
type anyEntry struct {
	Frame
	Message       wire.Raw `json:"message"`
	Provider      string   `json:"provider"`
	ModelID       string   `json:"modelId"`
	ThinkingLevel string   `json:"thinkingLevel"`
	Name          string   `json:"name"`
	TargetID      string   `json:"targetId"`
	Replacement   wire.Raw `json:"replacement"`
}

// labelEntry is a label as other programs write it; without Label it takes a label away.
type labelEntry struct {
	TargetID string `json:"targetId"`
	Label    string `json:"label"`
}
