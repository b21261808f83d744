package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions"
)

var nine = time.Date(2026, 8, 14, 9, 0, 0, 7e6, time.UTC)

const (
	testID   = "0198a5b2-0000-7000-8000-000000000001"
	testName = "2026-08-14T09-00-00-007Z_" + testID + ".jsonl"
)

func header(cwd string) core.Header { return core.Header{ID: testID, Time: nine, Cwd: cwd} }

// say returns a user message as an entry.
func say(id, parent, text string) core.Entry {
	return core.Entry{ID: id, Parent: parent, Type: core.EntryMessage, Time: nine, Message: &core.Message{
		Role: core.RoleUser, Time: nine, Content: []core.Block{core.TextBlock(text)},
	}}
}

func sayLine(id, parent, text string) string {
	if parent == "" {
		parent = "null"
	} else {
		parent = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-08-14T09:00:00.007Z","message":`+
		`{"role":"user","content":[{"type":"text","text":"%s"}],"timestamp":1786698000007}}`+"\n", id, parent, text)
}

const headerLine = `{"type":"session","version":3,"id":"` + testID + `","timestamp":"2026-08-14T09:00:00.007Z","cwd":"/home/u/app"}` + "\n"

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	return string(must[[]byte](t)(os.ReadFile(path)))
}

// write makes a file and returns its path.
func write(t testing.TB, path, text string) string {
	t.Helper()
	ok(t, os.MkdirAll(filepath.Dir(path), 0o700))
	ok(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// reopen opens the session at path and closes it when the test ends.
func reopen(t testing.TB, s *sessions.Store, path string) (core.Log, []core.Entry) {
	t.Helper()
	log, _, entries, err := s.Open(context.Background(), "/", path)
	ok(t, err)
	t.Cleanup(func() { log.Close() })
	return log, entries
}

// reread opens the session at path and closes it again.
func reread(t testing.TB, s *sessions.Store, path string) []core.Entry {
	t.Helper()
	log, _, entries, err := s.Open(context.Background(), "/", path)
	ok(t, err)
	ok(t, log.Close())
	return entries
}

func ids(entries []core.Entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.ID)
	}
	return strings.Join(all, " ")
}

func TestSessionOnDisk(t *testing.T) {
	base := filepath.Join(t.TempDir(), "deep", "sessions")
	log, err := sessions.Open(base).Create(t.Context(), header("/home/u/app"))
	ok(t, err)
	want := filepath.Join(base, "--home-u-app--", testName)
	if log.Path() != want {
		t.Fatalf("Path: got %s, want %s", log.Path(), want)
	}
	first := []core.Entry{
		{ID: "m1", Type: core.EntryModel, Time: nine, Provider: "p", Model: "m"},
		{ID: "t1", Parent: "m1", Type: core.EntryThinking, Time: nine, Thinking: "off"},
	}
	ok(t, log.Append(first[0]))
	ok(t, log.Append(first[1]))
	ok(t, log.Sync())
	if _, err := os.Stat(base); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the base folder is there before the first message: %v", err)
	}
	ok(t, log.Append(say("u1", "t1", "hi"), core.Entry{ID: "n1", Parent: "u1", Type: core.EntryName, Time: nine, Name: "tea"}))
	lines := headerLine +
		`{"type":"model_change","id":"m1","parentId":null,"timestamp":"2026-08-14T09:00:00.007Z","provider":"p","modelId":"m"}` + "\n" +
		`{"type":"thinking_level_change","id":"t1","parentId":"m1","timestamp":"2026-08-14T09:00:00.007Z","thinkingLevel":"off"}` + "\n" +
		sayLine("u1", "t1", "hi") +
		`{"type":"session_info","id":"n1","parentId":"u1","timestamp":"2026-08-14T09:00:00.007Z","name":"tea"}` + "\n"
	if got := read(t, want); got != lines {
		t.Fatalf("got\n%s\nwant\n%s", got, lines)
	}
	ok(t, log.Sync())
	ok(t, log.Append(say("u2", "n1", "bye")))
	if got := read(t, want); got != lines+sayLine("u2", "n1", "bye") {
		t.Errorf("after another entry:\n%s", got)
	}
	ok(t, log.Sync())
	ok(t, log.Close())
	ok(t, log.Close())
	for _, path := range []string{base, filepath.Dir(want), want} {
		mode := os.FileMode(0o700)
		if path == want {
			mode = 0o600
		}
		if got := must[os.FileInfo](t)(os.Stat(path)).Mode().Perm(); got != mode {
			t.Errorf("%s: got mode %v, want %v", path, got, mode)
		}
	}
	_, h, entries, err := sessions.Open(base).Open(t.Context(), "/home/u/app", testID)
	ok(t, err)
	if h != header("/home/u/app") || ids(entries) != "m1 t1 u1 n1 u2" || !reflect.DeepEqual(entries[:2], first) {
		t.Errorf("reopened: %+v\n%+v", h, entries)
	}
}

