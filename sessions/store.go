package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
)

// A Store keeps sessions in a folder. All methods may be called from many goroutines at once. A session is
// open for writing once at a time, in all programs together; whoever comes second gets ErrLocked.
type Store struct {
	// Notice, if it is set before the Store is used, is told for people what was wrong with a session that was opened
	// all the same. It may be called from many goroutines at once.
	Notice func(text string)

	dir     string
	flat    bool // one folder for all working directories
	discard bool
	flock   flock // the kernel's
}

var _ core.Store = (*Store)(nil)

// Open returns the store whose base folder is dir: each working directory has a folder of its own below it. Nothing is
// touched before a session is.
func Open(dir string) *Store { return &Store{dir: absolute(dir), flock: syscall.Flock} }

// Flat returns the store that keeps all sessions in dir itself, whatever their working directory is.
func Flat(dir string) *Store { return &Store{dir: absolute(dir), flat: true, flock: syscall.Flock} }

// Discard returns a store that keeps nothing. It opens files by their path, but what is then added is gone in the end.
func Discard() *Store { return &Store{discard: true} }

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Create begins a session. Its file and folder come to be with the first message that is appended, together with the entries
// before it; from then on it is locked.
func (s *Store) Create(ctx context.Context, h core.Header) (core.Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !validID(h.ID) {
		return nil, fmt.Errorf("create session: id %q: want letters, digits and any of -_. between them, 128 at most", h.ID)
	}
	if s.discard {
		return nothing{}, nil
	}
	return s.newFile(filepath.Join(s.folder(h.Cwd), fileName(h)), h)
}

// CreateAt begins a session like Create does, in the file that path names; a relative one is taken from h.Cwd. There must be no
// such file yet, or an empty one. Its name is known to others, so the file is made and locked at once; if nothing is appended,
// Close removes it.
func (s *Store) CreateAt(ctx context.Context, path string, h core.Header) (core.Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkRef(path); err != nil {
		return nil, fmt.Errorf("create session: %w", err)
	}
	path = fromCwd(h.Cwd, path)
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("create session %s: %w", path, bare(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("create session %s: %w", path, notRegular(info.Mode()))
	case info.Size() > 0:
		return nil, fmt.Errorf("create session %s: the file is there already; open it, or choose another name", path)
	}
	if s.discard {
		return nothing{}, nil
	}
	f, err := s.newFile(path, h)
	if err != nil {
		return nil, err
	}
	f.takeEmpty = true
	if err := f.claim(); err != nil {
		return nil, fmt.Errorf("create session %s: %w", path, bare(err))
	}
	return f, nil
}

// folder returns where the sessions of cwd are.
func (s *Store) folder(cwd string) string {
	if s.flat {
		return s.dir
	}
	return filepath.Join(s.dir, folderName(filepath.Clean(cwd)))
}

// newFile returns the log of a session that is not on disk yet.
func (s *Store) newFile(path string, h core.Header) (*file, error) {
	line, err := v3.EncodeHeader(h)
	if err != nil {
		return nil, fmt.Errorf("create session %s: %w", path, err)
	}
	return &file{path: path, flock: s.flock, pending: append(line, '\n')}, nil
}

// checkRef refuses what cannot name a session.
func checkRef(ref string) error {
	switch {
	case ref == "":
		return errors.New("its name is empty")
	case strings.HasPrefix(ref, "-"):
		return fmt.Errorf("%q looks like a flag; write ./%s if it is a file", ref, ref)
	case strings.ContainsRune(ref, 0):
		return fmt.Errorf("%q has a zero byte", ref)
	}
	return nil
}

// fromCwd returns path as an absolute one.
func fromCwd(cwd, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return absolute(filepath.Join(cwd, path))
}

// bare returns err without the operation and path that package os puts in front.
func bare(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
