package kit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dualagent/agent/conformance/kit"
)

// outline shows the replies of a script, one a line.
func outline(s *kit.Script) string {
	var b strings.Builder
	for _, reply := range s.Replies {
		var ops []string
		for _, in := range reply {
			ops = append(ops, strings.TrimSpace(in.Op+" "+in.Name+in.Text))
		}
		fmt.Fprintf(&b, "%s\n", strings.Join(ops, ", "))
	}
	return b.String()
}

func TestRepliesEnd(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"none", "# nothing\n\n", ""},
		{"one", "say \"a\"\nthink \"b\"\nusage 1 2\n", "say a, think b, usage\n"},
		{"next", "say \"a\"\nnext\nsay \"b\"\n", "say a\nsay b\n"},
		{"empty replies", "next\nnext\nsay \"a\"\n", "\n\nsay a\n"},
		{"say after call", "say \"a\"\ncall b {}\ncall c {}\nusage 1 2\nsay \"d\"\n", "say a, call b{}, call c{}, usage\nsay d\n"},
		{"gate after call", "call b {}\ngate x\nsay \"d\"\n", "call b{}\ngate x, say d\n"},
		{"wait after call", "call b {}\nwait 1s\n", "call b{}\nwait\n"},
		{"stop after call", "call b {}\nstop length\n", "call b{}, stop length\n"},
		{"after fail", "fail 500 \"x\"\nsay \"a\"\n", "fail x\nsay a\n"},
		{"next after fail", "fail 500 \"x\"\nnext\nsay \"a\"\n", "fail x\nsay a\n"},
		{"fail after text", "say \"a\"\nfail 500 \"x\"\ncut\n", "say a, fail x\ncut\n"},
		{"broken arguments", "call b {\"c\": \n", "call b{\"c\":\n"},
		{"no arguments", "call b\n", "call b\n"},
		{"escapes", `say "a\nb\u00e9\ud83d\ude00\/"` + "\nnext\n" + `say "\x41"`, "say a\nbé😀/\nsay A\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := kit.ParseScript(test.script)
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(s); got != test.want {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

func TestModelsAndLoop(t *testing.T) {
	s, err := kit.ParseScript("model a reasoning images window 1000\nmodel b\nsay \"x\"\nloop\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []kit.ScriptModel{{ID: "a", Reasoning: true, Images: true, Window: 1000}, {ID: "b"}}
	if fmt.Sprint(s.Models) != fmt.Sprint(want) || !s.Loop {
		t.Errorf("got %+v, loop %v, want %+v with loop", s.Models, s.Loop, want)
	}
}

func TestBadScripts(t *testing.T) {
	tests := []struct{ script, wrong string }{
		{"say a", "line 1: want a double-quoted string"},
		{"\nsay \"a\" b", `line 2: "b" is too much`},
		{"shout \"a\"", "unknown instruction"},
		{"call", "needs the name of a tool"},
		{"call/0 a {}", "want a number from 1"},
		{"repeat x \"a\"", `want a number from 0, got "x"`},
		{"fail 200 \"a\"", "status from 400 to 599"},
		{"fail 500 \"a\" later", `"later" is too much`},
		{"fail 500 \"a\" retry-after soon", "invalid duration"},
		{"wait long", "invalid duration"},
		{"gate", "want one name"},
		{"stop now", "unknown reason"},
		{"model", "needs an id"},
		{"model a slow", "none of reasoning"},
		{"usage 1", `want a number from 0, got ""`},
		{"next one", "too much"},
		{`say "a`, "bad string"},
	}
	for _, test := range tests {
		_, err := kit.ParseScript(test.script)
		if err == nil || !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("ParseScript(%q): got error %v, want one with %q", test.script, err, test.wrong)
		}
	}
}

func TestBadTranscripts(t *testing.T) {
	tests := []struct{ text, wrong string }{
		{"only a comment\n", `there is no section "play"`},
		{"-- plya --\n", `test.txtar:1: there is no section called "plya"`},
		{"-- files/../x --\n-- play --\n# x\n", "there is no section called"},
		{"about\n-- model --\nsay \"a\"\nshout\n-- play --\n# x\n", "test.txtar:4: unknown instruction"},
		{"about\n-- play --\n# x\n< {\n", "test.txtar:4: the expectation is not JSON"},
		{"-- play --\n< 5\n", "test.txtar:2: the expectation must be a JSON object"},
		{"-- play --\n< []\n", "test.txtar:2: the expectation: the line is an empty array"},
		{"-- play --\n! jump\n", `unknown action "jump"`},
		{"-- play --\n! signal KILL\n", `unknown signal "KILL"`},
		{"-- play --\n! exit zero\n", "invalid syntax"},
		{"-- play --\n! open\n", "want one name"},
		{"-- play --\n! eof now\n", `"now" is too much`},
		{"-- play --\n! asked x \"a\"\n", "invalid syntax"},
		{"-- play --\n! file a b\n", "want a double-quoted string"},
		{"-- play --\n>| {}\n", ">| must follow >"},
		{"-- play --\n>raw abc\n", "want a double-quoted string"},
		{"-- play --\nhello\n", "begins with none of"},
	}
	for _, test := range tests {
		_, err := kit.Parse(kit.JSONL, "test.txtar", []byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("Parse(%q): got error %v, want one with %q", test.text, err, test.wrong)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("about\n-- flags --\n-x\n-- model --\nsay \"a\"\n-- play --\n> {}\n>| {}\n>raw \"a\"\n< {\"a\":1}\n~ {}\n! eof\n")
	f.Add("-- play --\n< {\"type\":\"message_update\",\"assistantMessageEvent\":{\"type\":\"text_delta\",\"delta\":\"\"}}\n")
	f.Add("-- model --\ncall/3 x {\nfail 500 \"\\u00\" retry-after 1s\n-- play --\n! asked 1 \"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []kit.Protocol{kit.JSONRPC, kit.JSONL} {
			if tr, err := kit.Parse(p, "f", []byte(text)); (tr == nil) == (err == nil) {
				t.Errorf("Parse returned %v and %v", tr, err)
			}
		}
	})
}
