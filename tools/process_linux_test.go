package tools_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools"
)

// here returns the processes that work in the workspace, which are those that its commands have started.
func (b *bench) here() []string {
	b.t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		b.t.Fatal(err)
	}
	var found []string
	for _, link := range links {
		dir, err := os.Readlink(link)
		if err != nil || dir != b.dir {
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
		if err == nil && len(cmdline) > 0 { // zombies have none
			found = append(found, string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})))
		}
	}
	return found
}

// wantNone checks that no process is left. One that was killed takes the kernel a moment to remove.
func (b *bench) wantNone(command string) {
	b.t.Helper()
	for deadline := time.Now().Add(2 * time.Second); ; {
		left := b.here()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			b.t.Errorf("%s: left behind: %q", command, left)
			return
		}
		runtime.Gosched()
	}
}

// TestBackgroundDoesNotHold: a command is over when its shell is, whoever holds its output, and what it leaves behind is
// killed.
func TestBackgroundDoesNotHold(t *testing.T) {
	b := newBench(t, tools.Options{})
	for _, cmd := range []string{
		"sleep 1000 & echo hi",
		"setsid sleep 1000 & echo hi",
		"setsid sh -c 'sleep 1000; true' & echo hi",
		"nohup sleep 1000 >/dev/null 2>&1 & echo hi",
		"(sleep 1000 &) ; echo hi",
		"set -m; sleep 1000 & echo hi",
		"sh -c 'trap \"\" TERM; sleep 1000; true' & echo hi",
		"(setsid sh -c 'sleep 1000 & sleep 1000' &) ; echo hi",
		"env -i setsid -f sleep 1000; echo hi",
		"env -i setsid -f env -i setsid -f sh -c 'sleep 1000 & sleep 1000'; echo hi",
	} {
		start := time.Now()
		b.want(b.run("bash", args{"command": cmd}), "hi\n")
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s: took %v", cmd, took)
		}
		b.wantNone(cmd)
	}
	b.want(b.run("bash", args{"command": "(sleep 0.03; echo late) & echo hi"}), "hi\nlate\n")
}

// stop runs a command, stops it when it has said something, and returns how long that took.
func (b *bench) stop(cmd string) (core.ToolResult, time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stopped time.Time
	res := b.runIn(ctx, "bash", core.Invocation{ToolCall: call("bash", args{"command": cmd}), Progress: func(string) {
		if stopped.IsZero() {
			stopped = time.Now()
			cancel()
		}
	}})
	return res, time.Since(stopped)
}

func TestAbortEndsAll(t *testing.T) {
	b := newBench(t, tools.Options{})
	for _, cmd := range []string{
		"echo go; sleep 1000",
		"echo go; sh -c 'sleep 1000 & sleep 1000'",
		"trap '' TERM; echo go; while :; do sleep 1; done",
		"sh -c 'trap \"\" TERM; echo go; while :; do sleep 1; done' | cat",
		"setsid sleep 1000 & echo go; wait",
		"yes",
		"sh -c 'trap \"\" TERM; yes'",
		"echo go; kill -STOP $$",
	} {
		// The machine may be busy, so it has three tries to be quick enough once; it must be right each time.
		var best time.Duration = time.Hour
		for range 3 {
			res, took := b.stop(cmd)
			best = min(best, took)
			b.wantError(res, "Command aborted")
			if !strings.HasSuffix(text(res), "\n\nCommand aborted") {
				t.Errorf("%s: got %.100q", cmd, text(res))
			}
			if strings.Contains(details(t, res), "exitCode") {
				t.Errorf("%s: details %.100s", cmd, details(t, res))
			}
			b.wantNone(cmd)
		}
		if best > 100*time.Millisecond {
			t.Errorf("%s: took %v to stop, want at most 100 ms", cmd, best)
		}
	}
}

