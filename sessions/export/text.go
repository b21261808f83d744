package export

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// colours are what programs send to terminals to change colours and move the cursor.
var colours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]`) })

// clean returns text that a page can hold: valid UTF-8 without control characters.
func clean(s string) string {
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	s = colours().ReplaceAllString(s, "")
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// unprintable also fits what is no UTF-8: strings tells it as utf8.RuneError.
func unprintable(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}

// firstLine returns the first line of s that has something in it, cut to a number of characters.
func firstLine(s string, limit int) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	line = strings.TrimSpace(line)
	if runes := []rune(line[:min(len(line), 4*limit+4)]); len(runes) > limit {
		return strings.TrimSpace(string(runes[:limit])) + "…"
	}
	if strings.TrimSpace(rest) != "" {
		line += " …"
	}
	return line
}

// prose parts Markdown into text and fenced code. All else of Markdown stays as it is written.
func prose(s string) []block {
	s = clean(s)
	var blocks []block
	var text, code strings.Builder
	var fence, lang string // of the code that has been opened
	flush := func() {
		if t := strings.Trim(text.String(), "\r\n"); strings.TrimSpace(t) != "" {
			blocks = append(blocks, block{Kind: "text", Text: t})
		}
		text.Reset()
	}
	end := func() {
		blocks = append(blocks, codeBlock(lang, code.String()))
		code.Reset()
		fence = ""
	}
	for line := range strings.Lines(s) {
		marks, info := fenceOf(line)
		switch {
		case fence == "" && marks != "":
			flush()
			fence, lang = marks, info
		case fence == "":
			text.WriteString(line)
		case strings.HasPrefix(marks, fence) && info == "":
			end()
		default:
			code.WriteString(line)
		}
	}
	if fence != "" {
		end()
	}
	flush()
	return blocks
}

func codeBlock(lang, code string) block {
	code = strings.TrimSuffix(code, "\n")
	if lang == "diff" || lang == "patch" {
		b := changes(code)
		b.Lang = lang
		return b
	}
	return block{Kind: "code", Lang: lang, Text: code}
}

// fenceOf returns the marks of a line that begins or ends a block of code, and the word behind them.
func fenceOf(line string) (marks, info string) {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
		return "", ""
	}
	n := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
	info = strings.TrimSpace(rest[n:])
	if n < 3 || rest[0] == '`' && strings.Contains(info, "`") {
		return "", ""
	}
	info, _, _ = strings.Cut(info, " ")
	return rest[:n], info
}

// A run is lines of a diff that follow each other and are of one kind.
type run struct {
	Kind  string // add, del, hunk, same
	Text  string
	lines int
}

// changes returns a diff with its lines told apart.
func changes(diff string) block {
	diff = clean(diff)
	b := block{Kind: "diff"}
	begin, end := 0, 0 // of the last run
	for line := range strings.Lines(diff) {
		kind := lineKind(line)
		if n := len(b.Runs); n == 0 || b.Runs[n-1].Kind != kind {
			begin = end
			b.Runs = append(b.Runs, run{Kind: kind})
		}
		end += len(line)
		last := &b.Runs[len(b.Runs)-1]
		last.Text = diff[begin:end]
		last.lines++
	}
	return b
}

func lineKind(line string) string {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "@@"):
		return "hunk"
	case strings.HasPrefix(line, "+"):
		return "add"
	case strings.HasPrefix(line, "-"):
		return "del"
	default:
		return "same"
	}
}

func count(runs []run) (added, removed int) {
	for _, r := range runs {
		switch r.Kind {
		case "add":
			added += r.lines
		case "del":
			removed += r.lines
		}
	}
	return added, removed
}
