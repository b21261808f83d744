package script_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/providers/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t *testing.T, text string) *script.Provider {
	t.Helper()
	s, err := script.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return script.New(s)
}

// play returns one reply in one line.
func play(ctx context.Context, p *script.Provider, r core.Request) string {
	var out []string
	for c, err := range p.Stream(ctx, r) {
		if err != nil {
			out = append(out, describe(err))
			break
		}
		out = append(out, show(c))
	}
	return strings.Join(out, " ")
}

func show(c core.Chunk) string {
	switch c.Kind {
	case core.ChunkText:
		return fmt.Sprintf("%q", c.Text)
	case core.ChunkReasoning:
		return fmt.Sprintf("think%q", c.Text)
	case core.ChunkToolCall:
		if c.ID == "" && c.Name == "" {
			return fmt.Sprintf("%d+%s", c.Call, c.Text)
		}
		return fmt.Sprintf("%d:%s:%s:%s", c.Call, c.ID, c.Name, c.Text)
	case core.ChunkUsage:
		if c.Usage.Estimated {
			return fmt.Sprintf("~%d/%d", c.Usage.Input, c.Usage.Output)
		}
		return fmt.Sprintf("%d/%d", c.Usage.Input, c.Usage.Output)
	default:
		return string(c.Stop) + "=" + c.Text
	}
}

func describe(err error) string {
	var p *core.ProviderError
	if !errors.As(err, &p) {
		return "error " + err.Error()
	}
	return fmt.Sprintf("error %d retry=%v after=%v overflow=%v %v", p.Status, p.Retry, p.RetryAfter, p.Overflow, err)
}

const out = "error 0 retry=false after=0s overflow=false test: the script has no more replies (%d played)"

// Each script is played until it has no more replies; wanted are the replies, a line each.
var plays = map[string]struct{ script, want string }{
	"text":            {"# a comment\n\n  say \"a\"  \r\nsay\t\"b\"", "\"a\" \"b\" ~2/2 stop=stop"},
	"Go escapes":      {`say "\x41\U0001F600\a"`, `"A😀\a" ~2/1 stop=stop`},
	"JSON escapes":    {`say "\/\ud83d\ude00\ud83d"`, `"/😀�" ~2/1 stop=stop`},
	"reasoning":       {"think \"hm\"\nsay \"a\"", `think"hm" "a" ~2/2 stop=stop`},
	"repeat":          {"repeat 3 \"x \"\nrepeat 0 \"y\"", `"x " "x " "x " ~2/3 stop=stop`},
	"empty text":      {`say ""`, `"" ~2/1 stop=stop`},
	"call":            {"call bash {\"command\": \"ls\"} ", `0:call_1:bash:{"command": "ls"} ~2/1 tools=tools`},
	"broken call":     {`call bash {"command`, `0:call_1:bash:{"command ~2/1 tools=tools`},
	"bare call":       {"call pwd\ncall/3 pwd", "0:call_1:pwd: 1:call_2:pwd: ~2/2 tools=tools"},
	"call in pieces":  {`call/3 ls {"a":1}`, `0:call_1:ls:{" 0+a" 0+:1} ~2/3 tools=tools`},
	"more pieces":     {`call/9 ls {}`, `0:call_1:ls:{ 0+} ~2/2 tools=tools`},
	"no half runes":   {`call/4 ls "é那"`, "0:call_1:ls:\" 0+é 0+那\" ~2/3 tools=tools"},
	"say after call":  {"say \"a\"\ncall ls {}\ncall pwd {}\nsay \"b\"\ncall ls {}\nthink \"c\"", "\"a\" 0:call_1:ls:{} 1:call_2:pwd:{} ~2/3 tools=tools\n\"b\" 0:call_3:ls:{} ~2/2 tools=tools\nthink\"c\" ~2/1 stop=stop"},
	"all after call":  {"call a\nrepeat 1 \"b\"\ncall a\nwait 0s\ncall a\ncut", "0:call_1:a: ~2/1 tools=tools\n\"b\" 0:call_2:a: ~2/2 tools=tools\n0:call_3:a: ~2/1 tools=tools\nerror 0 retry=true after=0s overflow=false script: the stream broke off before the reply was complete"},
	"not after call":  {"call a\nusage 5 6\nstop stop\ncall b", "0:call_1:a: 5/6 1:call_2:b: stop=stop"},
	"next":            {"say \"a\"\nnext\nsay \"b\"\nnext", "\"a\" ~2/1 stop=stop\n\"b\" ~2/1 stop=stop"},
	"empty replies":   {"next\nnext", "~2/0 stop=stop\n~2/0 stop=stop"},
	"usage":           {"usage 12 34\nsay \"a\"", `12/34 "a" stop=stop`},
	"stop":            {"stop length\nsay \"a\"\nnext\nstop tools", "\"a\" ~2/1 length=length\n~2/0 tools=tools"},
	"fail":            {"say \"a\"\nfail 429 \"slow down\" retry-after 1.5s\nsay \"b\"", "\"a\" error 429 retry=true after=1.5s overflow=false script: HTTP 429: slow down\n\"b\" ~2/1 stop=stop"},
	"next after fail": {"fail 400 \"no\"\nnext\nfail 503 \"busy\"", "error 400 retry=false after=0s overflow=false script: HTTP 400: no\nerror 503 retry=true after=0s overflow=false script: HTTP 503: busy"},
	"overflow":        {`fail 400 "prompt is too long"`, "error 400 retry=false after=0s overflow=true script: HTTP 400: prompt is too long"},
	"nothing":         {"# nothing", ""},
}

