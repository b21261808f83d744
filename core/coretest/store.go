package coretest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dualagent/agent/core"
)

// A Store keeps sessions in memory. Its paths are "mem:" and the session's id.
type Store struct {
	mu   sync.Mutex
	logs []*Log
	fail error

	// OnSync, if it is set before the store is used, is called at each Sync.
	OnSync func()
}

// A Log is a session of a Store.
type Log struct {
	store   *Store
	header  core.Header
	entries []core.Entry
}

// FailAppends makes every Append and Sync fail with err from now on; nil lets them succeed again.
func (s *Store) FailAppends(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

// Create implements core.Store.
func (s *Store) Create(_ context.Context, h core.Header) (core.Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &Log{store: s, header: h}
	s.logs = append(s.logs, l)
	return l, nil
}

// Open implements core.Store.
func (s *Store) Open(_ context.Context, _, ref string) (core.Log, core.Header, []core.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.logs {
		if ref == l.header.ID || ref == "mem:"+l.header.ID {
			return l, l.header, slices.Clone(l.entries), nil
		}
	}
	return nil, core.Header{}, nil, fmt.Errorf("open %s: %w", ref, core.ErrNoSession)
}

// Read implements core.Store.
func (s *Store) Read(ctx context.Context, cwd, ref string) (core.Header, []core.Entry, error) {
	_, h, entries, err := s.Open(ctx, cwd, ref)
	return h, entries, err
}

// Latest implements core.Store.
func (s *Store) Latest(context.Context, string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.logs) == 0 {
		return "", core.ErrNoSession
	}
	return "mem:" + s.logs[len(s.logs)-1].header.ID, nil
}

// List implements core.Store.
func (s *Store) List(context.Context, string) ([]core.SessionSummary, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []core.SessionSummary
	for _, l := range slices.Backward(s.logs) {
		all = append(all, core.SessionSummary{ID: l.header.ID, Path: "mem:" + l.header.ID, Cwd: l.header.Cwd, Entries: len(l.entries)})
	}
	return all, nil
}

// Entries returns the entries of the session that was created last.
func (s *Store) Entries() []core.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.logs) == 0 {
		return nil
	}
	return slices.Clone(s.logs[len(s.logs)-1].entries)
}

// Append implements core.Log.
func (l *Log) Append(entries ...core.Entry) error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.store.fail != nil {
		return l.store.fail
	}
	l.entries = append(l.entries, entries...)
	return nil
}

// Sync implements core.Log.
func (l *Log) Sync() error {
	if l.store.OnSync != nil {
		l.store.OnSync()
	}
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	return l.store.fail
}

// Path implements core.Log.
func (l *Log) Path() string { return "mem:" + l.header.ID }

// Close implements core.Log.
func (l *Log) Close() error { return nil }
