package tools

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// A replacement is one edit of a file.
type replacement struct {
	old, new string
	name     string // of the argument that old came in
}

// A span is where a replacement goes in the file.
type span struct {
	start, end int
	replacement
}

// replaceAll carries out edits that are all matched against the file as it is. Line ends are matched whatever they are; what is
// put in gets those of the file. All other bytes stay as they are.
func replaceAll(file string, edits []replacement) (string, error) {
	plain, feeds := withoutCR(file)
	crlf := 2*len(feeds) > strings.Count(plain, "\n")
	spans := make([]span, 0, len(edits))
	for _, e := range edits {
		e.old, e.new = unixEnds(e.old), unixEnds(e.new)
		start, err := findOnce(plain, e)
		if err != nil {
			return "", err
		}
		if crlf {
			e.new = strings.ReplaceAll(e.new, "\n", "\r\n")
		}
		spans = append(spans, span{original(start, feeds), original(start+len(e.old), feeds), e})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	done := 0
	for i, s := range spans {
		if s.start < done {
			return "", fmt.Errorf("%s and %s overlap; merge them into one edit", spans[i-1].name, s.name)
		}
		out.WriteString(file[done:s.start])
		out.WriteString(s.new)
		done = s.end
	}
	out.WriteString(file[done:])
	if out.String() == file {
		return "", errors.New("the edits change nothing: the new text is what is there already")
	}
	return out.String(), nil
}

func unixEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// findOnce returns where the only occurrence of an edit's old text begins.
func findOnce(file string, e replacement) (int, error) {
	first := strings.Index(file, e.old)
	if first < 0 {
		return 0, fmt.Errorf("%s was not found; it must match the file exactly, white space and line ends included", e.name)
	}
	if strings.Contains(file[first+1:], e.old) { // occurrences may overlap
		return 0, fmt.Errorf("%s occurs %d times; it must be unique. Add lines around it", e.name, max(2, strings.Count(file, e.old)))
	}
	return first, nil
}

// withoutCR returns s with LF in place of CR LF, and where in the result those line feeds are.
func withoutCR(s string) (plain string, feeds []int) {
	if !strings.Contains(s, "\r\n") {
		return s, nil
	}
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, "\r\n")
		out.WriteString(before)
		if !found {
			return out.String(), feeds
		}
		feeds = append(feeds, out.Len())
		out.WriteByte('\n')
		s = after
	}
}

// original returns where the position at of the text without CRs is in the file. It is before the CR of a line end.
func original(at int, feeds []int) int { return at + sort.SearchInts(feeds, at) }

// diff compares two versions of a file.
func diff(path, before, after string) editDetails {
	d := editDetails{FirstChangedLine: 1}
	name := strings.TrimPrefix(path, "/")
	u, err := udiff.ToUnifiedDiff("a/"+name, "b/"+name, before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil { // the edits come from the same package, for the same text
		return d
	}
	d.Patch = u.String()
	d.Diff, d.FirstChangedLine = numbered(u)
	return d
}

// numbered shows a diff with line numbers: of the new file, and of the old one where lines were taken away. It also returns
// the first line that changed, in the new file.
func numbered(u udiff.UnifiedDiff) (diff string, first int) {
	var out strings.Builder
	for i, h := range u.Hunks {
		if i > 0 {
			out.WriteString(" ...\n")
		}
		from, to := h.FromLine, h.ToLine
		for _, l := range h.Lines {
			sign, number := ' ', to
			switch l.Kind {
			case udiff.Delete:
				sign, number = '-', from
				from++
			case udiff.Insert:
				sign = '+'
				to++
			default:
				from++
				to++
			}
			if sign != ' ' && first == 0 {
				first = max(1, to-btoi(sign == '+'))
			}
			fmt.Fprintf(&out, "%c%d %s\n", sign, number, strings.TrimRight(l.Content, "\r\n"))
		}
	}
	return out.String(), max(1, first)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
