package kit_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dualagent/agent/conformance/kit"
)

// answers is a server that writes for each line what the function returns, at the start for the line "".
func answers(answer func(line string) string) kit.Target {
	return kit.Target{
		Name:  "fake",
		Model: "script",
		Func: func(_ context.Context, _, _ []string, stdin io.Reader, stdout, _ io.Writer) int {
			io.WriteString(stdout, answer(""))
			for in := bufio.NewScanner(stdin); in.Scan(); {
				io.WriteString(stdout, answer(in.Text()))
			}
			return 0
		},
	}
}

// says is a server that says the same whatever it hears.
func says(output string) kit.Target {
	return answers(func(line string) string {
		if line == "" {
			return output
		}
		return ""
	})
}

func parse(t *testing.T, p kit.Protocol, text string) *kit.Transcript {
	t.Helper()
	tr, err := kit.Parse(p, "test.txtar", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// play plays lines of a play section in time that passes only when nothing else can happen.
func play(t *testing.T, p kit.Protocol, target kit.Target, lines string) error {
	t.Helper()
	tr := parse(t, p, "-- ignore --\nnoise\n-- play --\n"+lines)
	var err error
	synctest.Test(t, func(*testing.T) { err = kit.Play(tr, target, kit.Options{Keys: true}) })
	return err
}

// wantError checks that err says text, or is nil if text is "".
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	switch {
	case text == "" && err != nil:
		t.Errorf("got error\n%v\nwant none", err)
	case text != "" && err == nil:
		t.Errorf("got no error, want one with %q", text)
	case text != "" && !strings.Contains(err.Error(), text):
		t.Errorf("got error\n%v\nwant one with %q", err, text)
	}
}

func TestMatching(t *testing.T) {
	tests := []struct{ name, want, got, wrong string }{
		{"same", `{"type":"x","a":[1,"b",null,true]}`, `{"type":"x","a":[1,"b",null,true]}`, ""},
		{"other string", `{"type":"x","a":"b"}`, `{"type":"x","a":"c"}`, `a: want "b", got "c"`},
		{"other kind", `{"type":"x","a":{"b":1}}`, `{"type":"x","a":[]}`, `a: want {"b":1}, got []`},
		{"null is not absent", `{"type":"x","a":null}`, `{"type":"x"}`, `a: missing`},
		{"further key", `{"type":"x"}`, `{"type":"x","a":1}`, `a: not expected, got 1`},
		{"further key allowed", `{"type":"x","@more":1}`, `{"type":"x","a":1}`, ""},
		{"further key below", `{"type":"x","a":{"@more":1}}`, `{"type":"x","a":{"b":1}}`, ""},
		{"key order", `{"type":"x","a":1,"b":2}`, `{"type":"x","b":2,"a":1}`, `want the keys in the order [type a b]`},
		{"any", `{"type":"x","a":"@any"}`, `{"type":"x","a":{"b":[]}}`, ""},
		{"string", `{"type":"x","a":"@string"}`, `{"type":"x","a":1}`, `a: want "@string", got 1`},
		{"number", `{"type":"x","a":"@number"}`, `{"type":"x","a":1.5}`, ""},
		{"bool", `{"type":"x","a":"@bool"}`, `{"type":"x","a":false}`, ""},
		{"bool no string", `{"type":"x","a":"@bool"}`, `{"type":"x","a":"false"}`, `a: want "@bool"`},
		{"regexp", `{"type":"x","a":"@re:^b+:$"}`, `{"type":"x","a":"bbb:"}`, ""},
		{"regexp fails", `{"type":"x","a":"@re:^b+$"}`, `{"type":"x","a":"abb"}`, `a: want "@re:^b+$"`},
		{"at sign", `{"type":"x","a":"@@any"}`, `{"type":"x","a":"@any"}`, ""},
		{"at sign is literal", `{"type":"x","a":"@@any"}`, `{"type":"x","a":"b"}`, `got "b"`},
		{"rest", `{"type":"x","a":[1,"@rest"]}`, `{"type":"x","a":[1,2,3]}`, ""},
		{"rest may be none", `{"type":"x","a":[1,"@rest"]}`, `{"type":"x","a":[1]}`, ""},
		{"too few for rest", `{"type":"x","a":[1,"@rest"]}`, `{"type":"x","a":[]}`, "want 1 elements, got 0"},
		{"some", `{"type":"x","a":["@some",{"b":2},1]}`, `{"type":"x","a":[1,{"b":1},{"b":2}]}`, ""},
		{"some is missing", `{"type":"x","a":["@some",{"b":3}]}`, `{"type":"x","a":[1,{"b":1}]}`, `a: want an element {"b":3}`},
		{"length", `{"type":"x","a":[1]}`, `{"type":"x","a":[1,2]}`, "want 1 elements, got 2"},
		{"inside an array", `{"type":"x","a":[{"b":1}]}`, `{"type":"x","a":[{"b":2}]}`, "a[0].b: want 1, got 2"},
		{"number by value", `{"type":"x","a":0}`, `{"type":"x","a":0.0}`, ""},
		{"large numbers differ", `{"type":"x","a":9007199254740993}`, `{"type":"x","a":9007199254740992}`, "got 9007199254740992"},
		{"id by bytes", `{"type":"x","id":1e3}`, `{"type":"x","id":1000}`, "id: want 1e3, got 1000"},
		{"id by escapes", `{"type":"x","id":"\u00e9"}`, `{"type":"x","id":"é"}`, "id: want"},
		{"unbound", `{"type":"x","a":"@b"}`, `{"type":"x","a":1}`, "nothing has been bound to @b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantError(t, play(t, kit.JSONL, says(test.got+"\n"), "< "+test.want+"\n"), test.wrong)
		})
	}
}

