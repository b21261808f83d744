package core

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"
)

// A SessionInfo tells which session an engine works in.
type SessionInfo struct {
	ID     string
	Path   string // "" if nothing is kept
	Name   string // "" until it gets one
	Cwd    string
	Parent string // path of the session that it came from, or ""
	Time   time.Time
}

// SessionOptions say which session to work in. Without any of them it is a new one.
type SessionOptions struct {
	Ref    string // resume the session with this path or id
	Latest bool   // resume the one that was written last; a new one if there is none
	Name   string // name of a new session
	Parent string // where a new session comes from
}

// A session is all that is known of the session in use. Its log, leaf and ids belong to the engine's worker; the
// engine's mutex guards the rest.
type session struct {
	log      Log
	leaf     string
	ids      map[string]struct{}
	recorded settings // what the log says is in use
	named    string   // the name in the log

	info     SessionInfo
	provider string // of the model that a resumed session used last
	model    string
	thinking ThinkingLevel
	messages []Message // of the active path; extended, never changed in place
	queues   [2][]Message
	allowed  map[string]bool // scopes that were approved for the whole session
	lastUsed int             // tokens of the context, as the provider counted them with the last reply
	counted  int             // how many messages lastUsed covers
	total    totals
	saved    bool    // all that is in the log is on disk
	unsaved  []Entry // all that is in the log, until then
}

// settings are what a log records of the model.
type settings struct {
	provider, model string
	thinking        ThinkingLevel
}

func (h *Host) openSession(ctx context.Context, o SessionOptions) (*session, error) {
	ref := o.Ref
	if o.Latest {
		path, err := h.o.Store.Latest(ctx, h.o.Cwd)
		switch {
		case err == nil:
			ref = path
		case errors.Is(err, ErrNoSession):
			h.o.Log.Info("no session to continue; starting a new one", "cwd", h.o.Cwd)
		default:
			return nil, fmt.Errorf("find the last session: %w", err)
		}
	}
	if ref == "" {
		return h.createSession(ctx, o)
	}
	return h.resumeSession(ctx, ref)
}

func (h *Host) resumeSession(ctx context.Context, ref string) (*session, error) {
	log, header, entries, err := h.o.Store.Open(ctx, h.o.Cwd, ref)
	if err != nil {
		return nil, err
	}
	if header.Cwd != "" && filepath.Clean(header.Cwd) != filepath.Clean(h.o.Cwd) {
		h.o.Log.Warn("the session is one of another folder; tools stay in this one", "session", header.Cwd, "cwd", h.o.Cwd)
	}
	s := newSession(log, header)
	s.load(entries)
	return s, nil
}

func (h *Host) createSession(ctx context.Context, o SessionOptions) (*session, error) {
	header := NewHeader(h.o.Cwd)
	header.Parent = o.Parent
	log, err := h.o.Store.Create(ctx, header)
	if err != nil {
		return nil, fmt.Errorf("create session: %w", err)
	}
	s := newSession(log, header)
	if o.Name != "" {
		written, err := s.append(Entry{Type: EntryName, Name: o.Name})
		if err != nil {
			log.Close()
			return nil, err
		}
		s.count(written)
		s.info.Name, s.named = o.Name, o.Name
	}
	return s, nil
}

// NewHeader returns the head of a new session of cwd. Its id is a version 7 UUID.
func NewHeader(cwd string) Header {
	return Header{ID: uuid.Must(uuid.NewV7()).String(), Time: time.Now(), Cwd: cwd}
}

func newSession(log Log, h Header) *session {
	return &session{
		log: log,
		ids: map[string]struct{}{}, allowed: map[string]bool{},
		info: SessionInfo{ID: h.ID, Path: log.Path(), Cwd: h.Cwd, Parent: h.Parent, Time: h.Time},
	}
}

