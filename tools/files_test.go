package tools_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools"
)

// numbers returns lines "1" to "n".
func numbers(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintln(&s, i+1)
	}
	return s.String()
}

func TestRead(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("small", "a\nb\nc\n")
	b.write("open", "a\nb")
	b.write("empty", "")
	b.write("crlf", "\ufeffa\r\nb\r\n")
	b.write("long", numbers(2500))
	b.write("latin", "gr\xfcn\n")
	b.write("escapes", "a\x1b[31mred\x1b[0m\n")
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"path": "small"}, "a\nb\nc\n"},
		{args{"path": "./sub/../small"}, "a\nb\nc\n"},
		{args{"path": filepath.Join(b.dir, "small")}, "a\nb\nc\n"},
		{args{"path": "open"}, "a\nb"},
		{args{"path": "empty"}, "(the file is empty)"},
		{args{"path": "crlf"}, "a\nb\n"},
		{args{"path": "latin"}, "gr\ufffdn\n"},
		{args{"path": "escapes"}, "a\u241b[31mred\u241b[0m\n"},
		{args{"path": "small", "offset": 2}, "b\nc\n"},
		{args{"path": "small", "limit": 1}, "a\n\n[2 more lines in file. Use offset=2 to continue.]"},
		{args{"path": "small", "offset": 2, "limit": 1}, "b\n\n[1 more lines in file. Use offset=3 to continue.]"},
		{args{"path": "small", "offset": 3, "limit": 9}, "c\n"},
		{args{"path": "long"}, strings.TrimSuffix(numbers(2000), "\n") + "\n\n[Showing lines 1-2000 of 2500. Use offset=2001 to continue.]"},
	} {
		b.want(b.run("read", c.args), c.want)
	}
	b.wantError(b.run("read", args{"path": "small", "offset": 4}), "Offset 4 is beyond end of file (3 lines total)")
	b.wantError(b.run("read", args{"path": "empty", "offset": 2}), "Offset 2 is beyond end of file (0 lines total)")
	b.wantError(b.run("read", args{"path": "none"}), "cannot read none: no such file or directory")
	b.wantError(b.run("read", args{"path": "."}), "EISDIR")
	got := details(t, b.run("read", args{"path": "long"}))
	for _, want := range []string{`"truncated":true,"truncatedBy":"lines","totalLines":2500,`, `"outputLines":2000,`, `"maxLines":2000,"maxBytes":51200`} {
		if !strings.Contains(got, want) {
			t.Errorf("details: %.300s lack %s", got[max(0, len(got)-300):], want)
		}
	}
}

// TestReadCutsOnCharacters: a line longer than the limit is cut, between two characters.
func TestReadCutsOnCharacters(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("wide", "x"+strings.Repeat("界", 200_000)+"\nnext\n")
	got := text(b.run("read", args{"path": "wide"}))
	body, marker, _ := strings.Cut(got, "\n\n")
	if len(body) > 50<<10 || len(body) < 50<<10-3 || strings.Contains(body, "\ufffd") {
		t.Errorf("body has %d bytes, or broken characters", len(body))
	}
	if want := "[Line 1 has 600001 bytes, of which the first 51199 are shown. Use offset=2 to continue behind it.]"; marker != want {
		t.Errorf("marker is %q, want %q", marker, want)
	}
	b.want(b.run("read", args{"path": "wide", "offset": 2}), "next\n")
}

func TestReadRefusesBinary(t *testing.T) {
	b := newBench(t, tools.Options{})
	for name, c := range map[string][2]string{
		"nul":   {"a\x00b", "it is a binary file (3 bytes)"},
		"noise": {strings.Repeat("\xfd\xfe\xff\xc0", 100), "binary"},
		"pdf":   {"%PDF-1.7\x00", "a PDF document"},
		"utf16": {"\xff\xfea\x00", "UTF-16"},
		"png":   {"\x89PNG\r\n\x1a\nbroken", "not a valid image (image/png)"},
	} {
		b.write(name, c[0])
		b.wantError(b.run("read", args{"path": name}), "cannot read "+name, c[1])
	}
}

