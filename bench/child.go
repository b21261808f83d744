package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// measureLimit bounds a single measurement: its child is killed then.
const measureLimit = 20 * time.Second

// A child is a process that is spoken with over its stdin and stdout. Both are blocking pipes, so that a round trip costs
// what its system calls cost and nothing of this program's poller.
type child struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	lines  *bufio.Reader
	cancel context.CancelFunc
	begun  time.Time // just before the start
}

// startChild starts a program. It is killed when ctx ends or after measureLimit; end ends it before.
func startChild(ctx context.Context, path string, args, env []string) (*child, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer stdout.Close()
	in.Fd() // makes it blocking
	out.Fd()
	ctx, cancel := context.WithTimeout(ctx, measureLimit)
	c := &child{cmd: exec.CommandContext(ctx, path, args...), in: in, out: out, cancel: cancel}
	c.cmd.Stdin, c.cmd.Stdout = stdin, stdout
	c.cmd.Env = append(os.Environ(), env...)
	c.lines = bufio.NewReaderSize(out, 1<<20)
	c.begun = time.Now()
	if err := c.cmd.Start(); err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("start %s: %w", path, err), in.Close(), out.Close())
	}
	return c, nil
}

// end kills the child, unless it has ended, and waits for it.
func (c *child) end() {
	c.cancel()
	c.in.Close()
	c.cmd.Wait() // it was killed; how it ended does not matter
	c.out.Close()
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) send(line []byte) error {
	_, err := c.in.Write(line)
	return err
}

// line returns the next line with its LF. It is valid until the next call.
func (c *child) line() ([]byte, error) {
	line, err := c.lines.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("read a line of %s: %w", c.cmd.Path, err)
	}
	return line, nil
}

// until reads lines until one holds mark. A line may be at most 1 MiB long.
func (c *child) until(mark []byte) error {
	for {
		line, err := c.line()
		if err != nil || bytes.Contains(line, mark) {
			return err
		}
	}
}

// A scanner looks for marks in what a child writes, however long its lines are. It reads past line.
type scanner struct {
	r     io.Reader
	buf   []byte
	kept  int   // bytes of buf that were read before and are looked at again, since a mark may have begun in them
	total int64 // bytes read
}

func (c *child) scan() *scanner { return &scanner{r: c.lines, buf: make([]byte, 1<<20)} }

// keep is more than the longest mark has.
const keep = 100

// more reads once and returns what was read, with the end of what was read before in front.
func (s *scanner) more() ([]byte, error) {
	n, err := s.r.Read(s.buf[s.kept:])
	if n == 0 && err == nil {
		err = io.ErrNoProgress
	}
	s.total += int64(n)
	seen := s.buf[:s.kept+n]
	if err != nil {
		return nil, fmt.Errorf("read what the program writes: %w", err)
	}
	return seen, nil
}

// pass lets go of what more has returned.
func (s *scanner) pass(seen []byte) {
	tail := seen[max(0, len(seen)-keep):]
	s.kept = copy(s.buf, tail)
}

// until reads until mark has come and reports whether before, if it is not nil, came earlier or with it.
func (s *scanner) until(mark, before []byte) (preceded bool, err error) {
	for {
		seen, err := s.more()
		if err != nil {
			return preceded, err
		}
		preceded = preceded || before != nil && bytes.Contains(seen, before)
		found := bytes.Contains(seen, mark)
		s.pass(seen)
		if found {
			return preceded, nil
		}
	}
}
