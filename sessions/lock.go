package sessions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dualagent/agent/core"
)

// ErrLocked says that a session is open for writing already, in another program or in this one.
var ErrLocked = errors.New("in use")

// A lock keeps a session for one writer. What counts is the kernel's lock (flock). It is on the file itself, whatever path has
// led there, and ends with the process. The side file, SESSION.lock, only tells others who has it. On file systems without
// flock the side file is the lock: it counts while the process that it names runs.
type lock struct {
	f      *os.File
	flock  flock
	kernel bool   // the kernel's lock is held
	side   string // the side file; "" if there is none of ours
}

// A flock is syscall.Flock, or stands for it.
type flock func(fd, how int) error

// on calls flock until no signal interrupts it.
func (l flock) on(f *os.File, how int) error {
	for {
		if err := l(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// lockSession locks the session that has been opened by path. It does not wait: if somebody has the lock it fails with
// ErrLocked. Release the lock before f is closed.
func lockSession(f *os.File, path string, kernel flock) (*lock, error) {
	side := sidePath(path)
	err := kernel.on(f, syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return &lock{f: f, flock: kernel, kernel: true, side: announce(side)}, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, inUse(side)
	case !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.ENOLCK):
		return nil, fmt.Errorf("lock it: %w", err)
	}
	if err := claim(side); err != nil {
		return nil, err
	}
	return &lock{f: f, side: side}, nil
}

// release gives the lock back. The kernel's is released by name, not just by closing the file, since a process that is being
// started may hold a copy of the descriptor for a moment.
func (l *lock) release() error {
	var err error
	if l.side != "" {
		if err = os.Remove(l.side); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if l.kernel {
		err = errors.Join(err, l.flock.on(l.f, syscall.LOCK_UN))
	}
	return err
}

// sidePath returns the name of the side file of the session at path: it is beside the file itself, not beside a symbolic link.
func sidePath(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return path + ".lock"
}

// announce makes the side file of a lock that the kernel keeps, and returns its name. One that is there has been left by an
// owner who died; what is not ours is not touched. Without a side file the lock holds as well, so it fails silently.
func announce(side string) string {
	if _, err := readOwner(side); err == nil {
		_ = os.Remove(side)
	}
	if writeOwner(side) != nil {
		return ""
	}
	return side
}

// claim takes the lock that a side file is. It fails with ErrLocked if somebody has it who is alive, or may be.
func claim(side string) error {
	const attempts = 10 // others may come first, and go
	for range attempts {
		err := writeOwner(side)
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make %s: %w", side, bare(err))
		}
		o, err := readOwner(side)
		switch {
		case errors.Is(err, core.ErrNoSession):
			continue
		case err == nil && o.here() && o.alive():
			return inUse(side)
		case err != nil || o.alive():
			return fmt.Errorf("%w; if it does not run any more, remove %s", inUse(side), side)
		}
		if inherited, err := inherit(side, o); inherited || err != nil {
			return err
		}
	}
	return inUse(side)
}

// inherit puts a side file of ours in the place of a dead owner's. Of several heirs the one who makes the new file first may do
// so; it is not done if another has been faster.
func inherit(side string, dead owner) (done bool, err error) {
	heir := side + ".new"
	if err := writeOwner(heir); errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("%w; if there is none, remove %s", inUse(heir), heir)
	} else if err != nil {
		return false, fmt.Errorf("make %s: %w", heir, bare(err))
	}
	if o, err := readOwner(side); err != nil || o != dead {
		return false, os.Remove(heir)
	}
	if err := os.Rename(heir, side); err != nil {
		return false, errors.Join(err, os.Remove(heir))
	}
	return true, nil
}

// inUse returns ErrLocked with who has the session, as far as its side file tells, and what to do.
func inUse(side string) error {
	o, err := readOwner(side)
	switch {
	case err != nil || o.PID == 0 || !o.alive():
		return fmt.Errorf("%w by another program: end that one first (fuser tells which it is), or use another session", ErrLocked)
	case o.here() && o.PID == os.Getpid():
		return fmt.Errorf("%w by this program itself: close it there first", ErrLocked)
	}
	return fmt.Errorf("%w by %v: end that program first, or use another session", ErrLocked, o)
}
