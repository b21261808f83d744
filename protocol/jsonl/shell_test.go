package jsonl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
)

func TestBashIsAnsweredBehindItsRecords(t *testing.T) {
	c := start(t, options{host: core.HostOptions{Shell: shell(echo)}})
	c.send(`{"id":7,"type":"bash","command":"hi"}`)
	c.want(`{"type":"bash_execution_update","id":7,"delta":"hi"}`)
	end := c.until("bash_execution_end")
	if want := `{"type":"bash_execution_end","message":{"command":"hi","output":"hi","exitCode":0,"cancelled":false,"truncated":false,"timestamp":`; !strings.HasPrefix(end, want) {
		t.Errorf("got\n%s\nwant\n%s…", end, want)
	}
	c.want(`{"id":7,"type":"response","command":"bash","success":true,"data":` +
		`{"exitCode":0,"stdout":"hi","output":"hi","cancelled":false,"truncated":false}}`)
	c.wantField(c.ask(`{"id":"q","type":"get_state"}`), "1", "data", "messageCount")
}

func TestBashWithoutAShell(t *testing.T) {
	c := start(t, options{})
	c.send(`{"id":1,"type":"bash","command":"ls"}`)
	c.want(bad("1", "bash", "running commands is not available"))
}

func TestAbortBash(t *testing.T) {
	began := make(chan struct{}, 1)
	for _, tt := range []struct {
		o    options
		want string
	}{
		{options{}, `{"exitCode":null,"stdout":"begin\n","output":"begin\n","cancelled":true,"truncated":false}`},
		{pi(), `{"output":"begin\n","cancelled":true,"truncated":false}`},
	} {
		tt.o.host.Shell = blockingShell(began)
		c := start(t, tt.o)
		c.send(`{"type":"bash","command":"sleep"}`)
		<-began
		c.send(`{"type":"abort_bash"}`)
		c.until(`"command":"abort_bash"`)
		if got := c.until(`"command":"bash"`); !strings.Contains(got, tt.want) {
			t.Errorf("got\n%s\nwant %s", got, tt.want)
		}
	}
}

func TestTooManyCommandsUnderWay(t *testing.T) {
	began := make(chan struct{}, 64)
	c := start(t, options{host: core.HostOptions{Shell: blockingShell(began)}})
	for i := range 64 {
		c.send(line(fmt.Sprint(i), "bash", `"command":"sleep"`))
		<-began
	}
	wantProblem(t, c, "bash", `"command":"sleep"`, "too many concurrent RPC commands (limit 64)")
	c.send(`{"type":"abort_bash"}`)
	for range 64 {
		c.until(`"command":"bash","success":true`)
	}
	c.send(`{"id":"again","type":"bash","command":"x"}`)
	<-began
	c.send(`{"type":"abort_bash"}`)
	c.until(`{"id":"again","type":"response","command":"bash","success":true`)
}