// load takes over the entries of a stored session: the leaf is the last one in the tree, and the conversation is the
// path from the root to it.
func (s *session) load(entries []Entry) {
	at := make(map[string]int, len(entries))
	for i, en := range entries {
		s.ids[en.ID] = struct{}{}
		at[en.ID] = i
		if en.Type == EntryName {
			s.info.Name = en.Name
		}
		if !en.Side {
			s.leaf = en.ID
		}
	}
	var path []int
	for id := s.leaf; id != ""; {
		i, ok := at[id]
		if !ok || len(path) > len(entries) {
			break // a parent that is gone, or a circle: what was found is the conversation
		}
		path = append(path, i)
		id = entries[i].Parent
	}
	slices.Reverse(path)
	dropped := map[string]bool{}
	for _, i := range path {
		if entries[i].Type == EntryEdit && entries[i].Target != "" {
			dropped[entries[i].Target] = true
		}
	}
	for _, i := range path {
		if !dropped[entries[i].ID] {
			s.follow(entries[i])
		}
	}
	s.recorded = settings{s.provider, s.model, s.thinking}
	s.named = s.info.Name
	s.saved = len(entries) > 0
	s.count(entries)
	s.total.path = len(path)
}

// follow takes over one entry of the active path.
func (s *session) follow(en Entry) {
	switch en.Type {
	case EntryModel:
		s.provider, s.model = en.Provider, en.Model
	case EntryThinking:
		s.thinking = en.Thinking
	case EntryMessage:
		m := *en.Message
		if n := len(s.messages); n > 0 && m.Role == RoleAssistant && failed(s.messages[n-1]) {
			s.messages = s.messages[:n-1] // it was tried again by a program that does not say so
		}
		s.messages = append(s.messages, m)
		if m.Role == RoleAssistant && m.Usage.Total() > 0 {
			s.lastUsed, s.counted = m.Usage.Total(), len(s.messages)
		}
	}
}

func failed(m Message) bool { return m.Role == RoleAssistant && m.Stop == StopError }

func (s *session) queued() QueueChanged {
	return QueueChanged{Steering: s.queues[steering], FollowUp: s.queues[followUp]}
}

// tokens estimates the size of the context: what the provider has counted, and a quarter of the bytes that have come since.
func (s *session) tokens(system string) int {
	n := s.lastUsed
	if n == 0 {
		n = len(system) / 4
	}
	for i := range s.messages[s.counted:] {
		n += tokens(&s.messages[s.counted+i])
	}
	return n
}

// tokens estimates what a message costs. A picture costs about 1,200 tokens with most models, however many bytes it has.
func tokens(m *Message) int {
	bytes, images := m.Size(), 0
	for _, b := range m.Content {
		if b.Image != nil {
			bytes -= len(b.Image.Data)
			images++
		}
	}
	if m.Shell != nil && m.Shell.Exclude {
		bytes = 0
	}
	return bytes/4 + 1200*images + 4
}

// NewSession replaces the session by a new one. Model, thinking level, modes and queues stay. It fails with ErrBusy
// while a turn runs: call it from a function given to Between or Do. When nothing can fail any more, and before
// SessionStarted is published, tell is called, if it is not nil; it must not call the engine.
func (e *Engine) NewSession(ctx context.Context, o SessionOptions, tell func(SessionInfo)) (SessionInfo, error) {
	s, err := e.host.createSession(ctx, o)
	if err != nil {
		return SessionInfo{}, err
	}
	return e.replaceSession(s, tell, nil)
}

func (e *Engine) replaceSession(s *session, tell func(SessionInfo), then func()) (SessionInfo, error) {
	e.mu.Lock()
	if len(e.queue) > 0 && e.queue[0].turn != nil && e.working {
		e.mu.Unlock()
		s.log.Close()
		return SessionInfo{}, ErrBusy
	}
	old, info := e.session, s.info
	e.session = s
	s.queues = old.queues
	if tell != nil {
		tell(info)
	}
	e.bus.Publish(SessionStarted{info})
	if then != nil {
		then()
	}
	e.mu.Unlock()
	if err := old.log.Close(); err != nil {
		e.host.o.Log.Warn("closing the session", "path", old.info.Path, "error", err)
	}
	return info, nil
}

// Clear forgets the conversation: what follows starts a new branch at the root of the same session. The queues stay. Call it
// from a function given to Between.
func (e *Engine) Clear() error {
	e.mu.Lock()
	s := e.session
	m, level := e.model, e.thinking
	empty := s.leaf == ""
	s.messages, s.lastUsed, s.counted, s.total.path = nil, 0, 0, 0
	e.mu.Unlock()
	if empty {
		return nil
	}
	// The settings are written as the new root, so that the branch stands by itself when the file is read again.
	s.leaf, s.recorded = "", settings{}
	return e.recordSettings(m, level)
}