func TestReadImages(t *testing.T) {
	b := newBench(t, tools.Options{})
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	for mime, data := range map[string]string{
		"image/png":  picture.String(),
		"image/gif":  "GIF89a\x01\x00\x01\x00\x00\x00\x00;",
		"image/webp": "RIFF\x04\x00\x00\x00WEBPVP8 ",
	} {
		b.write("picture", data)
		res := b.run("read", args{"path": "picture"})
		if len(res.Content) != 2 || res.Content[1].Kind != core.BlockImage || res.Content[1].Image.MimeType != mime ||
			res.Content[1].Image.Data != base64.StdEncoding.EncodeToString([]byte(data)) {
			t.Errorf("%s: got %+v", mime, res)
		}
	}
	b.write("huge", picture.String()+strings.Repeat("x", 5<<20))
	b.wantError(b.run("read", args{"path": "huge"}), "at most 3932160 can be shown")
}

func TestReadStops(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("long", strings.Repeat("x\n", 100_000))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for tool, a := range map[string]args{
		"read": {"path": "long"}, "grep": {"pattern": "y"}, "find": {"pattern": "y"}, "ls": {}, "write": {"path": "new", "content": ""},
		"edit": {"path": "long", "oldText": "x\nx", "newText": ""},
	} {
		res := b.runIn(ctx, tool, core.Invocation{ToolCall: call(tool, a)})
		if tool != "edit" { // which finds out before that its text is not unique
			b.wantError(res, "Operation aborted")
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "new")); err == nil {
		t.Error("write wrote although its context had ended")
	}
}

func TestWrite(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.want(b.run("write", args{"path": "a/b/c", "content": "gr\u00fcn"}), "Successfully wrote 5 bytes to a/b/c")
	if got := b.content("a/b/c"); got != "grün" {
		t.Errorf("content is %q", got)
	}
	path := filepath.Join(b.dir, "a/b/c")
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	b.want(b.run("write", args{"path": path, "content": ""}), "Successfully wrote 0 bytes to "+path)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o751 || info.Size() != 0 {
		t.Errorf("after a second write: %v, %v; want mode 0751 and no content", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o440); err != nil {
		t.Fatal(err)
	}
	b.wantError(b.run("write", args{"path": path, "content": "x"}), "it is read-only (mode 0440)")
	b.wantError(b.run("write", args{"path": "a", "content": "x"}), "EISDIR")
	b.wantError(b.run("write", args{"path": "a/b/c/d", "content": "x"}), "cannot write a/b/c/d")
	b.want(b.run("ls", args{"path": "a/b"}), "c") // nothing is left behind
}

// TestWriteIsAtomic: whoever reads while a file is written sees the old content or the new.
func TestWriteIsAtomic(t *testing.T) {
	b := newBench(t, tools.Options{})
	versions := []string{strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<20)}
	b.write("f", versions[0])
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			b.run("write", args{"path": "f", "content": versions[i%2]})
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
		}
		if got := b.content("f"); got != versions[0] && got != versions[1] {
			t.Errorf("read a mixture of %d bytes", len(got))
		}
	}
}

