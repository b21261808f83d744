package offline_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/providers/offline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func tool(name string, properties string) core.ToolSpec {
	return core.ToolSpec{Name: name, Parameters: []byte(`{"type":"object","properties":{` + properties + `}}`)}
}

var tools = []core.ToolSpec{
	tool("read", `"path":{}`), tool("ls", `"path":{}`), tool("bash", `"command":{}`), tool("write", `"path":{},"content":{}`),
	tool("edit", `"path":{},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{},"newText":{}}}}`),
	tool("find", `"pattern":{},"path":{}`), tool("grep", `"pattern":{},"path":{},"literal":{}`),
}

func user(text string) core.Message {
	return core.Message{Role: core.RoleUser, Content: []core.Block{core.TextBlock(text)}}
}

// reply returns the message that the model makes of messages.
func reply(t *testing.T, p *offline.Provider, r core.Request) core.Message {
	t.Helper()
	m := core.Message{Role: core.RoleAssistant}
	var text, thought strings.Builder
	for c, err := range p.Stream(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		switch c.Kind {
		case core.ChunkText:
			text.WriteString(c.Text)
		case core.ChunkReasoning:
			thought.WriteString(c.Text)
		case core.ChunkToolCall:
			m.Content = append(m.Content, core.Block{Kind: core.BlockToolCall, Call: &core.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Text}})
		case core.ChunkUsage:
			m.Usage = c.Usage
		case core.ChunkStop:
			m.Stop = c.Stop
		}
	}
	m.Content = append([]core.Block{{Kind: core.BlockThinking, Text: thought.String()}, core.TextBlock(text.String())}, m.Content...)
	return m
}

// A conversation plays the user and the tools.
type conversation struct {
	t        *testing.T
	p        *offline.Provider
	messages []core.Message
	result   func(core.ToolCall) core.ToolResult
}

// ask returns what the model says and calls until it ends its turn.
func (c *conversation) ask(text string) string {
	c.messages = append(c.messages, user(text))
	var out []string
	for {
		m := reply(c.t, c.p, core.Request{Model: offline.Model(), Messages: c.messages, Tools: tools})
		c.messages = append(c.messages, m)
		if text := m.Text(); text != "" {
			out = append(out, text)
		}
		calls := m.ToolCalls()
		for _, call := range calls {
			out = append(out, call.Name+call.Arguments)
			r := c.result(call)
			c.messages = append(c.messages, core.Message{Role: core.RoleTool, ToolCallID: call.ID, Content: r.Content, IsError: r.IsError})
		}
		if wantStop := map[bool]core.StopReason{true: core.StopTools, false: core.StopEnd}[len(calls) > 0]; m.Stop != wantStop {
			c.t.Errorf("%q: stop %q with %d calls", text, m.Stop, len(calls))
		}
		if len(calls) == 0 {
			return strings.Join(out, "\n")
		}
	}
}

func talk(t *testing.T, result func(core.ToolCall) core.ToolResult) *conversation {
	return &conversation{t: t, p: offline.New(), result: result}
}