func TestOptionalKeys(t *testing.T) {
	target := says(`{"type":"x","b":1}` + "\n")
	target.Optional = []string{"a"}
	wantError(t, play(t, kit.JSONL, target, `< {"type":"x","a":null,"b":1}`), "")
	wantError(t, play(t, kit.JSONL, target, `< {"type":"x","a":"@string","b":1}`), "")
	wantError(t, play(t, kit.JSONL, target, `< {"type":"x","a":1,"b":1}`), "a: missing, want 1")
	wantError(t, play(t, kit.JSONL, target, `< {"type":"x","b":1,"c":null}`), "c: missing, want null")
}

func TestBoundValuesAreSentBack(t *testing.T) {
	target := answers(func(line string) string {
		switch line {
		case "":
			return `{"type":"x","id":"@u\"1","n":7}` + "\n"
		case `{"type":"extension_ui_response","id":"@u\"1","n":7}`:
			return `{"type":"z","id":"@u\"1"}` + "\n"
		}
		return `{"type":"wrong","heard":"yes"}` + "\n"
	})
	err := play(t, kit.JSONL, target, `
< {"type":"x","id":"@bind:id","n":"@bind:n"}
> {"type":"extension_ui_response","id":"@id","n":"@n"}
< {"type":"z","id":"@id"}
`)
	wantError(t, err, "")
}

func delta(text string) string {
	return `{"jsonrpc":"2.0","method":"message/delta","params":{"delta":"` + text + `"}}` + "\n"
}

func TestTextIsJoined(t *testing.T) {
	const (
		begin = `{"jsonrpc":"2.0","method":"ready"}` + "\n" + `{"jsonrpc":"2.0","method":"agent/start","params":{}}` + "\n"
		end   = `{"jsonrpc":"2.0","method":"agent/error","params":{"error":"e"}}` + "\n"
	)
	tests := []struct{ name, got, want, wrong string }{
		{"one for several", delta("He") + delta("l") + delta("lo"), "< " + delta("Hello"), ""},
		{"several for one", delta("Hello"), "< " + delta("Hel") + "< " + delta("lo"), ""},
		{"too little", delta("He"), "< " + delta("Hello"), "the text goes no further"},
		{"too much", delta("Hello!"), "< " + delta("Hello"), `want "Hello", got "Hello!"`},
		{"more behind", delta("Hello") + delta("!"), "< " + delta("Hello"), `got "message/delta"`},
		{"other text", delta("He") + delta("y"), "< " + delta("Hello"), `got "Hey"`},
		{"wildcard takes all", delta("a") + delta("b"), "< " + delta("@string"), ""},
		{"regexp takes all", delta("a") + delta("b") + delta("c"), "< " + delta("@re:b"), ""},
		{"regexp fails", delta("a") + delta("c"), "< " + delta("@re:b"), "the text goes no further"},
		{"noise between", delta("a") + `{"jsonrpc":"2.0","method":"noise"}` + "\n" + delta("b"), "< " + delta("ab"), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			const prompt = `> {"jsonrpc":"2.0","method":"prompt","params":{"message":"m"}}` + "\n"
			wantError(t, play(t, kit.JSONRPC, says(begin+test.got+end), prompt+"< "+strings.ReplaceAll(begin, "\n{", "\n< {")+test.want+"< "+end), test.wrong)
		})
	}
}

