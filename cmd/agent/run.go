package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/protocol"
)

// The exit codes. A signal n adds 128 + n.
const (
	exitDone   = 0
	exitFailed = 1 // could not start, or lost stdout
	exitUsage  = 2
)

// A program is what a run of the program works with.
type program struct {
	args []string
	env  func(string) string
	in   io.Reader
	out  io.Writer // for the protocol, and for help that was asked for
	err  io.Writer // for people
}

// A usageError is a mistake of whoever called the program.
type usageError struct{ error }

// run is the whole program but for its process: it returns the exit code.
func run(ctx context.Context, p program) int {
	err := p.app(ctx).RunContext(ctx, append(p.args[:1:1], withoutForeign(p.args[1:])...))
	if err != nil && ctx.Err() != nil && !errors.Is(err, protocol.ErrOutput) {
		err = context.Cause(ctx) // whatever the signal has broken off
	}
	var signal signalError
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &signal):
		return signal.code()
	case errors.As(err, &usage):
		fmt.Fprintf(p.err, "agent: %v\nRun 'agent --help' for what there is.\n", err)
		return exitUsage
	default:
		fmt.Fprintf(p.err, "agent: %v\n", err)
		return exitFailed
	}
}

// app describes the command line. Nothing but help and version that were asked for is written to stdout, and nothing ends the
// process: the protocol's stream would be cut.
func (p program) app(ctx context.Context) *cli.App {
	name := filepath.Base(p.args[0])
	help := asksForHelp(p.args)
	mistake := func(_ *cli.Context, err error, _ bool) error { return usageError{err} }
	action := func(command string) cli.ActionFunc {
		return func(c *cli.Context) error { return p.serve(ctx, c, name, command) }
	}
	return &cli.App{
		Name:           name,
		Usage:          "a coding agent that other programs drive over stdin and stdout",
		HideVersion:    true,
		Flags:          flags(help),
		Action:         action(""),
		OnUsageError:   mistake,
		ExitErrHandler: func(*cli.Context, error) {},
		Writer:         p.out,
		ErrWriter:      p.err,
		HideHelp:       true,
		Commands: []*cli.Command{{
			Name:         "rpc",
			Usage:        "headless RPC server: JSON-RPC, or JSONL with --jsonl",
			Description:  "The headless RPC server: JSON-RPC 2.0 on stdin and stdout, or type-tagged JSONL records with --jsonl.",
			Flags:        flags(help),
			Action:       action("rpc"),
			OnUsageError: mistake,
			HideHelp:     true,
		}, p.schemaCommand(mistake), p.sessionsCommand(ctx, mistake)},
	}
}

func (p program) serve(ctx context.Context, c *cli.Context, name, command string) error {
	switch v := (values{c}); {
	case v.flag("help"):
		return showHelp(c, command)
	case v.flag("version"):
		fmt.Fprintf(p.out, "%s version %s\n", name, version())
		return nil
	}
	s, err := read(c, name, command)
	if err != nil {
		return usageError{err}
	}
	ch, err := choose(s.call)
	if err != nil {
		return usageError{err}
	}
	s.dialect = ch.dialect
	s.log = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: s.logLevel}))
	in := p.in
	if ch.auto {
		if ch.mode, in, err = sniff(ctx, p.in, s.maxFrame); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read stdin: %w", err)
		}
	}
	err = p.speak(ctx, s, ch.mode, in)
	var start startError
	if errors.As(err, &start) && ch.mode.failure != nil {
		if _, werr := p.out.Write(ch.mode.failure(s, start.error)); werr != nil {
			return werr
		}
	}
	return err
}

func showHelp(c *cli.Context, command string) error {
	if command == "" {
		return cli.ShowAppHelp(c)
	}
	return cli.ShowCommandHelp(c, command)
}

// A startError says why the program could not start to serve.
type startError struct{ error }

func (e startError) Unwrap() error { return e.error }

// speak serves the client in a mode until it hangs up.
func (p program) speak(ctx context.Context, s settings, m mode, in io.Reader) (err error) {
	h, err := p.setUp(s, m)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := h.Close(); cerr != nil && err == nil {
			err = fmt.Errorf("close: %w", cerr)
		}
	}()
	engine := core.EngineOptions{
		Session:  core.SessionOptions{Ref: s.session, Latest: s.resumeLast, Name: s.title},
		Model:    core.ModelRef(s.modelRef()),
		Thinking: core.ThinkingLevel(s.thinking),
	}
	open := m.open(s, engine)
	opened := false
	err = protocol.Serve(ctx, h.Host, func(ctx context.Context, host *core.Host, out *protocol.Outbox) (protocol.Codec, error) {
		codec, err := open(ctx, host, out)
		opened = err == nil
		return codec, err
	}, in, p.out, protocol.ServeOptions{MaxFrame: s.maxFrame})
	if err != nil && !opened {
		if errors.Is(err, core.ErrUnknownModel) && s.endpoint == "" {
			err = fmt.Errorf("%w; for a model of a server, say which with --endpoint URL", err)
		}
		return startError{err}
	}
	return err
}

// modelRef is the reference that --model and --provider make together.
func (s settings) modelRef() string {
	if s.provider != "" && s.model != "" && s.endpoint == "" {
		return s.provider + "/" + s.model
	}
	return s.model
}
