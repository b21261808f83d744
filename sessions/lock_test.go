package sessions_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions"
)

// session makes a session with one message and returns its path.
func session(t testing.TB) string {
	t.Helper()
	return write(t, filepath.Join(t.TempDir(), "a.jsonl"), headerLine+sayLine("u1", "", "one"))
}

// links returns other paths of a file.
func links(t *testing.T, path string) (symbolic, hard string) {
	t.Helper()
	dir := t.TempDir()
	symbolic, hard = filepath.Join(dir, "symbolic.jsonl"), filepath.Join(dir, "hard.jsonl")
	ok(t, os.Symlink(path, symbolic))
	ok(t, os.Link(path, hard))
	return symbolic, hard
}

// locked checks that a session cannot be opened, and that the error says all of these.
func locked(t *testing.T, s *sessions.Store, path string, want ...string) {
	t.Helper()
	log, _, _, err := s.Open(t.Context(), "/", path)
	if err == nil {
		log.Close()
	}
	if !errors.Is(err, sessions.ErrLocked) {
		t.Fatalf("open %s: got %v, want ErrLocked", path, err)
	}
	for _, part := range append(want, path) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("open %s: got %q, want an error with %q", path, err, part)
		}
	}
}

// gone checks that there is no file.
func gone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there (%v)", path, err)
	}
}

func TestOneWriter(t *testing.T) {
	path := session(t)
	symbolic, hard := links(t, path)
	s := sessions.Open(t.TempDir())
	for _, by := range []string{path, symbolic, hard} {
		other := start(t)
		before := read(t, path)
		other.do("open", by)
		torn := `{"type":"mess`
		write(t, path, before+torn) // as a reader may find the file while an entry is being written
		who := []string{"in use by " + filepath.Base(os.Args[0]), fmt.Sprintf("(pid %d, since ", other.pid()), "use another session"}
		if by == hard {
			who = []string{"in use by another program"} // which has its side file elsewhere
		}
		locked(t, s, path, who...)
		locked(t, s, symbolic, who...)
		if by == hard {
			locked(t, s, hard, fmt.Sprintf("(pid %d, since ", other.pid()))
		} else {
			locked(t, s, hard, "in use by another program")
		}
		if got := read(t, path); got != before+torn {
			t.Fatalf("a session that could not be opened was changed:\n%s", got)
		}
		h, entries, err := s.Read(t.Context(), "/", symbolic)
		if err != nil || h != header("/home/u/app") || ids(entries) != ids(reread(t, sessions.Discard(), path)) {
			t.Errorf("Read: %+v, %q, %v", h, ids(entries), err)
		}
		write(t, path, before)
		other.do("append", "next"+strconv.Itoa(len(entries)), "u1")
		other.do("close")
		if got := reread(t, s, path); len(got) != len(entries)+1 {
			t.Errorf("when the other has closed it: got %q", ids(got))
		}
		gone(t, path+".lock")
		gone(t, hard+".lock")
	}
}

// TestMovedSession: the lock is on the file, not on its name.
func TestMovedSession(t *testing.T) {
	path, s := session(t), sessions.Open(t.TempDir())
	log, _ := reopen(t, s, path)
	moved := filepath.Join(t.TempDir(), "b.jsonl")
	ok(t, os.Rename(path, moved))
	locked(t, s, moved, "by another program")
	ok(t, log.Close())
	reread(t, s, moved)
}

func TestOneWriterInOneProcess(t *testing.T) {
	path := session(t)
	for _, s := range []*sessions.Store{sessions.Open(t.TempDir()), sessions.WithoutFlock(sessions.Open(t.TempDir()))} {
		log, _ := reopen(t, s, path)
		locked(t, s, path, "in use by this program itself")
		if got := reread(t, sessions.Discard(), path); ids(got) != "u1" {
			t.Errorf("read by a store that keeps nothing: got %q", ids(got))
		}
		ok(t, log.Close())
		gone(t, path+".lock")
		reread(t, s, path)
	}
}