func TestToolCallTextOfDifferentBlocksIsNotJoined(t *testing.T) {
	update := func(block, text string) string {
		return `{"type":"message_update","assistantMessageEvent":{"type":"toolcall_delta","content_index":` + block + `,"delta":"` + text + `"}}` + "\n"
	}
	run := func(updates string) string {
		return `{"type":"agent_start"}` + "\n" + updates + `{"type":"agent_settled"}` + "\n"
	}
	lines := "< " + strings.ReplaceAll(strings.TrimSuffix(run(update("0", "ab")), "\n"), "\n", "\n< ") + "\n"
	wantError(t, play(t, kit.JSONL, says(run(update("0", "a")+update("0", "b"))), lines), "")
	wantError(t, play(t, kit.JSONL, says(run(update("0", "a")+update("1", "b"))), lines), "the text goes no further")
}

func TestLine(t *testing.T) {
	target := says(`{"type":"a","b":"\u003c<"}` + "\n")
	wantError(t, play(t, kit.JSONL, target, "< {\"type\":\"a\",\"b\":\"<<\"}\n! line \"\\\\u003c<\"\n"), "")
	wantError(t, play(t, kit.JSONL, target, "< {\"type\":\"a\",\"b\":\"<<\"}\n! line \"<<\"\n"), "no such bytes")
}

func TestAnyOrder(t *testing.T) {
	const lines = `
~ {"type":"a"}
~ {"type":"b"}
< {"type":"c"}
`
	wantError(t, play(t, kit.JSONL, says("{\"type\":\"b\"}\n{\"type\":\"a\"}\n{\"type\":\"c\"}\n"), lines), "")
	wantError(t, play(t, kit.JSONL, says("{\"type\":\"b\"}\n{\"type\":\"c\"}\n{\"type\":\"a\"}\n"), lines), `got "c"`)
	wantError(t, play(t, kit.JSONL, says("{\"type\":\"b\"}\n{\"type\":\"b\"}\n{\"type\":\"c\"}\n"), lines), `got "b"`)
}

func TestBatch(t *testing.T) {
	const (
		ready = `{"jsonrpc":"2.0","method":"ready"}` + "\n"
		one   = `{"jsonrpc":"2.0","id":1,"result":{}}`
		two   = `{"jsonrpc":"2.0","id":2,"result":{}}`
		lines = "< " + ready + "< [" + one + "," + two + "]\n"
	)
	wantError(t, play(t, kit.JSONRPC, says(ready+"["+one+","+two+"]\n"), lines), "")
	wantError(t, play(t, kit.JSONRPC, says(ready+"["+two+","+one+"]\n"), lines), "")
	wantError(t, play(t, kit.JSONRPC, says(ready+one+"\n"+two+"\n"), lines), "none of those that may come here")
	wantError(t, play(t, kit.JSONRPC, says(ready+"["+one+"]\n"), "< "+ready+"< "+one+"\n"), "in an array that answers a batch: want false, got true")
}

func TestLanes(t *testing.T) {
	response := func(id string) string {
		return `{"id":"` + id + `","type":"response","command":"x","success":true}` + "\n"
	}
	const a, b = `{"type":"a"}` + "\n", `{"type":"b"}` + "\n"
	lines := "< " + response("1") + "< " + a + "< " + response("2") + "< " + b
	tests := []struct{ name, got, wrong string }{
		{"responses last", a + b + response("2") + response("1"), ""},
		{"events swapped", response("1") + b + a + response("2"), `got "b"`},
		{"response missing", response("1") + a + b, "nothing has come for 10s"},
		{"response too much", response("1") + a + b + response("2") + response("3"), "a record that nobody expected"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := says(test.got)
			target.Order = kit.Lanes
			wantError(t, play(t, kit.JSONL, target, lines), test.wrong)
		})
	}
	wantError(t, play(t, kit.JSONL, says(a+b+response("2")+response("1")), lines), `id: missing, want "1"`)
}

