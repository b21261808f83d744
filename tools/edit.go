package tools

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/tools/internal/text"
)

// maxEdited is the largest file that can be edited, in bytes.
const maxEdited = 8 << 20

type editTool struct{ *Set }

func (editTool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "edit",
		Description: "Edit a file by replacing exact text. Each oldText must occur exactly once in the file as it is now, white space " +
			"included, and the edits of one call must not overlap. Line ends of the file are kept. The result shows the change as a diff.",
		Parameters: []byte(`{"type":"object","properties":{` +
			`"path":{"type":"string","description":"Path of the file, relative to the workspace or absolute"},` +
			`"edits":{"type":"array","description":"The replacements, all matched against the original file","items":{"type":"object","properties":{` +
			`"oldText":{"type":"string","description":"The exact text to replace, unique in the file"},` +
			`"newText":{"type":"string","description":"What to put in its place"}},"required":["oldText","newText"]}}},` +
			`"required":["path","edits"]}`),
		Risk: core.RiskWrite,
	}
}

// arguments returns the path and the replacements. A single one may be given beside the path instead of in a list, and the
// list as JSON in a string.
func (editTool) arguments(call core.ToolCall) (string, []replacement, *arguments) {
	a := parseArguments(call.Arguments)
	path := a.path("path")
	a.namesFile("path", path)
	var list []wire.Raw
	raw := a.fields["edits"]
	var inString string
	if wire.Decode(raw, &inString) == nil && inString != "" {
		a.fields["edits"] = wire.Raw(inString)
	}
	given := a.decode("edits", "an array of {oldText, newText}", &list)
	var edits []replacement
	for i, item := range list {
		edits = append(edits, a.replacement(item, fmt.Sprintf("edits[%d].", i)))
	}
	if _, ok := a.fields["oldText"]; ok || a.fields["newText"] != nil {
		edits = append(edits, replacement{old: a.text("oldText"), new: a.text("newText"), name: "oldText"})
	} else if !given {
		a.fail("missing required argument %q", "edits")
	}
	if len(edits) == 0 {
		a.fail("argument %q must not be empty", "edits")
	}
	for _, e := range edits {
		if e.old == "" {
			a.fail("argument %q must not be empty", e.name)
		}
	}
	return path, edits, a
}

// replacement reads one item of edits.
func (a *arguments) replacement(raw wire.Raw, name string) replacement {
	item := &arguments{}
	if err := wire.Decode(raw, &item.fields); err != nil || item.fields == nil {
		a.fail("argument %q must be an object with oldText and newText", strings.TrimSuffix(name, "."))
		return replacement{}
	}
	r := replacement{name: name + "oldText"}
	r.old, r.new = a.member(item, name, "oldText"), a.member(item, name, "newText")
	return r
}

// member returns a string of an item.
func (a *arguments) member(item *arguments, name, key string) (s string) {
	if item.decode(key, "a string", &s) {
		return s
	}
	if item.err != nil {
		a.fail("argument %q must be a string", name+key)
	}
	a.fail("missing required argument %q", name+key)
	return ""
}

func (t editTool) Assess(call core.ToolCall) core.Assessment {
	path, _, a := t.arguments(call)
	return t.assessPath(a, path, toWrite)
}

func (t editTool) Run(ctx context.Context, inv core.Invocation) (core.ToolResult, error) {
	path, edits, a := t.arguments(inv.ToolCall)
	if a.err != nil {
		return a.invalid(), nil
	}
	p, err := t.space.place(path, toWrite, inv.Outside)
	if err != nil {
		return failure("edit", path, err), nil
	}
	before, err := p.content(ctx)
	if err != nil {
		return failure("edit", path, err), nil
	}
	after, err := replaceAll(before, edits)
	if err != nil {
		return failure("edit", path, err), nil
	}
	if ctx.Err() != nil {
		return aborted(""), nil
	}
	if err := p.replace([]byte(after)); err != nil {
		return failure("edit", path, err), nil
	}
	return t.report(path, before, after, len(edits)), nil
}

// content returns a text file as it is.
func (p place) content(ctx context.Context) (string, error) {
	f, info, err := p.open(ctx)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxEdited:
		return "", fmt.Errorf("it has %d bytes; at most %d can be edited", info.Size(), maxEdited)
	case binary(data[:min(len(data), sniffed)]):
		return "", fmt.Errorf("it is a binary file")
	}
	return string(data), nil
}

// report tells what was changed: to the model in words and as a diff, to clients in details.
func (t editTool) report(path, before, after string, n int) core.ToolResult {
	d := diff(path, before, after)
	d.Diff, d.Patch = t.shorten(d.Diff), t.shorten(d.Patch)
	head := text.CutHead(strings.TrimSuffix(text.Visible(strings.ReplaceAll(d.Patch, "\r\n", "\n")), "\n"))
	shown := head.Text
	if head.Truncated {
		shown += "\n[The diff goes on.]"
	}
	res := core.TextResult(fmt.Sprintf("Successfully replaced %d block(s) in %s.\n\n%s", n, path, shown))
	res.Details = d
	return res
}

// maxDiff is how many bytes of a diff clients get.
const maxDiff = 256 << 10

func (t editTool) shorten(s string) string { return text.Prefix(t.redact.Text(s), maxDiff) }
