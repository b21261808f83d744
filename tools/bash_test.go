package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools"
)

func TestBash(t *testing.T) {
	b := newBench(t, tools.Options{})
	for _, c := range []struct{ command, want, details string }{
		{"printf hi", "hi", `{"exitCode":0}`},
		{"echo out; echo err >&2", "out\nerr\n", `{"exitCode":0}`},
		{"true", "(no output)", `{"exitCode":0}`},
		{"pwd", b.dir + "\n", `{"exitCode":0}`},
		{"cat; echo end", "end\n", `{"exitCode":0}`}, // B2: there is no input
		{"printf 'a\\000b\\r\\n\\033[1mbold\\033[0m\\033]0;title\\007\\b!'", "ab\nbold!", `{"exitCode":0}`},
		{"printf 'gr\\374n \\303\\274'", "gr\ufffdn ü", `{"exitCode":0}`},
		{"-n 2>/dev/null; echo dash", "dash\n", `{"exitCode":0}`},
		{"echo $PAGER $GIT_PAGER $TERM $CI $GIT_TERMINAL_PROMPT", "cat cat dumb 1 0\n", `{"exitCode":0}`},
	} {
		res := b.run("bash", args{"command": c.command})
		b.want(res, c.want)
		if got := details(t, res); got != c.details {
			t.Errorf("%s: details are %s, want %s", c.command, got, c.details)
		}
	}
	for command, want := range map[string]string{
		"echo x; exit 3":        "x\n\nCommand exited with code 3",
		"exit 1":                "Command exited with code 1",
		"kill -9 $$":            "Command exited with code 137",
		"unknown_command_xyz":   "Command exited with code 127",
		"if":                    "Command exited with code 2",
		"echo x; kill -TERM $$": "x\n\nCommand exited with code 143",
	} {
		res := b.run("bash", args{"command": command})
		b.wantError(res, want)
		if !strings.HasSuffix(text(res), want) {
			t.Errorf("%s: got %q, which does not end in %q", command, text(res), want)
		}
	}
}

// TestBashDoesNotStart: what is wrong with the workspace is an error of the tool, not the end of it.
func TestBashDoesNotStart(t *testing.T) {
	b := newBench(t, tools.Options{})
	if err := os.Remove(b.dir); err != nil {
		t.Fatal(err)
	}
	_, err := b.tools["bash"].Run(t.Context(), core.Invocation{ToolCall: call("bash", args{"command": "true"}), Progress: func(string) {}})
	if err == nil || !strings.Contains(err.Error(), b.dir) {
		t.Errorf("got %v, want an error that names the folder", err)
	}
}

func TestBashEnvironment(t *testing.T) {
	for _, name := range []string{"MY_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "SPECIAL", "BASH_ENV", "BASH_FUNC_ls%%"} {
		t.Setenv(name, "leaked-"+name)
	}
	t.Setenv("HARMLESS", "yes")
	b := newBench(t, tools.Options{SecretEnv: []string{"SPECIAL"}})
	got := text(b.run("bash", args{"command": "env"}))
	if strings.Contains(got, "leaked") || !strings.Contains(got, "HARMLESS=yes\n") || !strings.Contains(got, "PATH=") {
		t.Errorf("the environment is\n%s", got)
	}
	b = newBench(t, tools.Options{Env: []string{"A_TOKEN=given", "SPECIAL=x", "PATH=" + os.Getenv("PATH")}, SecretEnv: []string{"SPECIAL"}})
	got = text(b.run("bash", args{"command": "env"}))
	if strings.Contains(got, "SPECIAL") || strings.Contains(got, "HARMLESS") || !strings.Contains(got, "A_TOKEN=given\n") {
		t.Errorf("with Env, the environment is\n%s", got)
	}
}

var markerPattern = regexp.MustCompile(`\[Showing lines (\d+)-(\d+) of (\d+) \(the last (\d+) of (\d+) bytes\)\. Full output: (.*)\]$`)

