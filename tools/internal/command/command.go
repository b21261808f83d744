// Package command runs shell commands: one runner for the model's and the user's.
//
// Goroutines: each run has one that reads the command's output and one that waits for its end. Run waits for both, unless
// the kernel holds a killed process back; then Close waits for what is left. A Runner has one that starts shells, until Close.
package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/dualagent/agent/tools/internal/redact"
	"github.com/dualagent/agent/tools/internal/text"
)

// How long things may take at the end of a command. Together they stay below the 100 ms within which a run has to be over
// when its context ends.
const (
	outputGrace = 100 * time.Millisecond // for output that comes after the shell's own exit
	termGrace   = 40 * time.Millisecond  // between TERM and KILL
	drainGrace  = 10 * time.Millisecond  // for what is in the pipe after the last process
	reapGrace   = 20 * time.Millisecond  // for the kernel to let go of a killed process
)

// reapEvery is how often, during a command, processes are looked for that have ended after their parents.
const reapEvery = time.Second

// maxDrain is how many bytes are taken after the last process: more than a pipe holds.
const maxDrain = 2 << 20

// A Runner runs commands. Its fields do not change once it is in use; it may be used by many goroutines at once.
type Runner struct {
	Shell    []string // program and arguments that come before the command
	Dir      string   // where commands run
	Env      []string
	Redactor *redact.Redactor
	Spool    *Spool

	starter starter
	runs    sync.WaitGroup
}

// A Request is a command to run.
type Request struct {
	Command string
	Timeout time.Duration // 0: none
	Env     []string      // variables besides those of the Runner, which they override
	// Output, if it is set, gets each piece of cleaned output as it comes; it may block until the context ends, which
	// holds up the command. Progress, if it is set, gets the end of the output so far, at most every 100 ms; it must not
	// block. Neither is called after Run has returned.
	Output   func(piece string)
	Progress func(tail string)
}

// An End says how a run came to its end.
type End uint8

// The ends of runs.
const (
	Exited End = iota
	TimedOut
	Aborted
)

// A Result is what came of a command.
type Result struct {
	Output text.Cut // the end of what it wrote
	// Path is the file with the whole output if Output is truncated, "" if it could not be kept; Capped tells that the
	// file is not the whole of it either. The Spool removes it.
	Path   string
	Capped bool
	End    End
	Status int  // if Exited: the exit status, 128+n after signal n
	Killed bool // a signal ended the shell
}

// Run runs a command without input and in a session of its own, and returns when its shell has ended, or the timeout or ctx
// has. All processes that the command has started are gone then, those in the background too. The error means that the
// shell could not be started.
func (r *Runner) Run(ctx context.Context, q Request) (Result, error) {
	if ctx.Err() != nil {
		return Result{End: Aborted}, nil
	}
	p, err := r.start(q)
	if err != nil {
		return Result{}, fmt.Errorf("start %s in %s: %w", r.Shell[0], r.Dir, err)
	}
	out := r.newOutput(q)
	end := p.follow(ctx, out, q.Timeout)
	p.finish(out)
	return p.result(end, out), nil
}

// Close waits for processes that were killed but would not go, a second at most. Nothing can be run any more.
func (r *Runner) Close() {
	defer reapAdopted()
	defer r.starter.close()
	gone := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { r.runs.Wait(); close(gone) })
	select {
	case <-gone:
		watch.Wait()
	case <-time.After(time.Second):
	}
}

// start starts the shell and the goroutines that follow it.
func (r *Runner) start(q Request) (*process, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	mark := newMark()
	cmd := exec.Command(r.Shell[0], append(r.Shell[1:len(r.Shell):len(r.Shell)], q.Command)...)
	cmd.Dir = r.Dir
	cmd.Env = slices.Concat(r.Env, q.Env, []string{mark})
	cmd.Stdout, cmd.Stderr = write, write
	cmd.SysProcAttr = ownSession()
	keepDescriptors()
	if err := r.starter.do(func() error { return startShell(cmd) }); err != nil {
		read.Close()
		return nil, err
	}
	p := &process{
		cmd:    cmd,
		group:  newGroup(cmd.Process.Pid, mark),
		pipe:   read,
		chunks: make(chan []byte),
		exited: make(chan struct{}),
		reap:   make(chan struct{}),
		reaped: make(chan struct{}),
	}
	r.runs.Go(p.read)
	r.runs.Go(p.wait)
	return p, nil
}

// exitStatus returns the status of a process that was waited for.
func exitStatus(s *os.ProcessState) (status int, killed bool) {
	if sig, ok := signalOf(s); ok {
		return 128 + sig, true
	}
	return s.ExitCode(), false
}
