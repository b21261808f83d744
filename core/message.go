package core

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// A Role says who speaks in a Message.
type Role string

// The roles of messages. Shell is a command that the user ran beside the conversation; the last four come from
// session files of other programs and are kept.
const (
	RoleSystem            Role = "system"
	RoleUser              Role = "user"
	RoleAssistant         Role = "assistant"
	RoleTool              Role = "tool"
	RoleShell             Role = "shell"
	RoleCustom            Role = "custom"
	RoleBranchSummary     Role = "branch summary"
	RoleCompactionSummary Role = "compaction summary"
)

// A StopReason says why a model ended its reply.
type StopReason string

// The reasons for the end of a reply. StopPending marks a reply that is still being written; it is never stored.
const (
	StopPending StopReason = "pending"
	StopEnd     StopReason = "stop"
	StopLength  StopReason = "length"
	StopTools   StopReason = "tools"
	StopError   StopReason = "error"
	StopAborted StopReason = "aborted"
)

// A Message is one entry of a conversation. Messages are plain values; once published or stored nobody changes one.
type Message struct {
	Role    Role
	Content []Block
	Time    time.Time

	// Of assistant messages.
	API        string // wire API that produced it, such as "openai-completions"
	Provider   string
	Model      string
	ResponseID string
	Usage      Usage
	Stop       StopReason
	RawStop    string // the provider's own word for Stop
	Error      string // set when Stop is StopError or StopAborted
	Took       time.Duration
	Thinking   ThinkingLevel

	// Of tool results.
	ToolCallID string
	ToolName   string
	IsError    bool
	Details    any // for clients, not for the model: a value that encodes to JSON, or its raw JSON after a reload

	// Of shell messages.
	Shell *ShellRun

	// Of messages that only other programs write (custom, summaries): their JSON object as it was read.
	Raw []byte
}

// Text returns the text blocks of the message, joined.
func (m Message) Text() string {
	if len(m.Content) == 1 && m.Content[0].Kind == BlockText {
		return m.Content[0].Text
	}
	var n int
	for i := range m.Content {
		if m.Content[i].Kind == BlockText {
			n += len(m.Content[i].Text)
		}
	}
	b := make([]byte, 0, n)
	for i := range m.Content {
		if m.Content[i].Kind == BlockText {
			b = append(b, m.Content[i].Text...)
		}
	}
	return string(b)
}

// Size estimates the bytes of the message's content.
func (m Message) Size() int {
	n := 0
	for i := range m.Content {
		b := &m.Content[i]
		n += len(b.Text) + len(b.Signature)
		if b.Call != nil {
			n += len(b.Call.Name) + len(b.Call.Arguments)
		}
		if b.Image != nil {
			n += len(b.Image.Data)
		}
	}
	if m.Shell != nil {
		n += len(m.Shell.Command) + len(m.Shell.Output)
	}
	return n
}

// ToolCalls returns the calls of the message in source order.
func (m Message) ToolCalls() []ToolCall {
	var calls []ToolCall
	for i := range m.Content {
		if m.Content[i].Kind == BlockToolCall {
			calls = append(calls, *m.Content[i].Call)
		}
	}
	return calls
}

// A BlockKind is the kind of a Block.
type BlockKind uint8

// The kinds of blocks and the fields that each uses.
const (
	BlockText     BlockKind = iota // Text, Signature
	BlockThinking                  // Text, Signature, Redacted
	BlockImage                     // Image
	BlockToolCall                  // Call
)

// A Block is a part of a message's content.
type Block struct {
	Kind      BlockKind
	Text      string
	Signature string // opaque; a provider wants it back unchanged
	Redacted  bool
	Image     *Image
	Call      *ToolCall
}

// TextBlock returns a block of plain text.
func TextBlock(s string) Block { return Block{Kind: BlockText, Text: s} }

// An Image is a picture, inline.
type Image struct {
	Data     string // base64
	MimeType string
}

// Check tells what is wrong with an image that a user sends: its type is none of an image, or its data is not base64. A
// model's server would refuse it, and with it all requests to come.
func (img Image) Check() error {
	if !strings.HasPrefix(img.MimeType, "image/") {
		return fmt.Errorf("the type %q is not that of an image", img.MimeType)
	}
	n, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(img.Data)))
	if err != nil || n == 0 {
		return errors.New("the data of an image must be base64")
	}
	return nil
}

// A ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID        string // unique within its message
	Name      string
	Arguments string // JSON text as the model wrote it, possibly broken; "" means {}
	Signature string // opaque; a provider wants it back unchanged
}

// A ShellRun is a command that the user ran beside the conversation, with what came of it.
type ShellRun struct {
	Command    string
	Output     string
	ExitCode   *int // nil if it was killed
	Cancelled  bool
	Truncated  bool
	OutputPath string // the file with the whole output, if Truncated
	Exclude    bool   // the model does not get to see it
}

// Usage counts the tokens of one or more requests. Fields add up; see Add.
type Usage struct {
	Input        int // not counting what was read from or written to a cache
	Output       int // reasoning included
	CacheRead    int
	CacheWrite   int
	CacheWrite1h int // part of CacheWrite
	Reasoning    int // part of Output
	Estimated    bool
	Cost         Cost
}

// Cost is money in US dollars.
type Cost struct {
	Input, Output, CacheRead, CacheWrite, Total float64
}

// Total returns all tokens that were sent or received.
func (u Usage) Total() int { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:        u.Input + v.Input,
		Output:       u.Output + v.Output,
		CacheRead:    u.CacheRead + v.CacheRead,
		CacheWrite:   u.CacheWrite + v.CacheWrite,
		CacheWrite1h: u.CacheWrite1h + v.CacheWrite1h,
		Reasoning:    u.Reasoning + v.Reasoning,
		Estimated:    u.Estimated || v.Estimated,
		Cost: Cost{
			Input:      u.Cost.Input + v.Cost.Input,
			Output:     u.Cost.Output + v.Cost.Output,
			CacheRead:  u.Cost.CacheRead + v.Cost.CacheRead,
			CacheWrite: u.Cost.CacheWrite + v.Cost.CacheWrite,
			Total:      u.Cost.Total + v.Cost.Total,
		},
	}
}
