package tools_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/dualagent/agent/tools"
)

// tree is a workspace with files that are ignored, and some that are not after all.
func tree(t testing.TB) *bench {
	b := newBench(t, tools.Options{})
	b.write(".gitignore", "# comment\n*.log\n/build/\nnode_modules\n!keep.log\n\\#odd\ndocs/*.tmp\r\n")
	b.write("sub/.gitignore", "local\n!deep.log\n")
	for _, name := range []string{
		".git/config", ".hidden", "a.go", "a.log", "keep.log", "#odd", "build/out.go", "sub/build/x.go", "sub/local", "local",
		"sub/deep.log", "sub/b.go", "node_modules/m/i.go", "docs/a.tmp", "docs/a.md", "docs/sub/a.tmp",
	} {
		b.write(name, "needle "+name+"\n")
	}
	return b
}

func TestFind(t *testing.T) {
	b := tree(t)
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": "*.go"}, "a.go sub/b.go sub/build/x.go"},
		{args{"pattern": "**/*.go"}, "a.go sub/b.go sub/build/x.go"},
		{args{"pattern": "sub/*.go"}, "sub/b.go"},
		{args{"pattern": "/a.*"}, "a.go"},
		{args{"pattern": "*.log"}, "keep.log sub/deep.log"},
		{args{"pattern": "{local,.hidden}"}, ".hidden local"},
		{args{"pattern": "*build*"}, "sub/build/"},
		{args{"pattern": "*.go", "path": "sub"}, "sub/b.go sub/build/x.go"},
		{args{"pattern": "local", "path": "sub"}, ""},
		{args{"pattern": "*", "path": "build"}, "build/out.go"}, // asked for by name
		{args{"pattern": "*.go", "path": "node_modules/m"}, "node_modules/m/i.go"},
		{args{"pattern": "*.tmp"}, "docs/sub/a.tmp"},
		{args{"pattern": "config"}, ""},
		{args{"pattern": "nothing"}, ""},
	} {
		want := strings.ReplaceAll(c.want, " ", "\n")
		if want == "" {
			want = "No files found matching pattern"
		}
		b.want(b.run("find", c.args), want)
	}
	res := b.run("find", args{"pattern": "*.go", "limit": 2})
	b.want(res, "a.go\nsub/b.go\n\n[2 results limit reached. Use a larger limit or a narrower pattern.]")
	if got, want := details(t, res), `{"resultLimitReached":2}`; got != want {
		t.Errorf("details are %s, want %s", got, want)
	}
	b.want(b.run("find", args{"pattern": "*.go", "limit": 3}), "a.go\nsub/b.go\nsub/build/x.go")
	b.wantError(b.run("find", args{"pattern": "*", "path": "none"}), "cannot search none: no such file or directory")
	b.wantError(b.run("find", args{"pattern": "*", "path": "a.go"}), "ENOTDIR")
}

// TestFindAgreesWithGit: what find leaves out is what git ignores.
func TestFindAgreesWithGit(t *testing.T) {
	b := tree(t)
	cmd := exec.Command("sh", "-c", "rm -r .git && git init -q . && git ls-files --others --exclude-standard")
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	var files []string
	for line := range strings.Lines(text(b.run("find", args{"pattern": "*"}))) {
		if line = strings.TrimSpace(line); !strings.HasSuffix(line, "/") {
			files = append(files, line)
		}
	}
	want := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		want[strings.Trim(strings.TrimSpace(line), `"`)] = true
	}
	for _, f := range files {
		if !want[f] {
			t.Errorf("find shows %s, which git ignores", f)
		}
		delete(want, f)
	}
	for f := range want {
		t.Errorf("find leaves out %s, which git does not ignore", f)
	}
}

func TestLs(t *testing.T) {
	b := tree(t)
	const hidden = "\n\n[%d entries not shown: .git, or excluded by .gitignore]"
	b.want(b.run("ls", args{}), ".gitignore\n.hidden\na.go\ndocs/\nkeep.log\nlocal\nsub/"+fmt.Sprintf(hidden, 5))
	b.want(b.run("ls", args{"path": "sub"}), ".gitignore\nb.go\nbuild/\ndeep.log"+fmt.Sprintf(hidden, 1))
	b.want(b.run("ls", args{"path": "node_modules/m"}), "i.go")
	res := b.run("ls", args{"path": "sub", "limit": 1})
	b.want(res, ".gitignore\n\n[1 entries limit reached; 3 more. Use a larger limit.]"+fmt.Sprintf(hidden, 1))
	if got, want := details(t, res), `{"entryLimitReached":1}`; got != want {
		t.Errorf("details are %s, want %s", got, want)
	}
	b.run("bash", args{"command": "mkdir empty; touch $'two\\nlines\\x1b[31m'"})
	b.want(b.run("ls", args{"path": "empty"}), "(no entries)")
	if got := text(b.run("ls", args{})); !strings.Contains(got, "\ntwo?lines\n") {
		t.Errorf("a name with a line feed is shown as %q", got)
	}
	b.wantError(b.run("ls", args{"path": "a.go"}), "cannot list a.go: ENOTDIR")
}

