package sessions_test

import (
	"os/exec"
	"sync"
	"testing"

	"github.com/dualagent/agent/sessions"
)

// TestProcessesStartMeanwhile: a process that is being started has copies of all descriptors for a moment. They do not keep
// a session locked that has been closed.
func TestProcessesStartMeanwhile(t *testing.T) {
	s, path := sessions.Open(t.TempDir()), session(t)
	stop := make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(stop)
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if err := exec.Command("true").Run(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 1000 {
		reread(t, s, path)
	}
}
