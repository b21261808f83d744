package script

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// waitGate returns when something exists at path; a FIFO there must also be opened for writing, and be written to or closed.
func waitGate(ctx context.Context, path string) error {
	const pause = 5 * time.Millisecond
	path = os.ExpandEnv(path)
	for {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.Mode()&fs.ModeNamedPipe != 0:
			return waitFIFO(ctx, path)
		case err == nil:
			return nil
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("gate: %w", err)
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// waitFIFO opens a FIFO for reading, which takes until someone opens it for writing, and reads until there is something or
// the writer has closed it. Closing it earlier would kill the writer.
func waitFIFO(ctx context.Context, path string) error {
	type opened struct {
		file *os.File
		err  error
	}
	c := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		c <- opened{f, err}
	}()
	var o opened
	select {
	case o = <-c:
	case <-ctx.Done():
		// An open cannot be interrupted, but it ends when there is a writer. If the FIFO has been removed there can be none, and
		// the goroutine above stays until the program ends.
		if w, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
			o = <-c
			w.Close()
			if o.err == nil {
				o.file.Close()
			}
		}
		return context.Cause(ctx)
	}
	if o.err != nil {
		return fmt.Errorf("gate: %w", o.err)
	}
	defer o.file.Close()
	unblock := context.AfterFunc(ctx, func() { o.file.SetReadDeadline(time.Now()) })
	defer unblock()
	o.file.Read(make([]byte, 1)) // whatever ends it is enough
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
