package v3

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

var noon = time.UnixMilli(1786700000123).UTC()

const usageJSON = `"usage":{"input":10,"output":4,"cacheRead":3,"cacheWrite":2,"cacheWrite1h":1,"reasoning":2,"totalTokens":19,` +
	`"cost":{"input":0.001,"output":0.000006,"cacheRead":0,"cacheWrite":0,"total":0.001006}}`

var testUsage = core.Usage{
	Input: 10, Output: 4, CacheRead: 3, CacheWrite: 2, CacheWrite1h: 1, Reasoning: 2,
	Cost: core.Cost{Input: 0.001, Output: 0.000006, Total: 0.001006},
}

func raw(s string) []byte { return []byte(s) }

// roundTrips holds messages that are the same in both forms.
var roundTrips = []struct {
	name    string
	message core.Message
	json    string
}{
	{
		"user", core.Message{Role: core.RoleUser, Time: noon, Content: []core.Block{core.TextBlock("<hi> \u2028")}},
		`{"role":"user","content":[{"type":"text","text":"<hi> \u2028"}],"timestamp":1786700000123}`,
	},
	{
		"user with an image", core.Message{Role: core.RoleUser, Time: noon, Content: []core.Block{
			core.TextBlock(""), {Kind: core.BlockImage, Image: &core.Image{Data: "aGk=", MimeType: "image/png"}},
		}},
		`{"role":"user","content":[{"type":"text","text":""},{"type":"image","data":"aGk=","mimeType":"image/png"}],"timestamp":1786700000123}`,
	},
	{
		"reply", core.Message{
			Role: core.RoleAssistant, Time: noon, API: "openai-completions", Provider: "p", Model: "m", ResponseID: "r1",
			Usage: testUsage, Stop: core.StopTools, RawStop: "tool_calls", Took: 39 * time.Millisecond, Thinking: "low",
			Content: []core.Block{
				{Kind: core.BlockThinking, Text: "hm", Signature: "s1"},
				{Kind: core.BlockThinking, Signature: "s2", Redacted: true},
				{Kind: core.BlockText, Text: "I will", Signature: "s3"},
				{Kind: core.BlockToolCall, Call: &core.ToolCall{ID: "c1", Name: "bash", Arguments: `{"command":"ls"}`, Signature: "s4"}},
			},
		},
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s1"},` +
			`{"type":"thinking","thinking":"","thinkingSignature":"s2","redacted":true},` +
			`{"type":"text","text":"I will","textSignature":"s3"},` +
			`{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"},"thoughtSignature":"s4"}],` +
			`"api":"openai-completions","provider":"p","model":"m","responseId":"r1",` + usageJSON +
			`,"stopReason":"toolUse","rawStopReason":"tool_calls","durationMs":39,"thinkingLevel":"low","timestamp":1786700000123}`,
	},
	{
		"pending reply", core.Message{Role: core.RoleAssistant, Time: noon, API: "a", Provider: "p", Model: "m", Stop: core.StopPending},
		`{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,` +
			`"cacheWrite":0,"cacheWrite1h":0,"reasoning":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,` +
			`"cacheWrite":0,"total":0}},"stopReason":"pending","timestamp":1786700000123}`,
	},
	{
		"failed reply", core.Message{
			Role: core.RoleAssistant, Time: noon, Stop: core.StopError, Error: "429: slow down",
			Usage: core.Usage{Input: 1, Estimated: true},
		},
		`{"role":"assistant","content":[],"api":"","provider":"","model":"","usage":{"input":1,"output":0,"cacheRead":0,` +
			`"cacheWrite":0,"cacheWrite1h":0,"reasoning":0,"totalTokens":1,"cost":{"input":0,"output":0,"cacheRead":0,` +
			`"cacheWrite":0,"total":0},"estimated":true},"stopReason":"error","errorMessage":"429: slow down","timestamp":1786700000123}`,
	},
	{
		"broken arguments", core.Message{Role: core.RoleUser, Time: noon, Content: []core.Block{
			{Kind: core.BlockToolCall, Call: &core.ToolCall{ID: "c", Name: "n", Arguments: `[1]`}},
		}},
		`{"role":"user","content":[{"type":"toolCall","id":"c","name":"n","arguments":{},"argumentsError":` +
			`"the arguments are not a JSON object\n\nReceived arguments:\n[1]"}],"timestamp":1786700000123}`,
	},
	{
		"tool result", core.Message{
			Role: core.RoleTool, Time: noon, ToolCallID: "c1", ToolName: "bash", Took: 10 * time.Millisecond,
			Content: []core.Block{core.TextBlock("one")}, Details: wire.Raw(`{"n":1}`),
		},
		`{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"one"}],` +
			`"details":{"n":1},"isError":false,"durationMs":10,"timestamp":1786700000123}`,
	},
	{
		"tool result without anything", core.Message{Role: core.RoleTool, IsError: true},
		`{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":true,"timestamp":0}`,
	},
	{
		"shell", core.Message{Role: core.RoleShell, Time: noon, Shell: &core.ShellRun{
			Command: "ls", Output: "a\n", ExitCode: new(0), Truncated: true, OutputPath: "/tmp/x.log", Exclude: true,
		}},
		`{"role":"bashExecution","command":"ls","output":"a\n","exitCode":0,"cancelled":false,"truncated":true,` +
			`"fullOutputPath":"/tmp/x.log","timestamp":1786700000123,"excludeFromContext":true}`,
	},
	{
		"shell, killed", core.Message{Role: core.RoleShell, Time: noon, Shell: &core.ShellRun{Cancelled: true}},
		`{"role":"bashExecution","command":"","output":"","cancelled":true,"truncated":false,"timestamp":1786700000123}`,
	},
	{
		"system of another program", core.Message{Role: core.RoleSystem, Time: noon,
			Raw: raw(`{"role":"system","content":"","sections":{"rules":"x"},"toolsAdded":[],"timestamp":1786700000123}`)},
		`{"role":"system","content":"","sections":{"rules":"x"},"toolsAdded":[],"timestamp":1786700000123}`,
	},
	{
		"custom", core.Message{
			Role: core.RoleCustom, Time: noon, Content: []core.Block{core.TextBlock("go on")},
			Raw: raw(`{"role":"custom","customType":"Loop a","content":"go on","display":true,"timestamp":1786700000123,"x":[1]}`),
		},
		`{"role":"custom","customType":"Loop a","content":"go on","display":true,"timestamp":1786700000123,"x":[1]}`,
	},
	{
		"compaction summary", core.Message{
			Role: core.RoleCompactionSummary, Time: noon, Content: []core.Block{core.TextBlock("short")},
			Raw: raw(`{"role":"compactionSummary","summary":"short","tokensBefore":9,"timestamp":1786700000123}`),
		},
		`{"role":"compactionSummary","summary":"short","tokensBefore":9,"timestamp":1786700000123}`,
	},
	{
		"branch summary", core.Message{
			Role: core.RoleBranchSummary, Time: noon, Content: []core.Block{core.TextBlock("side")},
			Raw: raw(`{"role":"branchSummary","summary":"side","fromId":"a1","timestamp":1786700000123}`),
		},
		`{"role":"branchSummary","summary":"side","fromId":"a1","timestamp":1786700000123}`,
	},
	{
		"a role of the future", core.Message{Role: core.RoleCustom, Raw: raw(`{"role":"oracle","content":"x","usage":7}`)},
		`{"role":"oracle","content":"x","usage":7}`,
	},
}

