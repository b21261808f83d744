package jsonl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol"
	"github.com/dualagent/agent/protocol/jsonl"
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

// TestNewSessionEndsAllThatWasAccepted: what had been asked for before it does not run on in the old session.
func TestNewSessionEndsAllThatWasAccepted(t *testing.T) {
	for _, o := range []options{{}, pi()} {
		c := start(t, o, Reply(Say("one")), Reply(Say("two")), Reply(Say("three")))
		c.send(`{"id":1,"type":"prompt","message":"A"}`, `{"id":2,"type":"prompt","message":"B"}`, `{"id":3,"type":"new_session"}`,
			`{"id":4,"type":"steer","message":"X"}`, `{"id":5,"type":"prompt","message":"C"}`)
		c.until(`{"type":"agent_settled"`)
		c.until(`{"type":"agent_settled"`)
		c.until(`"command":"new_session","success":true`)
		c.until(`{"type":"agent_settled"`)
		var texts []string
		requests := c.provider.Requests()
		for _, m := range requests[len(requests)-1].Messages {
			texts = append(texts, m.Text())
		}
		if got := strings.Join(texts, " "); len(requests) != 1 || got != "C X" {
			t.Errorf("%d requests, the last one with %q; want one, with \"C X\"", len(requests), got)
		}
	}
}

// TestFailuresAreToldInPi: also those that no reply tells of.
func TestFailuresAreToldInPi(t *testing.T) {
	c := start(t, pi(), Reply(Say("never")))
	c.store.FailAppends(errors.New("no space left on device"))
	c.send(`{"id":1,"type":"prompt","message":"go"}`)
	if got := c.until(`"run_failed"`); !strings.Contains(got, "no space left on device") {
		t.Errorf("told: %s", got)
	}
	c.until(`{"type":"agent_settled"`)
	c.store.FailAppends(nil)
}

// TestPromptsAtTheEndOfARead: 1,024 bytes a line, so that a read ends with a line. What follows soon was written in one piece with
// it, by a client that could not know of the turn; what follows later was not.
func TestPromptsAtTheEndOfARead(t *testing.T) {
	var in strings.Builder
	for i := range 128 {
		line := fmt.Sprintf(`{"id":%d,"type":"prompt","message":"`, i)
		in.WriteString(line + strings.Repeat("x", 1024-len(line)-3) + "\"}\n")
	}
	for _, c := range []struct {
		pause time.Duration
		run   int
	}{{0, 128}, {50 * time.Millisecond, 128}, {time.Second, 64}} {
		t.Run(c.pause.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				end := make(chan struct{})
				replies := [][]Step{Reply(Wait(end), Say("y"))}
				for range 127 {
					replies = append(replies, Reply(Say("y")))
				}
				host := core.NewHost(core.HostOptions{Providers: []core.Provider{NewProvider(replies...)}, Store: &Store{}, Cwd: "/work"})
				r := &halting{in: strings.NewReader(in.String()), pause: c.pause, end: end}
				var out bytes.Buffer
				if err := protocol.Serve(t.Context(), host, jsonl.Open(jsonl.Options{}), r, &out, protocol.ServeOptions{}); err != nil {
					t.Fatal(err)
				}
				if err := host.Close(); err != nil {
					t.Error(err)
				}
				ran, refused := strings.Count(out.String(), settled), strings.Count(out.String(), `"success":false`)
				if ran != c.run || refused != 128-c.run {
					t.Errorf("%d prompts ran and %d were refused, want %d and %d", ran, refused, c.run, 128-c.run)
				}
			})
		})
	}
}

// halting reads from in. Before each read but the first it waits until all that was read has had its effect, and lets a read last
// for pause. At the end of in it closes end.
type halting struct {
	in    io.Reader
	pause time.Duration
	begun bool
	end   chan struct{}
}

func (h *halting) Read(p []byte) (int, error) {
	if h.begun {
		synctest.Wait()
		time.Sleep(h.pause)
	}
	h.begun = true
	n, err := h.in.Read(p)
	if err != nil {
		close(h.end)
	}
	return n, err
}

// TestAbortRetryIsForThePause: not for what was sent behind it.
func TestAbortRetryIsForThePause(t *testing.T) {
	c := start(t, options{host: core.HostOptions{Retry: core.RetryPolicy{Base: time.Hour, Limit: time.Hour}}},
		Reply(Fail(&core.ProviderError{Message: "503", Retry: true})), Reply(Say("done")))
	c.send(`{"id":1,"type":"prompt","message":"A"}`)
	c.until(`"auto_retry_start"`)
	c.send(`{"id":2,"type":"abort_retry"}`, `{"id":3,"type":"prompt","message":"C"}`, `{"id":4,"type":"abort_retry"}`)
	c.until(settled)
	c.until(settled)
	if got := c.ask(`{"id":"q","type":"get_last_assistant_text"}`); !strings.Contains(got, `"done"`) {
		t.Errorf("the prompt behind abort_retry was not answered: %s", got)
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

// TestPromptAndAbortInOneWrite: the run is aborted before it says a word, every time.
func TestPromptAndAbortInOneWrite(t *testing.T) {
	for range 1000 {
		c := start(t, options{}, Reply(Say("never")))
		c.send(`{"id":1,"type":"prompt","message":"go"}`, `{"id":2,"type":"abort"}`)
		c.want(ok("1", "prompt"), ok("2", "abort"), started, `{"type":"run_failed","message":"Request was aborted"}`, settled)
	}
}

// TestOneEndOnTheWireAtEveryCut lets the model fail, break off and panic before each of its chunks, and a tool panic, and wants
// one agent_settled, as the last record.
func TestOneEndOnTheWireAtEveryCut(t *testing.T) {
	whole := []Step{Think("a"), Say("b"), Say("c"), Call(0, "x", "look", "{"), Call(0, "", "", "}"), Use(1, 1)}
	tools := []core.Tool{&Tool{Name: "look", Action: func(context.Context, core.Invocation) (core.ToolResult, error) { panic("boom") }}}
	for i := range len(whole) + 1 {
		for name, cut := range map[string]Step{"fails": Fail(errors.New("broken")), "breaks off": Cut(), "panics": Panic("boom"), "goes on": Do(func() {})} {
			for _, o := range []options{{}, pi()} {
				t.Run(fmt.Sprintf("%s before chunk %d, %s", name, i, o.Dialect), func(t *testing.T) {
					o.host.Tools, o.host.Retry = tools, core.RetryPolicy{Max: -1}
					steps := append(slices.Clone(whole[:i]), cut)
					c := start(t, o, steps, Reply(Say("done")), Reply(Say("more")))
					c.send(`{"id":1,"type":"prompt","message":"x"}`)
					c.until(`{"type":"agent_settled"`)
					c.in.Close()
					for line := range c.lines {
						t.Errorf("behind agent_settled: %s", line)
					}
					if n := strings.Count(c.log.String(), `< {"type":"agent_end"`); n != 1 {
						t.Errorf("%d agent_end", n)
					}
				})
			}
		}
	}
}
