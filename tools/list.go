package tools

import (
	"fmt"
	"strings"

	"github.com/dualagent/agent/tools/internal/text"
)

// listed returns a list as text, with a marker if it was cut.
func listed(list *text.Head) (string, *truncation) {
	cut := list.Cut()
	if !cut.Truncated {
		return cut.Text, nil
	}
	marker := fmt.Sprintf("\n\n[Showing %d of %d lines (%d of %d bytes)]", cut.Lines, cut.TotalLines, len(cut.Text), cut.TotalBytes)
	return cut.Text + marker, truncationOf(cut, true)
}

// oneLine keeps a file's name, which may hold anything, from looking like several.
func oneLine(name string) string { return strings.ReplaceAll(name, "\n", "?") }
