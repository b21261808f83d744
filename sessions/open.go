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
)

// Open resumes the session that ref names: a path (it has a separator in it, or ends in .jsonl; relative ones are taken from
// cwd), or the id of a session of cwd or the beginning of one. It repairs the end of the file. An entry whose parent cannot be
// found continues from the entry before it. If the session is open for writing already, Open fails with ErrLocked and leaves the
// file as it is.
func (s *Store) Open(ctx context.Context, cwd, ref string) (core.Log, core.Header, []core.Entry, error) {
	path, err := s.find(ctx, cwd, ref)
	if err != nil {
		return nil, core.Header{}, nil, fmt.Errorf("open session: %w", err)
	}
	log, h, entries, err := s.open(ctx, path)
	if err != nil {
		return nil, core.Header{}, nil, fmt.Errorf("open session %s: %w", path, bare(err))
	}
	return log, h, entries, nil
}

// find returns the path of the session that ref names. There need not be a file.
func (s *Store) find(ctx context.Context, cwd, ref string) (string, error) {
	if err := checkRef(ref); err != nil {
		return "", err
	}
	if strings.ContainsRune(ref, filepath.Separator) || strings.HasSuffix(ref, extension) {
		return fromCwd(cwd, ref), nil
	}
	if s.discard {
		return "", fmt.Errorf("%q: %w: none is kept; name a file by its path", ref, core.ErrNoSession)
	}
	files, err := s.files(cwd)
	if err != nil {
		return "", err
	}
	return findID(ctx, files, s.folder(cwd), ref)
}

// Find returns the path of the session that ref names, as Open does it, but looks for an id that no session of cwd has among
// those of all working directories. There need not be a file where a path leads.
func (s *Store) Find(ctx context.Context, cwd, ref string) (string, error) {
	path, err := s.find(ctx, cwd, ref)
	if errors.Is(err, core.ErrNoSession) && !s.discard {
		var files []candidate
		if files, err = s.allFiles(); err == nil {
			path, err = findID(ctx, files, s.dir, ref)
		}
	}
	if err != nil {
		return "", fmt.Errorf("find session: %w", err)
	}
	return path, nil
}

// findID returns the path of the one session among the files in folder whose id is ref or begins with it.
func findID(ctx context.Context, files []candidate, folder, ref string) (string, error) {
	var path, id string
	for _, f := range files {
		h, err := readHeader(f.path)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil || !strings.HasPrefix(h.ID, ref):
		case h.ID == ref:
			return f.path, nil
		case id == h.ID:
			return "", fmt.Errorf("%q is the beginning of the id of more than one session, in %s and %s: name one by its path", ref, path, f.path)
		case path != "":
			return "", fmt.Errorf("%q is the beginning of more than one session's id, %s and %s: write more of it", ref, printable(id), printable(h.ID))
		default:
			path, id = f.path, h.ID
		}
	}
	if path == "" {
		return "", fmt.Errorf("%q in %s: %w", ref, folder, core.ErrNoSession)
	}
	return path, nil
}

func (s *Store) open(ctx context.Context, path string) (core.Log, core.Header, []core.Entry, error) {
	if s.discard {
		h, entries, err := s.read(ctx, path)
		return nothing{}, h, entries, err
	}
	log, err := s.lockFile(path)
	if err != nil {
		return nil, core.Header{}, nil, err
	}
	h, entries, err := s.resume(ctx, log)
	if err != nil {
		return nil, core.Header{}, nil, errors.Join(err, log.Close())
	}
	return log, h, entries, nil
}

