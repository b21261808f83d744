package protocol_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/protocol"
)

// A toy is the smallest codec that is of use: words in, words out. It stands for the protocols that are still to come, and shows
// what one has to bring.
type toy struct {
	engine *core.Engine
	out    *protocol.Outbox
}

func openToy(ctx context.Context, h *core.Host, out *protocol.Outbox) (protocol.Codec, error) {
	e, err := h.Open(ctx, core.EngineOptions{}, out)
	return &toy{e, out}, err
}

func (c *toy) Handle(_ context.Context, line []byte) []any {
	verb, rest, _ := strings.Cut(string(line), " ")
	switch verb {
	case "say":
		if _, err := c.engine.Prompt(core.Input{Text: rest}); err != nil {
			return []any{"error " + err.Error()}
		}
		return []any{"ok " + rest}
	case "stop":
		c.engine.Abort()
		return []any{"ok stop"}
	case "yes", "no":
		if err := c.engine.Decide(0, core.Decision{Approved: verb == "yes"}); err != nil {
			return []any{"error " + err.Error()}
		}
		return []any{"ok " + verb}
	case "later":
		c.out.Later(func() any { return "done " + rest })
		return nil
	case "much":
		return []any{large(strings.Repeat("y", 1<<20))}
	default:
		return []any{"error unknown " + verb}
	}
}

// large is a reply that tells its size.
type large string

func (l large) Size() int { return len(l) }

func (c *toy) Malformed(err error) []any { return []any{"error " + err.Error()} }
func (c *toy) Hangup()                   { c.engine.Hangup() }

func (c *toy) Append(buf []byte, item any) ([]byte, error) {
	switch it := item.(type) {
	case string:
		buf = append(buf, it...)
	case large:
		buf = append(buf, it...)
	case core.SessionStarted:
		buf = append(buf, "hello"...)
	case core.TextDelta:
		buf = append(append(buf, "text "...), it.Text...)
	case core.ApprovalRequested:
		buf = append(append(buf, "may "...), it.Call.Name...)
	case core.TurnEnded:
		buf = fmt.Appendf(buf, "end %s", it.Reason)
	default:
		return buf, nil
	}
	return append(buf, '\n'), nil
}

// text puts the text lines of an output together and returns the other lines.
func text(output []byte) (text string, others []string) {
	var b strings.Builder
	for line := range bytes.Lines(output) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if t, ok := bytes.CutPrefix(line, []byte("text ")); ok {
			b.Write(t)
			continue
		}
		others = append(others, string(line))
	}
	return b.String(), others
}
