package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dualagent/agent/conformance/kit"
	"github.com/dualagent/agent/internal/schematest"
	"github.com/dualagent/agent/protocol/jsonl"
)

// A tap keeps what goes in and out of a program that runs in this process.
type tap struct {
	mu   sync.Mutex // guards the rest: a program may still read when it has returned
	runs []traffic
}

// A traffic is the lines of one run.
type traffic struct {
	args       []string
	sent, told [][]byte
}

// listen puts the tap on a target.
func (tp *tap) listen(target *kit.Target) {
	inner := target.Func
	target.Func = func(ctx context.Context, args, env []string, in io.Reader, out, stderr io.Writer) int {
		var sent, told record
		code := inner(ctx, args, env, io.TeeReader(in, &sent), io.MultiWriter(out, &told), stderr)
		tp.mu.Lock()
		defer tp.mu.Unlock()
		tp.runs = append(tp.runs, traffic{args, sent.lines(), told.lines()})
		return code
	}
}

// A record is a buffer for several goroutines.
type record struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

// lines returns the lines that are not blank, the last one too if no line feed ends it.
func (r *record) lines() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := bytes.TrimPrefix(bytes.Clone(r.buf.Bytes()), []byte("\ufeff"))
	return slices.DeleteFunc(bytes.Split(text, []byte("\n")), func(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 })
}

// A judge holds the lines of a run against a document. Lines that the program has refused may be anything.
type judge func(run traffic) (checked int, faults []string)

// judge holds all that the tap has heard against a document.
func (tp *tap) judge(t *testing.T, j judge) {
	t.Helper()
	tp.mu.Lock()
	defer tp.mu.Unlock()
	checked, seen := 0, map[string]bool{}
	for _, run := range tp.runs {
		n, faults := j(run)
		checked += n
		for _, f := range faults {
			if !seen[f] {
				t.Error(shortly(f))
			}
			seen[f] = true
		}
	}
	if checked < 100 {
		t.Errorf("only %d lines were held against the document", checked)
	}
}

