package jsonl_test

import (
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol/jsonl"
)

const asked = `{"type":"extension_ui_request","id":"ui-1","method":"confirm","title":"Approve tool call?",` +
	`"message":"Tool: bash\nCapability: exec\nCommand: rm -r /tmp/x\nOutside the workspace: /tmp/x","extensionId":"host","generation":0,` +
	`"toolCallId":"c1","toolName":"bash","risk":"destructive"}`

// dangerous is a client whose model has just called a tool that must be approved, and the answers to the calls.
func dangerous(t *testing.T, d jsonl.Dialect) *client {
	t.Helper()
	bash := &Tool{Name: "bash", Judge: func(core.ToolCall) core.Assessment {
		return core.Assessment{Risk: core.RiskDestructive, Unknown: true, Outside: []string{"/tmp/x"}}
	}}
	o := options{Options: jsonl.Options{Dialect: d}, host: core.HostOptions{Tools: []core.Tool{bash}}}
	c := start(t, o, Reply(Call(0, "c1", "bash", `{"command":"rm -r /tmp/x"}`)), Reply(Say("done")))
	c.send(`{"type":"prompt","message":"go"}`)
	if got := c.until("extension_ui_request"); got != asked {
		t.Errorf("got\n%s\nwant\n%s", got, asked)
	}
	return c
}

func TestApproval(t *testing.T) {
	for _, tt := range []struct {
		dialect jsonl.Dialect
		answer  string
		isError bool
	}{
		{jsonl.RPI, `"confirmed":true`, false},
		{jsonl.RPI, `"confirmed":false`, true},
		{jsonl.RPI, `"cancelled":true`, true},
		{jsonl.RPI, `"confirmed":true,"cancelled":true`, true},
		{jsonl.RPI, `"confirmed":true,"cancelled":null,"value":"x"`, false},
		{jsonl.Pi, `"confirmed":true`, false},
		{jsonl.Pi, `"value":"yes"`, true},
	} {
		c := dangerous(t, tt.dialect)
		c.send(`{"type":"extension_ui_response","id":"ui-1",` + tt.answer + `}`)
		end := c.until("tool_execution_end")
		want := "false"
		if tt.isError {
			want = "true"
		}
		c.wantField(end, want, "isError")
		c.until("agent_settled")
		if log := c.log.String(); strings.Contains(log, "extension_ui_resolved") || strings.Contains(log, `"success":false`) {
			t.Errorf("%s: an answer that counts is not acknowledged:\n%s", tt.answer, log)
		}
	}
}

func TestUIResponse(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`"id":"ui-1"`, `"error":"extension UI response must contain value, confirmed, or cancelled: true"`},
		{`"id":"ui-1","cancelled":false`, `"error":"extension UI response must contain value, confirmed, or cancelled: true"`},
		{`"id":"ui-1","value":"x"`, `"error":"UI value response does not match pending request type"`},
		{`"id":"ui-2","value":"x"`, `"error":"unknown or completed extension UI interaction \"ui-2\""`},
		{`"id":"ui-01","confirmed":true`, `"error":"unknown or completed extension UI interaction \"ui-01\""`},
		{`"id":"ui-0","confirmed":true`, `"error":"unknown or completed extension UI interaction \"ui-0\""`},
		{`"id":"nobody","confirmed":true`, `"error":"unknown or completed extension UI interaction \"nobody\""`},
		{`"confirmed":true`, "\"error\":\"Invalid extension UI response: missing field `id`\""},
		{`"id":"ui-1","confirmed":"yes"`, `"error":"Invalid extension UI response: invalid type: string \"yes\", expected a boolean"`},
	} {
		c := dangerous(t, jsonl.RPI)
		c.send(`{"type":"extension_ui_response",` + tt.line + `}`)
		got := c.next()
		if !strings.Contains(got, `"command":"extension_ui_response","success":false,`+tt.want) {
			t.Errorf("{%s}: got\n%s\nwant %s", tt.line, got, tt.want)
		}
		if shape := strings.Contains(tt.want, "Invalid") && strings.Contains(tt.line, `"id"`); shape != strings.HasPrefix(got, `{"id":"ui-1",`) {
			t.Errorf("{%s}: %s; only a malformed answer is named by its id", tt.line, got)
		}
		// The question is still open.
		c.send(`{"type":"extension_ui_response","id":"ui-1","confirmed":true}`)
		c.wantField(c.until("tool_execution_end"), "false", "isError")
	}
}

func TestASecondAnswerIsAFailure(t *testing.T) {
	c := dangerous(t, jsonl.RPI)
	c.send(`{"type":"extension_ui_response","id":"ui-1","confirmed":true}`, `{"type":"extension_ui_response","id":"ui-1","confirmed":true}`)
	c.until(`{"type":"response","command":"extension_ui_response","success":false,"error":"unknown or completed`)
}

func TestPiIgnoresAnswersThatDoNotCount(t *testing.T) {
	c := dangerous(t, jsonl.Pi)
	c.send(`{"type":"extension_ui_response","id":"ghost","value":"x"}`, `{"type":"extension_ui_response","confirmed":1}`,
		`{"id":"q","type":"queue_list"}`)
	c.want(`{"id":"q","type":"response","command":"queue_list","success":true,"data":{"steering":[],"followUp":[],"total":0}}`)
}

func TestWithdrawnQuestions(t *testing.T) {
	for _, abort := range []bool{true, false} {
		c := dangerous(t, jsonl.RPI)
		if abort {
			c.send(`{"type":"abort"}`)
		} else {
			c.in.Close()
		}
		c.until(`{"type":"extension_ui_resolved","id":"ui-1","outcome":"cancelled"}`)
		c.until(settled)
	}
}