func TestBashTruncates(t *testing.T) {
	b := newBench(t, tools.Options{})
	var want strings.Builder
	for i := range 3000 {
		want.WriteString(strconv.Itoa(i+1) + "\n")
	}
	res := b.run("bash", args{"command": "seq 3000"})
	m := markerPattern.FindStringSubmatch(text(res))
	if m == nil {
		t.Fatalf("no marker: %.300q", text(res)[len(text(res))-300:])
	}
	if got := strings.Join(m[1:6], " "); got != "1001 3000 3000 10000 13893" {
		t.Errorf("marker has %s", got)
	}
	if got := text(res); !strings.HasPrefix(got, "1001\n1002\n") || !strings.Contains(got, "\n3000\n\n\n[") {
		t.Errorf("the tail is %.30q...%q", got, got[len(got)-200:])
	}
	full, err := os.ReadFile(m[6])
	if err != nil || string(full) != want.String() {
		t.Errorf("the full output has %d bytes, %v; want %d", len(full), err, want.Len())
	}
	if info, err := os.Stat(m[6]); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file with the full output: %v, %v", info, err)
	}
	if got := details(t, res); !strings.Contains(got, `"truncatedBy":"lines","totalLines":3000,"totalBytes":13893,"outputLines":2000,"outputBytes":10000,`) ||
		!strings.Contains(got, `"fullOutputPath":`+quote(t, m[6])) {
		t.Errorf("details: %s", got[max(0, len(got)-400):])
	}
	// The model may look at its own output, though the file is outside the workspace, and may not change it.
	b.want(b.run("read", args{"path": m[6], "limit": 1}), "1\n\n[2999 more lines in file. Use offset=2 to continue.]")
	if got := b.tools["bash"].Assess(call("bash", args{"command": "head " + m[6]})); got.Risk != core.RiskRead {
		t.Errorf("looking at the kept output: assessed as %+v", got)
	}
	b.wantError(b.run("write", args{"path": m[6], "content": "x"}), "outside the workspace")
}

func TestBashCutsOnCharacters(t *testing.T) {
	b := newBench(t, tools.Options{})
	res := b.run("bash", args{"command": "printf '%0.s界' $(seq 40000)"})
	got := text(res)
	if !utf8.ValidString(got) || strings.Contains(got, "\ufffd") || !strings.HasPrefix(got, "界界") {
		t.Errorf("got %.60q", got)
	}
	if !strings.Contains(got, "[Showing the end of line 1 (the last 51198 of 120000 bytes)") {
		t.Errorf("the marker is %q", got[len(got)-200:])
	}
	if got := text(b.run("bash", args{"command": "head -c 100000 /dev/urandom"})); !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
		t.Error("random bytes came through")
	}
}

// TestBashOutputFile: the file stops growing, and goes with the Set.
func TestBashOutputFile(t *testing.T) {
	temp := t.TempDir()
	b := newBench(t, tools.Options{TempDir: temp})
	res := b.run("bash", args{"command": "head -c 12000000 /dev/zero | tr '\\0' x"})
	files, err := filepath.Glob(temp + "/*/*")
	if err != nil || len(files) != 1 {
		t.Fatalf("files: %q, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Size() != 10<<20 {
		t.Errorf("the file: %v, %v; want 10 MiB", info, err)
	}
	if got := details(t, res); !strings.Contains(got, `"diskCapped":true`) || !strings.Contains(text(res), "of 12000000 bytes). The begin of the full output: "+files[0]) {
		t.Errorf("result: %s", text(res)[len(text(res))-200:])
	}
	if err := b.set.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("after Close there is %v, %v", left, err)
	}
	b.set, err = tools.New(tools.Options{Dir: b.dir}) // for the clean-up
	if err != nil {
		t.Fatal(err)
	}
}

// TestBashProgress: the first output is reported at once, and then the whole tail each time, not too often.
func TestBashProgress(t *testing.T) {
	b := newBench(t, tools.Options{})
	gate := filepath.Join(b.dir, "gate")
	var reports []string
	var times []time.Time
	progress := func(s string) {
		times = append(times, time.Now())
		if len(reports) == 0 { // the command goes on only when its first line was reported
			if err := os.WriteFile(gate, nil, 0o644); err != nil {
				t.Error(err)
			}
		}
		reports = append(reports, s)
	}
	cmd := "echo one; until [ -e gate ]; do sleep 0.01; done; for i in 1 2 3 4 5 6; do echo $i; sleep 0.06; done"
	b.want(b.runIn(t.Context(), "bash", core.Invocation{ToolCall: call("bash", args{"command": cmd}), Progress: progress}), "one\n1\n2\n3\n4\n5\n6\n")
	if len(reports) < 2 || len(reports) > 7 || reports[0] != "one\n" {
		t.Fatalf("reports: %q", reports)
	}
	for i := 1; i < len(reports); i++ {
		if !strings.HasPrefix(reports[i], reports[i-1]) || times[i].Sub(times[i-1]) < 95*time.Millisecond {
			t.Errorf("report %d, %v after the one before: %q", i, times[i].Sub(times[i-1]), reports[i])
		}
	}
}

