package jsonl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

const (
	started = `{"type":"agent_start"}`
	settled = `{"type":"agent_settled"}`
)

func ok(id, command string) string {
	return `{"id":` + id + `,"type":"response","command":"` + command + `","success":true,"data":null}`
}

func bad(id, command, problem string) string {
	return `{"id":` + id + `,"type":"response","command":"` + command + `","success":false,"error":"` + problem + `"}`
}

func TestPromptSettles(t *testing.T) {
	c := start(t, options{}, Reply(Say("Hello")))
	c.send(`{"id":"1","type":"prompt","message":"hi"}`)
	c.want(ok(`"1"`, "prompt"), started, settled)
}

func TestPromptIsRefusedWhileItsTurnIsSeen(t *testing.T) {
	for _, tt := range []struct {
		o    options
		want string
	}{
		{options{}, "session is already processing; choose steer or followUp"},
		{pi(), "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message."},
	} {
		gate := make(chan struct{})
		c := start(t, tt.o, Reply(Say("a"), Wait(gate)))
		c.send(`{"type":"prompt","message":"go"}`)
		c.until(`"text_delta"`)
		c.wantField(c.ask(`{"id":"q","type":"prompt","message":"and"}`), `"`+tt.want+`"`, "error")
		close(gate)
		c.until("agent_settled")
	}
}

// Prompts that were written before the client could know of the first one's turn are not lost.
func TestPromptsInOneWriteAreTurnsOfTheirOwn(t *testing.T) {
	c := start(t, options{}, Reply(Say("one")), Reply(Say("two")))
	c.send(`{"id":1,"type":"prompt","message":"a"}`, `{"id":2,"type":"prompt","message":"b"}`)
	c.want(ok("1", "prompt"), ok("2", "prompt"), started, settled, started, settled)
	if got := c.ask(`{"id":"q","type":"get_last_assistant_text"}`); !strings.Contains(got, `"two"`) {
		t.Errorf("the second prompt was not answered: %s", got)
	}
}

func TestStreamingBehaviorCountsAnUnseenTurn(t *testing.T) {
	c := start(t, options{}, Reply(Say("one")), Reply(Say("two")))
	c.send(`{"id":1,"type":"prompt","message":"a"}`, `{"id":2,"type":"prompt","message":"b","streamingBehavior":"followUp"}`)
	c.want(ok("1", "prompt"), ok("2", "prompt"), started, settled)
	c.wantField(c.ask(`{"id":"q","type":"get_state"}`), "4", "data", "messageCount")
}

func TestSteeringIsSaidAtTheSeam(t *testing.T) {
	tool := NewBlockingTool("wait")
	c := start(t, options{host: core.HostOptions{Tools: []core.Tool{tool}}}, Reply(Call(0, "c1", "wait", "{}")), Reply(Say("done")))
	c.send(`{"type":"prompt","message":"go"}`)
	c.until("tool_execution_start")
	<-tool.Started
	c.send(`{"id":1,"type":"prompt","message":"hurry","streamingBehavior":"steer"}`, `{"id":2,"type":"steer","message":"now"}`)
	c.want(ok("1", "prompt"), ok("2", "steer"))
	close(tool.Released)
	c.until("agent_settled")
	last := c.provider.Requests()[1].Messages
	if got := last[len(last)-1].Text(); got != "hurry" {
		t.Errorf("the second request ends with %q, want the first steering message", got)
	}
}

func TestEmptyPromptFailsInLine(t *testing.T) {
	for message, problem := range map[string]string{
		`""`:     "prompt must not be empty",
		`"  \n"`: "prompt must not be empty",
		`"look","images":[{"type":"text","data":"x"}]`: "images must contain only image content blocks",
	} {
		c := start(t, options{}, Reply(Say("x")))
		c.send(`{"type":"prompt","message":"first"}`, `{"id":1,"type":"prompt","message":`+message+`}`)
		c.want(`{"type":"response","command":"prompt","success":true,"data":null}`, ok("1", "prompt"), started, settled)
		c.want(`{"type":"run_failed","message":"`+problem+`"}`, settled)
	}
}

func TestEmptyPromptFailsInPi(t *testing.T) {
	c := start(t, pi())
	c.send(`{"id":1,"type":"prompt","message":""}`)
	c.want(bad("1", "prompt", "prompt must not be empty"))
}

func TestEmptySteeringFails(t *testing.T) {
	c := start(t, options{})
	c.send(`{"id":1,"type":"steer","message":" "}`, `{"id":2,"type":"follow_up","message":"x","images":[{"type":"thinking"}]}`)
	c.want(bad("1", "steer", "prompt must not be empty"), bad("2", "follow_up", "images must contain only image content blocks"))
}

func TestImagesReachTheModel(t *testing.T) {
	c := start(t, options{}, Reply(Say("a cat")))
	c.send(`{"type":"prompt","message":"","images":[{"type":"image","data":"aGk=","mimeType":"image/png"},` +
		`{"type":"image","data":"aG8=","mime_type":"image/gif"}]}`)
	c.until("agent_settled")
	m := c.provider.Requests()[0].Messages[0]
	if len(m.Content) != 3 || m.Content[1].Image.MimeType != "image/png" || m.Content[2].Image.Data != "aG8=" {
		t.Errorf("the model got %+v", m.Content)
	}
}

