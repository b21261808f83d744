package export_test

import (
	"fmt"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions/export"
)

// long is a session of n messages: prompts, calls, results and answers.
func long(n int) core.Transcript {
	tr := core.Transcript{Session: core.SessionInfo{ID: "0198"}}
	for i := range n {
		var m core.Message
		switch call := strconv.Itoa(i / 4); i % 4 {
		case 0:
			m = core.Message{Role: core.RoleUser, Content: []core.Block{core.TextBlock("question")}}
		case 1:
			m = core.Message{Role: core.RoleAssistant, Content: []core.Block{toolCall(call, "bash", `{"command":"ls"}`)}}
		case 2:
			m = core.Message{Role: core.RoleTool, ToolCallID: call, Content: []core.Block{core.TextBlock("a\nb\nc\n")}}
		default:
			m = core.Message{Role: core.RoleAssistant, Content: []core.Block{core.TextBlock("Look:\n```diff\n-a\n+b\n```\n")}}
		}
		e := message(m)
		e.ID, e.Parent = fmt.Sprintf("%08x", i+1), tr.Leaf
		tr.Leaf = e.ID
		tr.Entries = append(tr.Entries, e)
	}
	return tr
}

// counter counts bytes.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func TestSizeAndWorkGrowWithTheSession(t *testing.T) {
	size := func(n int) (bytes counter, work float64) {
		tr := long(n)
		work = testing.AllocsPerRun(1, func() {
			bytes = 0
			if err := export.Write(&bytes, tr); err != nil {
				t.Fatal(err)
			}
		})
		return bytes, work
	}
	start := time.Now()
	bytes, work := size(5000)
	if took := time.Since(start); took > 20*time.Second { // two pages; well below a second on an idle machine
		t.Errorf("5,000 messages took %v", took)
	}
	bytes2, work2 := size(10000)
	if r := float64(bytes2) / float64(bytes); r > 2.05 {
		t.Errorf("5,000 messages are %d bytes, 10,000 are %d: %.2f times as many", bytes, bytes2, r)
	}
	if r := work2 / work; r > 2.2 {
		t.Errorf("5,000 messages take %.0f allocations, 10,000 take %.0f: %.2f times as many", work, work2, r)
	}
	if perMessage := int(bytes) / 5000; perMessage > 600 {
		t.Errorf("%d bytes a message", perMessage)
	}
}

func BenchmarkWrite(b *testing.B) {
	tr := long(5000)
	for b.Loop() {
		if err := export.Write(io.Discard, tr); err != nil {
			b.Fatal(err)
		}
	}
}