func TestTimeout(t *testing.T) {
	b := newBench(t, tools.Options{})
	start := time.Now()
	res := b.run("bash", args{"command": "echo begun; sleep 1000 | cat", "timeout": 0.1})
	b.wantError(res, "begun\n\nCommand timed out after 0.1 seconds")
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
	b.wantNone("sleep")
	b.want(b.run("bash", args{"command": "echo x", "timeout": 1e300}), "x\n")
}

// TestFloodKeepsMemory: output without end costs no memory and does not keep the timeout from firing.
func TestFloodKeepsMemory(t *testing.T) {
	b := newBench(t, tools.Options{})
	flood := func(cmd string) {
		start := time.Now()
		b.wantError(b.run("bash", args{"command": cmd, "timeout": 0.2}), "Command timed out after 0.2 seconds")
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: took %v", cmd, took)
		}
		b.wantNone(cmd)
	}
	flood("yes")
	flood("cat /dev/zero")
	flood("yes | tr -d '\\n'")
	before := resident(t)
	for range 20 {
		flood("yes")
	}
	if grown := resident(t) - before; grown > 32<<20 {
		t.Errorf("20 floods took %d MiB of memory", grown>>20)
	}
}

// resident returns this process's memory in bytes.
func resident(t *testing.T) int {
	t.Helper()
	runtime.GC()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(data))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestNothingInherited: a command sees no descriptors but its own, a descriptor that this program was started with included.
func TestNothingInherited(t *testing.T) {
	b := newBench(t, tools.Options{})
	fd, err := unix.Open("/dev/null", unix.O_RDONLY, 0) // without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	got := strings.Fields(text(b.run("bash", args{"command": "cd /proc/$BASHPID/fd && echo *"})))
	if slices.Contains(got, fmt.Sprint(fd)) || len(got) > 4 {
		t.Errorf("descriptors are %q, and %d is ours", got, fd)
	}
	got = strings.Fields(text(b.run("bash", args{"command": "ps -o sid=,pgid= -p $$; echo $$"})))
	if len(got) != 3 || got[0] != got[2] || got[1] != got[2] {
		t.Errorf("session, group and pid are %q, want one and the same", got)
	}
}

// TestOrphansAreReaped: processes whose parents have ended do not stay behind as zombies, and those of a command that still
// runs are left alone.
func TestOrphansAreReaped(t *testing.T) {
	b := newBench(t, tools.Options{})
	other := newBench(t, tools.Options{})
	started := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		var once sync.Once
		other.runIn(ctx, "bash", core.Invocation{
			ToolCall: call("bash", args{"command": "env -i setsid -f sleep 1000; echo go; sleep 1000"}),
			Progress: func(string) { once.Do(func() { close(started) }) },
		})
	})
	<-started
	b.want(b.run("bash", args{"command": "for i in 1 2 3; do env -i setsid -f true; done; echo hi"}), "hi\n")
	if got := other.here(); len(got) != 2 {
		t.Errorf("of the other command run %q, want both", got)
	}
	cancel()
	ended.Wait()
	other.wantNone("the other command")
	b.run("bash", args{"command": "true"})
	self := strconv.Itoa(os.Getpid())
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if _, rest, _ := strings.Cut(string(data), ") "); strings.HasPrefix(rest, "Z "+self+" ") {
			t.Errorf("a zombie is left: %s", data)
		}
	}
}

// TestKilledProgramTakesShellsAlong: when the program is killed, the shells that it has started end.
func TestKilledProgramTakesShellsAlong(t *testing.T) {
	if dir := os.Getenv("TOOLS_TEST_RUN_IN"); dir != "" {
		set, err := tools.New(tools.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		_, err = set.Shell().Run(t.Context(), "echo $$; exec sleep 1000", func(s string) { fmt.Fprint(os.Stderr, s) })
		t.Fatal("the command has ended: ", err)
	}
	b := newBench(t, tools.Options{})
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProgramTakesShellsAlong$")
	cmd.Env = append(os.Environ(), "TOOLS_TEST_RUN_IN="+b.dir)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || len(b.here()) != 1 {
		t.Errorf("the program says %q (%v); in its workspace run %q", line, err, b.here())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	b.wantNone("the killed program")
}