func TestAbortRightBehindThePrompt(t *testing.T) {
	c := start(t, options{}, Reply(Wait(make(chan struct{}))))
	c.send(`{"id":1,"type":"prompt","message":"go"}`, `{"id":2,"type":"abort"}`)
	c.want(ok("1", "prompt"), ok("2", "abort"), started, `{"type":"run_failed","message":"Request was aborted"}`, settled)
}

func TestAbortIsToldInPi(t *testing.T) {
	c := start(t, pi(), Reply(Say("x"), Wait(make(chan struct{}))))
	c.send(`{"type":"prompt","message":"go"}`)
	c.until(`"text_delta"`)
	c.send(`{"id":1,"type":"abort"}`)
	c.want(`{"id":1,"type":"response","command":"abort","success":true}`, `{"type":"agent_settled","aborted":true}`)
}

func TestAbortRetryEndsThePause(t *testing.T) {
	for _, tt := range []struct {
		command string
		o       options
		end     []string
	}{
		{"abort_retry", options{}, []string{`{"type":"run_failed","message":"Request was aborted"}`, settled}},
		{"abort", pi(), []string{`{"type":"agent_settled","aborted":true}`}},
	} {
		down := &core.ProviderError{Message: "busy", Retry: true, RetryAfter: 50e9}
		c := start(t, tt.o, Reply(Fail(down)))
		c.send(`{"type":"abort_retry"}`, `{"type":"prompt","message":"go"}`)
		c.until(started)
		c.want(`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":50000,"errorMessage":"busy"}`)
		ends := strings.Count(c.log.String(), `"type":"agent_end"`)
		c.send(`{"type":"` + tt.command + `"}`)
		c.until(`"command":"` + tt.command + `"`)
		c.want(`{"type":"auto_retry_end","success":false,"attempt":1,"finalError":"Retry cancelled"}`)
		c.want(tt.end...)
		if got := strings.Count(c.log.String(), `"type":"agent_end"`); ends != 1 || got != 1 {
			t.Errorf("%d agent_end before the pause and %d in all, want one", ends, got)
		}
	}
}

func TestQueues(t *testing.T) {
	c := start(t, options{})
	c.send(`{"id":1,"type":"steer","message":"s"}`, `{"id":2,"type":"follow_up","message":"f"}`)
	c.want(ok("1", "steer"), ok("2", "follow_up"))
	c.send(`{"id":"q","type":"queue_list"}`)
	c.want(`{"id":"q","type":"response","command":"queue_list","success":true,"data":{"steering":["s"],"followUp":["f"],"total":2}}`)
	c.send(`{"id":"q","type":"queue_cancel"}`)
	c.want(`{"id":"q","type":"response","command":"queue_cancel","success":true,"data":{"cancelled":2}}`)
	c.wantField(c.ask(`{"id":"q","type":"get_state"}`), "0", "data", "pendingMessageCount")
}

func TestClearQueueReturnsTexts(t *testing.T) {
	c := start(t, pi())
	c.send(`{"id":1,"type":"steer","message":"s"}`)
	c.want(`{"id":1,"type":"response","command":"steer","success":true,"data":{"disposition":"queued"}}`)
	if got, want := c.next(), `{"type":"queue_update","steering":["s"],"followUp":[]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c.send(`{"id":"q","type":"clear_queue"}`)
	c.want(`{"id":"q","type":"response","command":"clear_queue","success":true,"data":{"steering":["s"],"followUp":[]}}`)
}

// The answer comes behind the end of the turn, and ahead of session_started.
func TestNewSessionStopsTheTurn(t *testing.T) {
	c := start(t, options{}, Reply(Say("x"), Wait(make(chan struct{}))))
	c.send(`{"type":"prompt","message":"go"}`, `{"type":"steer","message":"s"}`)
	c.until(`"text_delta"`)
	c.send(`{"id":"q","type":"new_session","parentSession":"p"}`)
	c.until("run_failed")
	c.want(settled, `{"id":"q","type":"response","command":"new_session","success":true,"data":{"cancelled":false}}`)
	session := c.next()
	c.wantField(session, `"session_started"`, "type")
	c.wantField(session, `"p"`, "data", "parentSession")
	state := c.ask(`{"id":"q","type":"get_state"}`)
	c.wantField(state, "0", "data", "messageCount")
	c.wantField(state, "0", "data", "pendingMessageCount")
	c.wantField(state, field(t, session, "data", "id"), "data", "sessionId")
}

func TestRunFailedTellsTheCause(t *testing.T) {
	c := start(t, options{host: core.HostOptions{}})
	c.store.FailAppends(errors.New("disk full"))
	c.send(`{"type":"prompt","message":"go"}`)
	c.until(settled)
	if !strings.Contains(c.log.String(), `"type":"run_failed","message":"write session: disk full"`) {
		t.Errorf("no run_failed with the cause:\n%s", c.log.String())
	}
}
