package core

import (
	"context"
	"time"
)

// A Store keeps sessions. All methods may be called from many goroutines at once.
type Store interface {
	// Create begins a session. Nothing need be on disk before the first message is appended.
	Create(ctx context.Context, h Header) (Log, error)
	// Open resumes the session that ref names: a path, or the id of a session of cwd. The entries come in file
	// order. It fails with ErrNoSession if there is none.
	Open(ctx context.Context, cwd, ref string) (Log, Header, []Entry, error)
	// Read returns what Open does, and leaves the session alone: it may be open for writing.
	Read(ctx context.Context, cwd, ref string) (Header, []Entry, error)
	// Latest returns the path of the session of cwd that was written last; ErrNoSession if there is none.
	Latest(ctx context.Context, cwd string) (string, error)
	// List returns the sessions of cwd, the one written last first.
	List(ctx context.Context, cwd string) ([]SessionSummary, error)
}

// A Log is an open session. Entries are only ever added. One goroutine at a time uses it; who opened it closes it.
type Log interface {
	// Append adds entries in order; when it returns they have been handed to the operating system. After an
	// error none of them is in the log.
	Append(entries ...Entry) error
	// Sync returns when all that was appended is on stable storage.
	Sync() error
	// Path is the file's path, known before the file exists; "" if nothing is kept.
	Path() string
	Close() error
}

// A Header is the head of a session.
type Header struct {
	ID     string
	Time   time.Time
	Cwd    string
	Parent string // path of the session that this one came from, or ""
}

// An EntryType is the type of an Entry.
type EntryType string

// The types of entries that the engine writes, and the fields that each uses. Others are kept as they are, in Raw.
const (
	EntryMessage  EntryType = "message"               // Message
	EntryModel    EntryType = "model_change"          // Provider, Model
	EntryThinking EntryType = "thinking_level_change" // Thinking
	EntryName     EntryType = "session_info"          // Name
	EntryEdit     EntryType = "context_edit"          // Target: the message of that entry no longer counts
)

// An Entry is one record of a session. Entries form a tree: Parent is the ID of the entry before, "" at the root.
type Entry struct {
	ID     string // 8 hex digits, unique within the session
	Parent string
	Type   EntryType
	Time   time.Time

	Message  *Message
	Provider string
	Model    string
	Thinking ThinkingLevel
	Name     string
	Target   string // ID of another entry

	// Side: the entry stands beside the tree (a label, say); the next one does not continue from it.
	Side bool
	// Raw is the JSON of an entry of another type, as it was read.
	Raw []byte
}

// A SessionSummary describes a stored session.
type SessionSummary struct {
	ID       string
	Path     string
	Cwd      string
	Name     string
	First    string // the first words of the first user message
	Messages int
	Entries  int
	Size     int64 // bytes
	Modified time.Time
}
