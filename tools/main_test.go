package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A bench is a workspace with its tools.
type bench struct {
	t     testing.TB
	dir   string // without symbolic links
	set   *tools.Set
	tools map[string]core.Tool
}

func newBench(t testing.TB, o tools.Options) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: filepath.Join(dir, "ws"), tools: map[string]core.Tool{}}
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	o.Dir = b.dir
	if o.TempDir == "" {
		o.TempDir = t.TempDir()
	}
	if b.set, err = tools.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.set.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	for _, tool := range b.set.Tools() {
		b.tools[tool.Spec().Name] = tool
	}
	return b
}

// write puts a file into the workspace.
func (b *bench) write(name, content string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// content returns a file of the workspace.
func (b *bench) content(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func call(tool string, args any) core.ToolCall {
	text, ok := args.(string)
	if !ok {
		raw, err := wire.Encode(args)
		if err != nil {
			panic(err)
		}
		text = string(raw)
	}
	return core.ToolCall{ID: "1", Name: tool, Arguments: text}
}

// args are the arguments of a call.
type args map[string]any

// run runs a tool; a is args, or the JSON itself.
func (b *bench) run(tool string, a any) core.ToolResult {
	b.t.Helper()
	return b.runIn(context.Background(), tool, core.Invocation{ToolCall: call(tool, a)})
}

func (b *bench) runIn(ctx context.Context, tool string, inv core.Invocation) core.ToolResult {
	b.t.Helper()
	if inv.Progress == nil {
		inv.Progress = func(string) {}
	}
	res, err := b.tools[tool].Run(ctx, inv)
	if err != nil {
		b.t.Fatalf("%s %s: %v", tool, inv.Arguments, err)
	}
	for _, block := range res.Content {
		if block.Kind == core.BlockText && block.Text == "" {
			b.t.Errorf("%s %s: an empty block, which providers refuse", tool, inv.Arguments)
		}
	}
	return res
}

// text returns the text of a result.
func text(res core.ToolResult) string {
	m := core.Message{Content: res.Content}
	return m.Text()
}

// want checks that a result succeeded and has exactly this text.
func (b *bench) want(res core.ToolResult, want string) {
	b.t.Helper()
	if got := text(res); res.IsError || got != want {
		b.t.Errorf("got %.500q (error: %t), want %.500q", got, res.IsError, want)
	}
}

// wantError checks that a result is an error that says all of these.
func (b *bench) wantError(res core.ToolResult, want ...string) {
	b.t.Helper()
	for _, s := range want {
		if got := text(res); !res.IsError || !strings.Contains(got, s) {
			b.t.Errorf("got %.500q (error: %t), want an error with %.500q", got, res.IsError, s)
		}
	}
}

// details returns the details of a result as JSON.
func details(t testing.TB, res core.ToolResult) string {
	t.Helper()
	raw, err := wire.Encode(res.Details)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestSpecs(t *testing.T) {
	b := newBench(t, tools.Options{})
	var names []string
	for _, tool := range b.set.Tools() {
		spec := tool.Spec()
		names = append(names, spec.Name)
		var schema struct {
			Type       string                       `json:"type"`
			Properties map[string]map[string]string `json:"-"`
			Required   []string                     `json:"required"`
		}
		if err := wire.Decode(spec.Parameters, &schema); err != nil || schema.Type != "object" {
			t.Errorf("%s: parameters %s: %v", spec.Name, spec.Parameters, err)
		}
		if spec.Description == "" {
			t.Errorf("%s has no description", spec.Name)
		}
		for _, required := range schema.Required {
			b.wantError(b.run(spec.Name, `{}`), "missing required argument")
			if !strings.Contains(string(spec.Parameters), `"`+required+`":{"type"`) {
				t.Errorf("%s requires %s and does not describe it", spec.Name, required)
			}
		}
	}
	if got, want := strings.Join(names, " "), "read write edit bash grep find ls"; got != want {
		t.Errorf("tools are %q, want %q", got, want)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, dir := range []string{"", "relative", "/does/not/exist"} {
		if s, err := tools.New(tools.Options{Dir: dir}); err == nil {
			s.Close()
			t.Errorf("New with Dir %q succeeded", dir)
		}
	}
}

func TestBrokenArguments(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("a", "x\n")
	for _, c := range []struct{ tool, args, want string }{
		{"read", ``, `missing required argument "path"`},
		{"read", `null`, `missing required argument "path"`},
		{"read", `{"path":null}`, `missing required argument "path"`},
		{"read", `{"path":5}`, `argument "path" must be a string`},
		{"read", `{"path":""}`, `argument "path" must not be empty`},
		{"read", `{"path":"a\u0000b"}`, `argument "path" must not contain a NUL`},
		{"read", `{"path":"a","limit":"5"}`, `argument "limit" must be a number`},
		{"read", `{"path":"a","limit":0}`, `argument "limit" must be a whole number of at least 1`},
		{"read", `{"path":"a","offset":1.5}`, `argument "offset" must be a whole number of at least 1`},
		{"read", `{"path":"a"`, `the arguments are not a JSON object`},
		{"read", `["a"]`, `the arguments are not a JSON object`},
		{"read", `{"path":"a","path":"b"}`, `the arguments are not a JSON object`},
		{"read", "{\"path\":\"a\xff\"}", `the arguments are not a JSON object`},
		{"read", strings.Repeat("[", 2000), `the arguments are not a JSON object`},
		{"write", `{"path":"w"}`, `missing required argument "content"`},
		{"write", `{"path":"w","content":["x"]}`, `argument "content" must be a string`},
		{"edit", `{"path":"a"}`, `missing required argument "edits"`},
		{"edit", `{"path":"a","edits":[]}`, `argument "edits" must not be empty`},
		{"edit", `{"path":"a","edits":{}}`, `argument "edits" must be an array`},
		{"edit", `{"path":"a","edits":"x"}`, `argument "edits" must be an array`},
		{"edit", `{"path":"a","edits":[5]}`, `argument "edits[0]" must be an object`},
		{"edit", `{"path":"a","edits":[{"newText":"y"}]}`, `missing required argument "edits[0].oldText"`},
		{"edit", `{"path":"a","edits":[{"oldText":"x","newText":5}]}`, `argument "edits[0].newText" must be a string`},
		{"edit", `{"path":"a","edits":[{"oldText":"","newText":"y"}]}`, `argument "edits[0].oldText" must not be empty`},
		{"edit", `{"path":"a","oldText":"x"}`, `missing required argument "newText"`},
		{"edit", `{"path":"a","newText":"x"}`, `missing required argument "oldText"`},
		{"bash", `{}`, `missing required argument "command"`},
		{"bash", `{"command":" "}`, `argument "command" must not be empty`},
		{"bash", `{"command":"true","timeout":"1"}`, `argument "timeout" must be a number`},
		{"bash", `{"command":"true","timeout":0}`, `argument "timeout" must be greater than 0`},
		{"bash", `{"command":"a\u0000"}`, `argument "command" must not contain a NUL`},
		{"bash", `{"command":"` + strings.Repeat("a", 1<<17) + `"}`, `at most 131071`},
		{"grep", `{"pattern":"("}`, `argument "pattern"`},
		{"grep", `{"pattern":"x","ignoreCase":"yes"}`, `argument "ignoreCase" must be true or false`},
		{"grep", `{"pattern":"x","glob":"[" }`, `argument "glob" is not a valid glob`},
		{"grep", `{"pattern":"x","context":-1}`, `argument "context" must be a whole number of at least 0`},
		{"find", `{"pattern":"{"}`, `argument "pattern" is not a valid glob`},
		{"find", `{"pattern":""}`, `argument "pattern" is not a valid glob`},
		{"ls", `{"limit":true}`, `argument "limit" must be a number`},
	} {
		res := b.run(c.tool, c.args)
		b.wantError(res, c.want)
		if got := b.tools[c.tool].Assess(call(c.tool, c.args)); got.Risk != core.RiskRead || len(got.Touches) > 0 {
			t.Errorf("%s %.50s: assessed as %+v, want a call that does nothing", c.tool, c.args, got)
		}
	}
	if b.content("a") != "x\n" {
		t.Errorf("a was changed to %q", b.content("a"))
	}
	b.want(b.run("read", `{"path":"a","unknown":[1],"limit":null}`), "x\n")
	b.want(b.run("ls", ``), "a")
}