func TestGrep(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("a.txt", "one\r\nTwo\r\nthree.\r\nfour\r\n")
	b.write("sub/b.txt", "two\nx\ny\ntwo\n")
	b.write("bin", "two\x00")
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": "two"}, "sub/b.txt:1: two\nsub/b.txt:4: two"},
		{args{"pattern": "^two$", "ignoreCase": true}, "a.txt:2: Two\nsub/b.txt:1: two\nsub/b.txt:4: two"},
		{args{"pattern": "."}, "a.txt:1: one\na.txt:2: Two\na.txt:3: three.\na.txt:4: four\nsub/b.txt:1: two\nsub/b.txt:2: x\nsub/b.txt:3: y\nsub/b.txt:4: two"},
		{args{"pattern": ".", "literal": true}, "a.txt:3: three."},
		{args{"pattern": "two", "path": "sub"}, "sub/b.txt:1: two\nsub/b.txt:4: two"},
		{args{"pattern": "one", "path": "a.txt"}, "a.txt:1: one"},
		{args{"pattern": "t", "glob": "a.*"}, "a.txt:3: three."},
		{args{"pattern": "t", "glob": "sub/*.txt"}, "sub/b.txt:1: two\nsub/b.txt:4: two"},
		{args{"pattern": "three", "context": 1}, "a.txt-2- Two\na.txt:3: three.\na.txt-4- four"},
		{args{"pattern": "two", "context": 1}, "sub/b.txt:1: two\nsub/b.txt-2- x\nsub/b.txt-3- y\nsub/b.txt:4: two"},
		{args{"pattern": "two", "context": 9, "path": "sub/b.txt"}, "sub/b.txt:1: two\nsub/b.txt-2- x\nsub/b.txt-3- y\nsub/b.txt:4: two"},
		{args{"pattern": "none"}, "No matches found"},
	} {
		b.want(b.run("grep", c.args), c.want)
	}
	res := b.run("grep", args{"pattern": "two", "limit": 1})
	b.want(res, "sub/b.txt:1: two\n\n[1 matches limit reached. Use a larger limit or a narrower pattern.]")
	if got, want := details(t, res), `{"matchLimitReached":1}`; got != want {
		t.Errorf("details are %s, want %s", got, want)
	}
	b.wantError(b.run("grep", args{"pattern": "x", "path": "none"}), "cannot search none: no such file")
}

func TestGrepBoundsItsOutput(t *testing.T) {
	b := newBench(t, tools.Options{})
	b.write("wide", strings.Repeat("界", 100_000)+"\n")
	res := b.run("grep", args{"pattern": "界"})
	b.want(res, "wide:1: "+strings.Repeat("界", 500)+"...\n\n[Lines are cut to 500 characters. Use read to see them whole.]")
	if got, want := details(t, res), `{"linesTruncated":true}`; got != want {
		t.Errorf("details are %s, want %s", got, want)
	}
	b.write("many", strings.Repeat(strings.Repeat("x", 99)+"\n", 100_000))
	res = b.run("grep", args{"pattern": "x", "limit": 100_000})
	if got := text(res); len(got) > 52<<10 || !strings.Contains(got, "of 100000 lines") {
		t.Errorf("%d bytes, the end is %q", len(got), got[len(got)-100:])
	}
}

func TestSearchLeavesOutIgnored(t *testing.T) {
	b := tree(t)
	got := text(b.run("grep", args{"pattern": "^needle", "limit": 1000}))
	for _, c := range []struct {
		name string
		want bool
	}{{"a.go", true}, {".hidden", true}, {"keep.log", true}, {"sub/deep.log", true}, {"a.log", false}, {"build/out.go", false}, {".git/config", false}} {
		if strings.Contains("\n"+got, "\n"+c.name+":1:") != c.want {
			t.Errorf("%s: found is %t, want %t", c.name, !c.want, c.want)
		}
	}
}