func TestMessages(t *testing.T) {
	for _, c := range roundTrips {
		got, err := wire.Encode(FromMessage(&c.message))
		if err != nil || string(got) != c.json {
			t.Errorf("%s: FromMessage (%v):\ngot  %s\nwant %s", c.name, err, got, c.json)
		}
		back, err := DecodeMessage([]byte(c.json))
		if err != nil || !reflect.DeepEqual(back, c.message) {
			t.Errorf("%s: DecodeMessage (%v):\ngot  %+v\nwant %+v", c.name, err, back, c.message)
		}
	}
}

// TestMessagesOfThisProgram holds what is only written: forms that come back as another, equivalent one.
func TestMessagesOfThisProgram(t *testing.T) {
	for _, c := range []struct {
		name    string
		message core.Message
		json    string
	}{
		{
			"system", core.Message{Role: core.RoleSystem, Content: []core.Block{core.TextBlock("be brief")}},
			`{"role":"system","content":[{"type":"text","text":"be brief"}],"timestamp":0}`,
		},
		{
			"summary", core.Message{Role: core.RoleCompactionSummary, Content: []core.Block{core.TextBlock("short")}},
			`{"role":"compactionSummary","summary":"short","timestamp":0}`,
		},
		{
			"details from Go", core.Message{Role: core.RoleTool, Details: map[string]int{"n": 1}},
			`{"role":"toolResult","toolCallId":"","toolName":"","content":[],"details":{"n":1},"isError":false,"timestamp":0}`,
		},
		{
			"details that do not encode", core.Message{Role: core.RoleTool, Details: func() {}},
			`{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":false,"timestamp":0}`,
		},
		{
			"no arguments", core.Message{Role: core.RoleUser, Content: []core.Block{{Kind: core.BlockToolCall, Call: &core.ToolCall{}}}},
			`{"role":"user","content":[{"type":"toolCall","id":"","name":"","arguments":{}}],"timestamp":0}`,
		},
		{
			"shell without a run", core.Message{Role: core.RoleShell},
			`{"role":"bashExecution","command":"","output":"","cancelled":false,"truncated":false,"timestamp":0}`,
		},
	} {
		got, err := wire.Encode(FromMessage(&c.message))
		if err != nil || string(got) != c.json {
			t.Errorf("%s (%v):\ngot  %s\nwant %s", c.name, err, got, c.json)
		}
	}
}

