package tools

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools/internal/text"
)

type grepTool struct{ *Set }

func (grepTool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "grep",
		Description: "Search files for a regular expression (RE2 syntax), line by line. Leaves out .git, binary files and what .gitignore excludes. " +
			"Returns lines as path:12: text, those around them as path-11- text; at most limit matches (default 100) and 50 KiB. Long lines " +
			"are cut to 500 characters.",
		Parameters: []byte(`{"type":"object","properties":{` +
			`"pattern":{"type":"string","description":"The regular expression, or the text if literal is set"},` +
			`"path":{"type":"string","description":"The file or folder to search; default: the workspace"},` +
			`"glob":{"type":"string","description":"Search only files that match this glob pattern, such as *.go or src/**/*.ts"},` +
			`"ignoreCase":{"type":"boolean","description":"Upper and lower case are the same"},` +
			`"literal":{"type":"boolean","description":"The pattern is plain text"},` +
			`"context":{"type":"number","description":"Lines to show around each match; default 0"},` +
			`"limit":{"type":"number","description":"The most matches to return; default 100"}},"required":["pattern"]}`),
		Risk: core.RiskRead,
	}
}

type grepArguments struct {
	pattern *regexp.Regexp
	path    string
	glob    glob
	context int
	limit   int
}

// maxContext is the most lines that are shown around a match.
const maxContext = 100

func (grepTool) arguments(call core.ToolCall) (grepArguments, *arguments) {
	a := parseArguments(call.Arguments)
	pattern := a.text("pattern")
	args := grepArguments{
		path:    a.pathOr("path"),
		glob:    glob(a.textOr("glob", "")),
		context: min(a.count("context", 0, 0), maxContext),
		limit:   a.count("limit", 1, 100),
	}
	if a.flag("literal") {
		pattern = regexp.QuoteMeta(pattern)
	}
	if a.flag("ignoreCase") {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		a.fail("argument %q: %w; set literal to search for plain text", "pattern", err)
	}
	args.pattern = re
	if !args.glob.valid() {
		a.fail("argument %q is not a valid glob pattern", "glob")
	}
	return args, a
}

func (t grepTool) Assess(call core.ToolCall) core.Assessment {
	args, a := t.arguments(call)
	return t.assessPath(a, args.path, toRead)
}

func (t grepTool) Run(ctx context.Context, inv core.Invocation) (core.ToolResult, error) {
	args, a := t.arguments(inv.ToolCall)
	if a.err != nil {
		return a.invalid(), nil
	}
	p, err := t.space.place(args.path, toRead, inv.Outside)
	if err != nil {
		return failure("search", args.path, err), nil
	}
	info, err := p.root.Stat(p.name)
	if err != nil {
		return failure("search", args.path, err), nil
	}
	s := &search{set: t.Set, args: args, out: text.NewList()}
	if !info.IsDir() {
		if err = regular(info); err == nil {
			err = s.file(ctx, p, t.space.shown(p.abs(p.name)))
		}
	} else {
		w := t.space.walk(p, func(name string, d fs.DirEntry) error {
			if !d.Type().IsRegular() || args.glob != "" && !args.glob.match(below(p.name, name)) {
				return nil
			}
			abs := p.abs(name)
			_ = s.file(ctx, place{root: p.root, dir: p.dir, name: name}, t.space.shown(abs)) // others may be readable
			return s.enough()
		})
		err = w.from(ctx, p.name)
	}
	switch {
	case ctx.Err() != nil:
		return aborted(s.out.Cut().Text), nil
	case err != nil:
		return failure("search", args.path, err), nil
	}
	return s.result(), nil
}

func (s *search) result() core.ToolResult {
	if s.matches == 0 {
		return core.TextResult("No matches found")
	}
	shown, cut := listed(s.out)
	details := grepDetails{LinesTruncated: s.cutLines, Truncation: cut}
	if s.more {
		details.MatchLimitReached = s.args.limit
		shown += fmt.Sprintf("\n\n[%d matches limit reached. Use a larger limit or a narrower pattern.]", s.args.limit)
	}
	if s.cutLines {
		shown += fmt.Sprintf("\n\n[Lines are cut to %d characters. Use read to see them whole.]", maxShownLine)
	}
	res := core.TextResult(shown)
	res.Details = details
	return res
}
