package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// module is the path of this module; root is its folder.
const (
	module = "github.com/dualagent/agent"
	root   = "../.."
)

// Modules that packages import.
const (
	uuid       = "github.com/google/uuid"
	goJSON     = "github.com/goccy/go-json"
	jrpc2      = "github.com/creachadair/jrpc2"
	goSSE      = "github.com/tmaxmax/go-sse"
	cli        = "github.com/urfave/cli/v2"
	udiff      = "github.com/aymanbagabas/go-udiff"
	doublestar = "github.com/bmatcuk/doublestar/v4"
	shell      = "mvdan.cc/sh/v3"
	sys        = "golang.org/x/sys"
	jsonSchema = "github.com/google/jsonschema-go"
)

// A rule says what packages import, apart from the standard library. A name that ends in /... stands for all below it, too.
type rule struct {
	packages string
	ours     []string
	modules  []string
}

// rules is the list of them. The first rule that fits a package counts; a package that none fits must get one.
var rules = []rule{
	{packages: "core", modules: []string{uuid}},
	{packages: "core/coretest", ours: []string{"core"}},
	{packages: "internal/arch"},
	{packages: "internal/schematest", ours: []string{"internal/wire"}, modules: []string{jsonSchema}},
	{packages: "internal/wire", modules: []string{goJSON}},
	{packages: "internal/v3", ours: []string{"core", "internal/wire"}},
	{packages: "protocol", ours: []string{"core", "internal/wire"}},
	{packages: "protocol/jsonrpc", ours: []string{"core", "internal/wire", "protocol"}, modules: []string{jrpc2}},
	{packages: "protocol/jsonl", ours: []string{"core", "internal/wire", "internal/v3", "protocol"}},
	{packages: "providers", ours: []string{"core"}},
	{packages: "providers/internal/...", ours: []string{"core", "internal/wire"}, modules: []string{goSSE}},
	{packages: "providers/...", ours: []string{"core", "internal/wire", "providers", "providers/internal/..."}},
	{packages: "sessions/export", ours: []string{"core", "internal/wire"}},
	{packages: "sessions/...", ours: []string{"core", "internal/wire", "internal/v3", "sessions/..."}},
	{packages: "tools/internal/...", ours: []string{"core", "tools/internal/..."}, modules: []string{shell, sys}},
	{
		packages: "tools", ours: []string{"core", "internal/wire", "tools/internal/..."},
		modules: []string{udiff, doublestar, sys},
	},
	{
		packages: "cmd/agent",
		ours:     []string{"core", "internal/wire", "protocol/...", "providers/...", "sessions/...", "tools"},
		modules:  []string{cli, sys},
	},
	{packages: "conformance/...", ours: []string{"conformance/..."}},
	{packages: "scripts/...", modules: []string{sys}},
	{packages: "bench/...", ours: []string{"bench/...", "core/...", "protocol/..."}, modules: []string{sys}},
}

// under reports whether a pattern fits a path.
func under(pattern, path string) bool {
	prefix, open := strings.CutSuffix(pattern, "/...")
	return path == prefix || open && strings.HasPrefix(path, prefix+"/")
}

func anyUnder(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return under(p, path) })
}

// A pkg is a package as go list describes it. Tests do not count.
type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string
}

// name is the path of a package below the module; ok is false for packages of others.
func name(importPath string) (name string, ok bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// load lists the packages of the module and all that they depend on, by import path.
func load(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	all := map[string]pkg{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
}

func TestImports(t *testing.T) {
	all := load(t)
	for _, p := range all {
		name, ok := name(p.ImportPath)
		if !ok {
			continue
		}
		i := slices.IndexFunc(rules, func(r rule) bool { return under(r.packages, name) })
		if i < 0 {
			t.Errorf("%s: there is no rule for it; add one to rules", name)
			continue
		}
		for _, imported := range p.Imports {
			switch {
			case imported == "log":
				t.Errorf("%s imports log: take a *slog.Logger instead", name)
			case !all[imported].Standard && !allowed(rules[i], imported):
				t.Errorf("%s imports %s, which is not its business", name, strings.TrimPrefix(imported, module+"/"))
			}
		}
	}
}

func allowed(r rule, importPath string) bool {
	if name, ok := name(importPath); ok {
		return anyUnder(r.ours, name)
	}
	return slices.ContainsFunc(r.modules, func(m string) bool { return under(m+"/...", importPath) })
}

// A codec does no I/O: it gets lines and returns lines.
func TestCodecsDoNoIO(t *testing.T) {
	for _, p := range load(t) {
		name, ok := name(p.ImportPath)
		if !ok || !under("protocol/...", name) {
			continue
		}
		for _, no := range []string{"os", "os/exec", "os/signal", "net", "net/http", "syscall", "path/filepath"} {
			if slices.Contains(p.Imports, no) {
				t.Errorf("%s imports %s", name, no)
			}
		}
	}
}

func TestCoreStandsAlone(t *testing.T) {
	all := load(t)
	for _, dep := range all[module+"/core"].Deps {
		if !all[dep].Standard && dep != uuid {
			t.Errorf("core depends on %s", dep)
		}
	}
}

// All JSON goes through internal/wire, so that there is one set of rules for it. What does not belong to the program (the
// conformance kit, the scripts, what only tests use) uses the standard library's.
func TestOneJSON(t *testing.T) {
	for _, p := range load(t) {
		name, ok := name(p.ImportPath)
		if !ok || anyUnder([]string{"internal/wire", "internal/schematest", "conformance/...", "scripts/...", "bench/..."}, name) {
			continue
		}
		for _, imported := range p.Imports {
			if under("encoding/json/...", imported) || under(goJSON+"/...", imported) {
				t.Errorf("%s imports %s; use internal/wire", name, imported)
			}
		}
	}
}

// What tests use must not be in the program.
func TestProgramHasNoTestCode(t *testing.T) {
	for _, dep := range load(t)[module+"/cmd/agent"].Deps {
		for _, no := range []string{
			"testing", "github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "go.uber.org/goleak",
			jsonSchema, module + "/core/coretest", module + "/internal/schematest", module + "/conformance",
		} {
			if under(no+"/...", dep) {
				t.Errorf("the program contains %s", dep)
			}
		}
	}
}

// Versions of go-json before v0.12.0 crash on some inputs and accept what is not JSON.
func TestSafeJSON(t *testing.T) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Version}}", goJSON)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.TrimSpace(string(out))
	if !slices.ContainsFunc([]string{"v0.1[2-9].*", "v0.[2-9][0-9].*", "v[1-9]*"}, func(pattern string) bool {
		ok, _ := path.Match(pattern, got)
		return ok
	}) {
		t.Errorf("%s is %s; it must be v0.12.0 or later", goJSON, got)
	}
}
