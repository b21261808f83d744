package sessions

import (
	"errors"
	"syscall"
)

// WithoutFlock makes s behave as on a file system that has no flock, and returns it.
func WithoutFlock(s *Store) *Store {
	s.flock = func(int, int) error { return errors.ErrUnsupported }
	return s
}

// BeforeLock makes s call f before each lock that it takes, and returns it.
func BeforeLock(s *Store, f func()) *Store {
	s.flock = func(fd, how int) error {
		f()
		return syscall.Flock(fd, how)
	}
	return s
}
