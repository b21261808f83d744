package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Limits of what people have written, in lines.
const (
	maxFile = 500 // tests may be longer
	maxFunc = 80
)

// A source is a parsed file of the module.
type source struct {
	path  string // below the root
	lines int
	fset  *token.FileSet
	file  *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) line(n ast.Node) int { return s.fset.Position(n.Pos()).Line }

func (s source) imports(path string) bool {
	return slices.ContainsFunc(s.file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+path+`"` })
}

// sources parses all Go files of the module, those for other systems too.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); n == "testdata" || n == "node_modules" || n == "bin" || strings.HasPrefix(n, ".") && n != ".." {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(file) != ".go" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		s := source{lines: bytes.Count(text, []byte{'\n'}), fset: token.NewFileSet()}
		if s.path, err = filepath.Rel(root, file); err != nil {
			return err
		}
		s.path = filepath.ToSlash(s.path)
		s.file, err = parser.ParseFile(s.fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
		all = append(all, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found %d files; is %s the root of the module?", len(all), root)
	}
	return all
}

// programs write to their stdout: to people, or, in main.go of the agent, to see to it that nothing else does.
var programs = []string{"cmd/agent/main.go", "conformance/cmd/conform/main.go", "scripts/...", "bench/..."}

// misplaced are uses of package.name that have no place in the code, but for the files of which except is true.
var misplaced = []struct {
	pkg, name string // a pattern of path.Match
	why       string
	except    func(s source) bool
}{
	{"fmt", "Print*", "stdout belongs to the protocol", nil},
	{"os", "Stdout", "stdout belongs to the protocol", func(s source) bool { return anyUnder(programs, s.path) }},
	{"os", "Exit", "only main ends the process", func(s source) bool {
		return s.file.Name.Name == "main" || s.isTest() // TestMain
	}},
	{"slog", "Default", "the logger is passed in", nil},
	{"time", "Sleep", "wait for what is to happen, or use testing/synctest", func(s source) bool {
		return s.isTest() && s.imports("testing/synctest") || under("bench/...", s.path)
	}},
	{"[tbf]", "Skip*", "a test that is skipped tests nothing", nil},
}

func TestNothingMisplaced(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			for _, m := range misplaced {
				if fits(m.pkg, x.Name) && fits(m.name, sel.Sel.Name) && (m.except == nil || !m.except(s)) {
					t.Errorf("%s:%d: %s.%s: %s", s.path, s.line(n), x.Name, sel.Sel.Name, m.why)
				}
			}
			return true
		})
	}
}

func fits(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		if ast.IsGenerated(s.file) || s.isTest() {
			continue
		}
		if s.lines > maxFile {
			t.Errorf("%s has %d lines, more than %d: part it by subject", s.path, s.lines, maxFile)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.fset.Position(f.End()).Line - s.line(f) + 1; n > maxFunc {
				t.Errorf("%s:%d: %s has %d lines, more than %d", s.path, s.line(f), f.Name.Name, n, maxFunc)
			}
		}
	}
}

func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s:%d: func init: say in main what is to happen", s.path, s.line(f))
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	comment := map[string]string{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		dir := path.Dir(s.path)
		comment[dir] += s.file.Doc.Text()
		if s.file.Name.Name == "main" {
			continue
		}
		if text := s.file.Doc.Text(); text != "" && !strings.HasPrefix(text, "Package "+s.file.Name.Name+" ") {
			t.Errorf("%s: the package comment does not begin with %q", s.path, "Package "+s.file.Name.Name)
		}
	}
	for dir, text := range comment {
		if text == "" {
			t.Errorf("%s: no file has a package comment", dir)
		}
	}
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

func TestNothingUnfinished(t *testing.T) {
	for _, s := range sources(t) {
		for _, group := range s.file.Comments {
			if m := unfinished.FindString(group.Text()); m != "" {
				t.Errorf("%s:%d: %s: do it, or write it down in docs/rough-edges.md", s.path, s.line(group), m)
			}
		}
	}
}