func TestSessionWithoutMessagesLeavesNothing(t *testing.T) {
	base := t.TempDir()
	log, err := sessions.Open(base).Create(t.Context(), header("/a"))
	ok(t, err)
	ok(t, log.Append(core.Entry{ID: "n", Type: core.EntryName, Name: "x"}))
	ok(t, log.Close())
	if left := must[[]os.DirEntry](t)(os.ReadDir(base)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestClosedSessionTakesNothing(t *testing.T) {
	log, err := sessions.Open(t.TempDir()).Create(t.Context(), header("/a"))
	ok(t, err)
	ok(t, log.Append(say("u1", "", "hi")))
	ok(t, log.Close())
	if err := log.Append(say("u2", "u1", "hi")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Append: got %v, want ErrClosed", err)
	}
	if err := log.Sync(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Sync: got %v, want ErrClosed", err)
	}
}

func TestAppendIsAllOrNothing(t *testing.T) {
	log, err := sessions.Open(t.TempDir()).Create(t.Context(), header("/home/u/app"))
	ok(t, err)
	broken := core.Entry{ID: "x", Type: "custom", Raw: []byte("{")}
	if err := log.Append(say("u1", "", "hi"), broken); err == nil || !strings.Contains(err.Error(), log.Path()) {
		t.Errorf("before there is a file: got %v, want an error with the path", err)
	}
	if _, err := os.Stat(log.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
	ok(t, log.Append())
	ok(t, log.Append(say("u1", "", "hi")))
	if err := log.Append(say("u2", "u1", "hi"), broken); err == nil {
		t.Error("got no error")
	}
	if got, want := read(t, log.Path()), headerLine+sayLine("u1", "", "hi"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCreateDoesNotOverwrite(t *testing.T) {
	s := sessions.Flat(t.TempDir())
	log, err := s.Create(t.Context(), header("/a"))
	ok(t, err)
	write(t, log.Path(), "")
	if err := log.Append(say("u1", "", "hi")); !errors.Is(err, os.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
	ok(t, os.Remove(log.Path()))
	ok(t, log.Append(say("u1", "", "hi")))
}

func TestCreateChecksTheID(t *testing.T) {
	s := sessions.Open(t.TempDir())
	for _, id := range []string{"", "../x", "a/b", ".a", "a-", "a b", "ä", strings.Repeat("a", 129)} {
		if _, err := s.Create(t.Context(), core.Header{ID: id}); err == nil || !strings.Contains(err.Error(), "id") {
			t.Errorf("Create with id %q: got %v, want an error", id, err)
		}
	}
	for _, id := range []string{"a", "A.b_c-9", strings.Repeat("a", 128)} {
		if _, err := s.Create(t.Context(), core.Header{ID: id}); err != nil {
			t.Errorf("Create with id %q: %v", id, err)
		}
	}
}

func TestFolders(t *testing.T) {
	base := t.TempDir()
	long := "/" + strings.Repeat("ä", 150)
	for _, c := range []struct{ cwd, want string }{
		{"/home/u/app", "--home-u-app--"},
		{"/", "----"},
		{"/a:b/c\\d", "--a-b-c-d--"},
		{"/../x/", "--x--"},
		{"/..x", "--..x--"},
		{long, "--" + strings.Repeat("ä", 100) + "-5d37e920bc71d848--"},
	} {
		log, err := sessions.Open(base).Create(t.Context(), header(c.cwd))
		ok(t, err)
		ok(t, log.Append(say("u1", "", "hi")))
		ok(t, log.Close())
		if got := filepath.Base(filepath.Dir(log.Path())); got != c.want {
			t.Errorf("cwd %s: got folder %s, want %s", c.cwd, got, c.want)
		}
		if path, err := sessions.Open(base).Latest(t.Context(), c.cwd); err != nil || path != log.Path() {
			t.Errorf("cwd %s: Latest: %s, %v", c.cwd, path, err)
		}
	}
}

func TestFlat(t *testing.T) {
	dir := t.TempDir()
	log, err := sessions.Flat(dir).Create(t.Context(), header("/home/u/app"))
	ok(t, err)
	if want := filepath.Join(dir, testName); log.Path() != want {
		t.Errorf("got %s, want %s", log.Path(), want)
	}
}

func TestCreateAt(t *testing.T) {
	dir := t.TempDir()
	s := sessions.Open(filepath.Join(dir, "base"))
	empty := write(t, filepath.Join(dir, "empty.jsonl"), "")
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "new", "a.jsonl"), filepath.Join(dir, "new", "a.jsonl")},
		{"b", filepath.Join(dir, "b")},
		{"./sub/../c.jsonl", filepath.Join(dir, "c.jsonl")},
		{empty, empty},
	} {
		log, err := s.CreateAt(t.Context(), c.path, header(dir))
		ok(t, err)
		if log.Path() != c.want {
			t.Errorf("%s: got path %s, want %s", c.path, log.Path(), c.want)
		}
		ok(t, log.Append(say("u1", "", "hi")))
		ok(t, log.Close())
		if entries := reread(t, s, log.Path()); ids(entries) != "u1" {
			t.Errorf("%s: got entries %q", c.path, ids(entries))
		}
	}
	for _, c := range []struct{ path, want string }{
		{empty, "there already"}, {dir, "folder"}, {"-x.jsonl", "flag"}, {"", "empty"}, {"/dev/null", "device"}, {"a\x00b", "zero byte"},
		{filepath.Join(empty, "x.jsonl"), "not a directory"},
	} {
		if _, err := s.CreateAt(t.Context(), c.path, header(dir)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("CreateAt(%q): got %v, want an error with %q", c.path, err, c.want)
		}
	}
	unused, err := s.CreateAt(t.Context(), filepath.Join(dir, "unused.jsonl"), header(dir))
	ok(t, err)
	if _, err := os.Stat(unused.Path()); err != nil {
		t.Errorf("the file that others know of is not made at once: %v", err)
	}
	ok(t, unused.Close())
	if _, err := os.Stat(unused.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a session that was never begun leaves a file behind: %v", err)
	}
}

func TestDiscard(t *testing.T) {
	s := sessions.Discard()
	log, err := s.Create(t.Context(), header("/a"))
	ok(t, err)
	ok(t, log.Append(say("u1", "", "hi")))
	ok(t, log.Sync())
	if log.Path() != "" {
		t.Errorf("got path %q, want none", log.Path())
	}
	ok(t, log.Close())
	text := headerLine + sayLine("u1", "", "hi") + `{"torn`
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), text)
	ok(t, os.Chmod(path, 0o400))
	log, entries := reopen(t, s, path)
	ok(t, log.Append(say("u2", "u1", "hi")))
	if ids(entries) != "u1" || log.Path() != "" || read(t, path) != text {
		t.Errorf("opened: entries %q, path %q, file\n%s", ids(entries), log.Path(), read(t, path))
	}
	at, err := s.CreateAt(t.Context(), path+"2", header("/a"))
	ok(t, err)
	ok(t, at.Append(say("u1", "", "hi")))
	if _, err := os.Stat(path + "2"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("CreateAt left a file: %v", err)
	}
	if _, _, _, err := s.Open(t.Context(), "/a", testID); !errors.Is(err, core.ErrNoSession) {
		t.Errorf("Open by id: got %v, want ErrNoSession", err)
	}
	if _, err := s.Latest(t.Context(), "/a"); !errors.Is(err, core.ErrNoSession) {
		t.Errorf("Latest: got %v, want ErrNoSession", err)
	}
	if list, err := s.List(t.Context(), "/a"); err != nil || len(list) > 0 {
		t.Errorf("List: got %v, %v", list, err)
	}
}

func TestStoreIsForManyGoroutines(t *testing.T) {
	s := sessions.Open(t.TempDir())
	ctx := t.Context()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			log, err := s.Create(ctx, core.Header{ID: fmt.Sprint("s", i), Time: nine, Cwd: "/a"})
			if err == nil {
				err = log.Append(say("u1", "", "hi"))
			}
			if err == nil {
				_, err = s.List(ctx, "/a")
			}
			if err == nil {
				err = log.Close()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := s.List(ctx, "/a"); err != nil || len(list) != 8 {
		t.Errorf("List: got %d sessions, %v; want 8", len(list), err)
	}
}

func BenchmarkAppend(b *testing.B) {
	log, err := sessions.Open(b.TempDir()).Create(context.Background(), header("/a"))
	ok(b, err)
	e := say("a1b2c3d4", "a1b2c3d3", strings.Repeat("some words of an ordinary length ", 10))
	b.ReportAllocs()
	for b.Loop() {
		ok(b, log.Append(e))
	}
	ok(b, log.Close())
}

// TestCreateAtBesideOneThatGivesUp: whoever says nothing removes its empty file, at the worst moment for who comes next.
func TestCreateAtBesideOneThatGivesUp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	first, err := sessions.Open(dir).CreateAt(t.Context(), path, header(dir))
	ok(t, err)
	once := sync.OnceFunc(func() { ok(t, first.Close()) })
	s := sessions.BeforeLock(sessions.Open(dir), once)
	second, err := s.CreateAt(t.Context(), path, header(dir))
	ok(t, err)
	ok(t, second.Append(say("u1", "", "kept")))
	ok(t, second.Close())
	if got := reread(t, sessions.Open(dir), path); ids(got) != "u1" {
		t.Errorf("the file has %q", ids(got))
	}
}
