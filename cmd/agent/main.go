// Command agent is a headless coding agent that other programs drive over stdin and stdout.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dualagent/agent/protocol"
)

// stopLimit bounds the time from a signal to the end of the program.
const stopLimit = 3 * time.Second

// A signalError is the cause of a context that a signal has ended.
type signalError struct{ syscall.Signal }

func (e signalError) Error() string { return fmt.Sprintf("signal: %v", e.Signal) }

// code is the exit code that tells of the signal.
func (e signalError) code() int { return 128 + int(e.Signal) }

func main() {
	out := takeStdout()
	os.Exit(run(withSignals(out), program{args: os.Args, env: os.Getenv, in: os.Stdin, out: out, err: os.Stderr}))
}

// takeStdout keeps the real stdout for the protocol: from here on whatever else in this process writes to stdout, or
// inherits it, writes to stderr.
func takeStdout() *os.File {
	out, err := privateStdout()
	if err != nil {
		fmt.Fprintf(os.Stderr, "agent: cannot keep stdout for the protocol: %v\n", err)
		os.Exit(exitFailed)
	}
	os.Stdout = os.Stderr
	return out
}

// withSignals returns a context that SIGTERM, SIGINT or SIGHUP ends. A second signal, or taking too long, ends the program
// at once. A closed pipe is an error of the write, not a signal; that nobody reads out any more ends the context, too, since
// a tool may run for long without anything to write.
func withSignals(out *os.File) context.Context {
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		waitForHangup(out)
		cancel(protocol.ErrOutput)
	}()
	go func() {
		cause := signalError{(<-signals).(syscall.Signal)}
		cancel(cause)
		select {
		case again := <-signals:
			cause = signalError{again.(syscall.Signal)}
		case <-time.After(stopLimit):
		}
		os.Exit(cause.code())
	}()
	return ctx
}
