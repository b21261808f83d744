package command

import (
	"os"
	"runtime"
	"sync"
)

// A starter starts processes, all from one thread: where the kernel ends children with their parent, it takes the thread that
// has started them for that, so it must be one that does not end. The zero starter is ready for use, by many goroutines at once.
type starter struct {
	mu     sync.Mutex // one process starts at a time
	closed bool
	jobs   chan func()
	thread sync.WaitGroup
}

// do calls f on the thread, and returns its error.
func (s *starter) do(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return os.ErrClosed
	}
	if s.jobs == nil {
		s.jobs = make(chan func())
		s.thread.Go(s.run)
	}
	done := make(chan error, 1)
	s.jobs <- func() { done <- f() }
	return <-done
}

func (s *starter) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread() // a thread that ends locked is destroyed, and takes the children along
	for job := range s.jobs {
		job()
	}
}

// close ends the goroutine.
func (s *starter) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.jobs != nil {
		close(s.jobs)
		s.jobs = nil
	}
	s.thread.Wait()
}
