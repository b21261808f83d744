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
	"path/filepath"
	"time"
)

// converse starts the program in a project of its own, has one turn with it, and ends it by closing its input.
func converse(ctx context.Context, program string, w wire, s screen) error {
	dir, err := os.MkdirTemp("", "agent-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "greeting.txt"), []byte("Hello from the demo project.\n"), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, w.args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	var told bytes.Buffer
	cmd.Stderr = &told
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = errors.Join(turn(in, out, w, s), in.Close(), cmd.Wait())
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil:
		_, err = os.Stat(filepath.Join(dir, w.file))
	}
	if err != nil {
		return fmt.Errorf("%w\nstderr of the program:\n%s", err, &told)
	}
	return nil
}

// turn sends the prompt and shows all that comes until the turn is over.
func turn(in io.Writer, out io.Reader, w wire, s screen) error {
	send := func(line string) error {
		s.sent(line)
		_, err := io.WriteString(in, line+"\n")
		return err
	}
	if err := send(w.prompt); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		s.received(lines.Text())
		answer, over, err := w.hear(lines.Bytes())
		if err != nil || over {
			return err
		}
		if answer == "" {
			continue
		}
		if err := send(answer); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return errors.New("the program ended before the turn did")
}