// lockFile opens and locks the file that is at path.
func (s *Store) lockFile(path string) (*file, error) {
	f, opened, err := openRegular(path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	lock, err := lockSession(f, path, s.flock)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	log := &file{path: path, f: f, lock: lock, begun: true}
	// Who had the lock before us may have removed the file.
	if now, err := os.Stat(path); err != nil || !os.SameFile(opened, now) {
		return nil, errors.Join(core.ErrNoSession, log.Close())
	}
	return log, nil
}

// resume reads a session that has been locked, and repairs its end.
func (s *Store) resume(ctx context.Context, log *file) (core.Header, []core.Entry, error) {
	var t tree
	found, torn, err := log.mend(ctx, t.add)
	if err != nil {
		return core.Header{}, nil, err
	}
	s.report(log.path, found.skipped, torn)
	return found.header, t.entries, nil
}

// mend reads a session that has been locked, and cuts off what is torn at its end: so many bytes. Append ends the last line.
func (l *file) mend(ctx context.Context, visit func(core.Entry) bool) (found scan, torn int64, err error) {
	info, err := l.f.Stat() // only now: before the lock another could still write
	if err != nil {
		return scan{}, 0, err
	}
	if found, err = scanFile(ctx, l.f, visit); err != nil {
		return scan{}, 0, err
	}
	if torn = info.Size() - found.end; torn > 0 {
		err = l.f.Truncate(found.end)
	}
	l.unended, l.dirty = found.unended, torn > 0
	return found, torn, err
}

// Read returns what Open does, and leaves the session alone: it takes no lock, repairs nothing, and reads also what another
// program is writing, up to the last whole entry.
func (s *Store) Read(ctx context.Context, cwd, ref string) (core.Header, []core.Entry, error) {
	path, err := s.find(ctx, cwd, ref)
	if err != nil {
		return core.Header{}, nil, fmt.Errorf("read session: %w", err)
	}
	h, entries, err := s.read(ctx, path)
	if err != nil {
		return core.Header{}, nil, fmt.Errorf("read session %s: %w", path, bare(err))
	}
	return h, entries, nil
}

func (s *Store) read(ctx context.Context, path string) (core.Header, []core.Entry, error) {
	f, _, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return core.Header{}, nil, err
	}
	defer f.Close()
	var t tree
	found, err := scanFile(ctx, f, t.add)
	if err != nil {
		return core.Header{}, nil, err
	}
	s.report(path, found.skipped, 0) // what is torn may be an entry that is being written
	return found.header, t.entries, nil
}

// report tells of what was wrong with a session.
func (s *Store) report(path string, skipped int, torn int64) {
	var wrong []string
	if torn > 0 {
		wrong = append(wrong, fmt.Sprintf("its last record was incomplete and is lost (%d bytes)", torn))
	}
	if skipped > 0 {
		wrong = append(wrong, fmt.Sprintf("lines passed over because they cannot be read: %d", skipped))
	}
	if len(wrong) > 0 && s.Notice != nil {
		s.Notice("session " + path + ": " + strings.Join(wrong, "; "))
	}
}

// A tree collects entries that are to form one.
type tree struct {
	entries []core.Entry
	ids     map[string]bool
	leaf    string // the id of the last entry that another can follow
}

// add reports whether the entry was added: its id must not be taken.
func (t *tree) add(e core.Entry) bool {
	if t.ids == nil {
		t.ids = make(map[string]bool)
	}
	if t.ids[e.ID] { // a second one could close a circle
		return false
	}
	if e.Parent != "" && !t.ids[e.Parent] {
		e.Parent = t.leaf
	}
	if e.ID != "" {
		t.ids[e.ID] = true
		if !e.Side {
			t.leaf = e.ID
		}
	}
	t.entries = append(t.entries, e)
	return true
}

// openRegular opens path if it is a regular file. It never waits, as opening a pipe would.
func openRegular(path string, flags int) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, core.ErrNoSession
	} else if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, notRegular(info.Mode())
	}
	f, err := os.OpenFile(path, flags|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat() // it may be another file by now
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// notRegular says what a file is that cannot be a session.
func notRegular(mode fs.FileMode) error {
	kind := "a special file"
	switch {
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return fmt.Errorf("it is %s, not a session file", kind)
}
