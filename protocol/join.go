package protocol

import (
	"strings"

	"github.com/dualagent/agent/core"
)

// join puts neighbouring deltas of one block together.
func join(items []any) []any {
	out := items[:0]
	for i := 0; i < len(items); {
		n := 1
		length := deltaLen(items[i])
		for length >= 0 && i+n < len(items) && sameBlock(items[i], items[i+n]) && length < joinLimit {
			length += deltaLen(items[i+n])
			n++
		}
		item := items[i]
		if n > 1 {
			item = joined(items[i:i+n], length)
		}
		out = append(out, item)
		i += n
	}
	clear(items[len(out):])
	return out
}

func deltaLen(item any) int {
	switch d := item.(type) {
	case core.TextDelta:
		return len(d.Text)
	case core.ReasoningDelta:
		return len(d.Text)
	case core.ToolCallDelta:
		return len(d.Text)
	}
	return -1
}

func sameBlock(a, b any) bool {
	switch a := a.(type) {
	case core.TextDelta:
		b, ok := b.(core.TextDelta)
		return ok && a.Turn == b.Turn && a.Block == b.Block
	case core.ReasoningDelta:
		b, ok := b.(core.ReasoningDelta)
		return ok && a.Turn == b.Turn && a.Block == b.Block
	case core.ToolCallDelta:
		b, ok := b.(core.ToolCallDelta)
		return ok && a.Turn == b.Turn && a.Block == b.Block
	}
	return false
}

func joined(items []any, length int) any {
	var text strings.Builder
	text.Grow(length)
	for _, item := range items {
		switch d := item.(type) {
		case core.TextDelta:
			text.WriteString(d.Text)
		case core.ReasoningDelta:
			text.WriteString(d.Text)
		case core.ToolCallDelta:
			text.WriteString(d.Text)
		}
	}
	switch d := items[0].(type) {
	case core.TextDelta:
		d.Text = text.String()
		return d
	case core.ReasoningDelta:
		d.Text = text.String()
		return d
	case core.ToolCallDelta:
		d.Text = text.String()
		return d
	}
	return nil
}
