package arch

import (
	"bufio"
	"flag"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/script.md anew")

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pages returns the documents, by path below the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "conformance/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			path, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.ToSlash(path)] = read(t, path)
		}
	}
	return all
}

// The format of scripts is described once, in the comment of the package that reads them. The page is made from it:
// make generate.
func TestScriptPage(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "providers/script/doc.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimPrefix(file.Doc.Text(), "Package script plays ")
	printer := comment.Printer{HeadingLevel: 2, HeadingID: func(*comment.Heading) string { return "" }}
	want := "# Scripted models\n\n<!-- Made by make generate from providers/script/doc.go. -->\n\n`agent --script FILE` plays " +
		string(printer.Markdown(new(comment.Parser).Parse(text)))
	page := filepath.Join(root, "docs/script.md")
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, "docs/script.md"); got != want {
		t.Error("docs/script.md is not what providers/script/doc.go says: run make generate")
	}
}

var (
	target   = regexp.MustCompile(`(?m)^([a-z]+):`)
	makeCall = regexp.MustCompile("(?m)(?:^|`)make ([a-z]+)")
)

func TestMakeTargetsOfPagesExist(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range target.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	called := 0
	for page, text := range pages(t) {
		for _, m := range makeCall.FindAllStringSubmatch(text, -1) {
			called++
			if !targets[m[1]] {
				t.Errorf("%s: there is no make %s", page, m[1])
			}
		}
	}
	if called == 0 {
		t.Error("no page names a make target")
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	for page, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to := filepath.Join(root, filepath.Dir(page), m[1])
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: link to %s: %v", page, m[1], err)
			}
		}
	}
}

var tableRow = regexp.MustCompile(`(?m)^\t(?:row|query)\("([a-zA-Z_]+)"`)

func TestReadmeNamesEveryCommand(t *testing.T) {
	readme := read(t, "README.md")
	for _, table := range []string{"protocol/jsonrpc/methods.go", "protocol/jsonl/commands.go"} {
		rows := tableRow.FindAllStringSubmatch(read(t, table), -1)
		if len(rows) < 10 {
			t.Errorf("%s: found %d rows of its table", table, len(rows))
		}
		for _, m := range rows {
			if !strings.Contains(readme, "`"+m[1]+"`") {
				t.Errorf("README.md does not name %s, which %s has", m[1], table)
			}
		}
	}
}

var option = regexp.MustCompile(`(?:^|[ ,|` + "`" + `])(--?[a-zA-Z][a-z-]*)`)

// flagsIn returns the flags that stand in the part of each line that cut returns.
func flagsIn(text string, cut func(line string) (head string, ok bool)) map[string]bool {
	flags := map[string]bool{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		head, ok := cut(lines.Text())
		if !ok {
			continue
		}
		for _, m := range option.FindAllStringSubmatch(head, -1) {
			flags[m[1]] = true
		}
	}
	return flags
}

// The table of flags has the flags in its first column; the help text has them at the beginning of lines.
func TestFlagsOfReadme(t *testing.T) {
	_, section, ok := strings.Cut(read(t, "README.md"), "\n## Flags\n")
	if !ok {
		t.Fatal("README.md has no section Flags")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	documented := flagsIn(section, func(line string) (string, bool) {
		cells := strings.Split(line, "|")
		return cells[min(1, len(cells)-1)], len(cells) > 2
	})
	columns := regexp.MustCompile(`\s{2,}`)
	for _, args := range [][]string{{"--help"}, {"rpc", "--help"}} {
		have := flagsIn(help(t, args...), func(line string) (string, bool) {
			line = strings.TrimSpace(line)
			return columns.Split(line, 2)[0], strings.HasPrefix(line, "-")
		})
		for _, f := range slices.Sorted(maps.Keys(have)) {
			if !documented[f] {
				t.Errorf("README.md does not tell of the flag %s", f)
			}
		}
		for _, f := range slices.Sorted(maps.Keys(documented)) {
			// The help of a command does not list the flag that asks for it.
			if !have[f] && (len(args) == 1 || f != "--help" && f != "-h") {
				t.Errorf("README.md tells of a flag %s, which agent %s does not show", f, strings.Join(args, " "))
			}
		}
	}
}

// The flags of the commands for sessions are told of where README.md tells of sessions.
func TestSessionFlagsOfReadme(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "README.md"), "\n## Sessions\n")
	section, _, _ = strings.Cut(section, "\n## ")
	all := func(line string) (string, bool) { return line, true }
	documented := flagsIn(strings.ReplaceAll(section, "[", " "), all)
	columns := regexp.MustCompile(`\s{2,}`)
	for _, command := range []string{"list", "show", "repair", "rm"} {
		if !strings.Contains(section, "`agent sessions "+command+" ") {
			t.Errorf("README.md does not tell of agent sessions %s", command)
		}
		have := flagsIn(help(t, "sessions", command, "--help"), func(line string) (string, bool) {
			line = strings.TrimSpace(line)
			return columns.Split(line, 2)[0], strings.HasPrefix(line, "-")
		})
		if len(have) < 5 {
			t.Errorf("agent sessions %s --help shows the flags %v only", command, slices.Sorted(maps.Keys(have)))
		}
		for _, f := range slices.Sorted(maps.Keys(have)) {
			if !documented[f] {
				t.Errorf("README.md does not tell of the flag %s of agent sessions %s", f, command)
			}
		}
	}
}

// help runs the program.
func help(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"run", "-buildvcs=false", "-tags", "urfave_cli_no_docs", "./cmd/agent"}, args...)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("agent %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestNoConflictMarkers: a merge that nobody has looked at leaves them behind.
func TestNoConflictMarkers(t *testing.T) {
	marker := regexp.MustCompile(`(?m)^(<{7}|>{7}|\|{7}) `)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); n == "bin" || n == "node_modules" || strings.HasPrefix(n, ".") && n != ".." && n != ".ci" {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(file)
		if at := marker.FindIndex(text); err == nil && at != nil {
			t.Errorf("%s:%d: a conflict marker", file, 1+strings.Count(string(text[:at[0]]), "\n"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
