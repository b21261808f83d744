package jsonrpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"go.uber.org/goleak"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol"
	"github.com/dualagent/agent/protocol/jsonrpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHost(t testing.TB, tools []core.Tool, replies ...[]Step) *core.Host {
	h := core.NewHost(core.HostOptions{
		Providers: []core.Provider{NewProvider(replies...)}, Tools: tools, Store: &Store{}, Cwd: "/work", System: "Be brief.",
		Retry: core.RetryPolicy{Max: -1},
	})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return h
}

func open() protocol.Open { return jsonrpc.Open(jsonrpc.Options{Version: "test"}) }

// serve gives the whole input in one piece and returns the lines of the whole output, without the greeting.
func serve(t testing.TB, h *core.Host, input string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := protocol.Serve(context.Background(), h, open(), strings.NewReader(input), &out, protocol.ServeOptions{}); err != nil {
		t.Fatalf("serve: %v", err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if !strings.Contains(lines[0], `"method":"ready"`) {
		t.Fatalf("the first line is %s, want ready", lines[0])
	}
	return lines[1:]
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestPageExample is the example session of the protocol's page, byte for byte but for what is ours or measured.
func TestPageExample(t *testing.T) {
	h := newHost(t, nil, Reply(Say("hello"), Use(32, 5)))
	got := serve(t, h, `{"jsonrpc":"2.0","method":"prompt","params":{"message":"say hello"},"id":1}`)
	for i, line := range got {
		got[i] = durations(line)
	}
	want(t, got,
		`{"jsonrpc":"2.0","method":"agent/start","params":{}}`,
		`{"jsonrpc":"2.0","method":"state/change","params":{"state":"thinking"}}`,
		`{"jsonrpc":"2.0","method":"message/delta","params":{"delta":"hello"}}`,
		`{"jsonrpc":"2.0","method":"usage","params":{"iteration":1,`+
			`"usage":{"inputTokens":32,"outputTokens":5,"cachedTokens":0,"cost":0,"requestCount":1},`+
			`"context":{"estimatedUsed":37,"contextWindow":100000,"completionReserve":8192,"utilizationPercent":0}}}`,
		`{"jsonrpc":"2.0","method":"state/change","params":{"state":"idle"}}`,
		`{"jsonrpc":"2.0","method":"agent/end","params":{"reply":"hello","iterations":1,`+
			`"usage":{"inputTokens":32,"outputTokens":5,"totalTokens":37,"totalCost":0,"requestCount":1},`+
			`"toolCalls":[],"durationMs":0,"finishReason":"stop"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"reply":"hello"}}`)
}

// durations puts 0 in the place of a measured time.
func durations(line string) string {
	const key = `"durationMs":`
	i := strings.LastIndex(line, key)
	if i < 0 {
		return line
	}
	rest := strings.TrimLeft(line[i+len(key):], "0123456789")
	return line[:i+len(key)] + "0" + rest
}

func TestPromptAndAbortInOneWrite(t *testing.T) {
	for range 1000 {
		h := newHost(t, nil, Reply(Say("never")))
		got := serve(t, h, `{"jsonrpc":"2.0","method":"prompt","params":{"message":"go"},"id":1}`+"\n"+
			`{"jsonrpc":"2.0","method":"abort","id":2}`+"\n")
		want(t, got,
			`{"jsonrpc":"2.0","id":2,"result":{}}`,
			`{"jsonrpc":"2.0","method":"agent/start","params":{}}`,
			`{"jsonrpc":"2.0","method":"state/change","params":{"state":"thinking"}}`,
			`{"jsonrpc":"2.0","method":"agent/error","params":{"error":"cancelled"}}`,
			`{"jsonrpc":"2.0","method":"state/change","params":{"state":"idle"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"error":"cancelled"}}`)
	}
}

func TestTwoPromptsInOneWrite(t *testing.T) {
	for range 200 {
		h := newHost(t, nil, Reply(Say("one")), Reply(Say("two")))
		got := answers(serve(t, h, `{"jsonrpc":"2.0","method":"prompt","params":{"message":"a"},"id":1}`+"\n"+
			`{"jsonrpc":"2.0","method":"prompt","params":{"message":"b"},"id":2}`+"\n"))
		want(t, got, `{"jsonrpc":"2.0","id":1,"result":{"reply":"one"}}`, `{"jsonrpc":"2.0","id":2,"result":{"reply":"two"}}`)
	}
}

// answers keeps the lines that are answers.
func answers(lines []string) []string {
	return slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, `"method":`) })
}

