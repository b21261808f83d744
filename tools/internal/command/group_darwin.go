package command

import (
	"errors"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A group is all that a command has started and that has stayed in its process group.
type group struct{ leader int }

func newGroup(leader int, _ string) *group { return &group{leader: leader} }

// term tells all to end.
func (g *group) term() { _ = unix.Kill(-g.leader, unix.SIGTERM) }

// kill ends all. The leader must not have been reaped.
func (g *group) kill() { _ = unix.Kill(-g.leader, unix.SIGKILL) }

// end ends all that is left behind the leader: it waits until by, and then kills them. If tell is set they have not been
// told to go yet. A group of which only the leader is left cannot be signalled any more.
func (g *group) end(by time.Time, tell bool) {
	if tell {
		g.term()
	}
	for time.Now().Before(by) {
		if unix.Kill(-g.leader, 0) != nil {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	g.kill()
}

// awaitExit returns when the child pid has ended, and leaves it to be reaped.
func awaitExit(pid int) error {
	kq, err := unix.Kqueue()
	if err != nil {
		return err
	}
	defer unix.Close(kq)
	unix.CloseOnExec(kq)
	watch := []unix.Kevent_t{{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_EXIT}}
	for {
		_, err := unix.Kevent(kq, watch, make([]unix.Kevent_t, 1), nil)
		if errors.Is(err, unix.ESRCH) { // it has ended already
			return nil
		}
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// keepDescriptors sees to it that children inherit none of this program's descriptors, those too that it was started with.
func keepDescriptors() { closeEachOnExec("/dev/fd") }

func startShell(cmd *exec.Cmd) error { return cmd.Start() }

func shellReaped(int) {}

func reapAdopted() {}

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
