//go:build unix

package main

import (
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