func parsed(t *testing.T, document []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func resolved(t *testing.T, schema any) *jsonschema.Resolved {
	t.Helper()
	r, err := schematest.Resolve(schema)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// within makes a validator of one definition of a document.
func within(t *testing.T, defs any, name string) *jsonschema.Resolved {
	t.Helper()
	return resolved(t, map[string]any{"$defs": defs, "$ref": "#/$defs/" + name})
}

func shortly[T string | []byte](text T) string {
	if len(text) > 800 {
		return fmt.Sprintf("%s… (%d bytes) …%s", text[:300], len(text), text[len(text)-400:])
	}
	return string(text)
}

// jsonlJudge holds commands and the union of responses and events against schema.json; nothing that is told may be missing there.
func jsonlJudge(t *testing.T) judge {
	defs := schematest.Lookup(parsed(t, jsonl.Schema()), "/$defs")
	command := within(t, defs, "Command")
	closed := schematest.Close(defs)
	told := map[string]*jsonschema.Resolved{"Response": within(t, closed, "Response"), "Event": within(t, closed, "Event")}
	return func(run traffic) (checked int, faults []string) {
		refused := map[string]string{}
		for _, line := range run.told {
			var v map[string]any
			if err := json.Unmarshal(line, &v); err != nil {
				faults = append(faults, fmt.Sprintf("told: %s: %v", shortly(line), err))
				continue
			}
			if v["success"] == false {
				refused[jsonlKey(v["command"], v["id"])] = fmt.Sprint(v["error"])
			}
			checked++
			kind := "Event"
			if v["type"] == "response" {
				kind = "Response"
			}
			if err := told[kind].Validate(v); err != nil {
				faults = append(faults, fmt.Sprintf("told: %s\n%v", shortly(line), why(t, closed, kind, v, err)))
			}
		}
		for _, line := range run.sent {
			var v map[string]any
			if json.Unmarshal(line, &v) != nil {
				continue
			}
			problem, ok := refused[jsonlKey(v["type"], v["id"])]
			err := command.Validate(v)
			_, text := v["type"].(string)
			switch {
			case ok && strings.HasPrefix(problem, "Invalid command: ") && err == nil:
				faults = append(faults, fmt.Sprintf("sent: %s: the program says %s, the document does not", shortly(line), problem))
			case !ok && text && err != nil:
				faults = append(faults, fmt.Sprintf("sent: %s\n%v", shortly(line), why(t, defs, "Command", v, err)))
			}
			checked++
		}
		return checked, faults
	}
}

// jsonlKey is what a command and its failure have in common. An id that is none is not told, nor is that of a question.
func jsonlKey(command, id any) string {
	switch id.(type) {
	case string, float64:
		if command != "extension_ui_response" {
			return fmt.Sprint(command, " ", id)
		}
	}
	return fmt.Sprint(command)
}

// why holds a line against the one definition that has its name, since a union says only that no part of it fits.
func why(t *testing.T, defs any, kind string, line map[string]any, err error) error {
	name, ok := line["type"].(string)
	if kind == "Response" {
		name, ok = line["command"].(string)
	}
	if !ok || schematest.Lookup(defs, "/"+kind+"."+name) == nil {
		return err
	}
	if one := within(t, defs, kind+"."+name).Validate(line); one != nil {
		return one
	}
	return err
}

// everything is a session with each command of JSONL, good for every dialect.
const everything = `{"type":"abort"}
{"id":"0","type":"new_session"}
{"id":"1","type":"get_state"}
{"id":"2","type":"set_thinking_level","level":"high"}
{"id":"3","type":"cycle_thinking_level"}
{"id":"4","type":"get_available_thinking_levels"}
{"id":"5","type":"get_available_models"}
{"id":"6","type":"cycle_model"}
{"id":"7","type":"set_model","provider":"script","modelId":"b"}
{"id":"8","type":"set_model","provider":"none","modelId":"none"}
{"id":"9","type":"set_steering_mode","mode":"all"}
{"id":"10","type":"set_follow_up_mode","mode":"one-at-a-time"}
{"id":"11","type":"set_auto_retry","enabled":true}
{"id":"12","type":"steer","message":"briefly"}
{"id":"13","type":"follow_up","message":"more"}
{"id":"14","type":"queue_list"}
{"id":"15","type":"clear_queue"}
{"id":"16","type":"queue_cancel"}
{"id":17,"type":"prompt","message":"go"}
{"id":18,"type":"prompt","message":"on","streamingBehavior":"followUp"}
{"id":19,"type":"prompt","message":"on","streamingBehavior":"shout"}
{"id":20,"type":"bash","command":"echo out; exit 3"}
{"id":21,"type":"abort_retry"}
{"id":22,"type":"abort_bash"}
{"id":23,"type":"get_messages"}
{"id":24,"type":"get_last_assistant_text"}
{"id":"25","type":"extension_ui_response","confirmed":true}
{"id":26,"type":"set_session_name","name":"demo"}
{"id":27,"type":"get_session_stats"}
{"id":28,"type":"get_entries"}
{"id":29,"type":"get_entries","since":"none"}
{"id":30,"type":"get_tree"}
{"id":31,"type":"get_fork_messages"}
{"id":32,"type":"switch_session","sessionPath":"none"}
{"id":33,"type":"export_html"}
{"id":34,"type":"export_html","outputPath":"."}
`

const everythingScript = `model a reasoning
model b reasoning
think "let me see"
call bash {"command":"echo hi"}
say "done"
`

// TestDialectsFitSchema plays what transcripts leave out: all commands, in both dialects, with partials and without.
func TestDialectsFitSchema(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(everythingScript), 0o600); err != nil {
		t.Fatal(err)
	}
	var lines tap
	target := kit.Target{Func: func(ctx context.Context, args, env []string, in io.Reader, out, stderr io.Writer) int {
		return run(ctx, program{args: append([]string{"agent"}, args...), env: lookup(env), in: in, out: out, err: stderr})
	}}
	lines.listen(&target)
	for _, more := range []string{"--dialect=rpi", "--dialect=pi", "--dialect=rpi --partials", "--dialect=pi --partials"} {
		args := append([]string{"rpc", "--jsonl", "--session-dir", t.TempDir(), "--root", t.TempDir(), "--script", script}, strings.Fields(more)...)
		var out, stderr record
		if code := target.Func(t.Context(), args, nil, strings.NewReader(everything), &out, &stderr); code != exitDone {
			t.Errorf("%s: exit code %d: %s", more, code, stderr.lines())
		}
	}
	lines.judge(t, jsonlJudge(t))
	told := map[string]bool{}
	for _, run := range lines.runs {
		for _, line := range run.told {
			var v struct{ Type, Command string }
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			told["Event."+v.Type], told["Response."+v.Command] = true, true
		}
	}
	for name := range schematest.Lookup(parsed(t, jsonl.Schema()), "/$defs").(map[string]any) {
		if strings.HasPrefix(name, "Response.") && !told[name] {
			t.Errorf("no %s was told", name)
		}
	}
}
