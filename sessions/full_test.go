package sessions_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions"
)

// TestDiskFull runs itself as a process that may write files of a few hundred bytes only.
func TestDiskFull(t *testing.T) {
	if dir := os.Getenv("SESSIONS_TEST_DISK_FULL"); dir != "" {
		fillDisk(t, dir)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFull$", "-test.v")
	cmd.Env = append(os.Environ(), "SESSIONS_TEST_DISK_FULL="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestDiskFull") {
		t.Errorf("%v\n%s", err, out)
	}
}

func fillDisk(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	var rlimit syscall.Rlimit
	ok(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &rlimit))
	limit := func(size int) {
		rlimit.Cur = uint64(size)
		ok(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &rlimit))
	}
	refused := func(log core.Log, entries ...core.Entry) {
		t.Helper()
		if err := log.Append(entries...); !errors.Is(err, syscall.EFBIG) {
			t.Fatalf("got %v, want EFBIG", err)
		}
	}
	s := sessions.Open(dir)
	log, err := s.Create(t.Context(), header("/home/u/app"))
	ok(t, err)

	limit(len(headerLine) + 10)
	refused(log, say("u1", "", "one"))
	if _, err := os.Stat(log.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a file was left behind: %v", err)
	}
	gone(t, log.Path()+".lock")
	want := headerLine + sayLine("u1", "", "one")
	limit(len(want) + 10)
	ok(t, log.Append(say("u1", "", "one")))
	refused(log, say("u2", "u1", "two"))
	refused(log, say("u2", "u1", "two"), say("u3", "u2", "three"))
	if got := read(t, log.Path()); got != want {
		t.Fatalf("while the disk is full: got\n%s\nwant\n%s", got, want)
	}
	limit(1 << 20)
	ok(t, log.Append(say("u2", "u1", "two")))
	ok(t, log.Sync())
	if got := read(t, log.Path()); got != want+sayLine("u2", "u1", "two") {
		t.Fatalf("when there is room again: got\n%s", got)
	}
	ok(t, log.Close())

	// The line feed that a torn end lacks is not lost with a failed append.
	path := write(t, dir+"/torn.jsonl", strings.TrimSuffix(want, "\n"))
	log, _ = reopen(t, s, path)
	limit(len(want) + 10)
	refused(log, say("u2", "u1", "two"))
	limit(1 << 20)
	ok(t, log.Append(say("u2", "u1", "two")))
	if got := read(t, path); got != want+sayLine("u2", "u1", "two") {
		t.Fatalf("a torn end and a full disk: got\n%s", got)
	}
	empty, err := s.CreateAt(t.Context(), write(t, dir+"/empty.jsonl", ""), header("/home/u/app"))
	ok(t, err)
	limit(len(headerLine) + 10)
	refused(empty, say("u1", "", "one"))
	limit(1 << 20)
	ok(t, empty.Append(say("u1", "", "one")))
	if got := read(t, empty.Path()); got != want {
		t.Fatalf("an empty file and a full disk: got\n%s", got)
	}
}