func TestNewSessionIsLocked(t *testing.T) {
	s := sessions.Open(t.TempDir())
	log, err := s.Create(t.Context(), header("/home/u/app"))
	ok(t, err)
	gone(t, log.Path()+".lock")
	ok(t, log.Append(say("u1", "", "one")))
	locked(t, s, log.Path(), "in use by this program itself")
	if got := must[os.FileInfo](t)(os.Stat(log.Path() + ".lock")).Mode(); got != 0o600 {
		t.Errorf("mode of the side file: %v, want 0600", got)
	}
	if list, err := s.List(t.Context(), "/home/u/app"); err != nil || len(list) != 1 || list[0].Messages != 1 {
		t.Errorf("List: got %+v, %v", list, err)
	}
	if latest, err := s.Latest(t.Context(), "/home/u/app"); err != nil || latest != log.Path() {
		t.Errorf("Latest: got %s, %v", latest, err)
	}
	ok(t, log.Close())
	gone(t, log.Path()+".lock")

	other, path := start(t), filepath.Join(t.TempDir(), "new.jsonl")
	first, err := s.CreateAt(t.Context(), write(t, path, ""), header("/home/u/app"))
	ok(t, err)
	if _, err := s.CreateAt(t.Context(), path, header("/home/u/app")); !errors.Is(err, sessions.ErrLocked) {
		t.Errorf("a second one at the same path: got %v, want ErrLocked", err)
	}
	ok(t, first.Close()) // with nothing in it: the empty file is left as it was
	other.do("create", path)
	if _, err := s.CreateAt(t.Context(), path, header("/home/u/app")); err == nil {
		t.Error("a session that another program has begun was created again")
	}
	locked(t, s, path, fmt.Sprintf("(pid %d, since ", other.pid()))
	other.do("close")
	if got := reread(t, s, path); ids(got) != "u1" {
		t.Errorf("the file has %q", ids(got))
	}
}

// TestDeadOwner: an owner that had no time to clean up is nobody's obstacle, not even if a child of its lives on.
func TestDeadOwner(t *testing.T) {
	for _, c := range []struct {
		name  string
		env   string
		store *sessions.Store
	}{
		{"flock", noFlock + "=", sessions.Open(t.TempDir())},
		{"side file", noFlock + "=1", sessions.WithoutFlock(sessions.Open(t.TempDir()))},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, other := session(t), start(t, c.env)
			other.do("open", path)
			child := must[int](t)(strconv.Atoi(other.ask("child")))
			t.Cleanup(func() { _ = syscall.Kill(child, syscall.SIGKILL) })
			locked(t, c.store, path, fmt.Sprintf("(pid %d, since ", other.pid()))
			other.kill()
			ok(t, syscall.Kill(child, 0))
			if left := read(t, path+".lock"); !strings.Contains(left, strconv.Itoa(other.pid())) {
				t.Fatalf("the side file says %s", left)
			}
			log, _ := reopen(t, c.store, path)
			if now := read(t, path+".lock"); !strings.Contains(now, fmt.Sprintf(`"pid":%d,`, os.Getpid())) {
				t.Errorf("the side file says %s, want this process", now)
			}
			ok(t, log.Append(say("u2", "u1", "two")))
			ok(t, log.Close())
			gone(t, path+".lock")
		})
	}
}

// TestChildOutlivesClose: what a tool leaves running does not keep the session locked.
func TestChildOutlivesClose(t *testing.T) {
	path, other := session(t), start(t)
	other.do("open", path)
	child := must[int](t)(strconv.Atoi(other.ask("child")))
	t.Cleanup(func() { _ = syscall.Kill(child, syscall.SIGKILL) })
	other.do("close")
	reread(t, sessions.Open(t.TempDir()), path)
	ok(t, syscall.Kill(child, 0))
}

