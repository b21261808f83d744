package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions"
)

// repair mends a session and prints what was done.
func (a *attendant) repair(ctx context.Context, c *cli.Context) error {
	path, err := a.store.Find(ctx, a.cwd, c.Args().First())
	if err != nil {
		return err
	}
	done, err := a.store.Repair(ctx, path)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s: %s\n", harmless(path), repaired(done))
	return err
}

// repaired says what a repair has done.
func repaired(r sessions.Repair) string {
	var did []string
	if r.Cut > 0 {
		did = append(did, fmt.Sprintf("cut %d bytes of a torn line off its end", r.Cut))
	}
	if r.Ended {
		did = append(did, "ended the last line")
	}
	if len(did) == 0 {
		did = []string{"nothing to repair"}
	}
	if r.Skipped > 0 {
		numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Lines), " ", ", "), "[]")
		if more := r.Skipped - len(r.Lines); more > 0 {
			numbers += fmt.Sprintf(" and %d more", more)
		}
		did = append(did, "lines that cannot be read, which stay and are passed over: "+numbers)
	}
	return strings.Join(did, "; ")
}

// remove removes sessions, those that can be removed, if all of them can be found and nobody says no.
func (a *attendant) remove(ctx context.Context, c *cli.Context) error {
	found, err := a.find(ctx, c.Args().Slice())
	if err != nil {
		return err
	}
	if !(values{c}).flag("yes") {
		if err := a.ask(ctx, found); err != nil {
			return err
		}
	}
	var failed []error
	for _, s := range found {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(failed, context.Cause(ctx))...)
		}
		if err := a.store.Remove(s.Path); err != nil {
			failed = append(failed, err)
			continue
		}
		if _, err := fmt.Fprintf(a.out, "removed %s\n", harmless(s.Path)); err != nil {
			return errors.Join(append(failed, err)...)
		}
	}
	return errors.Join(failed...)
}

// find returns the sessions that are named, each one once.
func (a *attendant) find(ctx context.Context, refs []string) ([]core.SessionSummary, error) {
	var found []core.SessionSummary
	for _, ref := range refs {
		path, err := a.store.Find(ctx, a.cwd, ref)
		var s core.SessionSummary
		if err == nil {
			s, err = a.store.Summary(ctx, path)
		}
		if err != nil {
			return nil, fmt.Errorf("nothing is removed: %w", err)
		}
		if !slices.ContainsFunc(found, func(f core.SessionSummary) bool { return f.Path == s.Path }) {
			found = append(found, s)
		}
	}
	return found, nil
}

// ask asks whether to remove sessions. It fails unless the answer is yes.
func (a *attendant) ask(ctx context.Context, found []core.SessionSummary) error {
	if _, is := terminal(a.in); !is {
		return usageError{errors.New("sessions rm needs --yes where it cannot ask: stdin is no terminal")}
	}
	for _, s := range found {
		fmt.Fprintf(a.err, "%s\n  %d messages, %s: %s\n", harmless(s.Path), s.Messages, ago(s.Modified, time.Now()), title(s))
	}
	what := "this session"
	if len(found) > 1 {
		what = fmt.Sprintf("these %d sessions", len(found))
	}
	fmt.Fprintf(a.err, "Remove %s? [y/N] ", what)
	answer, err := readLine(ctx, a.in)
	if err != nil {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("nothing is removed")
	}
	return nil
}

// readLine reads a line. At the end of ctx it returns the cause; the read that it waits for cannot be interrupted and is left
// behind.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	type result struct {
		text string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		text, err := bufio.NewReader(in).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		read <- result{text, err}
	}()
	select {
	case r := <-read:
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