func TestPlay(t *testing.T) {
	for name, c := range plays {
		p := parse(t, c.script)
		var want []string
		if c.want != "" {
			want = strings.Split(c.want, "\n")
		}
		want = append(want, fmt.Sprintf(out, len(want)))
		for i, want := range want {
			if got := play(t.Context(), p, core.Request{System: "be brief"}); got != want {
				t.Errorf("%s, reply %d of %q:\ngot  %s\nwant %s", name, i+1, c.script, got, want)
			}
		}
	}
}

func TestLoop(t *testing.T) {
	p := parse(t, "say \"a\"\ncall ls\nsay \"b\"\nloop")
	for i, want := range []string{`"a" 0:call_1:ls: ~0/2 tools=tools`, `"b" ~0/1 stop=stop`, `"a" 0:call_2:ls: ~0/2 tools=tools`} {
		if got := play(t.Context(), p, core.Request{}); got != want {
			t.Errorf("reply %d: %s, want %s", i+1, got, want)
		}
	}
}

// Ids are not given twice in a session, even if another run of the script has begun it.
func TestCallIDsGoOn(t *testing.T) {
	r := core.Request{Messages: []core.Message{{Role: core.RoleAssistant, Content: []core.Block{
		{Kind: core.BlockToolCall, Call: &core.ToolCall{ID: "call_7"}},
		{Kind: core.BlockToolCall, Call: &core.ToolCall{ID: "toolu_99"}},
	}}}}
	p := parse(t, "call a\ncall b\nnext\ncall c")
	got := play(t.Context(), p, r) + " " + play(t.Context(), p, core.Request{})
	if want := "0:call_8:a: 1:call_9:b: ~0/2 tools=tools 0:call_10:c: ~0/1 tools=tools"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestModels(t *testing.T) {
	for text, want := range map[string]string{
		"say \"a\"": "script/script-1 reasoning:true images:false window:128000",
		"model big window 5 images\nmodel x/y:free reasoning\nsay \"a\"": "script/big reasoning:false images:true window:5, " +
			"script/x/y:free reasoning:true images:false window:128000",
	} {
		p := parse(t, text)
		models, err := p.Models(t.Context())
		var got []string
		for _, m := range models {
			got = append(got, fmt.Sprintf("%v reasoning:%v images:%v window:%d", m, m.Reasoning, m.Images, m.ContextWindow))
			if found, ok := p.Lookup(m.ID); !ok || found.Name == "" || found.External {
				t.Errorf("Lookup(%q) = %+v, %v", m.ID, found, ok)
			}
		}
		if s := strings.Join(got, ", "); err != nil || s != want {
			t.Errorf("models of %q:\ngot  %s, %v\nwant %s", text, s, err, want)
		}
		if m, ok := p.Lookup("other"); ok {
			t.Errorf("Lookup of a model that is not declared: %v", m)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"say \"a\"\n\nshout \"b\"":      `test:3: unknown instruction "shout"`,
		"say":                           `test:1: say: want a string in double quotes, not ""`,
		"say hello":                     `test:1: say: want a string in double quotes, not "hello"`,
		`say "hello`:                    `test:1: say: want a string in double quotes, not "\"hello"`,
		`say "a" "b"`:                   `test:1: say: "\"b\"" is too much`,
		`say "\x41\/"`:                  `test:1: say: "\x41\/" has an escape that neither Go nor JSON knows`,
		"say \"\xff\"":                  `test:1: the line is not UTF-8`,
		"say/2 \"a\"":                   `test:1: unknown instruction "say"`,
		`repeat -1 "a"`:                 `test:1: repeat: want a number from 0, not "-1"`,
		"call":                          `test:1: call: the name of the tool is missing`,
		"call/0 ls":                     `test:1: call: want a number from 1, not "0"`,
		"usage 1":                       `test:1: usage: want a number from 0, not ""`,
		"usage 1 2 3":                   `test:1: usage: "3" is too much`,
		"wait":                          `test:1: wait: want a time such as 20ms, not ""`,
		"wait -5s":                      `test:1: wait: want a time such as 20ms, not "-5s"`,
		"gate":                          `test:1: gate: a path is missing`,
		`fail 200 "fine"`:               `test:1: fail: the status must be from 400 to 599, not 200`,
		`fail 500`:                      `test:1: fail: want a string in double quotes, not ""`,
		`fail 500 "x" after 1s`:         `test:1: fail: want retry-after or nothing, not "after"`,
		`fail 500 "x" retry-after soon`: `test:1: fail: want a time such as 20ms, not "soon"`,
		"cut now":                       `test:1: cut: "now" is too much`,
		"stop early":                    `test:1: stop: want stop, length or tools, not "early"`,
		"next 2":                        `test:1: "2" is too much`,
		"loop":                          `test:1: loop needs a reply to begin again with`,
		"say \"a\"\nloop\nsay \"b\"":    `test:3: nothing may come after loop`,
		"model":                         `test:1: model: the id is missing`,
		"model a\nmodel a":              `test:2: model: a is declared twice`,
		"model a fast":                  `test:1: model: "fast" is none of reasoning, images and window`,
		"model a window":                `test:1: model: window: want a number from 1, not ""`,
		"say \"a\"\nmodel b":            `test:2: model: declare models before the first reply`,
	} {
		if _, err := script.Parse("test", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("Parse(%q):\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.script")
	if _, err := script.Load(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load of no file: %v", err)
	}
	write(t, path, "oops")
	if _, err := script.Load(path); err == nil || !strings.HasPrefix(err.Error(), path+":1: ") {
		t.Errorf("Load of a bad script: %v; want file and line", err)
	}
	write(t, path, `say "a"`)
	p, err := script.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := play(t.Context(), p, core.Request{}); !strings.HasPrefix(got, `"a"`) {
		t.Errorf("got %s", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPanic(t *testing.T) {
	p := parse(t, "say \"a\"\npanic \"boom\"\nsay \"b\"")
	func() {
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("recovered %v, want boom", got)
			}
		}()
		play(t.Context(), p, core.Request{})
	}()
	if got := play(t.Context(), p, core.Request{}); !strings.HasPrefix(got, `"b"`) {
		t.Errorf("after the panic: %s", got)
	}
}

func TestWaitAndCancel(t *testing.T) {
	stop := errors.New("stop it")
	synctest.Test(t, func(t *testing.T) {
		p := parse(t, "wait 2h\nsay \"a\"\nnext\nsay \"b\"\nwait 2h\nsay \"c\"\nnext\nrepeat 9 \"d\"\nnext\nsay \"e\"")
		start := time.Now()
		play(t.Context(), p, core.Request{})
		if took := time.Since(start); took != 2*time.Hour {
			t.Errorf("waited %v", took)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(stop) })
		start = time.Now()
		if got, took := play(ctx, p, core.Request{}), time.Since(start); got != `"b" error stop it` || took != time.Minute {
			t.Errorf("cancelled while waiting: %s after %v", got, took)
		}
		if got := play(ctx, p, core.Request{}); got != "error stop it" {
			t.Errorf("with a context that has ended: %s", got)
		}
		ctx, cancel = context.WithCancelCause(t.Context())
		defer cancel(nil)
		n := 0
		for _, err := range p.Stream(ctx, core.Request{}) {
			cancel(stop)
			if n++; n == 2 && !errors.Is(err, stop) {
				t.Errorf("the second piece came after the end of the context: %v", err)
			}
		}
		for range p.Stream(t.Context(), core.Request{}) {
			break // and nothing bad happens
		}
	})
}
