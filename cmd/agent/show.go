package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/sessions"
)

// How much a transcript shows of what is not said to people.
const (
	shownColumns = 160 // of a line
	shownLines   = 10  // of a result, a command's output or a summary
)

// show prints a session. It takes no lock and repairs nothing.
func (a *attendant) show(ctx context.Context, c *cli.Context) error {
	path, err := a.store.Find(ctx, a.cwd, c.Args().First())
	if err != nil {
		return err
	}
	h, entries, err := a.store.Read(ctx, a.cwd, path)
	if err != nil {
		return err
	}
	if (values{c}).flag("json") {
		return sessions.Encode(a.out, h, entries)
	}
	t := &transcript{out: bufio.NewWriter(a.out), said: map[string]string{}}
	t.header(path, h)
	for i := range entries {
		t.entry(&entries[i])
	}
	return t.out.Flush()
}

// A transcript prints a session for people. An error of the output is kept by out until it is flushed.
type transcript struct {
	out   *bufio.Writer
	leaf  string            // the entry that the next one continues from
	said  map[string]string // what to call an entry, by its id
	noted bool              // the last line is a note
}

func (t *transcript) header(path string, h core.Header) {
	for _, row := range [][2]string{
		{"session", h.ID}, {"directory", h.Cwd}, {"started", stamp(h.Time)}, {"parent", h.Parent}, {"file", path},
		{"open", sessions.User(path)},
	} {
		if row[1] != "" {
			fmt.Fprintf(t.out, "%-10s %s\n", row[0], oneLine(row[1]))
		}
	}
}

func (t *transcript) entry(e *core.Entry) {
	if e.Parent != t.leaf && !e.Side {
		t.note("branch", "goes on from "+cmp.Or(t.said[e.Parent], "the beginning"), time.Time{})
	}
	what := string(e.Type)
	switch e.Type {
	case core.EntryMessage:
		t.message(e.Message, e.Time)
		what = string(e.Message.Role) + ": " + words(e.Message.Text())
	case core.EntryModel:
		t.note("model", e.Provider+"/"+e.Model, e.Time)
	case core.EntryThinking:
		t.note("thinking", string(e.Thinking), e.Time)
	case core.EntryName:
		t.note("name", e.Name, e.Time)
	case core.EntryEdit:
		t.note("edit", "no longer counts: "+cmp.Or(t.said[e.Target], e.Target), e.Time)
	default:
		t.foreign(e)
	}
	if !e.Side {
		t.leaf = e.ID
	}
	t.said[e.ID] = what
}

// heading begins a paragraph.
func (t *transcript) heading(kind, about string, at time.Time) {
	t.noted = false
	fmt.Fprintln(t.out)
	fmt.Fprintln(t.out, oneLine(strings.Join([]string{"##", kind, about, stamp(at)}, " ")))
}

// note prints what happened between messages. Notes stand together.
func (t *transcript) note(kind, about string, at time.Time) {
	if !t.noted {
		fmt.Fprintln(t.out)
	}
	t.noted = true
	fmt.Fprintln(t.out, oneLine(strings.Join([]string{"--", kind, about, stamp(at)}, " ")))
}

func (t *transcript) message(m *core.Message, at time.Time) {
	switch m.Role {
	case core.RoleAssistant:
		t.heading("assistant", m.Provider+"/"+m.Model, at)
	case core.RoleTool:
		t.result(m)
		return
	case core.RoleShell:
		t.shell(m.Shell, at)
		return
	default:
		t.heading(string(m.Role), "", at)
	}
	for i := range m.Content {
		t.block(&m.Content[i])
	}
	if m.Raw != nil {
		var f foreignEntry
		_ = wire.DecodeLoose(m.Raw, &f)
		t.beginning(f.Summary)
	}
	switch m.Stop {
	case core.StopError, core.StopAborted, core.StopLength:
		t.line("[ended: " + strings.TrimSuffix(string(m.Stop)+": "+m.Error, ": ") + "]")
	}
}

func (t *transcript) block(b *core.Block) {
	switch b.Kind {
	case core.BlockText:
		t.text(b.Text)
	case core.BlockThinking:
		if b.Text != "" {
			t.line("[thinks: " + b.Text + "]")
		}
	case core.BlockImage:
		const perGroup, group = 3, 4 // bytes of base64
		t.line(fmt.Sprintf("[image %s, %s]", b.Image.MimeType, size(int64(len(b.Image.Data)/group*perGroup))))
	case core.BlockToolCall:
		t.line("-> " + b.Call.Name + " " + cmp.Or(b.Call.Arguments, "{}"))
	}
}

// result prints the first lines of what a tool has answered.
func (t *transcript) result(m *core.Message) {
	t.noted = false
	failed := ""
	if m.IsError {
		failed = " (error)"
	}
	t.line("<- " + m.ToolName + failed)
	t.beginning(m.Text())
	for i := range m.Content {
		if m.Content[i].Kind == core.BlockImage {
			t.block(&m.Content[i])
		}
	}
}

func (t *transcript) shell(s *core.ShellRun, at time.Time) {
	t.heading("shell", "", at)
	t.line("$ " + s.Command)
	t.beginning(s.Output)
	switch {
	case s.Cancelled:
		t.line("[cancelled]")
	case s.ExitCode != nil && *s.ExitCode != 0:
		t.line(fmt.Sprintf("[exit code %d]", *s.ExitCode))
	}
}

// foreign prints an entry that only other programs write.
func (t *transcript) foreign(e *core.Entry) {
	var f foreignEntry
	_ = wire.DecodeLoose(e.Raw, &f) // what cannot be told is left out
	about := cmp.Or(f.CustomType, f.Label)
	if f.TokensBefore > 0 {
		about = fmt.Sprintf("of %d tokens", f.TokensBefore)
	}
	t.note(strings.ReplaceAll(string(e.Type), "_", " "), about, e.Time)
	t.beginning(f.Summary)
}

// text prints all of a text, indented.
func (t *transcript) text(text string) {
	for line := range strings.SplitSeq(strings.Trim(harmless(text), "\n"), "\n") {
		fmt.Fprintln(t.out, strings.TrimRight("  "+line, " \t"))
	}
}

// line prints as much of a text as one line holds.
func (t *transcript) line(text string) { fmt.Fprintln(t.out, "  "+cut(oneLine(text), shownColumns)) }

// beginning prints the first lines of a text, further indented.
func (t *transcript) beginning(text string) {
	text = strings.Trim(text, "\r\n")
	if text == "" {
		return
	}
	lines := 0
	for line := range strings.Lines(text) {
		if lines++; lines <= shownLines {
			line = cut(strings.ReplaceAll(harmless(strings.TrimRight(line, " \t\r\n")), "\t", "    "), shownColumns)
			fmt.Fprintln(t.out, strings.TrimRight("     "+line, " "))
		}
	}
	if lines > shownLines {
		fmt.Fprintf(t.out, "     … %d more lines\n", lines-shownLines)
	}
}

// words returns the beginning of a text, to name it by.
func words(text string) string {
	const most = 60
	return cut(oneLine(text), most)
}

func stamp(t time.Time) string {
	if t.IsZero() || t.Unix() == 0 {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
