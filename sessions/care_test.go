package sessions_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions"
)

func TestAllAndFind(t *testing.T) {
	base := t.TempDir()
	at := func(folder, file, id string, minute int) string {
		path := write(t, filepath.Join(base, folder, file), strings.Replace(headerLine, testID, id, 1))
		ok(t, os.Chtimes(path, nine, nine.Add(time.Duration(minute)*time.Minute)))
		return path
	}
	app := at("--home-u-app--", "a.jsonl", "aa-1", 1)
	lib := at("--home-u-lib--", "b.jsonl", "aa-2", 2)
	twin := at("--home-u-lib--", "c.jsonl", "bb", 3)
	copied := at("--home-u-old--", "d.jsonl", "bb", 4)
	at("other", "e.jsonl", "cc", 5) // no folder of a working directory
	s := sessions.Open(base)

	list, err := s.All(t.Context())
	ok(t, err)
	var got []string
	for _, sum := range list {
		got = append(got, sum.Path)
	}
	if want := []string{copied, twin, lib, app}; !slices.Equal(got, want) {
		t.Errorf("All: got %s, want %s", got, want)
	}
	ids := must[[]string](t)(s.IDs(t.Context()))
	if slices.Sort(ids); !slices.Equal(ids, []string{"aa-1", "aa-2", "bb", "bb"}) {
		t.Errorf("IDs: got %s", ids)
	}
	for _, c := range []struct{ cwd, ref, path, problem string }{
		{"/home/u/app", "aa", app, ""}, // those of the directory come first
		{"/home/u/lib", "aa", lib, ""},
		{"/home/u/app", "aa-2", lib, ""},
		{"/nowhere", "aa", "", "more than one session's id, aa-2 and aa-1"},
		{"/nowhere", "b", "", "in " + copied + " and " + twin + ": name one by its path"},
		{"/nowhere", "x", "", `"x" in ` + base + ": no such session"},
		{"/nowhere", "x.jsonl", "/nowhere/x.jsonl", ""},
	} {
		path, err := s.Find(t.Context(), c.cwd, c.ref)
		if path != c.path || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("Find(%s, %s): got %s, %v; want %s, %q", c.cwd, c.ref, path, err, c.path, c.problem)
		}
	}
	if list, err := sessions.Open(filepath.Join(base, "none")).All(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("All of a store that is not there: got %v, %v", list, err)
	}
	flat := sessions.Flat(filepath.Join(base, "--home-u-lib--"))
	if list, err := flat.All(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("All of a flat store: got %v, %v", list, err)
	}
	if list, err := sessions.Discard().All(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("All of a store that keeps nothing: got %v, %v", list, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.All(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("All at the end of its context: got %v", err)
	}
}

func TestRepair(t *testing.T) {
	one, two := sayLine("u1", "", "one"), sayLine("u2", "u1", "two")
	bare := strings.TrimSuffix(two, "\n")
	for _, c := range []struct {
		name, text, after string
		want              sessions.Repair
	}{
		{"sound", headerLine + one, headerLine + one, sessions.Repair{}},
		{"torn", headerLine + one + bare[:9], headerLine + one, sessions.Repair{Cut: 9}},
		{"no line feed", headerLine + one + bare, headerLine + one + two, sessions.Repair{Ended: true}},
		{"only a header", strings.TrimSuffix(headerLine, "\n"), headerLine, sessions.Repair{Ended: true}},
		{"zeros", headerLine + bare + "\x00\x00", headerLine + two, sessions.Repair{Cut: 2, Ended: true}},
		{
			"bad lines", headerLine + "?\n\n" + one + one + two, headerLine + "?\n\n" + one + one + two,
			sessions.Repair{Skipped: 2, Lines: []int{2, 5}},
		},
	} {
		path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), c.text)
		s := sessions.Open(t.TempDir())
		got, err := s.Repair(t.Context(), path)
		ok(t, err)
		if got.Cut != c.want.Cut || got.Ended != c.want.Ended || got.Skipped != c.want.Skipped || !slices.Equal(got.Lines, c.want.Lines) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
		if text := read(t, path); text != c.after {
			t.Errorf("%s: the file is\n%q\nwant\n%q", c.name, text, c.after)
		}
		if again, err := s.Repair(t.Context(), path); err != nil || again.Cut > 0 || again.Ended {
			t.Errorf("%s: a second time: got %+v, %v", c.name, again, err)
		}
	}
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), headerLine+strings.Repeat("?\n", 1000))
	got, err := sessions.Open(t.TempDir()).Repair(t.Context(), path)
	if err != nil || got.Skipped != 1000 || len(got.Lines) != 100 || got.Lines[99] != 101 {
		t.Errorf("1000 bad lines: got %d, %d of them by number; %v", got.Skipped, len(got.Lines), err)
	}
}

func TestCareLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a.jsonl"), headerLine+sayLine("u1", "", "one"))
	for _, s := range []*sessions.Store{sessions.Open(dir), sessions.WithoutFlock(sessions.Open(dir))} {
		if user := sessions.User(path); user != "" {
			t.Errorf("used by %q before it is opened", user)
		}
		log, _ := reopen(t, s, path)
		if user := sessions.User(path); !strings.Contains(user, "(pid ") {
			t.Errorf("used by %q, want this program", user)
		}
		f := must[*os.File](t)(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))
		must[int](t)(f.WriteString("{"))
		ok(t, f.Close())
		if _, err := s.Repair(t.Context(), path); !errors.Is(err, sessions.ErrLocked) {
			t.Errorf("Repair: got %v, want ErrLocked", err)
		}
		if err := s.Remove(path); !errors.Is(err, sessions.ErrLocked) {
			t.Errorf("Remove: got %v, want ErrLocked", err)
		}
		if text := read(t, path); !strings.HasSuffix(text, "}\n{") {
			t.Errorf("the file has been changed: %q", text)
		}
		ok(t, log.Close())
		must[sessions.Repair](t)(s.Repair(t.Context(), path))
	}
	if _, err := sessions.Discard().Repair(t.Context(), path); err == nil {
		t.Error("a store that keeps nothing has repaired a file")
	}
}

func TestRemove(t *testing.T) {
	for _, without := range []bool{false, true} {
		dir := t.TempDir()
		s := sessions.Open(dir)
		if without {
			sessions.WithoutFlock(s)
		}
		path := write(t, filepath.Join(dir, "a.jsonl"), headerLine)
		notes := write(t, filepath.Join(dir, "notes.jsonl"), "my notes\n")
		empty := write(t, filepath.Join(dir, "empty.jsonl"), "")
		link := filepath.Join(dir, "link.jsonl")
		ok(t, os.Symlink(path, link))
		for _, no := range []string{notes, empty, link, dir, filepath.Join(dir, "none.jsonl")} {
			if err := s.Remove(no); err == nil || !strings.HasPrefix(err.Error(), "remove session "+no+": ") {
				t.Errorf("Remove(%s): got %v, want an error", no, err)
			}
		}
		ok(t, os.Remove(link))
		ok(t, s.Remove(path))
		var left []string
		for _, e := range must[[]os.DirEntry](t)(os.ReadDir(dir)) {
			left = append(left, e.Name())
		}
		if want := []string{"empty.jsonl", "notes.jsonl"}; !slices.Equal(left, want) {
			t.Errorf("without flock: %v: left are %s, want %s", without, left, want)
		}
	}
}

// TestOpenBesideRemove: a session that is removed between opening and locking would take entries that nobody reads again.
func TestOpenBesideRemove(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a.jsonl"), headerLine)
	once := sync.OnceFunc(func() { ok(t, sessions.Open(dir).Remove(path)) })
	s := sessions.BeforeLock(sessions.Open(dir), once)
	if _, _, _, err := s.Open(t.Context(), dir, path); !errors.Is(err, core.ErrNoSession) {
		t.Errorf("got %v, want ErrNoSession", err)
	}
	if _, err := os.Stat(path + ".lock"); err == nil {
		t.Error("the side file of the lock is left")
	}
}

func TestEncode(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), whole+"{\"torn")
	h, entries, err := sessions.Open(t.TempDir()).Read(t.Context(), "/", path)
	ok(t, err)
	var b bytes.Buffer
	ok(t, sessions.Encode(&b, h, entries))
	if b.String() != whole {
		t.Errorf("got\n%s\nwant\n%s", &b, whole)
	}
	full := must[*os.File](t)(os.OpenFile(filepath.Join(t.TempDir(), "read-only"), os.O_CREATE|os.O_RDONLY, 0o600))
	defer full.Close()
	if err := sessions.Encode(full, h, entries); err == nil {
		t.Error("no error of a file that cannot be written")
	}
}
