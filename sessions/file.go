package sessions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
)

// A file is the log of a session on disk.
type file struct {
	path      string
	takeEmpty bool // an empty file with that name is no obstacle
	flock     flock

	f       *os.File // nil until claim
	lock    *lock    // nil while f is
	made    bool     // claim has made the file
	begun   bool     // the header is in the file
	pending []byte   // until then: header and entries
	unended bool     // the last line has no line feed
	dirty   bool     // there is something to sync
	fresh   bool     // the folder has to be synced too
	closed  bool
	buf     []byte
}

// Path returns the file's path.
func (l *file) Path() string { return l.path }

// Append adds the entries with one write.
func (l *file) Append(entries ...core.Entry) error {
	if err := l.add(entries); err != nil {
		return fmt.Errorf("append to session %s: %w", l.path, bare(err))
	}
	return nil
}

func (l *file) add(entries []core.Entry) error {
	if l.closed {
		return os.ErrClosed
	}
	if len(entries) == 0 {
		return nil
	}
	lines, begins, err := l.encode(entries)
	switch {
	case err != nil:
		return err
	case l.begun:
		return l.write(lines)
	case begins:
		return l.begin(append(l.pending, lines...))
	default:
		l.pending = append(l.pending, lines...)
		return nil
	}
}

// encode returns the lines of entries, which are valid until the next call, and whether there is a message among them.
func (l *file) encode(entries []core.Entry) (lines []byte, message bool, err error) {
	const keep = 1 << 20 // bytes; a larger buffer is not worth its memory
	lines = l.buf[:0]
	if l.unended {
		lines = append(lines, '\n')
	}
	for i := range entries {
		line, err := v3.EncodeEntry(entries[i])
		if err != nil {
			return nil, false, err
		}
		if len(line) > maxLine {
			return nil, false, fmt.Errorf("entry %s has %d bytes, more than the %d that could be read again", entries[i].ID, len(line), maxLine)
		}
		lines = append(append(lines, line...), '\n')
		message = message || entries[i].Type == core.EntryMessage
	}
	if cap(lines) <= keep {
		l.buf = lines
	}
	return lines, message, nil
}

// claim makes the file, which must not be there yet or, with takeEmpty, be empty, and locks it. Whoever gives up an empty file
// removes it: one that has been removed between opening and locking is nobody's, so it is tried again.
func (l *file) claim() error {
	for range 3 {
		if err := l.tryClaim(); err != nil {
			return err
		}
		there, err := os.Stat(l.path)
		if mine, merr := l.f.Stat(); err == nil && merr == nil && os.SameFile(there, mine) {
			return nil
		}
		l.made = false // what is there under that name now is not ours to remove
		if err := l.unclaim(); err != nil {
			return err
		}
	}
	return errors.New("the file is removed again and again by another program")
}

func (l *file) tryClaim() error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return fmt.Errorf("make its folder: %w", err)
	}
	const flags = os.O_RDWR | os.O_APPEND
	f, err := os.OpenFile(l.path, flags|os.O_CREATE|os.O_EXCL, 0o600)
	made := err == nil
	if l.takeEmpty && errors.Is(err, fs.ErrExist) {
		f, _, err = openRegular(l.path, flags)
	}
	if err != nil {
		return err
	}
	// Whoever has locked the file before us has found it empty, and is about to use it: it stays.
	lock, err := lockEmpty(f, l.path, l.flock)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.f, l.lock, l.made = f, lock, made
	return nil
}

// unclaim undoes claim. Nothing is in the file.
func (l *file) unclaim() error {
	var err error
	if l.made {
		err = os.Remove(l.path)
	}
	err = errors.Join(err, l.lock.release(), l.f.Close())
	l.f, l.lock, l.made = nil, nil, false
	return err
}

// begin writes the first lines. After an error it is as if there had been no attempt.
func (l *file) begin(lines []byte) error {
	claimed := l.f != nil
	if !claimed {
		if err := l.claim(); err != nil {
			return err
		}
	}
	if _, err := l.f.Write(lines); err != nil {
		err = errors.Join(bare(err), l.f.Truncate(0))
		if !claimed {
			err = errors.Join(err, l.unclaim())
		}
		return err
	}
	l.begun, l.pending, l.dirty, l.fresh = true, nil, true, true
	return nil
}

// lockEmpty locks a session if nothing is in it.
func lockEmpty(f *os.File, path string, kernel flock) (*lock, error) {
	lock, err := lockSession(f, path, kernel)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		err = fs.ErrExist
	}
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return lock, nil
}

// write adds lines to the file. After an error the file is as long as it was.
func (l *file) write(lines []byte) error {
	n, err := l.f.Write(lines)
	if err == nil {
		l.unended, l.dirty = false, true
		return nil
	}
	if n == 0 {
		return err
	}
	info, undoErr := l.f.Stat()
	if undoErr == nil {
		undoErr = l.f.Truncate(info.Size() - int64(n))
	}
	if undoErr != nil {
		l.unended = true // so that what comes next is not part of the line that is left behind
		return fmt.Errorf("%w; what had been written could not be taken back: %w", err, undoErr)
	}
	return err
}

// Sync returns when the file, and its name in the folder, are on stable storage.
func (l *file) Sync() error {
	if err := l.sync(); err != nil {
		return fmt.Errorf("sync session %s: %w", l.path, bare(err))
	}
	return nil
}

func (l *file) sync() error {
	if l.closed {
		return os.ErrClosed
	}
	if !l.dirty {
		return nil
	}
	if err := l.f.Sync(); err != nil {
		return err
	}
	if l.fresh {
		folder := filepath.Dir(l.path)
		if err := errors.Join(syncFolder(folder), syncFolder(filepath.Dir(folder))); err != nil {
			return err
		}
	}
	l.dirty, l.fresh = false, false
	return nil
}

// syncFolder does nothing where folders cannot be synced or read.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// Close gives the lock back and closes the file; it does not sync. A session without messages leaves nothing behind.
func (l *file) Close() error {
	if l.closed {
		return nil
	}
	l.closed = true
	switch {
	case l.f == nil:
		return nil
	case !l.begun:
		return l.unclaim()
	default:
		return errors.Join(l.lock.release(), l.f.Close())
	}
}

// nothing is the log of a session that is not kept.
type nothing struct{}

func (nothing) Append(...core.Entry) error { return nil }
func (nothing) Sync() error                { return nil }
func (nothing) Path() string               { return "" }
func (nothing) Close() error               { return nil }
