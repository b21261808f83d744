package core

import (
	"context"
	"errors"
	"slices"
	"strconv"
)

// A Transcript is a session as it is at one moment. Whoever gets one does not change what is in it.
type Transcript struct {
	Session SessionInfo
	Entries []Entry // in file order
	Leaf    string  // ID of the entry that the active path ends with; "" if it is empty
}

// An Exporter writes a session for people to read and returns the path that it has written to, as a client should be told it.
// Without a path it takes one beside the session's file. It may be called from many goroutines at once.
type Exporter func(ctx context.Context, t Transcript, path string) (written string, err error)

// Export gives the session to the Exporter of the host. A running turn goes on meanwhile: what it adds may be missing. Without
// a path the session has to be one that is kept, else Export fails.
func (e *Engine) Export(ctx context.Context, path string) (written string, err error) {
	if e.host.o.Export == nil {
		return "", errors.New("there is nothing here that could export a session")
	}
	t, err := e.transcript(ctx)
	if err != nil {
		return "", err
	}
	return e.host.o.Export(ctx, t, path)
}

// transcript reads the session from the store. What is not in one yet, or never will be, is taken from memory.
func (e *Engine) transcript(ctx context.Context) (Transcript, error) {
	e.mu.Lock()
	s := e.session
	t := Transcript{Session: s.info, Entries: slices.Clip(s.unsaved)}
	saved, messages := s.saved, slices.Clip(s.messages)
	e.mu.Unlock()
	switch {
	case t.Session.Path == "":
		t.Entries = chain(messages)
	case saved:
		var err error
		if _, t.Entries, err = e.host.o.Store.Read(ctx, e.host.o.Cwd, t.Session.Path); err != nil {
			return Transcript{}, err
		}
	}
	for i := range t.Entries {
		if !t.Entries[i].Side {
			t.Leaf = t.Entries[i].ID
		}
	}
	return t, nil
}

// chain makes entries of messages, each behind the one before.
func chain(messages []Message) []Entry {
	entries := make([]Entry, len(messages))
	for i := range messages {
		entries[i] = Entry{ID: strconv.Itoa(i + 1), Type: EntryMessage, Time: messages[i].Time, Message: &messages[i]}
		if i > 0 {
			entries[i].Parent = entries[i-1].ID
		}
	}
	return entries
}
