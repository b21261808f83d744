package tools

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools/internal/text"
)

type findTool struct{ *Set }

func (findTool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "find",
		Description: "Find files and folders by a glob pattern such as *.go, **/test/*.json or {a,b}.txt. A pattern without a slash is matched " +
			"against names anywhere, one with a slash against the path below the folder that is searched. Leaves out .git and what " +
			".gitignore excludes. Returns at most limit paths (default 1000) and 50 KiB; folders end in /.",
		Parameters: []byte(`{"type":"object","properties":{` +
			`"pattern":{"type":"string","description":"The glob pattern"},` +
			`"path":{"type":"string","description":"The folder to search; default: the workspace"},` +
			`"limit":{"type":"number","description":"The most paths to return; default 1000"}},"required":["pattern"]}`),
		Risk: core.RiskRead,
	}
}

type findArguments struct {
	pattern glob
	path    string
	limit   int
}

func (findTool) arguments(call core.ToolCall) (findArguments, *arguments) {
	a := parseArguments(call.Arguments)
	args := findArguments{pattern: glob(a.text("pattern")), path: a.pathOr("path"), limit: a.count("limit", 1, 1000)}
	if args.pattern == "" || !args.pattern.valid() {
		a.fail("argument %q is not a valid glob pattern", "pattern")
	}
	return args, a
}

func (t findTool) Assess(call core.ToolCall) core.Assessment {
	args, a := t.arguments(call)
	return t.assessPath(a, args.path, toRead)
}

func (t findTool) Run(ctx context.Context, inv core.Invocation) (core.ToolResult, error) {
	args, a := t.arguments(inv.ToolCall)
	if a.err != nil {
		return a.invalid(), nil
	}
	p, err := t.space.place(args.path, toRead, inv.Outside)
	if err != nil {
		return failure("search", args.path, err), nil
	}
	list, found, more := text.NewList(), 0, false
	w := t.space.walk(p, func(name string, d fs.DirEntry) error {
		if !args.pattern.match(below(p.name, name)) {
			return nil
		}
		if found == args.limit {
			more = true
			return errEnough
		}
		found++
		list.Add(t.entry(p, name, d))
		return nil
	})
	err = w.from(ctx, p.name)
	switch {
	case ctx.Err() != nil:
		return aborted(list.Cut().Text), nil
	case err != nil:
		return failure("search", args.path, err), nil
	case found == 0:
		return core.TextResult("No files found matching pattern"), nil
	}
	limit := 0
	if more {
		limit = args.limit
	}
	return findResult(list, limit), nil
}

// findResult returns the result of a search, of which limit, if it is not 0, left something out.
func findResult(list *text.Head, limit int) core.ToolResult {
	shown, cut := listed(list)
	if limit > 0 {
		shown += fmt.Sprintf("\n\n[%d results limit reached. Use a larger limit or a narrower pattern.]", limit)
	}
	res := core.TextResult(shown)
	res.Details = findDetails{ResultLimitReached: limit, Truncation: cut}
	return res
}

// entry returns a file's path as a line.
func (s *Set) entry(p place, name string, d fs.DirEntry) string {
	line := s.space.shown(p.abs(name))
	if d.IsDir() {
		line += "/"
	}
	return text.Clean(oneLine(line))
}