func TestDecodeMessageKeepsWhatIsUnderstood(t *testing.T) {
	user := func(blocks ...core.Block) core.Message { return core.Message{Role: core.RoleUser, Content: blocks} }
	for _, c := range []struct {
		name, json string
		want       core.Message
	}{
		{"a string for content", `{"role":"user","content":"hi"}`, user(core.TextBlock("hi"))},
		{"an empty string", `{"role":"user","content":""}`, user()},
		{"null content", `{"role":"user","content":null}`, user()},
		{"no content", `{"role":"user"}`, user()},
		{"content of a wrong type", `{"role":"user","content":7}`, user()},
		{"unknown keys", `{"role":"user","content":"hi","x":{"y":1},"Role":"system"}`, user(core.TextBlock("hi"))},
		{"an unknown block", `{"role":"user","content":[{"type":"video","data":{"url":"x"}},{"type":"text","text":"hi"}]}`, user(core.TextBlock("hi"))},
		{"a damaged block", `{"role":"user","content":[{"type":"text","text":5},4,null,{"type":"text","text":"hi","x":1}]}`, user(core.TextBlock("hi"))},
		{
			"half a surrogate pair", `{"role":"user","content":[{"type":"text","text":"a\ud83d"}]}`,
			user(core.TextBlock("a\ufffd")),
		},
		{
			"values of a wrong type", `{"role":"assistant","content":"hi","usage":{"input":"many"},"durationMs":1.5,"a/b~c":1,"timestamp":1786700000123}`,
			core.Message{Role: core.RoleAssistant, Content: []core.Block{core.TextBlock("hi")}, Time: noon},
		},
		{"a duration that is none", `{"role":"assistant","durationMs":-5}`, core.Message{Role: core.RoleAssistant}},
		{"a duration beyond all bounds", `{"role":"assistant","durationMs":9223372036854775807}`, core.Message{Role: core.RoleAssistant}},
		{"a stop reason of the future", `{"role":"assistant","stopReason":"deferred"}`, core.Message{Role: core.RoleAssistant, Stop: "deferred"}},
		{"null details", `{"role":"toolResult","details":null}`, core.Message{Role: core.RoleTool}},
		{
			"arguments that pi could not parse",
			`{"role":"user","content":[{"type":"toolCall","id":"c","name":"n","arguments":{},"argumentsError":"bad\n\nReceived arguments:\n{\"a\":"}]}`,
			user(core.Block{Kind: core.BlockToolCall, Call: &core.ToolCall{ID: "c", Name: "n", Arguments: `{"a":`}}),
		},
		{
			"arguments that are null", `{"role":"user","content":[{"type":"toolCall","id":"c","name":"n","arguments":null}]}`,
			user(core.Block{Kind: core.BlockToolCall, Call: &core.ToolCall{ID: "c", Name: "n"}}),
		},
	} {
		got, err := DecodeMessage([]byte(c.json))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %s (%v):\ngot  %+v\nwant %+v", c.name, c.json, err, got, c.want)
		}
	}
}

func TestDecodeMessageRefuses(t *testing.T) {
	for _, s := range []string{``, `null`, `{}`, `[]`, `"user"`, `{"role":"user"`, `{"role":5}`, `{"role":"","content":"x"}`} {
		if m, err := DecodeMessage([]byte(s)); err == nil {
			t.Errorf("DecodeMessage(%s): got %+v, want an error", s, m)
		}
	}
}

