package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/providers/internal/fakeserver"
	"github.com/dualagent/agent/providers/openai"
)

// A sentCall is a call and its result as they went to the server.
type sentCall struct {
	ID, Name, Arguments, ResultID string
}

// callIn takes the first call and result out of a request.
func callIn(t *testing.T, request []byte) sentCall {
	t.Helper()
	var body struct {
		Messages []struct {
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(request, &body); err != nil {
		t.Fatalf("%v in %s", err, request)
	}
	var c sentCall
	for _, m := range body.Messages {
		for _, call := range m.ToolCalls {
			c.ID, c.Name, c.Arguments = call.ID, call.Function.Name, call.Function.Arguments
		}
		if m.ToolCallID != "" {
			c.ResultID = m.ToolCallID
		}
	}
	return c
}

func conversationWith(c core.ToolCall) core.Request {
	r := hello
	r.Messages = append([]core.Message{}, user("hello"), assistant(calls(c)), result(c.ID, core.TextBlock("ok")), user("and now?"))
	return r
}

// What a model once wrote goes back with each request. A server that refuses a name would refuse all that follows.
func TestNamesOfCallsAreAcceptable(t *testing.T) {
	for name, want := range map[string]string{
		"ls":                          "ls",
		"a-B_9":                       "a-B_9",
		"functions.ls":                "ls",
		" ls\n":                       "ls",
		" functions.ls ":              "ls",
		"a.b/c d":                     "a_b_c_d",
		"größe":                       "gr__e",
		"l\x00s\xff":                  "l_s_",
		"":                            "unnamed",
		" \n":                         "unnamed",
		"functions.":                  "unnamed",
		strings.Repeat("x", 3000):     strings.Repeat("x", 64),
		strings.Repeat("x", 63) + "那": strings.Repeat("x", 63) + "_",
		`"name": "ls"`:                "_name____ls_",
	} {
		if got := callIn(t, sent(t, openai.Options{}, conversationWith(core.ToolCall{ID: "a", Name: name}))).Name; got != want {
			t.Errorf("tool name %q was sent as %q, want %q", name, got, want)
		}
	}
}

func TestArgumentsOfCallsAreAcceptable(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for arguments, want := range map[string]string{
		"":                             "{}",
		"null":                         "{}",
		"[1]":                          "{}",
		`{"a":`:                        "{}",
		`{"a":1}{"b":2}`:               "{}",
		` {"a": 1.50} `:                `{"a": 1.50}`,
		`{"a":12345678901234567890}`:   `{"a":12345678901234567890}`,
		`{"a":"x\u0000y"}`:             `{"a":"xy"}`,
		"{\"a\":\"x\x00y\"}":           `{"a":"xy"}`,
		`{"a":"x\ud800"}`:              `{"a":"x` + "\ufffd" + `"}`,
		`{"a":"\ud83d\ude00"}`:         `{"a":"\ud83d\ude00"}`,
		"{\"a\":\"x\xff\"}":            `{"a":"x` + "\ufffd" + `"}`,
		`{"a":1,"a":2}`:                `{"a":1}`,
		"{\"a\":\"x\ny\"}":             `{"a":"x\u000ay"}`,
		`"{\"a\":1}"`:                  `{"a":1}`,
		`"{\"a\":"`:                    "{}",
		deep(100):                      deep(100),
		deep(101):                      "{}",
		deep(3000):                     "{}",
		strings.Repeat(`{"a":[`, 3000): "{}",
	} {
		got := callIn(t, sent(t, openai.Options{}, conversationWith(core.ToolCall{ID: "a", Name: "ls", Arguments: arguments}))).Arguments
		if got != want {
			t.Errorf("arguments %.80q were sent as %.80q, want %.80q", arguments, got, want)
		}
	}
}

func TestIDsOfCallsAreAcceptable(t *testing.T) {
	simple := regexp.MustCompile(`^call_[0-9a-f]{32}$`)
	for _, id := range []string{"", strings.Repeat("x", 65), "\x00"} {
		c := callIn(t, sent(t, openai.Options{}, conversationWith(core.ToolCall{ID: id, Name: "ls"})))
		if !simple.MatchString(c.ID) || c.ID != c.ResultID {
			t.Errorf("id %q was sent as %q and %q", id, c.ID, c.ResultID)
		}
	}
	for _, id := range []string{"a", "functions.ls:0", strings.Repeat("x", 64)} {
		c := callIn(t, sent(t, openai.Options{}, conversationWith(core.ToolCall{ID: id, Name: "ls"})))
		if c.ID != id || c.ResultID != id {
			t.Errorf("id %q was sent as %q and %q", id, c.ID, c.ResultID)
		}
	}
}

// O41: some servers take only ids of nine letters and digits.
func TestShortIDs(t *testing.T) {
	for _, refusal := range []string{
		"Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
		"tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
	} {
		s := fakeserver.New(t, fakeserver.AsWritten, "! status 400\n> \""+refusal+"\"", fine)
		p := provider(t, openai.Options{BaseURL: s.URL})
		for _, id := range []string{"functions.ls:0", "functions.ls:0", "AbCdEf789"} {
			if got := play(t.Context(), p, conversationWith(core.ToolCall{ID: id, Name: "ls"})); !strings.HasSuffix(got, "stop stop") {
				t.Errorf("%s: %s", refusal, got)
			}
		}
		var ids []string
		for _, r := range s.Requests()[1:] {
			c := callIn(t, r.Body)
			ids = append(ids, c.ID)
			if !regexp.MustCompile(`^[a-zA-Z0-9]{9}$`).MatchString(c.ID) || c.ResultID != c.ID {
				t.Errorf("%s: ids %q and %q", refusal, c.ID, c.ResultID)
			}
		}
		if ids[0] != ids[1] || ids[2] != "AbCdEf789" {
			t.Errorf("%s: ids %q; want the same one twice, and AbCdEf789 as it is", refusal, ids)
		}
	}
}

// A capture answers every request, and keeps the last.
type capture struct{ last []byte }

func (c *capture) RoundTrip(r *http.Request) (*http.Response, error) {
	c.last, _ = io.ReadAll(r.Body)
	return body("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n").RoundTrip(r)
}

// Whatever a model has written, a strict server takes what goes back.
func FuzzCall(f *testing.F) {
	f.Add("a", "functions.ls", `{"a":"\u0000","a":"\ud800"}`)
	f.Add("", "", `"{\"a\":1}"`)
	f.Add("\xff", "那\n", "{\"a\":\"\n\"}")
	name := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	f.Fuzz(func(t *testing.T, id, tool, arguments string) {
		c := &capture{}
		p := provider(t, openai.Options{BaseURL: "http://x", HTTP: &http.Client{Transport: c}})
		if got := play(t.Context(), p, conversationWith(core.ToolCall{ID: id, Name: tool, Arguments: arguments})); !strings.Contains(got, "text a") {
			t.Fatalf("%q %q %q: %s", id, tool, arguments, got)
		}
		var v any
		if err := wire.Decode(c.last, &v); err != nil {
			t.Errorf("request %q: %v", c.last, err)
		}
		var object map[string]any
		call := callIn(t, c.last)
		if err := wire.Decode([]byte(call.Arguments), &object); err != nil || strings.Contains(call.Arguments, "\x00") {
			t.Errorf("arguments %q were sent as %q: %v", arguments, call.Arguments, err)
		}
		if !name.MatchString(call.Name) || call.ID == "" || len(call.ID) > 64 || call.ID != call.ResultID {
			t.Errorf("%q %q was sent as %+v", id, tool, call)
		}
	})
}
