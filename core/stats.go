package core

import "slices"

// Stats are figures about the session in use.
type Stats struct {
	Session SessionInfo
	Model   Model
	Context ContextUsage

	Messages []Message // of the conversation on the active path; the caller does not change them
	// Tokens is what the conversation costs, by role, the system prompt included. The figures are estimates from the lengths,
	// also where Context has the provider's own count.
	Tokens map[Role]int

	Entries int // of the whole session
	Path    int // of the active path

	// Usage is the sum over all requests of the session, also over those that failed and those that no longer count; Requests is
	// their number.
	Usage    Usage
	Requests int
}

// totals are what a session has come to.
type totals struct {
	entries, path int
	usage         Usage
	requests      int
}

// Stats returns figures about the session in use.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	s := e.session
	st := Stats{
		Session: s.info, Model: e.model, Context: e.contextLocked(), Messages: slices.Clip(s.messages),
		Entries: s.total.entries, Path: s.total.path, Usage: s.total.usage, Requests: s.total.requests,
	}
	e.mu.Unlock()
	st.Tokens = map[Role]int{RoleSystem: len(e.host.o.System) / 4}
	for i := range st.Messages {
		st.Tokens[st.Messages[i].Role] += tokens(&st.Messages[i])
	}
	return st
}

// count takes entries that are in the log into account. The engine's mutex is held once the session is in use.
func (s *session) count(entries []Entry) {
	for i := range entries {
		m := entries[i].Message
		if m != nil && m.Role == RoleAssistant {
			s.total.usage = s.total.usage.Add(m.Usage)
			s.total.requests++
		}
		s.saved = s.saved || m != nil
	}
	s.total.entries += len(entries)
	s.total.path += len(entries)
	if s.unsaved = append(s.unsaved, entries...); s.saved {
		s.unsaved = nil
	}
}
