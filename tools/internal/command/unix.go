package command

import (
	"crypto/rand"
	"os"
	"strconv"
	"syscall"
)

// newMark returns an environment variable, one of its own for each command, by which the processes of one command are known.
func newMark() string { return "AGENT_COMMAND_" + rand.Text() + "=1" }

// signalOf returns the number of the signal that ended a process.
func signalOf(s *os.ProcessState) (int, bool) {
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, false
	}
	return int(status.Signal()), true
}

// closeEachOnExec marks the descriptors that a folder lists, except for the standard ones.
func closeEachOnExec(dir string) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, n := range names {
		if fd, err := strconv.Atoi(n.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
