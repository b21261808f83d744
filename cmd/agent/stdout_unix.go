//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// privateStdout moves stdout to a descriptor that no child inherits, and points descriptor 1 at stderr.
func privateStdout() (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("dup stdout", err)
	}
	if err := redirect(2, 1); err != nil {
		return nil, os.NewSyscallError("redirect stdout", err)
	}
	hide()
	return os.NewFile(uintptr(fd), "/dev/stdout"), nil
}

// waitForHangup returns when the other end of a pipe or socket is closed. For a file that is never.
func waitForHangup(f *os.File) {
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	for {
		fds[0].Revents = 0
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			select {} // without poll, the next write has to find out
		}
		if fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			return
		}
	}
}
