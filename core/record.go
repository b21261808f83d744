package core

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// append writes entries to the log as the new end of the active path and returns them as they were written.
func (s *session) append(entries ...Entry) ([]Entry, error) {
	leaf := s.leaf
	for i := range entries {
		en := &entries[i]
		if en.Time.IsZero() {
			en.Time = time.Now()
		}
		en.ID, en.Parent = s.newID(), leaf
		leaf = en.ID
	}
	if err := s.log.Append(entries...); err != nil {
		for _, en := range entries {
			delete(s.ids, en.ID)
		}
		return nil, fmt.Errorf("write session: %w", err)
	}
	s.leaf = leaf
	return entries, nil
}

func (s *session) newID() string {
	for {
		id := fmt.Sprintf("%08x", rand.Uint32())
		if _, taken := s.ids[id]; !taken {
			s.ids[id] = struct{}{}
			return id
		}
	}
}

// record appends entries to the session and, when they are on disk, adds their messages to the conversation, publishes ev if
// there is one, and tells of each entry. Only the worker calls it.
func (e *Engine) record(ev Event, entries ...Entry) error {
	s := e.session
	written, err := s.append(entries...)
	if err != nil {
		return err
	}
	e.mu.Lock()
	s.count(written)
	for _, en := range written {
		if en.Message != nil {
			s.messages = append(s.messages, *en.Message)
		}
	}
	e.mu.Unlock()
	if ev != nil {
		e.bus.Publish(ev)
	}
	for _, en := range written {
		e.bus.Publish(EntryAdded{en})
	}
	return nil
}

// recordSettings writes down the model and thinking level where they are not what the log says.
func (e *Engine) recordSettings(m Model, l ThinkingLevel) error {
	s := e.session
	var entries []Entry
	if s.recorded.provider != m.Provider || s.recorded.model != m.ID {
		entries = append(entries, Entry{Type: EntryModel, Provider: m.Provider, Model: m.ID})
	}
	if s.recorded.thinking != l {
		entries = append(entries, Entry{Type: EntryThinking, Thinking: l})
	}
	if len(entries) == 0 {
		return nil
	}
	if err := e.record(nil, entries...); err != nil {
		return err
	}
	s.recorded = settings{m.Provider, m.ID, l}
	return nil
}
