package sessions_test

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dualagent/agent/sessions"
)

// TestZombieOwner: a process has ended even if its parent has not asked for its exit code yet.
func TestZombieOwner(t *testing.T) {
	path, other := session(t), start(t, noFlock+"=1")
	other.do("open", path)
	ok(t, other.cmd.Process.Kill())
	err := error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		err = unix.Waitid(unix.P_PID, other.pid(), nil, unix.WEXITED|unix.WNOWAIT, nil)
	}
	ok(t, err)
	reread(t, sessions.WithoutFlock(sessions.Open(t.TempDir())), path)
}