// TestTwoProcessesByTurns: what both write becomes one conversation.
func TestTwoProcessesByTurns(t *testing.T) {
	for _, env := range []string{noFlock + "=", noFlock + "=1"} {
		path := session(t)
		symbolic, _ := links(t, path)
		one, two := start(t, env), start(t, env)
		one.tell("alternate", path, "a")
		two.tell("alternate", symbolic, "b")
		if a, b := one.answer(), two.answer(); a+b != "" {
			t.Fatalf("%s: %q, %q", env, a, b)
		}
		entries := reread(t, sessions.Open(t.TempDir()), path)
		for i, e := range entries[1:] {
			if e.Parent != entries[i].ID {
				t.Fatalf("%s: entry %s follows %s, want %s, the one before it", env, e.ID, e.Parent, entries[i].ID)
			}
		}
		if len(entries) != 201 {
			t.Errorf("%s: got %d entries, want 201", env, len(entries))
		}
		gone(t, path+".lock")
	}
}

// sideFile is what a side file says.
func sideFile(pid int, process, program, host string) string {
	return fmt.Sprintf(`{"pid":%d,"process":"%s","program":"%s","host":"%s","since":"2026-08-14T09:00:00Z"}`+"\n", pid, process, program, host)
}

// TestSideFileLeftBehind: where there is flock, side files decide nothing. What is not ours stays as it is.
func TestSideFileLeftBehind(t *testing.T) {
	s := sessions.Open(t.TempDir())
	for _, text := range []string{"", sideFile(1, "", "agent", must[string](t)(os.Hostname())), sideFile(7, "", "agent", "elsewhere")} {
		path := session(t)
		write(t, path+".lock", text)
		log, _ := reopen(t, s, path)
		if got := read(t, path+".lock"); !strings.Contains(got, fmt.Sprintf(`"pid":%d,`, os.Getpid())) {
			t.Errorf("%q was left there: %q", text, got)
		}
		ok(t, log.Close())
		gone(t, path+".lock")
	}
	for _, text := range []string{"important", `{"pid":"7"}`, `{}`, strings.Repeat(" ", 9<<10) + `{"pid":7,"program":"x"}`} {
		path := session(t)
		write(t, path+".lock", text)
		log, _ := reopen(t, s, path)
		locked(t, s, path, "in use by another program")
		ok(t, log.Close())
		if got := read(t, path+".lock"); got != text {
			t.Errorf("a file of somebody else was changed from %.20q to %.20q", text, got)
		}
	}
	path, victim := session(t), write(t, filepath.Join(t.TempDir(), "victim"), "important")
	ok(t, os.Symlink(victim, path+".lock"))
	reread(t, s, path)
	if got := read(t, victim); got != "important" {
		t.Errorf("a link was followed: %q", got)
	}
	pipe := session(t)
	ok(t, syscall.Mkfifo(pipe+".lock", 0o600))
	reread(t, s, pipe)
}

