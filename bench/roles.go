package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// roleEnv names the role that this program plays, when a measurement needs another process at the end of a pipe.
const roleEnv = "AGENT_BENCH_ROLE"

// roles are what this program does with its stdin and stdout in place of measuring.
var roles = map[string]func(in *os.File, out *os.File) error{
	"count": countLines,
	"echo":  echo,
	"relay": relay,
}

// playRole plays the role that the environment asks for and reports whether it asks for one.
func playRole() (played bool, err error) {
	name := os.Getenv(roleEnv)
	if name == "" {
		return false, nil
	}
	play, ok := roles[name]
	if !ok {
		return true, fmt.Errorf("%s: there is no role %q", roleEnv, name)
	}
	if err := play(os.Stdin, os.Stdout); err != nil && !errors.Is(err, io.EOF) {
		return true, fmt.Errorf("role %s: %w", name, err)
	}
	return true, nil
}

// countLines reads to the end and says how many lines there were.
func countLines(in, out *os.File) error {
	buf := make([]byte, 64<<10)
	for lines := 0; ; {
		n, err := in.Read(buf)
		lines += bytes.Count(buf[:n], []byte{'\n'})
		if err == io.EOF {
			_, err = fmt.Fprintln(out, lines)
			return err
		}
		if err != nil {
			return err
		}
	}
}

// echo writes back whatever it reads: the fastest answer that a process can give.
func echo(in, out *os.File) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		if err != nil {
			return err
		}
		if _, err := out.Write(buf[:n]); err != nil {
			return err
		}
	}
}

// relay hands each line from a reader to a worker to a writer, the goroutines that any server needs which reads on while it
// works and while it writes. They end with the input, or with the process.
func relay(in, out *os.File) error {
	asked, answers := make(chan []byte, 64), make(chan []byte, 64)
	go func() {
		defer close(asked)
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			asked <- line
		}
	}()
	go func() {
		defer close(answers)
		for line := range asked {
			answers <- line
		}
	}()
	for line := range answers {
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}
