package command

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// The most that is kept of one output, and of how many.
const (
	maxSpill  = 10 << 20
	maxSpills = 64
)

// A Spool keeps whole outputs in files, in a folder of its own. It may be used by many goroutines at once.
type Spool struct {
	parent string

	mu     sync.Mutex
	dir    string   // "" until something is kept
	root   *os.Root // of dir
	files  []string // paths, oldest first
	closed bool
}

// NewSpool returns a Spool that makes its folder in parent when there is something to keep.
func NewSpool(parent string) *Spool { return &Spool{parent: parent} }

// Root returns the folder and its absolute path; nil if nothing was kept so far. The Spool closes it.
func (s *Spool) Root() (*os.Root, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.root, s.dir
}

// Close removes all files.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.root == nil {
		return nil
	}
	err := s.root.Close()
	s.root = nil
	return errors.Join(err, os.RemoveAll(s.dir))
}

// create begins a file that only the user can read. The oldest one makes room for it if there are many.
func (s *Spool) create() (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, os.ErrClosed
	}
	if err := s.openLocked(); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.dir, "bash-*.log")
	if err != nil {
		return nil, err
	}
	if s.files = append(s.files, f.Name()); len(s.files) > maxSpills {
		_ = os.Remove(s.files[0]) // what is left goes with the folder
		s.files = s.files[1:]
	}
	return f, nil
}

func (s *Spool) openLocked() error {
	if s.root != nil {
		return nil
	}
	dir, err := os.MkdirTemp(s.parent, "agent-output-")
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return errors.Join(err, os.Remove(dir))
	}
	s.dir, s.root = dir, root
	return nil
}

// A spill is the file of one output. It begins with the first write.
type spill struct {
	spool  *Spool
	file   *os.File
	size   int
	failed bool
	capped bool
}

func (s *spill) begun() bool { return s.file != nil || s.failed }

func (s *spill) write(b []byte) {
	if s.file == nil && !s.failed {
		f, err := s.spool.create()
		s.file, s.failed = f, err != nil
	}
	if s.failed || s.capped {
		return
	}
	if s.size+len(b) > maxSpill {
		b, s.capped = b[:maxSpill-s.size], true
	}
	n, err := s.file.Write(b)
	s.size += n
	if err != nil { // a full disk is no reason to fail the command
		s.capped = true
	}
}

func (s *spill) close() {
	if s.file != nil {
		_ = s.file.Close() // nothing is buffered, and nobody relies on it
	}
}

func (s *spill) path() string {
	if s.file == nil {
		return ""
	}
	return s.file.Name()
}
