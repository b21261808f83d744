package tools

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools/internal/redact"
	"github.com/dualagent/agent/tools/internal/text"
)

type readTool struct{ *Set }

func (readTool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "read",
		Description: "Read a file. Text is cut to the first 2000 lines or 50 KiB, whichever comes first; the result tells how to go on " +
			"with offset. Images (png, jpeg, gif, webp) are shown as images. Other binary files are refused.",
		Parameters: []byte(`{"type":"object","properties":{` +
			`"path":{"type":"string","description":"Path of the file, relative to the workspace or absolute"},` +
			`"offset":{"type":"number","description":"Number of the line to start at, from 1"},` +
			`"limit":{"type":"number","description":"The most lines to read"}},"required":["path"]}`),
		Risk: core.RiskRead,
	}
}

type readArguments struct {
	path          string
	offset, limit int // limit 0: none
}

func (readTool) arguments(call core.ToolCall) (readArguments, *arguments) {
	a := parseArguments(call.Arguments)
	return readArguments{path: a.path("path"), offset: a.count("offset", 1, 1), limit: a.count("limit", 1, 0)}, a
}

func (t readTool) Assess(call core.ToolCall) core.Assessment {
	args, a := t.arguments(call)
	return t.assessPath(a, args.path, toRead)
}

func (t readTool) Run(ctx context.Context, inv core.Invocation) (core.ToolResult, error) {
	args, a := t.arguments(inv.ToolCall)
	if a.err != nil {
		return a.invalid(), nil
	}
	p, err := t.space.place(args.path, toRead, inv.Outside)
	if err != nil {
		return failure("read", args.path, err), nil
	}
	f, info, err := p.open(ctx)
	if err != nil {
		return failure("read", args.path, err), nil
	}
	defer f.Close()
	lines := newLineReader(f)
	begin, _ := lines.r.Peek(sniffed) // an error comes again when it is read
	if mime := imageType(begin); mime != "" {
		return readImage(lines.r, args.path, mime, info.Size())
	}
	if binary(begin) {
		return core.ErrorResult(refusal(args.path, begin, info)), nil
	}
	skipBOM(lines.r)
	return t.text(ctx, lines, args), nil
}

// refusal says why a binary file is not shown.
func refusal(path string, begin []byte, info fs.FileInfo) string {
	kind := "a binary file"
	if s := string(begin); strings.HasPrefix(s, "\xff\xfe") || strings.HasPrefix(s, "\xfe\xff") {
		kind = "text in UTF-16, which has to be converted first"
	} else if strings.HasPrefix(s, "%PDF-") {
		kind = "a PDF document"
	}
	return fmt.Sprintf("cannot read %s: it is %s (%d bytes)", path, kind, info.Size())
}

func skipBOM(r *bufio.Reader) {
	if b, _ := r.Peek(3); string(b) == "\ufeff" {
		_, _ = r.Discard(3)
	}
}

// text returns the lines that the arguments ask for.
func (t readTool) text(ctx context.Context, lines *lineReader, args readArguments) core.ToolResult {
	var head text.Head
	var keys redact.Lines
	number, wanted, first, ends := 0, 0, 0, false
	for lines.next() {
		if number++; number%1024 == 0 && ctx.Err() != nil {
			return aborted(head.Cut().Text)
		}
		secret := keys.Secret(string(lines.line))
		if number < args.offset || args.limit > 0 && wanted == args.limit {
			continue
		}
		if wanted++; wanted == 1 {
			first = lines.size
		}
		ends = lines.ends
		if secret {
			head.Add(redact.Mark)
		} else {
			head.Add(t.redact.Text(text.Visible(string(lines.line))))
		}
	}
	switch {
	case ctx.Err() != nil:
		return aborted(head.Cut().Text)
	case lines.err != nil:
		return failure("read", args.path, lines.err)
	case number == 0 && args.offset == 1:
		return core.TextResult("(the file is empty)")
	case args.offset > number:
		return core.ErrorResult(fmt.Sprintf("Offset %d is beyond end of file (%d lines total)", args.offset, number))
	}
	cut := head.Cut()
	shown := cut.Text
	last := args.offset + cut.Lines - 1
	switch {
	case cut.Partial:
		shown += fmt.Sprintf("\n\n[Line %d has %d bytes, of which the first %d are shown.", last, first, len(cut.Text))
		if last < number {
			shown += fmt.Sprintf(" Use offset=%d to continue behind it.", last+1)
		}
		shown += "]"
	case cut.Truncated:
		shown += fmt.Sprintf("\n\n[Showing lines %d-%d of %d. Use offset=%d to continue.]", args.offset, last, number, last+1)
	case last < number:
		shown += fmt.Sprintf("\n\n[%d more lines in file. Use offset=%d to continue.]", number-last, last+1)
	case ends:
		shown += "\n"
	}
	res := core.TextResult(shown)
	if cut.Truncated {
		res.Details = readDetails{Truncation: truncationOf(cut, true)}
	}
	return res
}
