package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// lineSize is the length of the lines that are written, LF included.
	lineSize = 120
	// floorLines is how many lines the writing floors write.
	floorLines = 1_000_000
)

func aLine() []byte { return append(bytes.Repeat([]byte{'x'}, lineSize-1), '\n') }

// A counter is another process that reads lines and counts them.
type counter struct{ *child }

func (b *bench) counter(ctx context.Context) (counter, error) {
	c, err := b.role(ctx, "count")
	return counter{c}, err
}

// role starts this program in a role.
func (b *bench) role(ctx context.Context, name string) (*child, error) {
	return startChild(ctx, b.self, nil, []string{roleEnv + "=" + name})
}

// close ends what is written and returns how many lines the process has read.
func (c counter) close() (int, error) {
	c.in.Close()
	text, err := c.line()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// writing measures how many lines a second write brings into a pipe that another process reads.
func (b *bench) writing(ctx context.Context, name string, write func(w *os.File, line []byte) error, s series) error {
	c, err := b.counter(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	begun := time.Now()
	if err := write(c.in, aLine()); err != nil {
		return err
	}
	took := time.Since(begun)
	n, err := c.close()
	if err != nil {
		return err
	}
	if n != floorLines {
		return fmt.Errorf("floor %s: the reader got %d lines of %d", name, n, floorLines)
	}
	s.add(name, perSecond(floorLines, took))
	return nil
}

// writeEach writes with a system call for each line.
func writeEach(w *os.File, line []byte) error {
	for range floorLines {
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// writeTogether hands lines to a goroutine that writes them through a buffer, which is flushed when no more lines wait.
func writeTogether(w *os.File, line []byte) error {
	lines := make(chan []byte, 1024)
	written := make(chan error, 1)
	go func() {
		buf := bufio.NewWriterSize(w, 64<<10)
		for line := range lines {
			buf.Write(line) // an error stays until Flush
			if len(lines) == 0 {
				buf.Flush()
			}
		}
		written <- buf.Flush()
	}()
	for range floorLines {
		lines <- line
	}
	close(lines)
	return <-written
}
