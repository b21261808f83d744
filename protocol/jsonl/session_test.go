package jsonl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

// keep adds entries to the session mem:stored.
func (c *client) keep(entries ...core.Entry) {
	c.t.Helper()
	log, _, _, err := c.store.Open(context.Background(), "", "stored")
	if err == nil {
		err = log.Append(entries...)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

const switched = `{"id":"q","type":"response","command":"switch_session","success":true,"data":{"cancelled":false}}`

func (c *client) useStored() {
	c.t.Helper()
	if got := c.ask(`{"id":"q","type":"switch_session","sessionPath":"mem:stored"}`); got != switched {
		c.t.Fatalf("got %s", got)
	}
}

// raw is an entry of another program, with an order of keys and numbers that a second encoding would change.
func raw(id, parent, typ, more string) core.Entry {
	text := fmt.Sprintf(`{"type":"%s","n":1.50,"id":"%s","big":12345678901234567890%s}`, typ, id, more)
	return core.Entry{ID: id, Parent: parent, Type: core.EntryType(typ), Side: typ == "label", Raw: []byte(text)}
}

func TestEntriesOfOthersGoOutByteForByte(t *testing.T) {
	c := start(t, options{})
	first, second := raw("a", "", "custom", ""), raw("b", "a", "checkpoint", `,"x":{"é":"\u00e9\/"}`)
	c.keep(first, second)
	c.useStored()
	want := `"data":{"entries":[` + string(first.Raw) + "," + string(second.Raw) + `],"leafId":"b"}}`
	if got := c.ask(`{"id":"q","type":"get_entries"}`); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant\n…%s", got, want)
	}
	want = `"data":{"entries":[` + string(second.Raw) + `],"leafId":"b"}}`
	if got := c.ask(`{"id":"q","type":"get_entries","since":"a"}`); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant\n…%s", got, want)
	}
	want = `"data":{"tree":[{"entry":` + string(first.Raw) + `,"children":[{"entry":` + string(second.Raw) +
		`,"children":[]}]}],"leafId":"b","activeLeafId":"b"}}`
	if got := c.ask(`{"id":"q","type":"get_tree"}`); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant\n…%s", got, want)
	}
}

func TestLabelsOfATree(t *testing.T) {
	c := start(t, pi())
	c.keep(raw("a", "", "custom", ""), raw("b", "", "custom", ""),
		raw("1", "b", "label", `,"targetId":"a","label":"first"`), raw("2", "b", "label", `,"targetId":"a","label":"last"`),
		raw("3", "b", "label", `,"targetId":"b","label":"gone"`), raw("4", "b", "label", `,"targetId":"b"`),
		raw("5", "b", "label", `,"targetId":"none","label":"x"`), raw("6", "b", "label", `,"targetId":7,"label":"x"`))
	c.useStored()
	got := c.ask(`{"id":"q","type":"get_tree"}`)
	if n := strings.Count(got, `"labelTimestamp"`); n != 1 || !strings.Contains(got, `"children":[],"label":"last","labelTimestamp":"`) {
		t.Errorf("%d labels, want one, \"last\" of a: %s", n, got)
	}
	if !strings.HasSuffix(got, `],"leafId":"b"}}`) {
		t.Errorf("the leaf is not b, or there is an activeLeafId: %s", got)
	}
}

func TestTreeThatIsTooDeep(t *testing.T) {
	for n, want := range map[int]string{
		4000: `"success":true`,
		4001: `"success":false,"error":"the session has more than 4000 entries in a row, too many for a tree; use get_entries"}`,
	} {
		c := start(t, options{})
		var entries []core.Entry
		parent := ""
		for i := range n {
			id := fmt.Sprint(i)
			entries = append(entries, raw(id, parent, "custom", ""))
			parent = id
		}
		c.keep(entries...)
		c.useStored()
		if got := c.ask(`{"id":"q","type":"get_tree"}`); !strings.Contains(got, want) {
			t.Errorf("%d entries: got %.200s, want %s", n, got, want)
		}
	}
}

// TestEntriesDuringATurn: they are told while it runs, as far as they are written.
func TestEntriesDuringATurn(t *testing.T) {
	gate := make(chan struct{})
	c := start(t, options{}, Reply(Wait(gate), Say("x")))
	c.send(`{"type":"prompt","message":"go"}`)
	c.until(`"message_end"`)
	got := c.ask(`{"id":"q","type":"get_fork_messages"}`)
	if !strings.Contains(got, `"text":"go"}]`) {
		t.Errorf("got %s", got)
	}
	close(gate)
	c.until(settled)
	leaf := field(t, c.ask(`{"id":"q","type":"get_entries"}`), "data", "leafId")
	c.wantField(c.ask(`{"id":"q","type":"get_entries","since":`+leaf+`}`), `[]`, "data", "entries")
}

