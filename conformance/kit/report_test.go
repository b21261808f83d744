package kit_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dualagent/agent/conformance/kit"
)

// results has one transcript of each verdict.
func results(t *testing.T) []kit.Result {
	t.Helper()
	files := fstest.MapFS{}
	for name, want := range map[string]string{"a/good": "x", "a/bad": "y", "b/known": "y", "b/surprise": "x"} {
		files["jsonl/"+name+".txtar"] = &fstest.MapFile{Data: []byte("about <it>\n-- play --\n< {\"type\":\"" + want + "\"}\n")}
	}
	list, err := kit.Load(files, kit.JSONL)
	if err != nil {
		t.Fatal(err)
	}
	target := says("{\"type\":\"x\"}\n")
	target.Known = map[string]string{"jsonl/b/*": "it cannot"}
	var all []kit.Result
	for _, tr := range list {
		r := kit.Check(tr, target, kit.Options{})
		r.Took = 0
		all = append(all, r)
	}
	return all
}

func TestVerdicts(t *testing.T) {
	var got []string
	for _, r := range results(t) {
		line, _, _ := strings.Cut(r.String(), "\n")
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"FAIL jsonl/a/bad (0s)",
		"ok jsonl/a/good (0s)",
		"known jsonl/b/known (0s): it cannot",
		"UNEXPECTED PASS jsonl/b/surprise (0s)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	if err := kit.WriteTable(&b, results(t)); err != nil {
		t.Fatal(err)
	}
	const want = `protocol  point  passed  known  failed
jsonl     a      1       0      1
jsonl     b      1       1      0
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := kit.WriteJUnit(&b, "fake", results(t)); err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal(b.Bytes(), &suite); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if suite.Tests != 4 || suite.Failures != 2 || suite.Skipped != 1 {
		t.Errorf("got %d tests, %d failures, %d skipped, want 4, 2, 1", suite.Tests, suite.Failures, suite.Skipped)
	}
	if got, want := suite.Cases[0].Failure.Message, `jsonl/a/bad.txtar:3: type: want "y", got "x"`; got != want {
		t.Errorf("got message %q, want %q", got, want)
	}
}

func TestRun(t *testing.T) {
	files := fstest.MapFS{
		"jsonl/a/good.txtar":  {Data: []byte("-- play --\n< {\"type\":\"x\"}\n")},
		"jsonl/a/known.txtar": {Data: []byte("-- play --\n< {\"type\":\"y\"}\n")},
	}
	target := says("{\"type\":\"x\"}\n")
	target.Known = map[string]string{"jsonl/a/known": "it cannot"}
	kit.Run(t, target, kit.JSONL, files, kit.Options{})
}
