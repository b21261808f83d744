package tools_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dualagent/agent/tools"
)

// shownByGit returns the files in dir that git does not ignore.
func shownByGit(t *testing.T, dir string) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "--others", "--exclude-standard", "-z")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME=/none", "XDG_CONFIG_HOME=/none")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git: %v", err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	slices.Sort(files)
	return files
}

// shownByFind returns the files that the tool find shows.
func (b *bench) shownByFind() []string {
	var files []string
	for line := range strings.Lines(text(b.run("find", args{"pattern": "*", "limit": 10000}))) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasSuffix(line, "/") && line != "No files found matching pattern" {
			files = append(files, line)
		}
	}
	slices.Sort(files)
	return files
}

// repository makes dir one.
func repository(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("git", "init", "-q", "--template=", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git/info"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestIgnore(t *testing.T) {
	files := []string{"x/.env", "x/a.txt", "a.txt", "b.log", "build/o", "x/build/o", "docs/a/b/c.md", "docs/c.md", "a b", "a ", "#x", "!x", "7", "é", "d/7/e", "foobar", "foo/bar", "fooa/bar"}
	for _, rules := range []string{
		"*\n!*/\n!*.txt\n", "\ufeffx\n", "\ufeff*.log\nbuild\n", "[[:digit:]]\n", "[[:alpha:]]*\n", "[!a]*\n", "[^a]\n", "[]a]\n", "[a\n", "[[:nope:]]\n", "[a-c]*\n", "[\\a]*\n", "[--z]*\n",
		"?\n", "??\n", "build/\n", "/build\n", "/build/\n", "docs/**\n", "**/c.md\n", "docs/**/c.md\n", "docs/*/c.md\n", "**\n", "**/\n", "a/**/\n", "foo**/bar\n", "foo**bar\n", "foo*/bar\n", "*/build\n",
		"a \n", "a\\ \n", "a b\n", "\\#x\n", "\\!x\n", "#x\n", "!x\n", "*\n!a.txt\n", "x\n!x/a.txt\n", "x/*\n!x/a.txt\n", "*.log\r\n/x\r\n", "build", "/\n", "!\n", " \n", "a.txt\\\n", "x/\n!x\n", "docs/a/\n",
	} {
		b := newBench(t, tools.Options{})
		for _, f := range files {
			b.write(f, "x")
		}
		b.write(".gitignore", rules)
		repository(t, b.dir)
		if got, want := b.shownByFind(), shownByGit(t, b.dir); !slices.Equal(got, want) {
			t.Errorf("rules %q: find shows %q, git %q", rules, got, want)
		}
	}
}

// TestIgnoreLikeGit makes up trees and rules, in the workspace and above it.
func TestIgnoreLikeGit(t *testing.T) {
	pick := func(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 1))
		part := func() string { return pick(r, "a", "b", "ab", "abc", "a.txt", "b.log", ".env", "é", "a b", "7") }
		rules := func() string {
			var out strings.Builder
			out.WriteString(pick(r, "", "", "", "\ufeff"))
			for range 1 + r.IntN(4) {
				out.WriteString(pick(r, "", "", "", "!", "#", "/", "\\"))
				for i := range 1 + r.IntN(3) {
					if i > 0 {
						out.WriteString("/")
					}
					for range 1 + r.IntN(2) {
						out.WriteString(pick(r, "*", "**", "?", "a", "b", "a*", "*.txt", "[ab]", "[!a]", "[[:alpha:]]", "[a-b]", "\\a", part(), part(), part()))
					}
				}
				out.WriteString(pick(r, "", "", "", "/", " ", "\\ ", "\r") + "\n")
			}
			return out.String()
		}
		b := newBench(t, tools.Options{})
		top := b.dir
		if r.IntN(3) == 0 {
			top = filepath.Dir(b.dir)
			if err := os.WriteFile(filepath.Join(top, ".gitignore"), []byte(strings.ReplaceAll(rules(), "a", "ws")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		dirs := []string{""}
		for range 12 {
			name := filepath.Join(pick(r, dirs...), part())
			if r.IntN(3) == 0 {
				if os.MkdirAll(filepath.Join(b.dir, name), 0o755) == nil {
					dirs = append(dirs, name)
				}
			} else if _, err := os.Lstat(filepath.Join(b.dir, name)); err != nil {
				b.write(name, "x")
			}
		}
		said := map[string]string{}
		for range 1 + r.IntN(3) {
			name := filepath.Join(pick(r, dirs...), ".gitignore")
			said[name] = rules()
			b.write(name, said[name])
		}
		repository(t, top)
		exclude := rules()
		if err := os.WriteFile(filepath.Join(top, ".git/info/exclude"), []byte(exclude), 0o644); err != nil {
			t.Fatal(err)
		}
		want := shownByGit(t, b.dir)
		if got := b.shownByFind(); !slices.Equal(got, want) && !(len(want) == 0 && top != b.dir) { // an ignored workspace is shown all the same
			above, _ := os.ReadFile(filepath.Join(top, ".gitignore"))
			t.Errorf("seed %d, rules %q, exclude %q, above %q:\nfind shows %q\ngit        %q", seed, said, exclude, above, got, want)
		}
	}
}
