package kit_test

import (
	"strings"
	"testing"

	"github.com/dualagent/agent/conformance/kit"
)

// conversation makes a server and a play section of lines that begin with > or <. What is received is not looked at, so
// that only the invariants can object.
func conversation(lines string) (kit.Target, string) {
	replies := map[string]string{}
	var sent, first strings.Builder
	last := ""
	for line := range strings.Lines(strings.TrimSpace(lines) + "\n") {
		mark, text, _ := strings.Cut(line, " ")
		switch {
		case mark == ">":
			sent.WriteString(line)
			last = strings.TrimSuffix(text, "\n")
		case last == "":
			first.WriteString(text)
		default:
			replies[last] += text
		}
	}
	replies[""] = first.String()
	return answers(func(line string) string { return replies[line] }), sent.String() + "! more\n"
}

func TestRPCInvariants(t *testing.T) {
	const (
		ready  = `< {"jsonrpc":"2.0","method":"ready","params":{}}` + "\n"
		prompt = `> {"jsonrpc":"2.0","id":1,"method":"prompt","params":{"message":"m"}}` + "\n"
		start  = `< {"jsonrpc":"2.0","method":"agent/start","params":{}}` + "\n"
		text   = `< {"jsonrpc":"2.0","method":"message/delta","params":{"delta":"d"}}` + "\n"
		idle   = `< {"jsonrpc":"2.0","method":"state/change","params":{"state":"idle"}}` + "\n"
		end    = `< {"jsonrpc":"2.0","method":"agent/end","params":{}}` + "\n"
		failed = `< {"jsonrpc":"2.0","method":"agent/error","params":{"error":"e"}}` + "\n"
		result = `< {"jsonrpc":"2.0","id":1,"result":{"reply":"d"}}` + "\n"
		refuse = `< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"e"}}` + "\n"
		state  = `> {"jsonrpc":"2.0","id":1,"method":"getState"}` + "\n"
		batch  = `> [{"jsonrpc":"2.0","id":1,"method":"getState"},{"jsonrpc":"2.0","id":2,"method":"getState"}]` + "\n"
	)
	second := func(line string) string { return strings.Replace(line, `"id":1`, `"id":2`, 1) }
	tests := []struct{ name, lines, wrong string }{
		{"a turn", ready + prompt + start + text + idle + end + result, ""},
		{"a turn that fails", ready + prompt + start + text + failed + idle + result, ""},
		{"a refusal", ready + prompt + refuse, ""},
		{"two turns", ready + prompt + start + end + result + second(prompt) + start + end + second(result), ""},
		{"an id used again", ready + prompt + start + end + result + state + result, ""},
		{"a prompt without id", ready + strings.Replace(prompt, `"id":1,`, "", 1) + start + end, ""},
		{"a batch", ready + batch + `< [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]`, ""},
		{"half a batch", ready + batch + `< [{"jsonrpc":"2.0","id":1,"result":{}}]`, "id 2 was never answered"},
		{"no approval answer", ready + `> {"jsonrpc":"2.0","id":1,"method":"approvalResponse","params":{"approved":true}}`, ""},
		{"no ready", prompt + start + end + result, "the first record must be ready"},
		{"ready twice", ready + ready, "the first record must be ready"},
		{"no version", ready + state + `< {"id":1,"result":{}}`, `lacks "jsonrpc":"2.0"`},
		{"no end", ready + prompt + start + text, "the last turn has no agent/end"},
		{"two ends", ready + prompt + start + end + end + result, "agent/end without a turn"},
		{"end and error", ready + prompt + start + end + failed + result, "2 turns have ended, but 1 prompts have been answered"},
		{"no response", ready + prompt + start + end, "1 turns have ended, but 0 prompts"},
		{"response first", ready + prompt + start + result + end, "answered before its turn has ended"},
		{"response alone", ready + prompt + result, "no agent/end or agent/error has come for it"},
		{"two responses", ready + prompt + start + end + result + result, "this is answer 2"},
		{"text after the end", ready + prompt + start + end + text + result, "message/delta comes outside of a turn"},
		{"idle after the end", ready + prompt + start + end + idle + result, "state/change comes outside of a turn"},
		{"overlap", ready + prompt + start + start + end + result, "before the last one has ended"},
		{"result and error", ready + state + `< {"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, "either a result or an error"},
		{"no answer", ready + state, "the line with the id 1 was never answered"},
		{"answer without id", ready + state + `< {"jsonrpc":"2.0","result":{}}`, "a response has an id"},
		{"event with id", ready + `< {"jsonrpc":"2.0","id":1,"method":"agent/start"}`, "a notification has no id"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target, lines := conversation(test.lines)
			wantError(t, play(t, kit.JSONRPC, target, lines), test.wrong)
		})
	}
}

func TestJSONLInvariants(t *testing.T) {
	const (
		prompt   = `> {"id":"1","type":"prompt","message":"m"}` + "\n"
		accepted = `< {"id":"1","type":"response","command":"prompt","success":true,"data":null}` + "\n"
		refused  = `< {"id":"1","type":"response","command":"prompt","success":false,"error":"e"}` + "\n"
		start    = `< {"type":"agent_start"}` + "\n"
		update   = `< {"type":"message_update","assistantMessageEvent":{"type":"text_delta","content_index":0,"delta":"d"}}` + "\n"
		end      = `< {"type":"agent_end","messages":[]}` + "\n"
		settled  = `< {"type":"agent_settled"}` + "\n"
	)
	tests := []struct{ name, lines, wrong string }{
		{"a run", prompt + accepted + start + update + end + settled, ""},
		{"a run that tries again", prompt + accepted + start + end + start + update + end + settled, ""},
		{"a run that cannot start", prompt + accepted + `< {"type":"run_failed","message":"e"}` + "\n" + settled, ""},
		{"a refusal", prompt + refused, ""},
		{"an answer to a question", `> {"type":"extension_ui_response","id":"u","confirmed":true}`, ""},
		{"not settled", prompt + accepted + start + end, "the last run has no agent_settled"},
		{"accepted and forgotten", prompt + accepted, "the last run has no agent_settled"},
		{"settled twice", prompt + accepted + start + end + settled + settled, "agent_settled without a run"},
		{"update after the end", prompt + accepted + start + end + settled + update, "message_update comes outside of a run"},
		{"end after the end", prompt + accepted + start + settled + end, "agent_end comes outside of a run"},
		{"no answer", prompt + start + end + settled, `id "1" was never answered`},
		{"two answers", prompt + accepted + accepted + start + settled, "this is answer 2"},
		{"no type", `> {"type":"x"}` + "\n" + `< {"a":1}`, "the record has no type"},
		{"no success", prompt + `< {"id":"1","type":"response","command":"prompt"}`, "says whether it was a success"},
		{"success and error", prompt + strings.Replace(refused, "false", "true", 1), "a response has an error if"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target, lines := conversation(test.lines)
			wantError(t, play(t, kit.JSONL, target, lines), test.wrong)
		})
	}
}