func TestEdit(t *testing.T) {
	two := []args{{"oldText": "three\n", "newText": "3\n"}, {"oldText": "one", "newText": "1"}}
	for _, c := range []struct {
		name, before, after string
		args                args
	}{
		{"one", "a b c", "a X c", args{"edits": []args{{"oldText": "b", "newText": "X"}}}},
		{"beside the path", "a b c", "a  c", args{"oldText": "b", "newText": ""}},
		{"in a string", "a b c", "a X c", args{"edits": `[{"oldText":"b","newText":"X"}]`}},
		{"two, not in order", "one\ntwo\nthree\n", "1\ntwo\n3\n", args{"edits": two}},
		{"matched on the original", "ab", "ba", args{"edits": []args{{"oldText": "a", "newText": "b"}, {"oldText": "b", "newText": "a"}}}},
		{"CR LF", "one\r\ntwo\r\nthree\r\n", "1\r\ntwo\r\n3\r\n", args{"edits": two}},
		{"CR LF, given so", "a\r\nb\r\n", "x\r\ny\r\nb\r\n", args{"oldText": "a\r\n", "newText": "x\r\ny\r\n"}},
		{"CR LF, several lines", "a\r\nb\r\nc\r\n", "a\r\nx\r\ny\r\n", args{"oldText": "b\nc", "newText": "x\ny"}},
		{"mixed ends, the rest kept", "a\r\nb\nc\nd\r\n", "a\r\nX\nc\nd\r\n", args{"oldText": "b", "newText": "X"}},
		{"line end itself", "a\r\nb", "ab", args{"oldText": "\n", "newText": ""}},
		{"BOM", "\ufeffa\r\nb\r\n", "\ufeffX\r\nb\r\n", args{"oldText": "a\n", "newText": "X\n"}},
		{"not UTF-8 elsewhere", "gr\xfcn\nb\n", "gr\xfcn\nX\n", args{"oldText": "b", "newText": "X"}},
		{"no line end", "a", "b", args{"oldText": "a", "newText": "b"}},
	} {
		b := newBench(t, tools.Options{})
		b.write("f", c.before)
		c.args["path"] = "f"
		if res := b.run("edit", c.args); res.IsError || b.content("f") != c.after {
			t.Errorf("%s: got %q, want %q; result %q", c.name, b.content("f"), c.after, text(res))
		}
	}
}

