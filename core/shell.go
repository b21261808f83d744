package core

import (
	"context"
	"errors"
	"time"
)

// A ShellCommand is a command that the user runs beside the conversation.
type ShellCommand struct {
	Command string
	Exclude bool // the model does not get to see it
	Tag     any  // the caller's own mark, handed back untouched in ShellOutput and ShellEnded
}

// shellRun is a command that runs.
type shellRun struct{ cancel context.CancelCauseFunc }

// ErrNoShell means that the host cannot run commands.
var ErrNoShell = errors.New("running commands is not available")

// StartShell makes a command ready to run: when it returns, AbortShell finds the command. The caller then calls run, once, which
// returns when the command has ended; turns go on meanwhile. Its output and its end come as events, and it becomes part of
// the conversation: at once if no turn runs, else after it.
func (e *Engine) StartShell(c ShellCommand) (run func() (ShellRun, error), err error) {
	ctx, sr, err := e.enterShell()
	if err != nil {
		return nil, err
	}
	return func() (ShellRun, error) {
		defer e.wg.Done()
		return e.runShell(ctx, sr, c)
	}, nil
}

func (e *Engine) runShell(ctx context.Context, run *shellRun, c ShellCommand) (ShellRun, error) {
	res, err := e.host.o.Shell.Run(ctx, c.Command, func(text string) {
		e.bus.Publish(ShellOutput{c.Tag, text})
		_ = e.bus.Ready(ctx) // a client that does not read holds up the command; Run itself sees the end of ctx
	})
	run.cancel(nil)
	e.mu.Lock()
	delete(e.shells, run)
	e.mu.Unlock()
	if err != nil {
		return ShellRun{}, err
	}
	res.Command, res.Exclude = c.Command, c.Exclude
	m := Message{Role: RoleShell, Time: time.Now(), Shell: &res}
	e.bus.Publish(ShellEnded{c.Tag, m})
	recorded := make(chan struct{})
	first, err := e.between(func() { defer close(recorded); e.recordShell(m) })
	if first {
		<-recorded
	}
	return res, err
}

func (e *Engine) enterShell() (context.Context, *shellRun, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return nil, nil, ErrClosed
	case e.host.o.Shell == nil:
		return nil, nil, ErrNoShell
	}
	ctx, cancel := context.WithCancelCause(e.ctx)
	run := &shellRun{cancel: cancel}
	e.shells[run] = struct{}{}
	e.wg.Add(1)
	return ctx, run, nil
}

func (e *Engine) recordShell(m Message) {
	e.mu.Lock()
	model, level := e.model, e.thinking
	e.mu.Unlock()
	err := e.recordSettings(model, level)
	if err == nil {
		err = e.record(nil, Entry{Type: EntryMessage, Message: &m})
	}
	if err != nil {
		e.host.o.Log.Error("a shell command is not in the session", "error", err)
		e.bus.Publish(Notice{Text: "The command is not in the session: " + err.Error()})
	}
}

// AbortShell ends the commands that the user runs.
func (e *Engine) AbortShell() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for run := range e.shells {
		run.cancel(ErrAborted)
	}
}
