package jsonl_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol"
	"github.com/dualagent/agent/protocol/jsonl"
)

// FuzzHandle serves a line and another one behind it. Whatever the first one is, it gets one response or none that is not
// due, all output is JSON, and the second one is served.
func FuzzHandle(f *testing.F) {
	for name, v := range valid {
		f.Add([]byte(line("a", name, v.fields)), false)
		f.Add([]byte(line("a", name, "")), true)
	}
	for _, seed := range []string{
		`{oops`, `[]`, `null`, `{"id":5}`, `{"id":[],"type":"abort"}`, `{"type":"prompt","message":"","images":[{"type":"image"}]}`,
		`{"type":"nope","id":"\ud800"}`, `{"type":"abort","type":"abort"}`, `{"type":"abort","sessionId":7}`, "{\"type\":\"\xff\"}",
	} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, line []byte, pi bool) {
		if strings.ContainsAny(string(line), "\n") {
			return
		}
		o := jsonl.Options{}
		if pi {
			o.Dialect = jsonl.Pi
		}
		records := serve(t, o, string(line)+"\n"+`{"id":"last","type":"queue_list"}`)
		responses, others := 0, 0
		for _, r := range records {
			switch {
			case strings.Contains(r, `"id":"last"`):
			case strings.Contains(r, `"type":"response"`):
				responses++
			case !strings.Contains(r, `"session_started"`):
				others++
			}
		}
		want := expected(line)
		if responses != want && (want != 1 || !strings.Contains(string(line), "extension_ui_response")) {
			t.Errorf("%q: %d responses, want %d:\n%s", line, responses, want, strings.Join(records, "\n"))
		}
		if !json.Valid(line) && others > 0 {
			t.Errorf("%q: records beside the response:\n%s", line, strings.Join(records, "\n"))
		}
		if !slices.ContainsFunc(records, func(r string) bool { return strings.HasPrefix(r, `{"id":"last"`) }) {
			t.Errorf("%q: the next line is not served:\n%s", line, strings.Join(records, "\n"))
		}
	})
}

// expected returns how many responses a line gets.
func expected(line []byte) int {
	if strings.Trim(strings.TrimPrefix(string(line), "\ufeff"), " \t\r") == "" {
		return 0
	}
	return 1
}

// serve returns the records of a whole conversation.
func serve(t *testing.T, o jsonl.Options, input string) []string {
	t.Helper()
	host := core.NewHost(core.HostOptions{
		Providers: []core.Provider{NewProvider(Reply(Say("hi")), Reply(Say("ho")))}, Store: &Store{}, Cwd: "/work", Shell: shell(echo),
	})
	defer host.Close()
	var out strings.Builder
	err := protocol.Serve(context.Background(), host, jsonl.Open(o), strings.NewReader(input), &out, protocol.ServeOptions{})
	if err != nil {
		t.Fatalf("Serve: %v", err)
	}
	records := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, r := range records {
		if !json.Valid([]byte(r)) {
			t.Fatalf("%q: not JSON: %s", input, r)
		}
	}
	return records
}
