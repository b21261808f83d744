package jsonl_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol"
	"github.com/dualagent/agent/protocol/jsonl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for a record that never comes.
const patience = 20 * time.Second

// A client speaks with a server through pipes, and with nothing of it but these.
type client struct {
	t        testing.TB
	in       *io.PipeWriter
	lines    chan string
	served   chan error
	provider *Provider
	store    *Store
	log      bytes.Buffer // what was sent and what came
}

type options struct {
	jsonl.Options
	host core.HostOptions
}

// start serves a scripted model until the test ends. Then input ends, and the server must end well.
func start(t testing.TB, o options, replies ...[]Step) *client {
	t.Helper()
	c := &client{
		t: t, lines: make(chan string, 100_000), served: make(chan error, 1),
		provider: NewProvider(replies...), store: &Store{},
	}
	if o.host.Providers == nil {
		o.host.Providers = []core.Provider{c.provider}
	}
	o.host.Store = c.store
	if _, err := c.store.Create(context.Background(), core.Header{ID: "stored", Cwd: "/elsewhere"}); err != nil {
		t.Fatal(err)
	}
	if o.host.Cwd == "" {
		o.host.Cwd = "/work"
	}
	host := core.NewHost(o.host)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c.in = inW
	go func() {
		err := protocol.Serve(context.Background(), host, jsonl.Open(o.Options), inR, outW, protocol.ServeOptions{})
		outW.Close()
		c.served <- err
	}()
	go c.read(outR)
	t.Cleanup(func() {
		c.in.Close()
		for range c.lines {
		}
		if err := <-c.served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if err := host.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func (c *client) read(r io.Reader) {
	defer close(c.lines)
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		c.lines <- strings.TrimSuffix(line, "\n")
	}
}

// send writes lines in one go.
func (c *client) send(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		c.log.WriteString("> " + l + "\n")
	}
	if _, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// next returns the next record.
func (c *client) next() string {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		if !ok {
			c.t.Fatalf("no more records; so far:\n%s", c.log.String())
		}
		c.log.WriteString("< " + line + "\n")
		return line
	case <-time.After(patience):
		c.t.Fatalf("no record; so far:\n%s", c.log.String())
	}
	return ""
}

// until reads up to the first record with part in it.
func (c *client) until(part string) string {
	c.t.Helper()
	for {
		if line := c.next(); strings.Contains(line, part) {
			return line
		}
	}
}

// want reads up to the next record that is no event of a turn or of a session, and compares it.
func (c *client) want(lines ...string) {
	c.t.Helper()
	for _, want := range lines {
		got := c.next()
		for noise(got) {
			got = c.next()
		}
		if got != want {
			c.t.Fatalf("got\n  %s\nwant\n  %s\nso far:\n%s", got, want, c.log.String())
		}
	}
}

// noise are events that are of no interest to most tests.
func noise(line string) bool {
	for _, kind := range []string{
		"session_started", "entry_appended", "message_start", "message_update", "message_end", "turn_start", "turn_end", "agent_end",
		"queue_update",
	} {
		if strings.HasPrefix(line, `{"type":"`+kind+`"`) {
			return true
		}
	}
	return false
}

// ask sends a command with the id q and returns its response; events are passed over.
func (c *client) ask(line string) string {
	c.t.Helper()
	c.send(line)
	return c.until(`{"id":"q","type":"response"`)
}

// field returns a member of a record, or of its data, as JSON.
func field(t testing.TB, record string, path ...string) string {
	t.Helper()
	raw := json.RawMessage(record)
	for _, name := range path {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			t.Fatalf("%s of %s: %v", name, record, err)
		}
		raw = members[name]
	}
	return string(raw)
}

func (c *client) wantField(record, want string, path ...string) {
	c.t.Helper()
	if got := field(c.t, record, path...); got != want {
		c.t.Errorf("%s is %s, want %s; in\n%s", strings.Join(path, "."), got, want, record)
	}
}

func pi() options { return options{Options: jsonl.Options{Dialect: jsonl.Pi}} }

// shell is a core.Shell of a function.
type shell func(ctx context.Context, command string, output func(string)) (core.ShellRun, error)

func (s shell) Run(ctx context.Context, command string, output func(string)) (core.ShellRun, error) {
	return s(ctx, command, output)
}

// echo says what it is told to do.
func echo(_ context.Context, command string, output func(string)) (core.ShellRun, error) {
	output(command)
	return core.ShellRun{Output: command, ExitCode: new(int)}, nil
}

// blockingShell blocks each command until it is aborted; started gets one value for each.
func blockingShell(started chan<- struct{}) shell {
	return func(ctx context.Context, _ string, output func(string)) (core.ShellRun, error) {
		output("begin\n")
		started <- struct{}{}
		<-ctx.Done()
		return core.ShellRun{Output: "begin\n", Cancelled: true}, nil
	}
}