func TestMessageWithoutRole(t *testing.T) {
	m := core.Message{Role: core.RoleUser, Content: []core.Block{core.TextBlock("x")}}
	j := FromMessage(&m)
	j.Role = ""
	got, err := wire.Encode(struct {
		Message Message `json:"message"`
	}{j})
	if want := `{"message":{"content":[{"type":"text","text":"x"}],"timestamp":0}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestDecodedMessageOwnsItsMemory(t *testing.T) {
	for _, c := range roundTrips {
		line := []byte(c.json)
		got, err := DecodeMessage(line)
		if err != nil {
			t.Fatal(err)
		}
		for i := range line {
			line[i] = 'X'
		}
		if !reflect.DeepEqual(got, c.message) {
			t.Errorf("%s: the message changed with the line:\ngot  %+v\nwant %+v", c.name, got, c.message)
		}
	}
}

func TestArguments(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000)
	for _, c := range []struct{ text, object, problem string }{
		{"", "{}", ""},
		{`{"a":[1, 2]}`, `{"a":[1, 2]}`, ""},
		{" \n{} ", " \n{} ", ""},
		{`{"a":1,"a":2}`, "{}", "duplicate"},
		{`{"a":`, "{}", "EOF"},
		{`null`, "{}", "not a JSON object"},
		{`"{}"`, "{}", "not a JSON object"},
		{"{\"a\":\"\xff\"}", "{}", "UTF-8"},
		{deep, "{}", "nested deeper"},
	} {
		object, problem := Arguments(c.text)
		if string(object) != c.object || c.problem == "" && problem != "" || !strings.Contains(problem, c.problem) {
			t.Errorf("Arguments(%.40q): got %.40q, %.80q; want %q and a problem with %q", c.text, object, problem, c.object, c.problem)
		}
		if problem != "" && !strings.HasSuffix(problem, c.text) {
			t.Errorf("Arguments(%.40q): the problem %.80q does not quote them", c.text, problem)
		}
	}
}

func TestFromToolResult(t *testing.T) {
	r := core.ToolResult{Details: map[string]bool{"ok": true}}
	got, err := wire.Encode(FromToolResult(&r))
	if want := `{"content":[],"details":{"ok":true}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	r = core.TextResult("hi")
	j := FromToolResult(&r)
	j.Details, j.Terminate = wire.Raw("null"), new(false)
	got, err = wire.Encode(j)
	if want := `{"content":[{"type":"text","text":"hi"}],"details":null,"terminate":false}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestCostsAreNumbers(t *testing.T) {
	got, err := wire.Encode(FromUsage(core.Usage{Cost: core.Cost{Input: math.NaN(), Output: math.Inf(1), Total: 1e21}}))
	if err != nil || !strings.Contains(string(got), `"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":1e+21}`) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestFromModel(t *testing.T) {
	for _, c := range []struct {
		model core.Model
		json  string
	}{
		{
			core.Model{
				ID: "m", Name: "M", API: "a", Provider: "p", BaseURL: "http://x/v1", Reasoning: true, Images: true,
				ThinkingLevels: []core.ThinkingLevel{"off", "low", "max"}, ContextWindow: 100000, MaxTokens: 5000,
				Prices: core.Prices{Input: 1, Output: 2.5, CacheRead: 0.1},
			},
			`{"id":"m","name":"M","api":"a","provider":"p","baseUrl":"http://x/v1","reasoning":true,"imageGeneration":false,` +
				`"thinkingLevelMap":{"off":"off","minimal":null,"low":"low","medium":null,"high":null,"max":"max"},` +
				`"input":["text","image"],"cost":{"input":1,"output":2.5,"cacheRead":0.1,"cacheWrite":0,"tiers":[]},` +
				`"contextWindow":100000,"maxTokens":5000,"headers":null,"compat":null}`,
		},
		{
			core.Model{ID: "m"},
			`{"id":"m","name":"m","api":"","provider":"","baseUrl":"","reasoning":false,"imageGeneration":false,` +
				`"thinkingLevelMap":null,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"tiers":[]},` +
				`"contextWindow":128000,"maxTokens":16384,"headers":null,"compat":null}`,
		},
	} {
		got, err := wire.Encode(FromModel(c.model))
		if err != nil || string(got) != c.json {
			t.Errorf("%v (%v):\ngot  %s\nwant %s", c.model, err, got, c.json)
		}
	}
}

func TestDecodeMessageReportsWhereJSONEnds(t *testing.T) {
	_, err := DecodeMessage([]byte(`{"role":"user","content":[}`))
	var syntax *wire.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset != 26 {
		t.Errorf("got %v, want a syntax error at byte 26", err)
	}
}

func BenchmarkFromMessage(b *testing.B) {
	m := core.Message{Role: core.RoleUser, Time: noon, Content: []core.Block{core.TextBlock("hello")}}
	b.ReportAllocs()
	for b.Loop() {
		FromMessage(&m)
	}
}