// Requests are understood in many wordings. Wanted are the calls, one a line.
var phrasings = []struct{ want, asked string }{
	{`read{"path":"go.mod"}`, "read go.mod|Read go.mod.|please read the file go.mod|show go.mod|show me go.mod|Could you open \"go.mod\", please?|cat go.mod|what is in go.mod?|What's in the file 'go.mod'?|look at go.mod|READ `go.mod` for me"},
	{`read{"path":"my notes.txt"}`, "read \"my notes.txt\"|show me the contents of 'my notes.txt'"},
	{"read{\"path\":\"a.go\"}\nread{\"path\":\"b.go\"}", "read a.go and b.go|Read a.go, b.go|show the files a.go and b.go.|cat a.go b.go"},
	{"read{\"path\":\"a\"}\nread{\"path\":\"b\"}\nread{\"path\":\"c d\"}", "read a, b and \"c d\"|read a, b, and 'c d'"},
	{`ls{}`, "list the files here|list files|ls|show me all the files|List the files in this directory!|what files are here?|what files are there|show files here|list all files in the current folder|what is here?"},
	{`ls{"path":"src"}`, "list files in src|ls src|list the files in the directory src|what files are in src?|show me the files in the src folder|list the contents of \"src\""},
	{`ls{"path":"."}`, "list files in .|ls ."},
	{`bash{"command":"go version"}`, "run go version|run `go version`|Please run the command `go version`.|execute: go version|`go version`|run \"go version\"|run go version please"},
	{`bash{"command":"echo a; echo b, and say c"}`, "run `echo a; echo b, and say c`"},
	{`bash{"command":"echo a; echo b"}`, "run echo a; echo b"},
	{`write{"content":"hello world\n","path":"x.txt"}`, "write x.txt saying hello world|write hello world to x.txt|create x.txt with hello world|create a file x.txt with the text \"hello world\"|make a new file called x.txt containing hello world|write \"hello world\" into the file x.txt|save 'hello world' in x.txt|Write a file named `x.txt` that says: hello world"},
	{`write{"content":"to be and not to be\n","path":"x.txt"}`, "write x.txt saying to be and not to be"},
	{`write{"content":"","path":"x.txt"}`, "create an empty file x.txt|create a file called x.txt"},
	{`bash{"command":"printf '%s\\n' 'one more' \u003e\u003e x.txt"}`, "append \"one more\" to x.txt|add one more to the file x.txt"},
	{`edit{"edits":[{"newText":"bye","oldText":"hello"}],"path":"x.txt"}`, "replace hello with bye in x.txt|change \"hello\" to \"bye\" in the file x.txt|in x.txt, replace hello by bye"},
	{`find{"pattern":"*.go"}`, "find *.go|find files named *.go|Find all files matching *.go.|find the files named \"*.go\"|list *.go"},
	{`find{"path":"src","pattern":"*.go"}`, "find *.go in src|find files called *.go under src"},
	{`grep{"literal":true,"pattern":"TODO"}`, "search for TODO|grep TODO|look for \"TODO\"|where is TODO used?|find \"TODO\""},
	{`grep{"literal":true,"path":"src","pattern":"TODO"}`, "search for TODO in src|grep TODO src|grep for 'TODO' in the folder src"},
	{`grep{"literal":true,"pattern":"func main and more"}`, "search for \"func main and more\""},
	{`bash{"command":"rm -- old.txt"}`, "delete old.txt|remove the file old.txt|rm old.txt"},
	{`bash{"command":"rm -- a.txt 'b c.txt'"}`, "delete a.txt and \"b c.txt\""},
	{`bash{"command":"rm -f -- *.tmp *.temp temp/* tmp/*"}`, "delete the temp files|Delete all temporary files!|remove my tmp files"},
	{`bash{"command":"rm -f -- build/*.tmp build/*.temp build/temp/* build/tmp/*"}`, "delete the temp files in build"},
	{"read{\"path\":\"go.mod\"}\nbash{\"command\":\"go version\"}", "read go.mod and then run go version|Read go.mod, then run `go version`.|read go.mod; run go version|read go.mod. Run go version|read go.mod and run go version|first read go.mod\nthen run go version|please read go.mod and after that please run go version"},
	{"bash{\"command\":\"go vet\"}\nbash{\"command\":\"go test\"}\nls{}", "run go vet and run go test, then list the files|run go vet\nrun go test\nlist files"},
	{"write{\"content\":\"a and then b\\n\",\"path\":\"x\"}\nread{\"path\":\"x\"}", "write x saying \"a and then b\" and then read x"},
}

func TestPhrasings(t *testing.T) {
	for _, c := range phrasings {
		for asked := range strings.SplitSeq(c.asked, "|") {
			var calls []string
			talk(t, func(call core.ToolCall) core.ToolResult {
				calls = append(calls, call.Name+call.Arguments)
				return core.TextResult("fine")
			}).ask(asked)
			want := strings.NewReplacer(`\u003e`, ">").Replace(c.want)
			if got := strings.Join(calls, "\n"); got != want {
				t.Errorf("%q:\ngot  %s\nwant %s", asked, got, want)
			}
		}
	}
}

func TestSpeech(t *testing.T) {
	for asked, want := range map[string]string{
		"say hello":              "hello",
		"Say \"hello, world!\"":  "hello, world!",
		"say hello 3 times":      "hello hello hello",
		"repeat 'a b' 2 times":   "a b a b",
		"repeat 2 times: ho":     "ho ho",
		"count to 12":            "1 2 3 4 5 6 7 8 9 10 11 12",
		"Count up from 1 to 3.":  "1 2 3",
		"count to 0":             "",
		"say a and then say b":   "a\n\nb",
		"say this and read that": "this and read that",
		"think about tests":      "I have thought about tests.",
	} {
		if got := talk(t, nil).ask(asked); got != want {
			t.Errorf("%q: got %q, want %q", asked, got, want)
		}
	}
	for _, asked := range []string{"help", "", "hi", "what can you do?", "bake a cake", "read", "¿qué?"} {
		if got := talk(t, nil).ask(asked); !strings.Contains(got, "offline guide") || !strings.Contains(got, "--endpoint") {
			t.Errorf("%q: %q is no help", asked, got)
		}
	}
	m := reply(t, offline.New(), core.Request{Messages: []core.Message{user("think about tests")}})
	if m.Content[0].Text == "" {
		t.Error("no reasoning")
	}
}

