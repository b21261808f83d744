package jsonl_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol"
	"github.com/dualagent/agent/protocol/jsonl"
)

// open returns a codec that nobody speaks with.
func open(tb testing.TB, o jsonl.Options) protocol.Codec {
	tb.Helper()
	host := core.NewHost(core.HostOptions{Providers: []core.Provider{NewProvider()}, Store: &Store{}, Cwd: "/work"})
	codec, err := jsonl.Open(o)(context.Background(), host, protocol.NewOutbox())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { host.Close() })
	return codec
}

// encode returns what a codec makes of items.
func encode(tb testing.TB, codec protocol.Codec, items ...any) []string {
	tb.Helper()
	var buf []byte
	var err error
	for _, item := range items {
		if buf, err = codec.Append(buf, item); err != nil {
			tb.Fatalf("Append(%T): %v", item, err)
		}
	}
	return strings.Split(strings.TrimSuffix(string(buf), "\n"), "\n")
}

// stream is a reply of n pieces with what surrounds it.
func stream(n int) []any {
	reply := core.Message{Role: core.RoleAssistant, Provider: "test", Model: "one", Stop: core.StopPending}
	items := []any{core.TurnStarted{Turn: 1}, core.ReplyStarted{Turn: 1, Message: reply}}
	for range n {
		items = append(items, core.TextDelta{Turn: 1, Text: "tok "})
	}
	reply.Content, reply.Stop = []core.Block{core.TextBlock(strings.Repeat("tok ", n))}, core.StopEnd
	return append(items, core.ReplyEnded{Turn: 1, Message: reply}, core.Settled{Turn: 1})
}

func TestDeltasCarryOnlyThemselves(t *testing.T) {
	size := func(n int) int { return len(strings.Join(encode(t, open(t, jsonl.Options{}), stream(n)...), "\n")) }
	if small, large := size(1000), size(2000); float64(large)/float64(small) > 2.05 {
		t.Errorf("1000 pieces take %d bytes, 2000 take %d: more than twice as much", small, large)
	}
	for _, l := range encode(t, open(t, jsonl.Options{}), stream(1000)...) {
		if strings.Contains(l, "text_delta") && len(l) > 160 {
			t.Fatalf("a piece takes %d bytes: %s", len(l), l)
		}
	}
}

func TestDeltaAllocates(t *testing.T) {
	codec := open(t, jsonl.Options{})
	encode(t, codec, stream(1)[:2]...)
	var item any = core.TextDelta{Turn: 1, Text: "tok "}
	buf := make([]byte, 0, 1<<16)
	if n := testing.AllocsPerRun(1000, func() { _, _ = codec.Append(buf, item) }); n > 2 {
		t.Errorf("a piece costs %v allocations, want at most 2", n)
	}
}

func BenchmarkTurn1000Deltas(b *testing.B) {
	for _, d := range []jsonl.Dialect{jsonl.RPI, jsonl.Pi} {
		b.Run(string(d), func(b *testing.B) {
			codec, items := open(b, jsonl.Options{Dialect: d}), stream(1000)
			buf := make([]byte, 0, 1<<20)
			b.ReportAllocs()
			for b.Loop() {
				buf = buf[:0]
				for _, item := range items {
					buf, _ = codec.Append(buf, item)
				}
				_, _ = io.Discard.Write(buf)
			}
			b.SetBytes(int64(len(buf)))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/delta")
		})
	}
}

func TestPartialsRepeatTheMessage(t *testing.T) {
	items := []any{
		core.ReplyStarted{Message: core.Message{Role: core.RoleAssistant, Stop: core.StopPending}},
		core.ReasoningDelta{Block: 0, Text: "so "}, core.TextDelta{Block: 1, Text: "Hel"}, core.TextDelta{Block: 1, Text: "lo"},
		core.ToolCallDelta{Block: 2, ID: "c1", Name: "read", Text: `{"a":`}, core.ToolCallDelta{Block: 2, ID: "c1", Name: "read", Text: `1}`},
	}
	for _, d := range []jsonl.Dialect{jsonl.RPI, jsonl.Pi} {
		lines := encode(t, open(t, jsonl.Options{Dialect: d, Partials: true}), items...)
		last := lines[len(lines)-1]
		content := `[{"type":"thinking","thinking":"so "},{"type":"text","text":"Hello"},` +
			`{"type":"toolCall","id":"c1","name":"read","arguments":{"a":1}}]`
		partialRole := ""
		if d == jsonl.Pi {
			partialRole = `"assistant"`
		}
		for path, want := range map[string]string{
			"message.content": content, "message.role": `"assistant"`,
			"assistantMessageEvent.partial.content": content, "assistantMessageEvent.partial.role": partialRole,
			"assistantMessageEvent.delta": `"1}"`,
		} {
			if got := field(t, last, strings.Split(path, ".")...); got != want {
				t.Errorf("%s: %s is %s, want %s", d, path, got, want)
			}
		}
		if half := lines[len(lines)-2]; field(t, half, "message", "content") != strings.Replace(content, `{"a":1}`, "{}", 1) {
			t.Errorf("%s: arguments that are not whole: %s", d, half)
		}
	}
}

