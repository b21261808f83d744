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
// found continues from the entry before it.
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
	return s.findID(ctx, cwd, ref)
}

// findID returns the path of the one session of cwd whose id is ref or begins with it.
func (s *Store) findID(ctx context.Context, cwd, ref string) (string, error) {
	files, err := s.files(cwd)
	if err != nil {
		return "", err
	}
	var path, id string
	for _, f := range files {
		h, err := readHeader(f.path)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil || !strings.HasPrefix(h.ID, ref):
		case h.ID == ref:
			return f.path, nil
		case path != "":
			return "", fmt.Errorf("%q is the beginning of more than one session's id, %s and %s: write more of it", ref, id, h.ID)
		default:
			path, id = f.path, h.ID
		}
	}
	if path == "" {
		return "", fmt.Errorf("%q in %s: %w", ref, s.folder(cwd), core.ErrNoSession)
	}
	return path, nil
}

func (s *Store) open(ctx context.Context, path string) (core.Log, core.Header, []core.Entry, error) {
	flags := os.O_RDWR | os.O_APPEND
	if s.discard {
		flags = os.O_RDONLY
	}
	f, info, err := openRegular(path, flags)
	if err != nil {
		return nil, core.Header{}, nil, err
	}
	var t tree
	found, err := scanFile(ctx, f, t.add)
	if err == nil && !s.discard && found.end < info.Size() {
		err = f.Truncate(found.end)
	}
	if err != nil {
		f.Close()
		return nil, core.Header{}, nil, err
	}
	s.report(path, found.skipped+t.doubles, info.Size()-found.end)
	if s.discard {
		return nothing{}, found.header, t.entries, f.Close()
	}
	log := &file{path: path, f: f, unended: found.unended, dirty: found.end < info.Size()}
	return log, found.header, t.entries, nil
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
	doubles int // entries left out since their id was taken
	ids     map[string]bool
	leaf    string // the id of the last entry that another can follow
}

func (t *tree) add(e core.Entry) {
	if t.ids == nil {
		t.ids = make(map[string]bool)
	}
	if t.ids[e.ID] { // a second one could close a circle
		t.doubles++
		return
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
