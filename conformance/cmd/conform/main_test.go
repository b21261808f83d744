package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder makes a folder with a target and two transcripts, of which a shell that writes {"type":"x"} passes one.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"targets/t.json":                   `{"name":"t","model":"script","known":{"jsonl/b/known":"it cannot"}}`,
		"targets/broken.json":              `{"nmae":"t"}`,
		"transcripts/jsonl/a/good.txtar":   "It says x.\n-- play --\n< {\"type\":\"x\"}\n",
		"transcripts/jsonl/b/known.txtar":  "It says y.\n-- play --\n< {\"type\":\"y\"}\n",
		"transcripts/jsonrpc/a/none.txtar": "It says nothing.\n-- play --\n# nothing\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRun(t *testing.T) {
	dir := folder(t)
	server := func(output string) []string { return []string{"--", "sh", "-c", "echo '" + output + "'"} }
	tests := []struct {
		name   string
		args   []string
		code   int
		output string
	}{
		{"as known", append([]string{"-protocol", "jsonl", "-target", "t"}, server(`{"type":"x"}`)...), 0, "jsonl     b      0       1      0"},
		{"unexpected failure", append([]string{"-protocol", "jsonl", "-target", "t"}, server(`{"type":"z"}`)...), 1, `FAIL            jsonl/a/good`},
		{"unexpected pass", append([]string{"-protocol", "jsonl", "-target", "t", "-run", "known"}, server(`{"type":"y"}`)...), 1, "UNEXPECTED PASS"},
		{"verbose", append([]string{"-protocol", "jsonl", "-target", "t", "-run", "good", "-v"}, server(`{"type":"x"}`)...), 0, `< {"type":"x"}`},
		{"list", []string{"-protocol", "jsonl", "-target", "t", "-list"}, 0, "jsonl/a/good\n\tIt says x."},
		{"list all", []string{"-target", "t", "-list"}, 0, "jsonrpc/a/none"},
		{"no protocol", append([]string{"-target", "t"}, server("")...), 2, "-protocol says"},
		{"nothing to run", []string{"-target", "t", "-run", "nothing"}, 2, "no transcript matches"},
		{"no target", []string{"-target", "x"}, 2, "target x"},
		{"broken target", []string{"-target", "broken"}, 2, `unknown field "nmae"`},
		{"bad order", []string{"-target", "t", "-order", "none"}, 2, `unknown order "none"`},
		{"bad flag", []string{"-colour"}, 2, "usage: conform"},
		{"bad regexp", []string{"-target", "t", "-run", "("}, 2, "-run: error parsing regexp"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			code := run(append([]string{"-dir", dir}, test.args...), &out, &out)
			if code != test.code || !strings.Contains(out.String(), test.output) {
				t.Errorf("got exit code %d and\n%s\nwant %d and %q", code, out.String(), test.code, test.output)
			}
		})
	}
}

func TestJUnitFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.xml")
	var out bytes.Buffer
	code := run([]string{"-dir", folder(t), "-protocol", "jsonl", "-target", "t", "-junit", file, "--", "sh", "-c", `echo '{"type":"x"}'`}, &out, &out)
	text, err := os.ReadFile(file)
	if code != 0 || err != nil || !strings.Contains(string(text), `<testcase classname="jsonl.a" name="jsonl/a/good"`) {
		t.Errorf("got exit code %d, error %v and\n%s", code, err, text)
	}
}
