package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/protocol"
	"github.com/dualagent/agent/sessions"
)

// A sessionCommand is a command below "sessions".
type sessionCommand struct {
	name, args, usage string
	flags             func(s section) []cli.Flag
	run               func(a *attendant, ctx context.Context, c *cli.Context) error
	// reads: it changes nothing, so it does not matter if nobody reads its output to the end.
	reads bool
}

var sessionCommands = []sessionCommand{
	{
		name: "list", usage: "list the sessions of a directory, the one written last first", run: (*attendant).list, reads: true,
		flags: func(s section) []cli.Flag {
			return []cli.Flag{s.yes("those of all directories", "all"), s.yes("one JSON object a line", "json")}
		},
	},
	{
		name: "show", args: "PATH|ID", usage: "print what was said and done in a session", run: (*attendant).show, reads: true,
		flags: func(s section) []cli.Flag {
			return []cli.Flag{s.yes("the records of the file that can be read", "json")}
		},
	},
	{
		name: "repair", args: "PATH|ID", usage: "mend the end of a session's file", run: (*attendant).repair,
		flags: func(section) []cli.Flag { return nil },
	},
	{
		name: "rm", args: "PATH|ID...", usage: "remove sessions", run: (*attendant).remove,
		flags: func(s section) []cli.Flag { return []cli.Flag{s.yes("do not ask", "yes", "y")} },
	},
}

// sessionsCommand describes the commands that people look after their sessions with. What is below it is made when it is
// called: a server does not need it to start.
func (p program) sessionsCommand(ctx context.Context, mistake cli.OnUsageErrorFunc) *cli.Command {
	command := &cli.Command{Name: "sessions", Usage: "list, show, repair or remove (rm) sessions"}
	if !slices.Contains(p.args, command.Name) {
		return command
	}
	var s section
	help := func() cli.Flag { return s.yes("print what there is", "help", "h") }
	command.Flags = []cli.Flag{help()}
	command.OnUsageError, command.HideHelp = mistake, true
	command.Action = func(c *cli.Context) error {
		switch {
		case c.Bool("help"):
			return showHelp(c, command.Name)
		case c.Args().Present():
			return usageError{fmt.Errorf("unknown command %q of sessions: it is list, show, repair or rm", c.Args().First())}
		}
		return usageError{errors.New("say what to do with sessions: list, show, repair or rm")}
	}
	for _, sub := range sessionCommands {
		flags := append(sub.flags(s),
			s.text("`DIR` whose sessions are meant (default: the current one)", "root", "C"),
			s.text("`DIR` with sessions (default: $AGENT_SESSION_DIR, else below $AGENT_HOME)", "session-dir"),
			help())
		command.Subcommands = append(command.Subcommands, &cli.Command{
			Name: sub.name, Usage: sub.usage, ArgsUsage: sub.args, Flags: flags, OnUsageError: mistake, HideHelp: true,
			Action: func(c *cli.Context) error { return p.attend(ctx, c, sub) },
		})
	}
	return command
}

// An attendant looks after the sessions of a directory.
type attendant struct {
	program
	store *sessions.Store
	cwd   string
}

func (p program) attend(ctx context.Context, c *cli.Context, command sessionCommand) error {
	if args, found := flagsFirst(c.Args().Slice()); found {
		again := cli.NewContext(c.App, nil, c)
		again.Command = c.Command
		return c.Command.Run(again, append([]string{command.name}, args...)...)
	}
	v := values{c}
	if v.flag("help") {
		cli.HelpPrinter(p.out, cli.CommandHelpTemplate, c.Command)
		return nil
	}
	switch n := c.NArg(); {
	case command.args == "" && n > 0:
		return usageError{fmt.Errorf("sessions %s takes no %q", command.name, c.Args().First())}
	case command.args != "" && n == 0:
		return usageError{fmt.Errorf("sessions %s needs %s: agent sessions list shows what there is", command.name, command.args)}
	case n > 1 && !strings.HasSuffix(command.args, "..."):
		return usageError{fmt.Errorf("sessions %s takes one session, not %d", command.name, n)}
	}
	cwd, err := directory(v.str("root"))
	if err != nil {
		return usageError{err}
	}
	store, err := p.sessionFiles(v.str("session-dir"))
	if err != nil {
		return err
	}
	store.Notice = func(text string) { fmt.Fprintln(p.err, "agent: "+harmless(text)) }
	err = command.run(&attendant{program: p, store: store, cwd: cwd}, ctx, c)
	left := errors.Is(err, syscall.EPIPE) || ctx.Err() != nil && errors.Is(context.Cause(ctx), protocol.ErrOutput)
	if command.reads && left {
		return nil // a pager has shown enough
	}
	if errors.Is(err, core.ErrNoSession) {
		return fmt.Errorf("%w; agent sessions list --all shows what there is", err)
	}
	return err
}

// directory returns the directory that --root names, as sessions have it. It need not exist any more.
func directory(root string) (string, error) {
	dir, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("--root: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved, nil
	}
	return dir, nil
}

// flagsFirst puts flags that stand behind other arguments in front of them, where the library looks for them. It reports whether
// there are any.
func flagsFirst(args []string) (sorted []string, found bool) {
	var flags, rest []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if len(a) < 2 || a[0] != '-' {
			rest = append(rest, a)
			continue
		}
		flags = append(flags, a)
		if slices.Contains([]string{"C", "root", "session-dir"}, strings.TrimLeft(a, "-")) && i+1 < len(args) {
			i++
			flags = append(flags, args[i])
		}
	}
	return append(flags, rest...), len(flags) > 0
}