// TestSideFileIsTheLock: where there is no flock.
func TestSideFileIsTheLock(t *testing.T) {
	s := sessions.WithoutFlock(sessions.Open(t.TempDir()))
	host := must[string](t)(os.Hostname())
	dead := start(t)
	dead.kill()
	for _, c := range []struct {
		name, text string
		want       string // in the error; "" if the lock is taken over
	}{
		{"dead", sideFile(dead.pid(), "", "agent", host), ""},
		{"another process has its pid now", sideFile(os.Getppid(), "before the flood", "agent", host), ""},
		{"alive", sideFile(os.Getppid(), "", "agent", host), fmt.Sprintf("by agent (pid %d, since 2026-08-14 ", os.Getppid())},
		{"on another host", sideFile(dead.pid(), "", "agent", "elsewhere"), "by agent (pid " + strconv.Itoa(dead.pid()) + " on elsewhere, since"},
		{"on another host, what to do", sideFile(dead.pid(), "", "agent", "elsewhere"), "if it does not run any more, remove "},
		{"nonsense", "important", "if it does not run any more, remove "},
		{"empty", "", "if it does not run any more, remove "},
		{"commands for the terminal", sideFile(os.Getppid(), "", `\u001b]0;x\u0007`+strings.Repeat("y", 100), host), "by ?]0;x?" + strings.Repeat("y", 58) + " (pid"},
	} {
		path := session(t)
		write(t, path+".lock", c.text)
		if c.want == "" {
			reread(t, s, path)
			gone(t, path+".lock")
			continue
		}
		locked(t, s, path, c.want)
		if got := read(t, path+".lock"); got != c.text {
			t.Errorf("%s: the side file was changed to %s", c.name, got)
		}
	}
	long := write(t, filepath.Join(t.TempDir(), strings.Repeat("n", 246)+".jsonl"), whole)
	if _, _, _, err := s.Open(t.Context(), "/", long); !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Errorf("no side file can be made: got %v, want ENAMETOOLONG", err)
	}
	reread(t, sessions.Open(t.TempDir()), long)

	// Another heir may be at work; it is not overtaken, even if it has died since.
	path := session(t)
	write(t, path+".lock", sideFile(dead.pid(), "", "agent", host))
	write(t, path+".lock.new", sideFile(dead.pid(), "", "agent", host))
	locked(t, s, path, "if there is none, remove "+path+".lock.new")
	ok(t, os.Remove(path+".lock.new"))
	reread(t, s, path)
}

// TestHeirsOfTheDead: of many who find a dead owner's side file, one gets the session.
func TestHeirsOfTheDead(t *testing.T) {
	s := sessions.WithoutFlock(sessions.Open(t.TempDir()))
	dead := start(t)
	dead.kill()
	for range 50 {
		path := session(t)
		write(t, path+".lock", sideFile(dead.pid(), "", "agent", must[string](t)(os.Hostname())))
		var all sync.WaitGroup
		var won atomic.Int32
		logs := make([]core.Log, 8)
		for i := range logs {
			all.Go(func() {
				log, _, _, err := s.Open(t.Context(), "/", path)
				if err == nil {
					logs[i] = log
					won.Add(1)
				} else if !errors.Is(err, sessions.ErrLocked) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, log := range logs {
			if log != nil {
				ok(t, log.Close())
			}
		}
		if won.Load() != 1 {
			t.Fatalf("%d have opened the session, want 1", won.Load())
		}
		if left := must[[]os.DirEntry](t)(os.ReadDir(filepath.Dir(path))); len(left) != 1 {
			t.Fatalf("left behind: %v", left)
		}
	}
}

// TestSince: the day is left out if it is today.
func TestSince(t *testing.T) {
	s, path := sessions.WithoutFlock(sessions.Open(t.TempDir())), session(t)
	now := time.Now()
	text := sideFile(os.Getppid(), "", "agent", must[string](t)(os.Hostname()))
	write(t, path+".lock", strings.Replace(text, "2026-08-14T09:00:00Z", now.UTC().Format(time.RFC3339), 1))
	if now.Day() == time.Now().Day() {
		locked(t, s, path, ", since "+now.Format("15:04")+"): ")
	}
}

// FuzzSideFile holds that whatever a side file says, it is told from a lock: the session opens, or the error says why not.
func FuzzSideFile(f *testing.F) {
	f.Add("")
	f.Add("null")
	f.Add(sideFile(os.Getppid(), "", `\u001b`, "x"))
	f.Add(`{"pid":-1,"program":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := session(t)
		write(t, path+".lock", text)
		reread(t, sessions.Open(t.TempDir()), path)
		write(t, path+".lock", text)
		log, _, _, err := sessions.WithoutFlock(sessions.Open(t.TempDir())).Open(t.Context(), "/", path)
		if err == nil {
			ok(t, log.Close())
		} else if !errors.Is(err, sessions.ErrLocked) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: %q", text, err)
		}
	})
}
