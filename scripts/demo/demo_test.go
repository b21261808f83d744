package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// programs are what the test binary plays when DEMO_PROGRAM names one: programs that the demo must not be content with, and one
// that it must.
var programs = map[string]func() int{
	"good": func() int {
		if os.Args[1] == "--mode" {
			return say(`{"jsonrpc":"2.0","method":"ready","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":{"reply":"done"}}`)
		}
		return say(`{"type":"agent_settled"}`)
	},
	"lazy":    func() int { return say(`{"jsonrpc":"2.0","id":1,"result":{"reply":"done"}}`) },
	"failing": func() int { return say(`{"jsonrpc":"2.0","id":1,"result":{"error":"no model"}}`) },
	"refusing": func() int {
		return say(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: prompt"}}`)
	},
	"silent":  func() int { return say(`{"jsonrpc":"2.0","id":1,"result":{}}`) },
	"early":   func() int { return 0 },
	"garbled": func() int { return say(`ready`) },
	"rude":    func() int { say(`{"jsonrpc":"2.0","id":1,"result":{"reply":"done"}}`); return 3 },
}

// say writes lines to stdout and waits for the end of the input.
func say(lines ...string) int {
	if os.Getenv("DEMO_PROGRAM") != "lazy" {
		for _, w := range wires {
			if err := os.WriteFile(w.file, nil, 0o600); err != nil {
				return 1
			}
		}
	}
	io.WriteString(os.Stdout, strings.Join(lines, "\n")+"\n")
	io.Copy(io.Discard, os.Stdin)
	return 0
}

func TestMain(m *testing.M) {
	if play, ok := programs[os.Getenv("DEMO_PROGRAM")]; ok {
		os.Exit(play())
	}
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	for name, want := range map[string]string{ // a part of the error
		"good":     "",
		"lazy":     "copy.txt: no such file",
		"failing":  "JSON-RPC 2.0: the turn failed: no model",
		"refusing": "Method not found",
		"silent":   "no reply",
		"early":    "ended before the turn did",
		"garbled":  "invalid character",
		"rude":     "exit status 3",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("DEMO_PROGRAM", name)
			t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector's second of grace at each exit
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err = run(self, screen{out: &out, width: 40})
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("error %v, want %q; shown:\n%s", err, want, &out)
			}
			for line := range strings.Lines(out.String()) {
				if n := len([]rune(line)); strings.HasPrefix(line, "→") && n != 41 {
					t.Errorf("a line of %d characters where 40 and LF fit: %q", n, line)
				}
			}
		})
	}
}

func TestHear(t *testing.T) {
	tests := []struct {
		hear   func([]byte) (string, bool, error)
		record string
		answer bool
		over   bool
		fails  bool
	}{
		{hearJSONRPC, `{"jsonrpc":"2.0","method":"agent/end","params":{}}`, false, false, false},
		{hearJSONRPC, `{"jsonrpc":"2.0","method":"approval/request","params":{}}`, true, false, false},
		{hearJSONRPC, `{"jsonrpc":"2.0","id":2,"result":{}}`, false, false, false},
		{hearJSONRPC, `{"jsonrpc":"2.0","id":1,"result":{"reply":"hi"}}`, false, true, false},
		{hearJSONL, `{"type":"agent_end","messages":[]}`, false, false, false},
		{hearJSONL, `{"id":"1","type":"response","command":"prompt","success":true,"data":null}`, false, false, false},
		{hearJSONL, `{"id":"1","type":"response","command":"prompt","success":false,"error":"no"}`, false, true, true},
		{hearJSONL, `{"type":"run_failed","error":"no"}`, false, true, true},
		{hearJSONL, `{"type":"agent_settled"}`, false, true, false},
		{hearJSONL, `nonsense`, false, false, true},
	}
	for _, tt := range tests {
		answer, over, err := tt.hear([]byte(tt.record))
		if (answer != "") != tt.answer || over != tt.over || (err != nil) != tt.fails {
			t.Errorf("%s: answer %q, over %v, error %v", tt.record, answer, over, err)
		}
	}
}
