package command

import (
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// children are the shells that run as children of this process. Whoever loses its parent below one of them becomes a child of
// this process as well, so that even those are found who leave their session and forget their environment. That is a property
// of the whole process, and so is this list.
var children leaders

// leaders is a set of shells. It may be used by many goroutines at once.
type leaders struct {
	mu      sync.Mutex // held while one starts, so that nobody sees a child that is not in the set yet
	started map[int]uint64
}

// start starts a shell and adds it.
func (l *leaders) start(cmd *exec.Cmd) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // an old kernel has none; then fewer are found
	if err := cmd.Start(); err != nil {
		return err
	}
	var buf [1024]byte
	s, _ := readStat(cmd.Process.Pid, buf[:])
	if l.started == nil {
		l.started = map[int]uint64{}
	}
	l.started[cmd.Process.Pid] = s.started
	return nil
}

// reaped takes a shell out.
func (l *leaders) reaped(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.started, pid)
}

func (l *leaders) has(pid int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.started[pid]
	return ok
}

// othersMayOwn reports whether a shell other than the leader was there when a process began.
func (l *leaders) othersMayOwn(leader int, began uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for pid, started := range l.started {
		if pid != leader && started <= began {
			return true
		}
	}
	return false
}

// adopted reports whether a process has become a child of this one since it lost its parent. Other children are in the session
// of this process.
func adopted(pid int, s stat) bool {
	session, err := unix.Getsid(0)
	return err == nil && s.parent == os.Getpid() && s.session != session && !children.has(pid)
}

// processes returns all processes of the system.
func processes() map[int]stat {
	all := map[int]stat{}
	proc, err := os.Open("/proc")
	if err != nil {
		return all
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // some are better than none
	var buf [1024]byte
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, ok := readStat(pid, buf[:]); ok {
				all[pid] = s
			}
		}
	}
	return all
}

// reapAdopted takes notice of the end of adopted processes, which nobody else does.
func reapAdopted() {
	for pid, s := range processes() {
		if s.state == 'Z' && adopted(pid, s) {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // it may be gone by now
		}
	}
}

func startShell(cmd *exec.Cmd) error { return children.start(cmd) }

func shellReaped(pid int) { children.reaped(pid) }

// ownSession puts a shell into a session of its own, and has it end with this process.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
