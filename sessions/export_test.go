package sessions

import "errors"

// WithoutFlock makes s behave as on a file system that has no flock, and returns it.
func WithoutFlock(s *Store) *Store {
	s.flock = func(int, int) error { return errors.ErrUnsupported }
	return s
}
