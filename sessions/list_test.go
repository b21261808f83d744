package sessions_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions"
)

func TestListAndLatest(t *testing.T) {
	base := t.TempDir()
	s := sessions.Open(base)
	if _, err := s.Latest(t.Context(), "/home/u/app"); !errors.Is(err, core.ErrNoSession) {
		t.Errorf("Latest in an empty store: got %v, want ErrNoSession", err)
	}
	if list, err := s.List(t.Context(), "/home/u/app"); err != nil || len(list) > 0 {
		t.Errorf("List in an empty store: got %v, %v", list, err)
	}
	folder := filepath.Join(base, "--home-u-app--")
	at := func(name, text string, minute int) string {
		path := write(t, filepath.Join(folder, name), text)
		ok(t, os.Chtimes(path, nine, nine.Add(time.Duration(minute)*time.Minute)))
		return path
	}
	reply := `{"type":"message","id":"r1","parentId":"u1","timestamp":"","message":{"role":"assistant","content":"no"}}` + "\n"
	name := `{"type":"session_info","id":"n1","parentId":"u1","timestamp":"","name":"old"}` + "\n" +
		`{"type":"session_info","id":"n2","parentId":"u1","timestamp":"","name":"tea"}` + "\n"
	long := strings.Repeat("ä", 60) + " " + strings.Repeat("b", 60)
	full := at("a.jsonl", headerLine+reply+sayLine("u1", "", `\n  what\n is \t this?  `)+sayLine("u2", "u1", "later")+name, 1)
	tied := at("b.jsonl", headerLine+sayLine("u1", "", long), 1)
	latest := at("c.jsonl", headerLine+name+`{"torn`, 2)
	other := strings.Replace(headerLine, "/home/u/app", "/home/u-app", 1)
	at("d.jsonl", other, 3)
	at("e.jsonl", "junk\n", 4)
	at("f.jsonl", "", 5)
	at("a.rewind-1.jsonl", headerLine, 6)
	at("a.loops.json", headerLine, 7)
	ok(t, os.Mkdir(filepath.Join(folder, "g.jsonl"), 0o700))
	ok(t, syscall.Mkfifo(filepath.Join(folder, "h.jsonl"), 0o600))
	ok(t, os.Symlink("nowhere", filepath.Join(folder, "i.jsonl")))

	if path, err := s.Latest(t.Context(), "/home/u/app/"); err != nil || path != latest {
		t.Errorf("Latest: got %s, %v; want %s", path, err, latest)
	}
	list, err := s.List(t.Context(), "/home/u/app")
	ok(t, err)
	var got []string
	for _, sum := range list {
		got = append(got, sum.Path)
	}
	if want := strings.Join([]string{latest, tied, full}, " "); strings.Join(got, " ") != want {
		t.Fatalf("List: got %s, want %s", got, want)
	}
	want := core.SessionSummary{
		ID: testID, Path: full, Cwd: "/home/u/app", Name: "tea", First: "what is this?", Messages: 3, Entries: 5,
		Size: int64(len(read(t, full))), Modified: list[2].Modified,
	}
	if list[2] != want || !want.Modified.Equal(nine.Add(time.Minute)) {
		t.Errorf("got  %+v\nwant %+v", list[2], want)
	}
	if got, want := list[1].First, strings.Repeat("ä", 60)+" "+strings.Repeat("b", 39); got != want {
		t.Errorf("first words: got %q, want %q", got, want)
	}
	if path, err := s.Latest(t.Context(), "/home/u-app"); err != nil || filepath.Base(path) != "d.jsonl" {
		t.Errorf("Latest of a directory that shares the folder: got %s, %v", path, err)
	}
	if got := read(t, latest); !strings.HasSuffix(got, `{"torn`) {
		t.Errorf("List repaired a file:\n%s", got)
	}
}

func TestFlatListsByWorkingDirectory(t *testing.T) {
	s := sessions.Flat(t.TempDir())
	for _, cwd := range []string{"/a", "/b"} {
		log, err := s.Create(t.Context(), core.Header{ID: "id" + cwd[1:], Time: nine, Cwd: cwd})
		ok(t, err)
		ok(t, log.Append(say("u1", "", "hi")))
		ok(t, log.Close())
	}
	if list, err := s.List(t.Context(), "/a"); err != nil || len(list) != 1 || list[0].ID != "ida" {
		t.Errorf("List: got %+v, %v", list, err)
	}
	if path, err := s.Latest(t.Context(), "/a"); err != nil || !strings.HasSuffix(path, "_ida.jsonl") {
		t.Errorf("Latest: got %s, %v", path, err)
	}
}

func TestListStopsWithItsContext(t *testing.T) {
	base := t.TempDir()
	write(t, filepath.Join(base, "--a--", "a.jsonl"), headerLine)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sessions.Open(base).List(ctx, "/a"); !errors.Is(err, context.Canceled) {
		t.Errorf("List: got %v", err)
	}
	if _, err := sessions.Open(base).Latest(ctx, "/a"); !errors.Is(err, context.Canceled) {
		t.Errorf("Latest: got %v", err)
	}
}

func BenchmarkList(b *testing.B) {
	base := b.TempDir()
	text := headerLine
	for range 200 {
		text += strings.Replace(sayLine("", "", strings.Repeat("some words ", 80)), `"id":"",`, "", 1)
	}
	for i := range 20 {
		write(b, filepath.Join(base, "--home-u-app--", string(rune('a'+i))+".jsonl"), text)
	}
	b.SetBytes(int64(20 * len(text)))
	for b.Loop() {
		if list, err := sessions.Open(base).List(b.Context(), "/home/u/app"); err != nil || len(list) != 20 {
			b.Fatal(len(list), err)
		}
	}
}