func TestBashRedactsAcrossPieces(t *testing.T) {
	b := newBench(t, tools.Options{})
	var pieces []string
	cmd := "printf 'a sk-abcdefghij'; sleep 0.15; printf 'klmnopqrstuvwxyz b'; sleep 0.15; printf ' task-force'"
	run, err := b.set.Shell().Run(t.Context(), cmd, func(s string) { pieces = append(pieces, s) })
	if err != nil || run.Output != "a [REDACTED] b task-force" || strings.Join(pieces, "") != run.Output {
		t.Errorf("got %+v, %v, pieces %q", run, err, pieces)
	}
}

func TestShell(t *testing.T) {
	b := newBench(t, tools.Options{})
	var out strings.Builder
	run, err := b.set.Shell().Run(t.Context(), "printf hi; exit 3", func(s string) { out.WriteString(s) })
	if err != nil || run.ExitCode == nil || *run.ExitCode != 3 || run.Output != "hi" || out.String() != "hi" || run.Cancelled || run.Truncated || run.OutputPath != "" {
		t.Errorf("got %+v, %v, output %q", run, err, out.String())
	}
	run, err = b.set.Shell().Run(t.Context(), "kill -9 $$", func(string) {})
	if err != nil || run.ExitCode != nil || run.Cancelled {
		t.Errorf("killed: got %+v, %v", run, err)
	}
	run, err = b.set.Shell().Run(t.Context(), "seq 100000", func(s string) {
		if !utf8.ValidString(s) || len(s) > 64<<10 {
			t.Errorf("a piece of %d bytes", len(s))
		}
	})
	if err != nil || !run.Truncated || run.OutputPath == "" || len(run.Output) > 50<<10 || !strings.HasSuffix(run.Output, "\n100000\n") {
		t.Errorf("long: truncated %t, file %q, %d bytes, %v", run.Truncated, run.OutputPath, len(run.Output), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	run, err = b.set.Shell().Run(ctx, "echo begun; sleep 1000", func(string) { cancel() })
	if err != nil || !run.Cancelled || run.ExitCode != nil || run.Output != "begun\n" {
		t.Errorf("cancelled: got %+v, %v", run, err)
	}
	run, err = b.set.Shell().Run(ctx, "echo never", func(string) { t.Error("it ran") })
	if err != nil || !run.Cancelled {
		t.Errorf("cancelled before: got %+v, %v", run, err)
	}
	if _, err := b.set.Shell().Run(t.Context(), "a\x00b", func(string) {}); err == nil {
		t.Error("a command with a NUL was run")
	}
}

// TestShellWaitsForOutput: whoever takes the output slowly gets all of it, though the command is long over.
func TestShellWaitsForOutput(t *testing.T) {
	b := newBench(t, tools.Options{})
	var out strings.Builder
	run, err := b.set.Shell().Run(t.Context(), "head -c 120000 /dev/zero | tr '\\0' x", func(s string) {
		if out.Len() == 0 {
			<-time.After(300 * time.Millisecond)
		}
		out.WriteString(s)
	})
	if err != nil || out.Len() != 120_000 || run.ExitCode == nil {
		t.Errorf("got %d bytes, %v", out.Len(), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	run, err = b.set.Shell().Run(ctx, "yes", func(string) { <-ctx.Done() })
	if took := time.Since(start); err != nil || !run.Cancelled || took > time.Second {
		t.Errorf("a blocked output: got cancelled %t, %v, after %v", run.Cancelled, err, took)
	}
}

// TestManyAtOnce: tools may be used from many goroutines.
func TestManyAtOnce(t *testing.T) {
	b := newBench(t, tools.Options{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := "f" + strconv.Itoa(i)
			b.want(b.run("write", args{"path": name, "content": name}), "Successfully wrote 2 bytes to "+name)
			b.want(b.run("bash", args{"command": "cat " + name}), name)
			b.want(b.run("grep", args{"pattern": name, "path": name}), name+":1: "+name)
			b.run("bash", args{"command": "seq 3000"})
		})
	}
	all.Wait()
}

// TestReadingIsOffline: a command that counts as reading has no way to fetch things, any other has what it is given.
func TestReadingIsOffline(t *testing.T) {
	b := newBench(t, tools.Options{Env: append(os.Environ(), "GOPROXY=https://example.org", "POSIXLY_CORRECT=1")})
	b.want(b.run("bash", args{"command": "printenv GOPROXY GOTOOLCHAIN"}), "off\nlocal\n")
	b.want(b.run("bash", args{"command": "sh -c 'echo $GOPROXY$POSIXLY_CORRECT'"}), "https://example.org\n")
}
