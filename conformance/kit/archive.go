package kit

import (
	"bytes"
	"strings"
)

// An archive is a txtar file. Sections keep their line numbers, which is why this does not use a txtar package.
type archive struct {
	comment  string
	sections []section
}

type section struct {
	name string
	line int // of its first line of text, from 1
	text string
}

// parseArchive never fails: text without markers is all comment.
func parseArchive(data []byte) archive {
	var a archive
	text := string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	line := 0
	for l := range strings.Lines(text) {
		line++
		if name, ok := marker(l); ok {
			a.sections = append(a.sections, section{name: name, line: line + 1})
			continue
		}
		if n := len(a.sections); n > 0 {
			a.sections[n-1].text += l
		} else {
			a.comment += l
		}
	}
	return a
}

// marker returns NAME if line is "-- NAME --".
func marker(line string) (name string, ok bool) {
	line = strings.TrimRight(line, " \t\n")
	line, ok = strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	line, ok = strings.CutSuffix(line, " --")
	name = strings.TrimSpace(line)
	return name, ok && name != ""
}