// An abort drops the calls of a reply: their updates have no end, and those of the other blocks keep their numbers.
func TestEndsAfterAnAbort(t *testing.T) {
	reply := core.Message{
		Role: core.RoleAssistant, Stop: core.StopAborted, Error: "x",
		Content: []core.Block{{Kind: core.BlockThinking, Signature: "s"}, core.TextBlock("a"), core.TextBlock("b")},
	}
	lines := encode(t, open(t, jsonl.Options{}),
		core.ReplyStarted{}, core.TextDelta{Block: 1, Text: "a"}, core.ToolCallDelta{Block: 2, ID: "c", Name: "n"},
		core.TextDelta{Block: 3, Text: "b"}, core.ReplyEnded{Message: reply})
	var got []string
	for _, l := range lines {
		if strings.Contains(l, "message_update") {
			got = append(got, strings.Trim(field(t, l, "assistantMessageEvent", "type"), `"`)+" "+field(t, l, "assistantMessageEvent", "content_index"))
		}
	}
	want := "[text_start 1 text_delta 1 toolcall_start 2 toolcall_delta 2 text_start 3 text_delta 3 text_end 1 text_end 3]"
	if fmt.Sprint(got) != want {
		t.Errorf("updates\n%v, want\n%s", got, want)
	}
}

func TestNoticesAreForTheUser(t *testing.T) {
	for _, d := range []jsonl.Dialect{jsonl.RPI, jsonl.Pi} {
		got := encode(t, open(t, jsonl.Options{Dialect: d}), core.Notice{Text: "a"}, core.Notice{Text: "b"})
		for i, text := range []string{"a", "b"} {
			want := fmt.Sprintf(`{"type":"extension_ui_request","id":"notice-%d","method":"notify","message":"%s","notifyType":"warning",`+
				`"extensionId":"host","generation":0}`, i+1, text)
			if got[i] != want {
				t.Errorf("%s: got %s, want %s", d, got[i], want)
			}
		}
	}
}

func TestQuestionsShowTheArguments(t *testing.T) {
	call := core.ToolCall{ID: "c", Name: "write", Arguments: `{"path":"a","content":"x"}`}
	got := encode(t, open(t, jsonl.Options{}), core.ApprovalRequested{ID: 3, Call: call, Risk: core.RiskWrite})
	if got := field(t, got[0], "message"); got != `"Tool: write\nCapability: write\nArguments: {\"path\":\"a\",\"content\":\"x\"}"` {
		t.Errorf("the question is %s", got)
	}
}

func TestLinesThatAreTooLong(t *testing.T) {
	codec := open(t, jsonl.Options{})
	got := encode(t, codec, codec.Malformed(&protocol.TooLongError{Max: 4096})...)
	want := `{"type":"response","command":"parse","success":false,"error":"RPC frame exceeds 4096 bytes"}`
	if got[0] != want {
		t.Errorf("got %s, want %s", got[0], want)
	}
}

func TestShutdownIsToldAsAnAbort(t *testing.T) {
	got := encode(t, open(t, jsonl.Options{}), core.TurnEnded{Err: core.ErrShutdown}, core.Settled{Aborted: true})
	want := `{"type":"run_failed","message":"Request was aborted: the server is shutting down"}`
	if len(got) != 3 || got[1] != want || got[2] != settled {
		t.Errorf("got\n%s\nwant agent_end, then\n%s\n%s", strings.Join(got, "\n"), want, settled)
	}
}

// A response that does not encode is a failure, not the end of the connection.
func TestResponsesThatDoNotEncode(t *testing.T) {
	defer jsonl.AddUnencodable("odd")()
	c := start(t, options{})
	c.send(`{"id":1,"type":"odd"}`, `{"id":2,"type":"abort"}`)
	c.want(bad("1", "odd", "internal error: the response does not encode"), ok("2", "abort"))
}
