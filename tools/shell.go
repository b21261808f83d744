package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools/internal/command"
)

// A userShell runs the user's own commands, like the tool bash does the model's.
type userShell struct{ *Set }

// Run runs a command. See core.Shell.
func (s userShell) Run(ctx context.Context, cmd string, output func(string)) (core.ShellRun, error) {
	if strings.ContainsRune(cmd, 0) {
		return core.ShellRun{}, fmt.Errorf("run command: it must not contain a NUL")
	}
	if len(cmd) > maxCommand {
		return core.ShellRun{}, fmt.Errorf("run command: it has %d bytes; at most %d are possible", len(cmd), maxCommand)
	}
	res, err := s.runner.Run(ctx, command.Request{Command: cmd, Output: output})
	if err != nil {
		return core.ShellRun{}, fmt.Errorf("run command: %w", err)
	}
	run := core.ShellRun{
		Output:     res.Output.Text,
		Cancelled:  res.End == command.Aborted,
		Truncated:  res.Output.Truncated,
		OutputPath: res.Path,
	}
	if res.End == command.Exited && !res.Killed {
		run.ExitCode = &res.Status
	}
	return run, nil
}