func TestFailureMessage(t *testing.T) {
	target := kit.Target{Model: "script", Func: func(_ context.Context, _, _ []string, _ io.Reader, stdout, stderr io.Writer) int {
		io.WriteString(stderr, "something\nhappened\n")
		io.WriteString(stdout, `{"type":"a"}`+"\n"+`{"type":"b","n":1}`+"\n")
		return 0
	}}
	err := play(t, kit.JSONL, target, `< {"type":"a"}
# a comment
< {"type":"b","n":2}
`)
	const want = `test.txtar:6: n: want 2, got 1
  want: {"type":"b","n":2}
  got:  {"type":"b","n":1}
  stderr: something
    happened`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestNothingComes(t *testing.T) {
	mute := kit.Target{Model: "script", Func: func(ctx context.Context, _, _ []string, stdin io.Reader, _, _ io.Writer) int {
		io.Copy(io.Discard, stdin)
		<-ctx.Done()
		return 0
	}}
	deaf := kit.Target{Model: "script", Func: func(ctx context.Context, _, _ []string, _ io.Reader, _, _ io.Writer) int {
		<-ctx.Done()
		return 0
	}}
	tests := []struct {
		name   string
		target kit.Target
		lines  string
		wrong  string
	}{
		{"no record", mute, `< {"type":"a"}`, "test.txtar:4: nothing has come for 10s"},
		{"no end", mute, `# nothing`, "neither ends nor says anything for 10s"},
		{"no reading", deaf, `> {"type":"a"}`, "has not read its input for 10s"},
		{"output ends", says(""), "! eof\n" + `< {"type":"a"}`, "the output has ended"},
		{"no file", mute, "! wait-file a", "has not come into being for 10s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := parse(t, kit.JSONL, "-- ignore --\n-- play --\n"+test.lines+"\n")
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				wantError(t, kit.Play(tr, test.target, kit.Options{}), strings.Replace(test.wrong, ":4:", ":3:", 1))
				if took := time.Since(start); took > 14*time.Second {
					t.Errorf("it took %v to notice", took)
				}
			})
		})
	}
}

func TestOutputIsOneObjectALine(t *testing.T) {
	tests := []struct{ name, got, wrong string }{
		{"no JSON", "hello\n", "the line is not JSON"},
		{"two values", "{\"type\":\"a\"}{\"type\":\"a\"}\n", "more than one JSON value"},
		{"no object", "5\n", "not an object"},
		{"invalid UTF-8", "{\"type\":\"a\xff\"}\n", "not valid UTF-8"},
		{"CR", "{\"type\":\"a\"}\r\n", "CR or ESC"},
		{"key twice", `{"type":"a","type":"a"}` + "\n", `key "type" occurs twice`},
		{"no LF", `{"type":"a"}`, "does not end with LF"},
		{"blank", "\n", "not JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantError(t, play(t, kit.JSONL, says(test.got), "! more\n"), test.wrong)
		})
	}
}

func TestEnd(t *testing.T) {
	exits := func(code int, output string) kit.Target {
		return kit.Target{Model: "script", Func: func(_ context.Context, _, _ []string, stdin io.Reader, stdout, _ io.Writer) int {
			io.Copy(io.Discard, stdin)
			io.WriteString(stdout, output)
			return code
		}}
	}
	signalled := kit.Target{Model: "script", Func: func(ctx context.Context, _, _ []string, _ io.Reader, _, _ io.Writer) int {
		<-ctx.Done()
		return 143
	}}
	wantError(t, play(t, kit.JSONL, exits(0, ""), "# nothing\n"), "")
	wantError(t, play(t, kit.JSONL, exits(1, ""), "# nothing\n"), "want exit code 0, got 1")
	wantError(t, play(t, kit.JSONL, exits(1, ""), "! eof\n! exit 1\n"), "")
	wantError(t, play(t, kit.JSONL, exits(0, "{\"type\":\"a\"}\n"), "# nothing\n"), "a record that nobody expected")
	wantError(t, play(t, kit.JSONL, exits(0, "{\"type\":\"a\"}\n"), "! more\n"), "")
	wantError(t, play(t, kit.JSONL, signalled, "! signal TERM\n! exit 143\n"), "")
}

func TestWritesAreExact(t *testing.T) {
	var heard bytes.Buffer
	target := kit.Target{Model: "script", Func: func(_ context.Context, _, _ []string, stdin io.Reader, _, _ io.Writer) int {
		io.Copy(&heard, stdin)
		return 0
	}}
	wantError(t, play(t, kit.JSONL, target, "> a\n>| b\n>raw \"c\\xff\\r\\n\"\n>  d \n"), "")
	if got, want := heard.String(), "a\nb\nc\xff\r\n d \n"; got != want {
		t.Errorf("the server got %q, want %q", got, want)
	}
}
