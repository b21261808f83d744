//go:build unix

package kit

import (
	"os"
	"syscall"
)

func makeFIFO(path string) error { return syscall.Mkfifo(path, 0o600) }

// openFIFO opens for writing; it fails at once if nobody reads.
func openFIFO(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
}
