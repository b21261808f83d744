package tools

import (
	"context"
	"fmt"

	"github.com/dualagent/agent/tools/internal/redact"
	"github.com/dualagent/agent/tools/internal/text"
)

// maxShownLine is how many characters of a line a search shows.
const maxShownLine = 500

// A search is one call of grep.
type search struct {
	set  *Set
	args grepArguments
	out  *text.Head

	matches  int
	more     bool // there is a match beyond the limit
	cutLines bool
}

// enough returns errEnough when there is nothing more to look for.
func (s *search) enough() error {
	if s.more {
		return errEnough
	}
	return nil
}

// A found line, or one around it, that was not shown yet.
type numberedLine struct {
	number int
	text   string
}

// file searches one file. Lines are looked at up to 64 KiB.
func (s *search) file(ctx context.Context, p place, shown string) error {
	f, _, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := newLineReader(f)
	begin, _ := lines.r.Peek(sniffed) // an error comes again when it is read
	if binary(begin) {
		return nil
	}
	skipBOM(lines.r)
	shown = text.Clean(oneLine(shown))
	var before []numberedLine // the last lines that were not shown
	after := 0                // how many more lines to show behind a match
	var keys redact.Lines
	for n := 1; lines.next(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line := string(lines.line)
		if keys.Secret(line) {
			line = redact.Mark
		}
		switch {
		case s.args.pattern.Match(lines.line):
			if s.matches == s.args.limit {
				s.more = true
				return nil
			}
			s.matches++
			for _, l := range before {
				s.show(shown, '-', l.number, l.text)
			}
			before = before[:0]
			s.show(shown, ':', n, line)
			after = s.args.context
		case after > 0:
			after--
			s.show(shown, '-', n, line)
		case s.args.context > 0:
			if len(before) == s.args.context {
				before = append(before[:0], before[1:]...)
			}
			before = append(before, numberedLine{n, line})
		}
	}
	return lines.err
}

// show adds a line to the output: path:12: text for a match, path-11- text for a line near one.
func (s *search) show(path string, mark byte, number int, line string) {
	line = s.set.redact.Text(text.Visible(line))
	if short, cut := firstCharacters(line, maxShownLine); cut {
		line, s.cutLines = short+"...", true
	}
	s.out.Add(fmt.Sprintf("%s%c%d%c %s", path, mark, number, mark, line))
}

// firstCharacters returns the first n characters of s, and whether there are more.
func firstCharacters(s string, n int) (string, bool) {
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}
