package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/sessions"
)

// list prints the sessions.
func (a *attendant) list(ctx context.Context, c *cli.Context) error {
	v := values{c}
	all := v.flag("all")
	list, err := a.summaries(ctx, all)
	if err != nil {
		return err
	}
	if v.flag("json") {
		return printLines(a.out, list)
	}
	if len(list) == 0 {
		hint := ""
		if !all {
			hint = " of " + harmless(a.cwd) + "; --all shows those of other directories"
		}
		fmt.Fprintf(a.err, "agent: there are no sessions%s\n", hint)
		return nil
	}
	ids, err := a.store.IDs(ctx)
	if err != nil {
		return err
	}
	t := table{all: all, columns: a.columns(), now: time.Now(), short: shortIDs(ids)}
	return t.print(a.out, list)
}

func (a *attendant) summaries(ctx context.Context, all bool) ([]core.SessionSummary, error) {
	if all {
		return a.store.All(ctx)
	}
	return a.store.List(ctx, a.cwd)
}

func printLines(w io.Writer, list []core.SessionSummary) error {
	out := bufio.NewWriter(w)
	for _, s := range list {
		line, err := wire.Encode(sessionLine{
			ID: s.ID, Path: s.Path, Cwd: s.Cwd, Name: s.Name, First: s.First, Messages: s.Messages, Entries: s.Entries,
			Size: s.Size, Modified: s.Modified.UTC().Format(time.RFC3339Nano), InUse: sessions.User(s.Path),
		})
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// A table shows sessions to people.
type table struct {
	all     bool // with their directories
	columns int  // of the terminal; 0: no limit
	now     time.Time
	short   map[string]string // ids as they are shown
}

func (t table) print(w io.Writer, list []core.SessionSummary) error {
	head := []string{"ID", "WRITTEN", "MESSAGES", "SIZE"}
	if t.all {
		head = append(head, "DIRECTORY")
	}
	rows := [][]string{append(head, "NAME")}
	for _, s := range list {
		rows = append(rows, t.row(s))
	}
	rows = t.fit(rows)
	widths := widest(rows)
	out := bufio.NewWriter(w)
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-width(cell))
			if kind := rows[0][i]; kind == "MESSAGES" || kind == "SIZE" {
				cell, gap = gap, cell
			}
			line += cell + gap + "  "
		}
		line = strings.TrimRight(line, " ")
		if t.columns > 0 {
			line = cut(line, t.columns)
		}
		fmt.Fprintln(out, line) // the error is Flush's, too
	}
	return out.Flush()
}

// fit leaves out columns, those first that people miss least, until there is room for some of the names.
func (t table) fit(rows [][]string) [][]string {
	const room = 20
	for _, drop := range []string{"SIZE", "MESSAGES", "WRITTEN"} {
		taken := 0
		for _, n := range widest(rows)[:len(rows[0])-1] {
			taken += n + len("  ")
		}
		if t.columns == 0 || taken+room <= t.columns {
			break
		}
		at := slices.Index(rows[0], drop)
		for i, row := range rows {
			rows[i] = slices.Delete(row, at, at+1)
		}
	}
	return rows
}

// widest returns how wide each column is.
func widest(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	return widths
}

func (t table) row(s core.SessionSummary) []string {
	row := []string{harmless(t.shown(s.ID)), ago(s.Modified, t.now), fmt.Sprint(s.Messages), size(s.Size)}
	if t.all {
		dir := oneLine(s.Cwd)
		if t.columns > 0 {
			dir = cutFront(dir, max(t.columns/4, 12))
		}
		row = append(row, dir)
	}
	return append(row, title(s))
}

// title returns what to call a session, with a mark if somebody has it open.
func title(s core.SessionSummary) string {
	name := cmp.Or(oneLine(s.Name), oneLine(s.First), "(nothing said)")
	if sessions.User(s.Path) != "" {
		return "[in use] " + name
	}
	return name
}

// shown returns as much of an id as names its session. A session that has been written since ids were read has all of it.
func (t table) shown(id string) string { return cmp.Or(t.short[id], id) }

// shortIDs returns, for each id, the beginning that no other has, of at least 8 characters.
func shortIDs(ids []string) map[string]string {
	const least = 8
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	short := make(map[string]string, len(ids))
	for i, id := range ids {
		n := least
		if i > 0 {
			n = max(n, shared(ids[i-1], id)+1)
		}
		if i+1 < len(ids) {
			n = max(n, shared(id, ids[i+1])+1)
		}
		short[id] = id[:min(n, len(id))]
	}
	return short
}

// shared returns how many bytes two texts begin with alike.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// ago returns a time as people say it: what was today is so long ago.
func ago(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	since := now.Sub(t)
	switch {
	case since < 0 || t.Format(time.DateOnly) != now.Format(time.DateOnly):
		return t.Format("2006-01-02 15:04")
	case since < time.Minute:
		return "just now"
	case since < time.Hour:
		return fmt.Sprintf("%d min ago", since/time.Minute)
	}
	return fmt.Sprintf("%d h ago", since/time.Hour)
}

// size returns a number of bytes as people say it.
func size(n int64) string {
	const step = 1 << 10
	if n < step {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n)/step, 0
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	for value >= step && unit+1 < len(units) {
		value, unit = value/step, unit+1
	}
	if value < 10 {
		return fmt.Sprintf("%.1f %s", value, units[unit])
	}
	return fmt.Sprintf("%.0f %s", value, units[unit])
}
