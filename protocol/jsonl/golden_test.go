package jsonl_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol/jsonl"
)

var update = flag.Bool("update", false, "rewrite the golden conversations")

// A conversation is played against a scripted model; what was sent and what came is compared with a file for each dialect.
type conversation struct {
	name    string
	replies [][]Step
	play    func(c *client)
}

var never = make(chan struct{})

var conversations = []conversation{
	{"text", [][]Step{Reply(Think("let me "), Think("see"), Say("Hel", "lo\u2028<b>"), Use(12, 3))}, func(c *client) {
		c.send(`{"id":"p","type":"prompt","message":"hi"}`)
		c.until("agent_settled")
		c.ask(`{"id":"q","type":"get_messages"}`)
		c.ask(`{"id":"q","type":"get_state"}`)
	}},
	{"tools", [][]Step{
		Reply(Say("I will look."), Call(0, "c1", "look", `{"path":`, `"a"}`), Call(1, "c2", "gone", `{"x"`)), Reply(Say("done")),
	}, func(c *client) {
		c.send(`{"id":"p","type":"prompt","message":"look"}`)
		c.until("agent_settled")
	}},
	{"failure", [][]Step{Reply(Fail(&core.ProviderError{Message: "bad key", Status: 401}))}, func(c *client) {
		c.send(`{"id":"p","type":"prompt","message":"hi"}`)
		c.until("agent_settled")
	}},
	{"retry", [][]Step{
		Reply(Say("half"), Fail(&core.ProviderError{Message: "slow down", Retry: true, RetryAfter: 1})), Reply(Say("whole")),
	}, func(c *client) {
		c.send(`{"id":"p","type":"prompt","message":"hi"}`)
		c.until("agent_settled")
	}},
	{"retries-in-vain", [][]Step{
		Reply(Fail(&core.ProviderError{Message: "down", Retry: true, RetryAfter: 1})),
		Reply(Fail(&core.ProviderError{Message: "down", Retry: true, RetryAfter: 1})),
	}, func(c *client) {
		c.send(`{"id":"p","type":"prompt","message":"hi"}`)
		c.until("agent_settled")
	}},
	{"abort", [][]Step{Reply(Say("one"), Call(0, "c1", "look", `{"a"`), Wait(never))}, func(c *client) {
		c.send(`{"id":"p","type":"prompt","message":"go"}`)
		c.until("toolcall_delta")
		c.send(`{"id":"a","type":"abort"}`)
		c.until("agent_settled")
	}},
	{"steer", [][]Step{Reply(Say("one")), Reply(Say("two"))}, func(c *client) {
		c.send(`{"id":"s","type":"steer","message":"be brief"}`)
		c.until("queue_update")
		c.send(`{"id":"f","type":"follow_up","message":"and then"}`)
		c.until("queue_update")
		c.send(`{"id":"p","type":"prompt","message":"go"}`)
		c.until("agent_settled")
	}},
	{"bash", [][]Step{Reply(Say("seen"))}, func(c *client) {
		c.send(`{"id":"b","type":"bash","command":"ls"}`)
		c.until(`"command":"bash"`)
		c.send(`{"id":"p","type":"prompt","message":"go"}`)
		c.until("agent_settled")
	}},
	{"new-session", [][]Step{Reply(Say("one"), Wait(never)), Reply(Say("two"))}, func(c *client) {
		c.send(`{"id":"p","type":"prompt","message":"go"}`)
		c.until("text_delta")
		c.send(`{"id":"n","type":"new_session"}`)
		c.until(`"command":"new_session"`)
		c.send(`{"id":"p","type":"prompt","message":"go"}`)
		c.until("agent_settled")
	}},
}

func TestConversations(t *testing.T) {
	for _, d := range []jsonl.Dialect{jsonl.RPI, jsonl.Pi} {
		for _, conv := range conversations {
			t.Run(string(d)+"/"+conv.name, func(t *testing.T) {
				look := &Tool{Name: "look", Action: func(_ context.Context, inv core.Invocation) (core.ToolResult, error) {
					inv.Progress("so far")
					return core.ToolResult{Content: []core.Block{core.TextBlock("apple")}, Details: map[string]int{"lines": 1}}, nil
				}}
				c := start(t, options{
					Options: jsonl.Options{Dialect: d},
					host: core.HostOptions{
						Tools: []core.Tool{look}, Shell: shell(echo), Retry: core.RetryPolicy{Max: 1},
					},
				}, conv.replies...)
				if d == jsonl.RPI {
					c.until("session_started")
				}
				conv.play(c)
				compare(t, filepath.Join("testdata", string(d), conv.name+".txt"), normal(c.log.String()))
			})
		}
	}
}

// normal replaces what is different in each run.
func normal(log string) string {
	for _, r := range []struct{ pattern, with string }{
		{`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`, "UUID"},
		{`"timestamp":\d+`, `"timestamp":0`},
		{`"timestamp":"[^"]*"`, `"timestamp":"TIME"`},
		{`"(id|parentId|targetId)":"[0-9a-f]{8}"`, `"$1":"ENTRY"`},
		{`,"durationMs":\d+`, ""},
	} {
		log = regexp.MustCompile(r.pattern).ReplaceAllString(log, r.with)
	}
	return log
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := at(gotLines, i), at(wantLines, i)
		if g != w {
			t.Fatalf("%s:%d: got\n%s\nwant\n%s", path, i+1, g, w)
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
