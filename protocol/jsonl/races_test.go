package jsonl_test

import (
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

// TestAPromptBehindAnAbortRuns: a turn that is being aborted is no reason to refuse what the user wants instead, nor does it take
// it along to its end.
func TestAPromptBehindAnAbortRuns(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	for _, c := range []struct{ name, second string }{
		{"plain", `{"id":2,"type":"prompt","message":"instead"}`},
		{"to steer", `{"id":2,"type":"prompt","message":"instead","streamingBehavior":"steer"}`},
		{"to follow", `{"id":2,"type":"prompt","message":"instead","streamingBehavior":"followUp"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 50 {
				c2 := start(t, options{}, Reply(Say("a"), Wait(never)), Reply(Say("done")))
				c2.send(`{"id":1,"type":"prompt","message":"go"}`)
				c2.until(`"text_delta"`)
				c2.send(`{"id":"a","type":"abort"}`, c.second)
				c2.until(ok("2", "prompt"))
				c2.until(settled)
				c2.until(settled)
				if got := c2.ask(`{"id":"q","type":"get_last_assistant_text"}`); !strings.Contains(got, `"done"`) {
					t.Fatalf("the prompt behind the abort was not answered: %s", got)
				}
			}
		})
	}
}

// TestSteeringIsNotWastedOnAnAbortedTurn: what is sent behind an abort is for the next turn.
func TestSteeringIsNotWastedOnAnAbortedTurn(t *testing.T) {
	c := start(t, options{}, Reply(Say("one")), Reply(Say("two")))
	c.send(`{"id":1,"type":"prompt","message":"A"}`, `{"id":2,"type":"abort"}`, `{"id":3,"type":"steer","message":"S"}`,
		`{"id":4,"type":"prompt","message":"B"}`)
	c.until(settled)
	c.until(settled)
	requests := c.provider.Requests()
	var said []string
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == core.RoleUser {
			said = append(said, m.Text())
		}
	}
	if got := strings.Join(said, " "); got != "A B S" {
		t.Errorf("the model has read %q, want the steering behind the second prompt", got)
	}
}

// TestWhatComesBehindNewSessionIsForIt: also when the change has to wait for a turn.
func TestWhatComesBehindNewSessionIsForIt(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	c := start(t, options{}, Reply(Say("a"), Wait(never)), Reply(Say("done")))
	c.send(`{"id":1,"type":"prompt","message":"old"}`)
	c.until(`"text_delta"`)
	c.send(`{"id":2,"type":"follow_up","message":"dropped with the old session"}`)
	c.send(`{"id":3,"type":"new_session"}`, `{"id":4,"type":"steer","message":"S"}`, `{"id":5,"type":"prompt","message":"new"}`)
	c.until(settled)
	c.until(`{"id":3,"type":"response","command":"new_session","success":true,"data":{"cancelled":false}}`)
	c.until(settled)
	var texts []string
	for _, m := range c.provider.Requests()[1].Messages {
		texts = append(texts, m.Text())
	}
	if got := strings.Join(texts, " "); got != "new S" {
		t.Errorf("the model has read %q in the new session, want \"new S\"", got)
	}
}

// TestPromptsInOneLargeWrite: that the second line takes several reads does not make it a late one.
func TestPromptsInOneLargeWrite(t *testing.T) {
	for range 20 {
		c := start(t, options{}, Reply(Say("one")), Reply(Say("two")))
		c.send(`{"id":1,"type":"prompt","message":"a"}`, `{"id":2,"type":"prompt","message":"`+strings.Repeat("b", 400_000)+`"}`)
		for ends, accepted := 0, 0; ends < 2 || accepted < 2; {
			switch line := <-c.lines; {
			case line == settled:
				ends++
			case strings.Contains(line, `"command":"prompt","success":true`):
				accepted++
			case strings.Contains(line, `"command":"prompt"`):
				t.Fatalf("refused: %s", line)
			}
		}
	}
}

func TestAbortStopsTheUsersCommand(t *testing.T) {
	c := start(t, options{host: core.HostOptions{Shell: blockingShell(make(chan struct{}, 1))}})
	c.send(`{"id":1,"type":"bash","command":"wait"}`, `{"id":2,"type":"abort"}`)
	if got := c.until(`"command":"bash"`); !strings.Contains(got, `"cancelled":true`) {
		t.Errorf("bash ends with %s", got)
	}
}

func TestImagesAreChecked(t *testing.T) {
	for image, want := range map[string]string{
		`{"type":"image","data":"!!!","mimeType":"image/png"}`:  "Invalid command: the data of an image must be base64",
		`{"type":"image","data":"AAAA","mimeType":"text/html"}`: "Invalid command: the type \"text/html\" is not that of an image",
	} {
		c := start(t, options{})
		got := c.ask(`{"id":"q","type":"prompt","message":"look","images":[` + image + `]}`)
		if !strings.Contains(got, strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s: %s", image, got)
		}
	}
}
