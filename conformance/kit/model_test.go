package kit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dualagent/agent/conformance/kit"
)

// relay is a server that sends each line to the model as it is, and answers with what the model says: one record for the
// status, and one for each event of the stream.
func relay() kit.Target {
	return kit.Target{
		Name: "relay",
		Args: map[string][]string{"http": {"{model_url}"}},
		Func: func(ctx context.Context, args, _ []string, stdin io.Reader, stdout, _ io.Writer) int {
			for in := bufio.NewScanner(stdin); in.Scan(); {
				if err := relayOne(ctx, args[0], in.Text(), stdout); err != nil {
					fmt.Fprintf(stdout, `{"type":"broken"}`+"\n")
				}
			}
			return 0
		},
	}
}

func relayOne(ctx context.Context, url, body string, out io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	after, _ := json.Marshal(resp.Header.Get("Retry-After"))
	fmt.Fprintf(out, `{"type":"status","code":%d,"after":%s}`+"\n", resp.StatusCode, after)
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		text, _ := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case text == "":
		case text == "[DONE]":
			fmt.Fprintln(out, `{"type":"done"}`)
		default:
			fmt.Fprintf(out, `{"type":"chunk","data":%s}`+"\n", text)
		}
	}
	return lines.Err()
}

const ask = `> {"stream":true,"model":"m","messages":[{"role":"user","content":"hi"}]}` + "\n"

// chunk is the expectation of an event with one choice.
func chunk(delta, finish string) string {
	return `< {"type":"chunk","data":{"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}],"@more":1}}` + "\n"
}

func usage(in, out int) string {
	return fmt.Sprintf(`< {"type":"chunk","data":{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d},"@more":1}}`+"\n", in, out, in+out)
}

const (
	status200 = `< {"type":"status","code":200,"after":""}` + "\n"
	role      = `{"role":"assistant","content":""}`
	done      = `< {"type":"done"}` + "\n"
)

func TestModelServer(t *testing.T) {
	tests := []struct{ name, model, play, wrong string }{
		{"text", "think \"t\"\nsay \"a\"\nrepeat 2 \"b\"\nusage 3 4\n",
			ask + status200 + chunk(role, "null") + chunk(`{"reasoning_content":"t"}`, "null") + chunk(`{"content":"a"}`, "null") +
				chunk(`{"content":"b"}`, "null") + chunk(`{"content":"b"}`, "null") + chunk("{}", `"stop"`) + usage(3, 4) + done, ""},
		{"calls", "call/2 x {\"é\":1}\ncall y\n",
			ask + status200 + chunk(role, "null") +
				chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"x","arguments":""}}]}`, "null") +
				chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"é\""}}]}`, "null") +
				chunk(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`, "null") +
				chunk(`{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"y","arguments":""}}]}`, "null") +
				chunk("{}", `"tool_calls"`) + usage(100, 10) + done, ""},
		{"length", "say \"a\"\nstop length\n", ask + status200 + chunk(role, "null") + chunk(`{"content":"a"}`, "null") +
			chunk("{}", `"length"`) + usage(100, 10) + done, ""},
		{"wait", "wait 1ms\nsay \"a\"\n", ask + status200 + "! more\n", ""},
		{"failure", "fail 429 \"slow down\" retry-after 1500ms\n", ask + `< {"type":"status","code":429,"after":"2"}` + "\n" + "! more\n", ""},
		{"failure after text", "say \"a\"\nfail 529 \"busy\"\n", ask + status200 + chunk(role, "null") + chunk(`{"content":"a"}`, "null") +
			`< {"type":"chunk","data":{"error":{"message":"busy","code":529}}}` + "\n", ""},
		{"cut", "say \"a\"\ncut\n", ask + status200 + chunk(role, "null") + chunk(`{"content":"a"}`, "null") + `< {"type":"broken"}` + "\n", ""},
		{"gate", "say \"a\"\ngate $GATE/1\nsay \"b\"\n", ask + status200 + chunk(role, "null") + chunk(`{"content":"a"}`, "null") +
			"! open 1\n" + chunk(`{"content":"b"}`, "null") + "! more\n", ""},
		{"no reply left", "say \"a\"\n", ask + "! more\n", ""},
		{"loop", "say \"a\"\nloop\n", ask + ask + "! more\n! eof\n", ""},
		{"exhausted", "# nothing\n", ask + `< {"type":"status","code":400,"after":""}` + "\n! more\n", ""},
		{"asked", "say \"a\"\n", ask + status200 + "! asked 1 \"hi\"\n! requests 1\n! more\n", ""},
		{"asked something else", "say \"a\"\n", ask + status200 + "! asked 1 \"ho\"\n", `request 1 has no "ho" in it`},
		{"asked less", "say \"a\"\n", ask + status200 + "! asked 2 \"hi\"\n", "only 1 requests"},
		{"asked more", "say \"a\"\n", ask + status200 + "! requests 2\n", "there have been 1 requests"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := parse(t, kit.JSONL, "-- ignore --\n-- model --\n"+test.model+"-- play --\n"+test.play)
			wantError(t, kit.Play(tr, relay(), kit.Options{}), test.wrong)
		})
	}
}

func TestToolCallsNeedTheirResults(t *testing.T) {
	const (
		user   = `{"role":"user","content":"hi"}`
		calls  = `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"x"}},{"id":"b","function":{"name":"x"}}]}`
		ra, rb = `{"role":"tool","tool_call_id":"a"}`, `{"role":"tool","tool_call_id":"b"}`
	)
	tests := []struct{ name, messages, wrong string }{
		{"both", user + "," + calls + "," + ra + "," + rb + "," + user, ""},
		{"in any order", user + "," + calls + "," + rb + "," + ra, ""},
		{"one is missing", user + "," + calls + "," + ra, `the results of tool calls ["b"] are missing`},
		{"somebody speaks between", user + "," + calls + "," + ra + "," + user + "," + rb, "message 4 (user) comes before the results"},
		{"a result too much", user + "," + calls + "," + ra + "," + rb + "," + rb, `message 5 is a result of tool call "b"`},
		{"no messages", "", "there are no messages"},
		{"a call without id", `{"role":"assistant","tool_calls":[{"function":{"name":"x"}}]}`, "without id or name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := parse(t, kit.JSONL, "-- ignore --\n-- model --\nsay \"a\"\n-- play --\n"+
				`> {"stream":true,"messages":[`+test.messages+"]}\n! more\n")
			wantError(t, kit.Play(tr, relay(), kit.Options{}), test.wrong)
		})
	}
}
