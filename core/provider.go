package core

import (
	"context"
	"iter"
)

// A Provider reaches one source of models. All methods may be called from many goroutines at once.
type Provider interface {
	// Name is the provider's name in model references and in stored messages.
	Name() string
	// Lookup returns what is known of a model without asking anyone: it never touches the network. A provider
	// that takes any id returns a Model with an empty Name for those that it has not heard of.
	Lookup(id string) (Model, bool)
	// Models lists the models on offer, perhaps by asking a server; ctx bounds the time.
	Models(ctx context.Context) ([]Model, error)
	// Stream yields the reply to r as it arrives. It starts when it is ranged over, takes the next piece from
	// the source only when the caller asks for it, and stops and releases everything when ctx ends or the
	// caller breaks off. An error is the last thing it yields; a *ProviderError where the caller may act on it.
	// A reply that is complete ends with a ChunkStop.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// A Request asks a model for the next message of a conversation. The provider does not change or keep it.
type Request struct {
	Model     Model
	System    string
	Messages  []Message
	Tools     []ToolSpec
	Thinking  ThinkingLevel
	SessionID string // the same for all requests of a session: a key for prompt caches
}

// A ChunkKind is the kind of a Chunk.
type ChunkKind uint8

// The kinds of chunks and the fields that each uses.
const (
	ChunkText      ChunkKind = iota // Text: a piece of the reply
	ChunkReasoning                  // Text: a piece of the reasoning; Signature, when it has come
	ChunkToolCall                   // Call, ID and Name with its first piece, Text: a piece of its arguments, Signature
	ChunkUsage                      // Usage: all that is known so far; the last one counts
	ChunkStop                       // Stop, Text: the provider's word for it; nothing but ChunkUsage may follow
	ChunkInfo                       // ID: the provider's id of the response
)

// A Chunk is a piece of a reply. It is a plain value: taking one costs no allocation beyond its text.
type Chunk struct {
	Kind      ChunkKind
	Text      string
	Call      int // which tool call of the reply, counted from 0
	ID        string
	Name      string
	Signature string
	Stop      StopReason
	Usage     Usage
}
