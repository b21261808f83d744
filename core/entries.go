package core

import "context"

// Entries returns what is in the session, in file order, and the ID of the entry that the next one continues from, "" if
// there is none. It reads the session from the store, and takes as long as that. It fails with ErrNotRecorded if the session
// is not kept.
func (e *Engine) Entries(ctx context.Context) (entries []Entry, leaf string, err error) {
	t, err := e.transcript(ctx)
	switch {
	case err != nil:
		return nil, "", err
	case t.Session.Path == "":
		return nil, "", ErrNotRecorded
	}
	return t.Entries, t.Leaf, nil
}

// Rename gives the session a name. State tells it at once. It is stored, and NameChanged published, when no turn runs: before
// Rename returns, if none does. If the name cannot be stored the session keeps the old one, and a Notice tells so. Rename fails
// with that if it happens before it returns, and with ErrOverloaded or ErrClosed.
func (e *Engine) Rename(name string) error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return ErrClosed
	}
	s := e.session
	s.info.Name = name
	e.mu.Unlock()
	stored := make(chan error, 1)
	if err := e.Do(func() { stored <- e.recordName(s, name) }); err != nil {
		return err
	}
	select {
	case err := <-stored:
		return err
	default:
		return nil
	}
}

// recordName writes a name down in the session that is in use now. That may be another one than the session that was in use when
// the name was given.
func (e *Engine) recordName(given *session, name string) error {
	err := e.record(NameChanged{name}, Entry{Type: EntryName, Name: name})
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.session
	if err != nil {
		e.host.o.Log.Error("the session's name is not in the session", "error", err)
		e.bus.Publish(Notice{Text: "The session has not got its name: " + err.Error()})
		s.info.Name = s.named
		return err
	}
	s.named = name
	if s != given { // else it has the name already, or a later one
		s.info.Name = name
	}
	return nil
}