// TestRefusals holds each kind of bad line against its answer, and that the next line works.
func TestRefusals(t *testing.T) {
	const good = `{"jsonrpc":"2.0","method":"abort","id":"next"}`
	deep := `{"jsonrpc":"2.0","method":"abort","id":1,"params":` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + "}"
	for _, c := range []struct{ in, want string }{
		{`{oops`, `"id":null,"error":{"code":-32700,"message":"Parse error: invalid character 'o' at start of value at byte 1"}`},
		{`nul`, `"id":null,"error":{"code":-32700,`},
		{"\xff", `"id":null,"error":{"code":-32700,"message":"Parse error: invalid UTF-8 at byte 0"}`},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"abort"}`, `"id":null,"error":{"code":-32700,`},
		{deep, `"id":null,"error":{"code":-32700,"message":"Parse error: nested deeper than 1000`},
		{`{}{}`, `"id":null,"error":{"code":-32700,`},
		{`[`, `"id":null,"error":{"code":-32700,`},
		{`[]`, `"id":null,"error":{"code":-32600,"message":"Invalid request: empty batch"}`},
		{`5`, `"id":null,"error":{"code":-32600,`},
		{`"x"`, `"id":null,"error":{"code":-32600,`},
		{`null`, `"id":null,"error":{"code":-32600,"message":"Invalid JSON-RPC version"}`},
		{`{}`, `"id":null,"error":{"code":-32600,"message":"Invalid JSON-RPC version"}`},
		{`{"jsonrpc":"1.0","method":"abort","id":7}`, `"id":7,"error":{"code":-32600,"message":"Invalid JSON-RPC version"}`},
		{`{"jsonrpc":2.0,"method":"abort","id":7}`, `"id":7,"error":{"code":-32600,"message":"Invalid JSON-RPC version"}`},
		{`{"jsonrpc":"2.0","id":5}`, `"id":5,"error":{"code":-32600,"message":"Missing method field"}`},
		{`{"jsonrpc":"2.0","id":5,"method":1,"params":"bar"}`, `"id":5,"error":{"code":-32600,"message":"Missing method field"}`},
		{`{"jsonrpc":"2.0","id":5,"method":"abort","params":"bar"}`, `"id":5,"error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":{},"method":"abort"}`, `"id":null,"error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":[1],"method":"abort"}`, `"id":null,"error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":true,"method":"abort"}`, `"id":null,"error":{"code":-32600,`},
		{`{"jsonrpc":"2.0","id":6,"method":"nope"}`, `"id":6,"error":{"code":-32601,"message":"Method not found: nope"}`},
		{`{"jsonrpc":"2.0","id":6,"method":"prompt"}`, `"id":6,"error":{"code":-32602,"message":"prompt requires a non-empty 'message' param"}`},
		{`{"jsonrpc":"2.0","id":6,"method":"prompt","params":{"message":""}}`, `"id":6,"error":{"code":-32602,"message":"prompt requires a non-empty 'message' param"}`},
		{`{"jsonrpc":"2.0","id":6,"method":"prompt","params":{"message":5}}`, `"id":6,"error":{"code":-32602,"message":"prompt requires a non-empty 'message' param"}`},
		{`{"jsonrpc":"2.0","id":6,"method":"prompt","params":{"message":"x","steer":"y"}}`, `"id":6,"error":{"code":-32602,`},
		{`{"jsonrpc":"2.0","id":6,"method":"prompt","params":{"message":"","steer":true}}`, `"id":6,"error":{"code":-32602,`},
		{`{"jsonrpc":"2.0","id":6,"method":"setModel","params":{"model":"none"}}`, `"id":6,"error":{"code":-32602,"message":"model 'none' was not found`},
		{`{"jsonrpc":"2.0","id":6,"method":"setModel","params":{"model":"none:m"}}`, `"id":6,"error":{"code":-32602,"message":"unknown provider 'none' for model 'm'`},
		{`{"jsonrpc":"2.0","id":6,"method":"approvalResponse","params":{"approved":true}}`, `"id":6,"error":{"code":-32602,"message":"no approval is pending"}`},
	} {
		got := serve(t, newHost(t, nil), c.in+"\n"+good+"\n")
		if len(got) != 2 {
			t.Errorf("%.60s: %d lines: %q, want its answer and the next one's", c.in, len(got), got)
			continue
		}
		slices.SortFunc(got, func(a, b string) int { return strings.Index(a, `"next"`) - strings.Index(b, `"next"`) })
		if !strings.HasPrefix(got[0], `{"jsonrpc":"2.0",`+c.want) {
			t.Errorf("%.60s:\ngot  %s\nwant %s", c.in, got[0], c.want)
		}
		if got[1] != `{"jsonrpc":"2.0","id":"next","result":{}}` {
			t.Errorf("%.60s: the next line is answered with %s", c.in, got[1])
		}
	}
}

func TestIDsAreEchoedByteForByte(t *testing.T) {
	for _, id := range []string{
		`0`, `"0"`, `""`, `-1`, `1.0`, `1.50`, `1e3`, `1e400`, `-0`, `9007199254740993`, strings.Repeat("9", 10_000),
		`null`, `"\u00e9\u0000"`, `"é"`, `"a\u0041\/"`, `"<&>"`,
	} {
		got := serve(t, newHost(t, nil), `{"jsonrpc":"2.0","method":"abort","id": `+id+" }\n")
		want(t, got, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`)
	}
}

func TestIDsInFlight(t *testing.T) {
	h := newHost(t, nil, Reply(Say("a")), Reply(Say("b")))
	got := serve(t, h, `{"jsonrpc":"2.0","method":"prompt","params":{"message":"x"},"id":1}`+"\n"+
		`{"jsonrpc":"2.0","method":"abort","id":1}`+"\n"+
		`{"jsonrpc":"2.0","method":"nope","id":2}`+"\n"+
		`{"jsonrpc":"2.0","method":"abort","id":"1"}`+"\n")
	got = answers(got)
	want(t, got,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: a request with id 1 is in flight already"}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: nope"}}`,
		`{"jsonrpc":"2.0","id":"1","result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"error":"cancelled"}}`)
}

func TestNotificationsAreNotAnswered(t *testing.T) {
	h := newHost(t, nil, Reply(Say("a")))
	got := serve(t, h, `{"jsonrpc":"2.0","method":"prompt","params":{"message":"x"}}`+"\n"+
		`{"jsonrpc":"2.0","method":"nope"}`+"\n"+`{"jsonrpc":"2.0","method":"prompt"}`+"\n"+`{"jsonrpc":"2.0","method":"getState"}`+"\n")
	if left := answers(slices.Clone(got)); len(left) != 0 {
		t.Errorf("answers to notifications: %q", left)
	}
	if !slices.ContainsFunc(got, func(l string) bool { return strings.Contains(l, `"method":"agent/end"`) }) {
		t.Error("the prompt was not carried out")
	}
}

// TestManyQueriesInOneWrite: what is answered at once does not count as waiting.
func TestManyQueriesInOneWrite(t *testing.T) {
	var in strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","method":"getState","id":%d}`+"\n", i)
	}
	got := serve(t, newHost(t, nil), in.String())
	for i, line := range got {
		if !strings.HasPrefix(line, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":`, i)) {
			t.Fatalf("answer %d is %s", i, line)
		}
	}
	if len(got) != 5000 {
		t.Errorf("%d answers", len(got))
	}
}

func TestTooManyRequests(t *testing.T) {
	gate := make(chan struct{})
	replies := [][]Step{Reply(Wait(gate), Say("x"))}
	for range 1000 {
		replies = append(replies, Reply(Say("x")))
	}
	h := newHost(t, nil, replies...)
	p := dial(t, h)
	for i := range 1001 {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"prompt","params":{"message":"x"},"id":%d}`, i))
	}
	p.until(`{"jsonrpc":"2.0","id":1000,"error":{"code":-32000,`)
	p.send(`{"jsonrpc":"2.0","method":"abort","id":"now"}`)
	p.until(`{"jsonrpc":"2.0","id":"now","result":{}}`)
	p.until(`{"jsonrpc":"2.0","id":0,"result":{"error":"cancelled"}}`)
	close(gate)
	p.until(`{"jsonrpc":"2.0","id":999,"result":{"reply":"x"}}`)
	p.send(`{"jsonrpc":"2.0","method":"abort","id":"again"}`)
	p.until(`{"jsonrpc":"2.0","id":"again","result":{}}`)
}

// TestCallsSideBySideAreToldInARow: each call's result comes right behind it, as clients that know no ids expect.
func TestCallsSideBySideAreToldInARow(t *testing.T) {
	h := newHost(t, []core.Tool{&Tool{Name: "a"}, &Tool{Name: "b"}},
		Reply(Call(0, "1", "a", "{}"), Call(1, "2", "b", "{}"), Call(2, "3", "a", "{}")), Reply(Say("ok")))
	got := serve(t, h, `{"jsonrpc":"2.0","method":"prompt","params":{"message":"x"}}`+"\n")
	var order []string
	for _, line := range got {
		var r struct {
			Method string
			Params struct{ ToolCallID, State string }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(r.Method, "tool/") || r.Params.State == "executing_tool" {
			order = append(order, r.Method+" "+r.Params.ToolCallID)
		}
	}
	want(t, order, "tool/call 1", "state/change ", "tool/result 1", "tool/call 2", "state/change ", "tool/result 2",
		"tool/call 3", "state/change ", "tool/result 3")
}

// TestShutdown: what was accepted with it and before it is carried out and answered, what comes behind it is not read.
func TestShutdown(t *testing.T) {
	for range 200 {
		h := newHost(t, nil, Reply(Say("a")))
		got := answers(serve(t, h, `[{"jsonrpc":"2.0","method":"shutdown","id":1},{"jsonrpc":"2.0","method":"prompt","params":{"message":"x"},"id":2}]`+
			"\n"+`{"jsonrpc":"2.0","method":"abort","id":3}`+"\n"))
		want(t, got, `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{"reply":"a"}}]`)
	}
}

// A peer is a client on pipes.
type peer struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan string
}

func dial(t *testing.T, h *core.Host) *peer {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var done sync.WaitGroup
	p := &peer{t: t, in: inW, lines: make(chan string, 100_000)}
	done.Go(func() {
		defer outW.Close()
		if err := protocol.Serve(context.Background(), h, open(), inR, outW, protocol.ServeOptions{}); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	done.Go(func() {
		dec := json.NewDecoder(outR)
		for {
			var raw json.RawMessage
			if dec.Decode(&raw) != nil {
				return
			}
			p.lines <- string(raw)
		}
	})
	t.Cleanup(func() { inW.Close(); done.Wait() })
	return p
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// until waits for a line that begins so.
func (p *peer) until(prefix string) {
	p.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case line := <-p.lines:
			if strings.HasPrefix(line, prefix) {
				return
			}
		case <-limit:
			p.t.Fatalf("no line begins with %s", prefix)
		}
	}
}

// TestAnIndependentClient lets jrpc2's client, written by others, drive a turn with an approval.
func TestAnIndependentClient(t *testing.T) {
	tools := []core.Tool{&Tool{Name: "rm", Risk: core.RiskDestructive}}
	h := newHost(t, tools, Reply(Call(0, "c1", "rm", `{"path":"tmp"}`)), Reply(Say("Done.")))
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var done sync.WaitGroup
	done.Go(func() {
		defer outW.Close()
		if err := protocol.Serve(context.Background(), h, open(), inR, outW, protocol.ServeOptions{}); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	asked := make(chan struct{})
	var heard []string
	client := jrpc2.NewClient(channel.Line(outR, inW), &jrpc2.ClientOptions{OnNotify: func(r *jrpc2.Request) {
		heard = append(heard, r.Method())
		if r.Method() == "approval/request" {
			close(asked)
		}
	}})
	ctx := context.Background()
	var result struct{ Reply string }
	var call sync.WaitGroup
	call.Go(func() {
		if err := client.CallResult(ctx, "prompt", map[string]any{"message": "clean up"}, &result); err != nil {
			t.Errorf("prompt: %v", err)
		}
	})
	<-asked
	if _, err := client.Call(ctx, "approvalResponse", map[string]any{"approved": true}); err != nil {
		t.Errorf("approvalResponse: %v", err)
	}
	call.Wait()
	if result.Reply != "Done." {
		t.Errorf("reply %q", result.Reply)
	}
	responses, err := client.Batch(ctx, []jrpc2.Spec{{Method: "getState"}, {Method: "nope"}, {Method: "listTools"}, {Method: "abort", Notify: true}})
	if err != nil || len(responses) != 3 || responses[0].Error() != nil || responses[1].Error() == nil || responses[2].Error() != nil {
		t.Errorf("batch: %v, %v", responses, err)
	}
	inW.Close()
	done.Wait()
	if err := client.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	// This client calls back in an order of its own, so the kinds are compared.
	slices.Sort(heard)
	if got, want := slices.Compact(heard), []string{
		"agent/end", "agent/start", "approval/request", "message/delta", "ready", "state/change", "tool/call", "tool/result", "usage",
	}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

func FuzzHandle(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","method":"prompt","params":{"message":"x"},"id":1}`, `[{"jsonrpc":"2.0","method":"abort","id":1},5]`,
		`{"jsonrpc":"2.0","method":"prompt","params":["hi",true],"id":1}`, `{"jsonrpc":"2.0","method":"approvalResponse","params":{"approved":true,"id":"x"},"id":null}`,
		`{"jsonrpc":"2.0","method":"getMessages","params":{"immediate":true},"id":"é"}`, `[[[[`, `{"id":1e400}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n") || strings.TrimSpace(line) == "" {
			return
		}
		h := newHost(t, nil, Reply(Say("a")))
		const next = `{"jsonrpc":"2.0","method":"abort","id":"the next line"}`
		var answered bool
		for _, l := range serve(t, h, line+"\n"+next+"\n") {
			if !json.Valid([]byte(l)) {
				t.Fatalf("%q is answered with %q", line, l)
			}
			answered = answered || l == `{"jsonrpc":"2.0","id":"the next line","result":{}}`
		}
		if !answered && !strings.Contains(line, "the next line") && !strings.Contains(line, "shutdown") {
			t.Fatalf("behind %q the next line is not answered", line)
		}
	})
}

func BenchmarkTurn1000Deltas(b *testing.B) {
	deltas := make([]string, 1000)
	for i := range deltas {
		deltas[i] = "tok "
	}
	var replies [][]Step
	for range b.N {
		replies = append(replies, Reply(Say(deltas...)))
	}
	h := newHost(b, nil, replies...)
	in := strings.Repeat(`{"jsonrpc":"2.0","method":"prompt","params":{"message":"x"}}`+"\n", b.N)
	b.ReportAllocs()
	b.ResetTimer()
	if err := protocol.Serve(context.Background(), h, open(), strings.NewReader(in), io.Discard, protocol.ServeOptions{}); err != nil {
		b.Fatal(err)
	}
}
