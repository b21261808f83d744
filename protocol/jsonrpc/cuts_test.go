package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol"
)

// TestOneEndOnTheWireAtEveryCut lets the model fail, break off and panic before each of its chunks, and a tool panic, and wants
// one agent/end or agent/error, then the answer, and nothing behind it.
func TestOneEndOnTheWireAtEveryCut(t *testing.T) {
	whole := []Step{Think("a"), Say("b"), Say("c"), Call(0, "x", "look", "{"), Call(0, "", "", "}"), Use(1, 1)}
	tools := []core.Tool{&Tool{Name: "look", Action: func(context.Context, core.Invocation) (core.ToolResult, error) { panic("boom") }}}
	for i := range len(whole) + 1 {
		for name, cut := range map[string]Step{"fails": Fail(errors.New("broken")), "breaks off": Cut(), "panics": Panic("boom"), "goes on": Do(func() {})} {
			t.Run(fmt.Sprintf("%s before chunk %d", name, i), func(t *testing.T) {
				steps := append(slices.Clone(whole[:i]), cut)
				h := newHost(t, tools, steps, Reply(Say("done")), Reply(Say("more")))
				lines := serve(t, h, `{"jsonrpc":"2.0","method":"prompt","params":{"message":"x"},"id":1}`)
				ends := 0
				for _, l := range lines {
					if strings.Contains(l, `"method":"agent/end"`) || strings.Contains(l, `"method":"agent/error"`) {
						ends++
					}
				}
				if last := lines[len(lines)-1]; ends != 1 || !strings.HasPrefix(last, `{"jsonrpc":"2.0","id":1,"result":{`) {
					t.Errorf("%d ends, the last line is %s", ends, last)
				}
			})
		}
	}
}

// TestInputByteByByte: how the bytes of the input come does not matter.
func TestInputByteByByte(t *testing.T) {
	in := strings.Join([]string{
		"\ufeff" + `{"jsonrpc":"2.0","method":"prompt","params":{"message":"é\ud83d\ude00\u2028"},"id":1}` + "\r", "", " \t\r",
		`{oops`, "\xff\xfe", `[]`, `5`, `{"jsonrpc":"2.0","id":1.50,"method":"nope"}`, `[{"jsonrpc":"2.0","id":"b","method":"abort"},1]`,
		strings.Repeat("[", 1001), strings.Repeat("x", 5000), `{"jsonrpc":"2.0","method":"abort","id":"last"}`,
	}, "\n")
	run := func(r io.Reader) string {
		h := newHost(t, nil, Reply(Say("ok")))
		var out bytes.Buffer
		if err := protocol.Serve(context.Background(), h, open(), r, &out, protocol.ServeOptions{MaxFrame: 4000}); err != nil {
			t.Fatal(err)
		}
		var replies []string
		for line := range strings.Lines(out.String()) {
			if !strings.Contains(line, `"method":`) {
				replies = append(replies, strings.ReplaceAll(line, `"error":"cancelled"`, `"reply":"ok"`))
			}
		}
		slices.Sort(replies) // the prompt's answer comes when its turn ends
		return strings.Join(replies, "")
	}
	want := run(strings.NewReader(in))
	if got := run(iotest.OneByteReader(strings.NewReader(in))); got != want {
		t.Errorf("byte by byte:\n%s\nat once:\n%s", got, want)
	}
	if n := strings.Count(want, "\n"); n != 10 {
		t.Errorf("%d answers:\n%s", n, want)
	}
}
