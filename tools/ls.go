package tools

import (
	"context"
	"fmt"
	"path"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools/internal/text"
)

type lsTool struct{ *Set }

func (lsTool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "ls",
		Description: "List a folder, sorted, with / behind folders. Names that begin with a dot are shown; .git and what .gitignore excludes are " +
			"only counted. Returns at most limit entries (default 500) and 50 KiB.",
		Parameters: []byte(`{"type":"object","properties":{` +
			`"path":{"type":"string","description":"The folder; default: the workspace"},` +
			`"limit":{"type":"number","description":"The most entries to return; default 500"}}}`),
		Risk: core.RiskRead,
	}
}

func (lsTool) arguments(call core.ToolCall) (dir string, limit int, a *arguments) {
	a = parseArguments(call.Arguments)
	return a.pathOr("path"), a.count("limit", 1, 500), a
}

func (t lsTool) Assess(call core.ToolCall) core.Assessment {
	dir, _, a := t.arguments(call)
	return t.assessPath(a, dir, toRead)
}

func (t lsTool) Run(ctx context.Context, inv core.Invocation) (core.ToolResult, error) {
	dir, limit, a := t.arguments(inv.ToolCall)
	if a.err != nil {
		return a.invalid(), nil
	}
	if ctx.Err() != nil {
		return aborted(""), nil
	}
	p, err := t.space.place(dir, toRead, inv.Outside)
	if err != nil {
		return failure("list", dir, err), nil
	}
	entries, err := readDir(p.root, p.name)
	if err != nil {
		return failure("list", dir, err), nil
	}
	abs, ignorer := p.abs(p.name), t.space.ignorer()
	rules := ignorer.with(ignorer.above(abs), abs)
	list, shown, hidden, more := text.NewList(), 0, 0, 0
	for _, d := range entries {
		line := d.Name()
		switch {
		case line == ".git" || rules.match(path.Join(abs, line), d.IsDir()):
			hidden++
			continue
		case shown == limit:
			more++
			continue
		case d.IsDir():
			line += "/"
		}
		shown++
		list.Add(text.Clean(oneLine(line)))
	}
	return lsResult(list, shown, hidden, more, limit), nil
}

func lsResult(list *text.Head, shown, hidden, more, limit int) core.ToolResult {
	out, cut := listed(list)
	details := lsDetails{Truncation: cut}
	if shown == 0 {
		out = "(no entries)"
	}
	if more > 0 {
		details.EntryLimitReached = limit
		out += fmt.Sprintf("\n\n[%d entries limit reached; %d more. Use a larger limit.]", limit, more)
	}
	if hidden > 0 {
		out += fmt.Sprintf("\n\n[%d entries not shown: .git, or excluded by .gitignore]", hidden)
	}
	res := core.TextResult(out)
	res.Details = details
	return res
}