func TestSwitchSessionStopsTheTurn(t *testing.T) {
	c := start(t, options{}, Reply(Say("x"), Wait(make(chan struct{}))))
	c.keep(core.Entry{ID: "a", Type: core.EntryModel, Provider: "test", Model: "two"})
	c.send(`{"type":"prompt","message":"go"}`, `{"type":"steer","message":"s"}`)
	c.until(`"text_delta"`)
	c.send(`{"id":"q","type":"switch_session","sessionPath":"mem:stored"}`)
	c.until("run_failed")
	c.want(settled, switched)
	c.wantField(c.next(), `"stored"`, "data", "id") // session_started
	c.wantField(c.next(), `"two"`, "model", "id")   // model_select
	c.wantField(c.next(), `"off"`, "thinkingLevel") // two cannot do more
	state := c.ask(`{"id":"q","type":"get_state"}`)
	c.wantField(state, `"mem:stored"`, "data", "sessionFile")
	c.wantField(state, `"/elsewhere"`, "data", "cwd")
	c.wantField(state, "0", "data", "pendingMessageCount")
}

func TestNamesOfSessions(t *testing.T) {
	for name, want := range map[string]string{
		`" a "`: "a", `"a\nb"`: "a b", `"\r\na\r\n\r\nb\n"`: "a b", `"a\tb  c"`: "a\tb  c", `"é \"x\""`: `é "x"`,
		`""`: "", `" \n "`: "",
	} {
		c := start(t, options{})
		c.send(`{"id":"q","type":"set_session_name","name":` + name + `}`)
		if want == "" {
			c.want(bad(`"q"`, "set_session_name", "Session name cannot be empty"))
			continue
		}
		c.want(ok(`"q"`, "set_session_name"))
		quoted := strings.NewReplacer("\t", `\t`, `"`, `\"`).Replace(want)
		c.want(`{"type":"session_info_changed","name":"` + quoted + `"}`)
		c.wantField(c.ask(`{"id":"q","type":"get_state"}`), `"`+quoted+`"`, "data", "sessionName")
	}
}

func TestANameThatCannotBeStored(t *testing.T) {
	c := start(t, options{})
	c.store.FailAppends(errors.New("disk full"))
	c.send(`{"id":"q","type":"set_session_name","name":"x"}`)
	c.want(bad(`"q"`, "set_session_name", "write session: disk full"))
	c.wantField(c.ask(`{"id":"q","type":"get_state"}`), `null`, "data", "sessionName")
}

// TestStatsOfSession: a reply that failed is paid for, too.
func TestStatsOfSession(t *testing.T) {
	o := options{host: core.HostOptions{Retry: core.RetryPolicy{Max: -1}, Tools: []core.Tool{&Tool{Name: "look"}}}}
	c := start(t, o, Reply(Call(0, "c", "look", "{}"), Use(100, 10)), Reply(Say("x"), Use(20, 2), Fail(errors.New("gone"))))
	c.send(`{"type":"prompt","message":"go"}`)
	c.until(settled)
	got := c.ask(`{"id":"q","type":"get_session_stats"}`)
	for name, want := range map[string]string{
		"userMessages": "1", "assistantMessages": "2", "toolCalls": "1", "toolResults": "1", "totalMessages": "4", "cost": "0",
		"tokens": `{"input":120,"output":12,"cacheRead":0,"cacheWrite":0,"total":132}`,
	} {
		c.wantField(got, want, "data", name)
	}
	c.wantField(got, "100000", "data", "contextUsage", "contextWindow")
}

// exportTo is an exporter that writes nothing. Without a path it takes unnamed.
func exportTo(unnamed string) core.Exporter {
	return func(_ context.Context, _ core.Transcript, path string) (string, error) {
		if path == "" {
			path = unnamed
		}
		return path, nil
	}
}

func TestExport(t *testing.T) {
	c := start(t, options{host: core.HostOptions{Export: exportTo("beside.html")}})
	for fields, want := range map[string]string{
		``:                       "beside.html",
		`"outputPath":null`:      "beside.html",
		`"outputPath":""`:        "beside.html",
		`"outputPath":"../a b"`:  "../a b",
		`"outputPath":"/x.html"`: "/x.html",
	} {
		want := `{"id":"q","type":"response","command":"export_html","success":true,"data":{"path":"` + want + `"}}`
		if got := c.ask(line("q", "export_html", fields)); got != want {
			t.Errorf("export_html with %s: got\n%s\nwant\n%s", fields, got, want)
		}
	}
}

func TestExportFails(t *testing.T) {
	full := func(context.Context, core.Transcript, string) (string, error) { return "", errors.New("disk full") }
	for want, export := range map[string]core.Exporter{"disk full": full, "nothing here that could export": nil} {
		c := start(t, options{host: core.HostOptions{Export: export}})
		got := c.ask(line("q", "export_html", ""))
		if !strings.Contains(got, `"success":false,"error":"`) || !strings.Contains(got, want) {
			t.Errorf("got %s, want a failure with %q", got, want)
		}
	}
}