func TestEditRefuses(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("bin", "a\x00b")
	if err := os.Mkdir(filepath.Join(b.dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	const before = "one two two\naaa\n"
	for _, c := range []struct {
		path, want string
		edits      []args
	}{
		{"f", "edits[0].oldText was not found", []args{{"oldText": "One", "newText": ""}}},
		{"f", "edits[1].oldText occurs 2 times", []args{{"oldText": "one", "newText": ""}, {"oldText": "two", "newText": ""}}},
		{"f", "occurs 2 times", []args{{"oldText": "aa", "newText": ""}}},
		{"f", "edits[1].oldText and edits[0].oldText overlap", []args{{"oldText": "e two two", "newText": ""}, {"oldText": "one t", "newText": ""}}},
		{"f", "change nothing", []args{{"oldText": "one", "newText": "one"}}},
		{"bin", "binary file", []args{{"oldText": "a", "newText": "c"}}},
		{"d", "EISDIR", []args{{"oldText": "a", "newText": "c"}}},
		{"none", "no such file", []args{{"oldText": "a", "newText": "c"}}},
	} {
		b.write("f", before)
		b.wantError(b.run("edit", args{"path": c.path, "edits": c.edits}), "cannot edit "+c.path, c.want)
		if got := b.content("f"); got != before {
			t.Errorf("%v: the file was changed to %q", c.edits, got)
		}
	}
}

func TestEditShowsDiff(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("f", numbers(20))
	res := b.run("edit", args{"path": "f", "edits": []args{{"oldText": "\n3\n", "newText": "\nthree\n3a\n"}, {"oldText": "\n17\n", "newText": "\n"}}})
	patch := "--- a/f\n+++ b/f\n@@ -1,6 +1,7 @@\n 1\n 2\n-3\n+three\n+3a\n 4\n 5\n 6\n@@ -14,7 +15,6 @@\n 14\n 15\n 16\n-17\n 18\n 19\n 20\n"
	b.want(res, "Successfully replaced 2 block(s) in f.\n\n"+strings.TrimSuffix(patch, "\n"))
	want := `{"diff":" 1 1\n 2 2\n-3 3\n+3 three\n+4 3a\n 5 4\n 6 5\n 7 6\n ...\n 15 14\n 16 15\n 17 16\n-17 17\n 18 18\n 19 19\n 20 20\n",` +
		`"patch":` + quote(t, patch) + `,"firstChangedLine":3}`
	if got := details(t, res); got != want {
		t.Errorf("details:\ngot  %s\nwant %s", got, want)
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	t.Setenv("MY_SECRET_VALUE", "correct horse battery")
	b := newBench(t, tools.Options{SecretEnv: []string{"MY_SECRET_VALUE"}})
	b.write("f", "key=sk-abcdefghijklmnopqrstuvwx\nit is correct horse battery\n")
	const want = "key=[REDACTED]\nit is [REDACTED]\n"
	b.want(b.run("read", args{"path": "f"}), want)
	b.want(b.run("bash", args{"command": "cat f"}), want)
	b.want(b.run("grep", args{"pattern": "is"}), "f:2: it is [REDACTED]")
	res := b.run("edit", args{"path": "f", "oldText": "it is", "newText": "that is"})
	if all := text(res) + details(t, res); strings.Contains(all, "horse") || strings.Contains(all, "sk-abc") {
		t.Errorf("edit shows a secret: %s", all)
	}
	if got := b.content("f"); !strings.Contains(got, "that is correct horse battery") {
		t.Errorf("edit changed the secret itself: %q", got)
	}
	if got := text(b.run("bash", args{"command": "echo \"<$MY_SECRET_VALUE>\""})); got != "<>\n" {
		t.Errorf("a command saw %q", got)
	}
}

// TestReadHidesNothing: what a file holds is shown, carriage returns and escapes too.
func TestReadHidesNothing(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("f", "old\rmac\x1b]0;hidden\a\x7f\u0085\r\nend\n")
	b.want(b.run("read", args{"path": "f"}), "old\rmac\u241b]0;hidden\u2407\u2421\ufffd\nend\n")
	b.want(b.run("grep", args{"pattern": "mac"}), "f:1: old\rmac\u241b]0;hidden\u2407\u2421\ufffd")
	res := b.run("edit", args{"path": "f", "oldText": "old\rmac", "newText": "new\rmac"})
	if got := text(res); res.IsError || !strings.Contains(got, "+new\rmac\u241b]0;") {
		t.Errorf("edit shows %q", got)
	}
}

// TestEditKeepsTheFile: it has the same names and mode as before, those of a program that runs as another user too.
func TestEditKeepsTheFile(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("f", "long text\n")
	b.write("g", "long text\n")
	if err := os.Link(filepath.Join(b.dir, "f"), filepath.Join(b.dir, "name")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "g"} {
		if err := os.Chmod(filepath.Join(b.dir, name), 0o755|fs.ModeSetuid); err != nil {
			t.Fatal(err)
		}
		if res := b.run("edit", args{"path": name, "oldText": "long", "newText": "a"}); res.IsError || b.content(name) != "a text\n" {
			t.Errorf("%s: %q, content %q", name, text(res), b.content(name))
		}
		if info, err := os.Stat(filepath.Join(b.dir, name)); err != nil || info.Mode() != 0o755|fs.ModeSetuid {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if got := b.content("name"); got != "a text\n" {
		t.Errorf("the other name has %q", got)
	}
}

func TestWriteNamesAFile(t *testing.T) {
	b := newBench(t, tools.Options{})
	for _, path := range []string{"d/new/", "d/.", "d/..", ".", "..", "/"} {
		b.wantError(b.run("write", args{"path": path, "content": "x"}), "must name a file")
	}
	if entries, err := os.ReadDir(b.dir); err != nil || len(entries) > 0 {
		t.Errorf("there are %v, %v", entries, err)
	}
	b.want(b.run("write", args{"path": "d/...", "content": "x"}), "Successfully wrote 1 bytes to d/...")
	b.want(b.run("write", args{"path": "d./a.", "content": "x"}), "Successfully wrote 1 bytes to d./a.")
}

// TestKeysAreNotShown: a private key is as long as its lines.
func TestKeysAreNotShown(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("id", "Host x\n-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIB\nAAKCAQEA\n-----END RSA PRIVATE KEY-----\nend\n")
	const mark = "[REDACTED]\n"
	b.want(b.run("read", args{"path": "id"}), "Host x\n"+mark+mark+mark+mark+"end\n")
	b.want(b.run("read", args{"path": "id", "offset": 3, "limit": 1}), mark+"\n[3 more lines in file. Use offset=4 to continue.]")
	b.want(b.run("grep", args{"pattern": "MII"}), "id:3: [REDACTED]")
	b.want(b.run("bash", args{"command": "cat id"}), "Host x\n"+mark+"end\n")
}
