package tools

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools/internal/command"
	"github.com/dualagent/agent/tools/internal/risk"
)

// maxCommand is the longest command, in bytes: the system takes no longer words.
const maxCommand = 128<<10 - 1

type bashTool struct{ *Set }

func (bashTool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "bash",
		Description: "Run a bash command in the workspace. It gets no input. Returns what it writes to stdout and stderr, of which the last " +
			"2000 lines or 50 KiB are kept; the whole of a longer output is in a file that the result names. Processes that it leaves in " +
			"the background end with it.",
		Parameters: []byte(`{"type":"object","properties":{` +
			`"command":{"type":"string","description":"The command"},` +
			`"timeout":{"type":"number","description":"Seconds after which it is stopped; default: none"}},"required":["command"]}`),
		Risk: core.RiskDestructive,
	}
}

func (bashTool) arguments(call core.ToolCall) (string, float64, *arguments) {
	a := parseArguments(call.Arguments)
	cmd, seconds := a.text("command"), a.number("timeout", math.Inf(1))
	switch {
	case strings.TrimSpace(cmd) == "":
		a.fail("argument %q must not be empty", "command")
	case strings.ContainsRune(cmd, 0):
		a.fail("argument %q must not contain a NUL", "command")
	case len(cmd) > maxCommand:
		a.fail("argument %q has %d bytes; at most %d are possible. Write a script to a file and run that", "command", len(cmd), maxCommand)
	case seconds <= 0:
		a.fail("argument %q must be greater than 0", "timeout")
	}
	return cmd, seconds, a
}

func (t bashTool) Assess(call core.ToolCall) core.Assessment {
	cmd, _, a := t.arguments(call)
	if a.err != nil {
		return core.Assessment{Risk: core.RiskRead}
	}
	f := t.findRisk(cmd)
	return core.Assessment{Risk: f.Risk, Outside: f.Outside, Unknown: true, Key: strings.TrimSpace(cmd)}
}

// findRisk finds out what a command may do.
func (t bashTool) findRisk(cmd string) risk.Finding {
	return risk.Of(cmd, risk.Place{Dir: t.space.dir, Locate: func(dir, path string, write bool) (string, bool) {
		u := toRead
		if write {
			u = toWrite
		}
		place, inside, err := t.space.locate(dir, path, u)
		return place.abs, inside && err == nil
	}})
}

func (t bashTool) Run(ctx context.Context, inv core.Invocation) (core.ToolResult, error) {
	cmd, seconds, a := t.arguments(inv.ToolCall)
	if a.err != nil {
		return a.invalid(), nil
	}
	req := command.Request{Command: cmd, Timeout: duration(seconds), Progress: inv.Progress}
	if t.findRisk(cmd).Risk == core.RiskRead {
		req.Env = risk.Offline()
	}
	res, err := t.runner.Run(ctx, req)
	if err != nil {
		return core.ToolResult{}, err
	}
	return bashResult(res, seconds), nil
}

// duration returns 0, which means no limit, for more than a Duration can hold.
func duration(seconds float64) time.Duration {
	if seconds > time.Duration(math.MaxInt64).Seconds()/2 {
		return 0
	}
	return max(1, time.Duration(seconds*float64(time.Second)))
}

func bashResult(res command.Result, seconds float64) core.ToolResult {
	details := bashDetails{Truncation: truncationOf(res.Output, false), FullOutputPath: res.Path, DiskCapped: res.Capped}
	shown := res.Output.Text + marker(res)
	var status string
	switch {
	case res.End == command.Aborted:
		status = "Command aborted"
	case res.End == command.TimedOut:
		status = "Command timed out after " + strconv.FormatFloat(seconds, 'g', -1, 64) + " seconds"
	default:
		details.ExitCode = &res.Status
		if res.Status != 0 {
			status = fmt.Sprintf("Command exited with code %d", res.Status)
		}
	}
	switch {
	case status == "" && shown == "":
		shown = "(no output)"
	case status != "" && shown != "":
		shown = strings.TrimRight(shown, "\n") + "\n\n" + status
	case status != "":
		shown = status
	}
	return core.ToolResult{Content: []core.Block{core.TextBlock(shown)}, IsError: status != "", Details: details}
}

// marker tells what was left out of an output, and where the whole of it is.
func marker(res command.Result) string {
	c := res.Output
	if !c.Truncated {
		return ""
	}
	what := fmt.Sprintf("Showing lines %d-%d of %d", c.TotalLines-c.Lines+1, c.TotalLines, c.TotalLines)
	if c.Partial {
		what = fmt.Sprintf("Showing the end of line %d", c.TotalLines)
	}
	where := "The full output could not be kept."
	switch {
	case res.Capped:
		where = "The begin of the full output: " + res.Path
	case res.Path != "":
		where = "Full output: " + res.Path
	}
	return fmt.Sprintf("\n\n[%s (the last %d of %d bytes). %s]", what, len(c.Text), c.TotalBytes, where)
}