func TestReports(t *testing.T) {
	for _, c := range []struct{ asked, result, want string }{
		{"read a", "one\ntwo\n3\n4\n5\n6", "`a` has 6 lines. It begins:\n```\none\ntwo\n3\n4\n5\n…\n```"},
		{"read a", "", "`a` is empty."},
		{"ls", "a\nb/", "There are 2 entries in the current folder: a, b/."},
		{"find *.go", "", "No files match `*.go`."},
		{"find *.go", "a.go\nb.go", "2 files match `*.go`: a.go, b.go."},
		{"grep x", "a:1: x", "I found 1 line with `x`:\n```\na:1: x\n```"},
		{"run true", "", "I ran `true`; it printed nothing."},
		{"ls", "b/", "There is 1 entry in the current folder: b/."},
		{"run true", "(no output)", "I ran `true`; it printed nothing."},
		{"run date", "now\n", "I ran `date`. It printed:\n```\nnow\n```"},
		{"write a saying b", "ok", "I have written `a`."},
		{"replace a with b in c", "ok", "I have changed `c`."},
		{"read a", "!no such file\nmore", "I could not read `a`: no such file"},
		{"run false", "!Command exited with code 1", "I ran `false`, but it failed:\n```\nCommand exited with code 1\n```"},
		{"run rm x", "!The user denied this call", "I was not allowed to run `rm x`: The user denied this call"},
		{"read a", "!open a: permission denied", "I could not read `a`: open a: permission denied"},
	} {
		got := talk(t, func(core.ToolCall) core.ToolResult {
			if text, bad := strings.CutPrefix(c.result, "!"); bad {
				return core.ErrorResult(text)
			}
			return core.TextResult(c.result)
		}).ask(c.asked)
		if _, got, _ := strings.Cut(got, "}\n"); got != c.want {
			t.Errorf("%q with result %q:\ngot  %s\nwant %s", c.asked, c.result, got, c.want)
		}
	}
}

// Requests are worked on one after the other, and not beyond one that fails.
func TestCompound(t *testing.T) {
	const asked = "say a, then read x and y, then say b, then run `false` and then read z and say c"
	c := talk(t, func(call core.ToolCall) core.ToolResult {
		if call.Name == "bash" {
			return core.ErrorResult("exit 1")
		}
		return core.TextResult("text")
	})
	want := "a\nread{\"path\":\"x\"}\nread{\"path\":\"y\"}\n" +
		"`x` has 1 line. It begins:\n```\ntext\n```\n\n`y` has 1 line. It begins:\n```\ntext\n```\n\nb\nbash{\"command\":\"false\"}\n" +
		"I ran `false`, but it failed:\n```\nexit 1\n```\n\nI stop here, and have not done “read z” and “say c”."
	if got := c.ask(asked); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	seen := map[string]bool{}
	for _, m := range c.messages {
		for _, call := range m.ToolCalls() {
			if seen[call.ID] {
				t.Errorf("id %s is used twice", call.ID)
			}
			seen[call.ID] = true
		}
	}
	if got := c.ask("say d"); got != "d" {
		t.Errorf("next turn: %q", got)
	}
}

// What the user says while a tool runs is the next request.
func TestSteering(t *testing.T) {
	messages := []core.Message{
		user("read a and then read b"),
		{Role: core.RoleAssistant, Content: []core.Block{{Kind: core.BlockToolCall, Call: &core.ToolCall{ID: "1", Name: "read", Arguments: `{"path":"a"}`}}}},
		{Role: core.RoleTool, ToolCallID: "1", Content: []core.Block{core.TextBlock("text")}},
		user("say stop instead"),
	}
	if got := reply(t, offline.New(), core.Request{Messages: messages, Tools: tools}); got.Text() != "stop instead" || len(got.ToolCalls()) > 0 {
		t.Errorf("got %q and %d calls", got.Text(), len(got.ToolCalls()))
	}
}

