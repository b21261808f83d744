package tools_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/tools"
)

func quote(t testing.TB, s string) string {
	t.Helper()
	raw, err := wire.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// trap is a workspace with ways out of it. "outside" is beside it.
func trap(t testing.TB) (b *bench, outside string) {
	b = newBench(t, tools.Options{})
	outside = filepath.Join(filepath.Dir(b.dir), "outside")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(outside, 0o755))
	must(os.WriteFile(filepath.Join(outside, "secret"), []byte("outside\n"), 0o644))
	b.write("in/f", "inside\n")
	must(os.Symlink(outside, filepath.Join(b.dir, "absolute")))
	must(os.Symlink("../outside", filepath.Join(b.dir, "relative")))
	must(os.Symlink("absolute/secret", filepath.Join(b.dir, "chain")))
	must(os.Symlink("in", filepath.Join(b.dir, "folder")))
	must(os.Symlink(filepath.Join(b.dir, "in/f"), filepath.Join(b.dir, "file")))
	must(os.Symlink("nowhere", filepath.Join(b.dir, "dangling")))
	must(os.Symlink("nowhere/deep", filepath.Join(b.dir, "in/dangling")))
	must(os.Symlink("loop", filepath.Join(b.dir, "loop")))
	return b, outside
}

func TestPathsStayInside(t *testing.T) {
	b, outside := trap(t)
	t.Setenv("HOME", outside)
	for _, c := range []struct{ path, abs string }{
		{"~/secret", outside + "/secret"},
		{"~", outside},
		{"../outside/secret", outside + "/secret"},
		{outside + "/secret", outside + "/secret"},
		{"in/../../outside/secret", outside + "/secret"},
		{"absolute/secret", outside + "/secret"},
		{"relative/secret", outside + "/secret"},
		{"chain", outside + "/secret"},
		{"absolute/new", outside + "/new"},
		{"absolute/../new", filepath.Dir(outside) + "/new"},
		{"none/../../new", filepath.Dir(outside) + "/new"},
		{"/dev/zero", "/dev/zero"},
	} {
		calls := []core.ToolCall{
			call("read", args{"path": c.path}),
			call("write", args{"path": c.path, "content": "x"}),
			call("edit", args{"path": c.path, "oldText": "outside", "newText": "x"}),
			call("grep", args{"path": c.path, "pattern": "o"}),
			call("find", args{"path": c.path, "pattern": "*"}),
			call("ls", args{"path": c.path}),
		}
		for _, call := range calls {
			if got := b.tools[call.Name].Assess(call); !slices.Equal(got.Outside, []string{c.abs}) {
				t.Errorf("%s %s: outside is %q, want %q", call.Name, c.path, got.Outside, c.abs)
			}
			b.wantError(b.run(call.Name, call.Arguments), c.path+": the path is outside the workspace")
		}
	}
	if got, err := os.ReadFile(outside + "/secret"); err != nil || string(got) != "outside\n" {
		t.Errorf("the file outside is %q, %v", got, err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside has %v, %v", entries, err)
	}
}

func TestLinksInside(t *testing.T) {
	b, _ := trap(t)
	b.want(b.run("read", args{"path": "folder/f"}), "inside\n")
	b.want(b.run("read", args{"path": "file"}), "inside\n")
	b.want(b.run("write", args{"path": "file", "content": "new\n"}), "Successfully wrote 4 bytes to file")
	if info, err := os.Lstat(filepath.Join(b.dir, "file")); err != nil || info.Mode()&os.ModeSymlink == 0 || b.content("in/f") != "new\n" {
		t.Errorf("writing through a link: %v, %v, %q", info, err, b.content("in/f"))
	}
	for _, path := range []string{"dangling", "in/dangling", "in/dangling/x"} {
		b.wantError(b.run("write", args{"path": path, "content": "x"}), "symbolic link to a file that does not exist")
		b.wantError(b.run("read", args{"path": path}), "no such file or directory")
	}
	b.wantError(b.run("read", args{"path": "loop"}), "too many symbolic links")
	b.wantError(b.run("write", args{"path": "loop", "content": "x"}), "too many symbolic links")
	for _, path := range []string{"in/f", "folder/f", "file", filepath.Join(b.dir, "in/f")} {
		got := b.tools["edit"].Assess(call("edit", args{"path": path, "oldText": "a", "newText": "b"}))
		if got.Risk != core.RiskWrite || !slices.Equal(got.Touches, []string{b.dir + "/in/f"}) || got.Outside != nil || got.Unknown {
			t.Errorf("edit %s: assessed as %+v", path, got)
		}
	}
}

// TestApprovedOutside: what the user has approved works outside too.
func TestApprovedOutside(t *testing.T) {
	b, outside := trap(t)
	run := func(tool string, a args) core.ToolResult {
		return b.runIn(t.Context(), tool, core.Invocation{ToolCall: call(tool, a), Outside: true})
	}
	b.want(run("read", args{"path": "absolute/secret"}), "outside\n")
	b.want(run("write", args{"path": outside + "/a/b", "content": "x"}), "Successfully wrote 1 bytes to "+outside+"/a/b")
	b.want(run("ls", args{"path": "../outside"}), "a/\nsecret")
	b.want(run("grep", args{"path": "../outside", "pattern": "side"}), outside+"/secret:1: outside")
	b.want(run("find", args{"path": "../outside", "pattern": "b"}), outside+"/a/b")
	b.wantError(run("read", args{"path": "/dev/zero"}), "it is a device")
	b.wantError(run("write", args{"path": "/dev/null", "content": "x"}), "it is a device")
}

// TestNoRegularFile: nothing waits for the other end of a pipe.
func TestNoRegularFile(t *testing.T) {
	b := newBench(t, tools.Options{})
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(b.dir) // the name of a socket must be short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]string{"pipe": "it is a named pipe", "socket": "it is a socket"} {
		b.wantError(b.run("read", args{"path": name}), want)
		b.wantError(b.run("write", args{"path": name, "content": "x"}), want)
		b.wantError(b.run("edit", args{"path": name, "oldText": "x", "newText": "y"}), want)
		b.wantError(b.run("grep", args{"path": name, "pattern": "x"}), want)
		b.wantError(b.run("find", args{"path": name, "pattern": "x"}), "ENOTDIR")
		b.wantError(b.run("ls", args{"path": name}), "ENOTDIR")
	}
	b.want(b.run("grep", args{"pattern": "x"}), "No matches found")
	if err := os.Symlink("pipe", filepath.Join(b.dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	b.want(b.run("find", args{"pattern": "*"}), ".gitignore\npipe\nsocket")
}

func TestAssess(t *testing.T) {
	b := newBench(t, tools.Options{})
	for _, c := range []struct {
		tool string
		args args
		want core.Risk
	}{
		{"read", args{"path": "a"}, core.RiskRead},
		{"write", args{"path": "a", "content": ""}, core.RiskWrite},
		{"write", args{"path": ".git/hooks/pre-commit", "content": ""}, core.RiskDestructive},
		{"edit", args{"path": "sub/.GIT/config", "oldText": "a", "newText": "b"}, core.RiskDestructive},
		{"ls", args{}, core.RiskRead},
		{"bash", args{"command": "git --version"}, core.RiskRead},
		{"bash", args{"command": "git status"}, core.RiskDestructive}, // of a repository above
		{"bash", args{"command": "git status; rm -rf x"}, core.RiskDestructive},
		{"bash", args{"command": "mkdir x"}, core.RiskWrite},
		{"bash", args{"command": "curl x"}, core.RiskNetwork},
		{"bash", args{"command": "cat " + b.dir + "/a"}, core.RiskRead},
		{"bash", args{"command": "cat /etc/passwd"}, core.RiskDestructive},
	} {
		got := b.tools[c.tool].Assess(call(c.tool, c.args))
		if got.Risk != c.want || got.Unknown != (c.tool == "bash") {
			t.Errorf("%s %v: assessed as %+v, want %s", c.tool, c.args, got, c.want)
		}
	}
	if got := b.tools["bash"].Assess(call("bash", args{"command": "cat /etc/../etc/hostname"})); !slices.Equal(got.Outside, []string{"/etc/hostname"}) {
		t.Errorf("outside is %q", got.Outside)
	}
	if got := text(b.run("ls", args{})); strings.Contains(got, "x") {
		t.Errorf("assessing has run a command: %q", got)
	}
}