// Several messages in a row are all answered, but not those on which work was broken off.
func TestSeveralMessages(t *testing.T) {
	at := func(text string, second int) core.Message {
		m := user(text)
		m.Time = time.Unix(int64(second), 0)
		return m
	}
	p := offline.New()
	messages := []core.Message{at("say a", 1), at("read b", 2)}
	first := reply(t, p, core.Request{Messages: messages, Tools: tools, SessionID: "s"})
	if first.Text() != "a" || len(first.ToolCalls()) != 1 {
		t.Fatalf("got %q and %d calls", first.Text(), len(first.ToolCalls()))
	}
	result := core.Message{Role: core.RoleTool, ToolCallID: first.ToolCalls()[0].ID, Content: []core.Block{core.TextBlock("x")}}
	second := reply(t, p, core.Request{Messages: append(messages, first, result), Tools: tools, SessionID: "s"})
	if !strings.HasPrefix(second.Text(), "`b` has 1 line") {
		t.Errorf("after the result: %q", second.Text())
	}
	// The reply to both was aborted and is gone.
	third := reply(t, p, core.Request{Messages: append(messages, at("say c", 3)), Tools: tools, SessionID: "s"})
	if third.Text() != "c" || len(third.ToolCalls()) > 0 {
		t.Errorf("after an abort: %q and %d calls", third.Text(), len(third.ToolCalls()))
	}
}

func TestWithoutTools(t *testing.T) {
	for asked, want := range map[string]string{
		"read a":                       "I have no tool to read files here.",
		"write a saying b":             "I have no tool to write files here.",
		"Summarize this:\n" + "read a": "This is the offline guide, which cannot sum up",
	} {
		got := reply(t, offline.New(), core.Request{Messages: []core.Message{user(asked)}})
		if !strings.HasPrefix(got.Text(), want) || got.Stop != core.StopEnd {
			t.Errorf("%q: %q, stop %q; want %q", asked, got.Text(), got.Stop, want)
		}
	}
	for asked, want := range map[string]string{
		"read a and b": "cat -- a\ncat -- b", "ls": "ls -a -- .", "find *.go": "find . -name '*.go'", "search for a b in src": "grep -rnF -e 'a b' -- src",
	} {
		var got []string
		m := reply(t, offline.New(), core.Request{Messages: []core.Message{user(asked)}, Tools: []core.ToolSpec{tool("shell", `"cmd":{}`)}})
		for _, c := range m.ToolCalls() {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(c.Arguments, `{"cmd":"`), `"}`))
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%q with a shell alone: %q, want %q", asked, got, want)
		}
	}
}

// A long reply is streamed in small pieces, takes little memory, and ends with its context.
func TestLongReply(t *testing.T) {
	stop := errors.New("stop it")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pieces, size := 0, 0
	var last error
	for c, err := range offline.New().Stream(ctx, core.Request{Messages: []core.Message{user("count to 1000000000000")}}) {
		if last = err; err != nil {
			break
		}
		if pieces++; len(c.Text) > 40 {
			t.Fatalf("a piece of %d bytes", len(c.Text))
		}
		if size += len(c.Text); pieces == 200_000 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			cancel(stop)
		}
	}
	if !errors.Is(last, stop) || pieces != 200_000 {
		t.Errorf("%d pieces, then %v; want 200000 and %v", pieces, last, stop)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("the heap has grown by %d bytes over %d bytes of reply", grown, size)
	}
}

func TestUsage(t *testing.T) {
	m := reply(t, offline.New(), core.Request{System: "12345678", Messages: []core.Message{user("say abcdefgh")}})
	if got, want := fmt.Sprint(m.Usage.Input, m.Usage.Output, m.Usage.Estimated), "5 2 true"; got != want {
		t.Errorf("usage %s, want %s", got, want)
	}
}

func TestModel(t *testing.T) {
	m, level, err := core.FindModel([]core.Provider{offline.New()}, "offline/guide:high")
	if err != nil || level != "high" || m.ContextWindow != 128000 || !m.Reasoning || m.External || m.String() != "offline/guide" {
		t.Errorf("FindModel: %+v, %q, %v", m, level, err)
	}
	if _, ok := offline.New().Lookup("other"); ok {
		t.Error("Lookup of another model")
	}
}

func FuzzAnswer(f *testing.F) {
	for _, c := range phrasings {
		for asked := range strings.SplitSeq(c.asked, "|") {
			f.Add(asked)
		}
	}
	f.Fuzz(func(t *testing.T, asked string) {
		pieces := 0
		for c, err := range offline.New().Stream(t.Context(), core.Request{Messages: []core.Message{user(asked)}, Tools: tools}) {
			if err != nil || c.Kind == core.ChunkToolCall && c.Name == "" {
				t.Fatalf("%q: %+v, %v", asked, c, err)
			}
			if pieces++; pieces > 1000 {
				break // it may count for long
			}
		}
	})
}
