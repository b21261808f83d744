package export_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions/export"
)

// A place is a workspace and a session's file, which has the text "session" in it.
type place struct {
	t       *testing.T
	work    string
	session string
	core.Exporter
}

func newPlace(t *testing.T) place {
	dir := t.TempDir()
	p := place{t: t, work: filepath.Join(dir, "work"), session: filepath.Join(dir, "s.one.jsonl")}
	p.Exporter = export.In(p.work)
	if err := errors.Join(os.Mkdir(p.work, 0o700), os.WriteFile(p.session, []byte("session"), 0o600)); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p place) transcript() core.Transcript {
	tr := everything()
	tr.Session.Path = p.session
	return tr
}

// wantPage holds that there is a page, and nothing that was left behind.
func (p place) wantPage(path string, mode os.FileMode) {
	p.t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	if !strings.HasSuffix(string(page), "</html>\n") {
		p.t.Errorf("%s has no page but %d bytes", path, len(page))
	}
	info, err := os.Stat(path)
	if err != nil {
		p.t.Fatal(err)
	}
	if got := info.Mode(); got != mode {
		p.t.Errorf("%s: mode %v, want %v", path, got, mode)
	}
	p.wantClean(filepath.Dir(path))
}

func (p place) wantClean(dir string) {
	p.t.Helper()
	if left, _ := filepath.Glob(filepath.Join(dir, ".export-*")); len(left) > 0 {
		p.t.Errorf("left behind: %v", left)
	}
}

func TestWhereToWrite(t *testing.T) {
	p := newPlace(t)
	beside := strings.TrimSuffix(p.session, ".jsonl") + ".html"
	absolute := filepath.Join(p.work, "absolute.html")
	for _, test := range []struct{ path, want, at string }{
		{"", beside, beside},
		{"page", "page", filepath.Join(p.work, "page")},
		{"./../up.html", "./../up.html", filepath.Join(p.work, "..", "up.html")},
		{absolute, absolute, absolute},
	} {
		got, err := p.Exporter(context.Background(), p.transcript(), test.path)
		if err != nil || got != test.want {
			t.Errorf("path %q: got %q, %v; want %q", test.path, got, err, test.want)
			continue
		}
		p.wantPage(test.at, 0o600)
	}
}

func TestFolderThatIsNotThereYet(t *testing.T) {
	p := newPlace(t)
	p.session = filepath.Join(p.work, "new", "s.jsonl")
	got, err := p.Exporter(context.Background(), p.transcript(), "")
	if err != nil {
		t.Fatal(err)
	}
	p.wantPage(got, 0o600)
	if _, err := p.Exporter(context.Background(), p.transcript(), "no/such/page.html"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into a folder that is not there: %v", err)
	}
}

func TestReplace(t *testing.T) {
	p := newPlace(t)
	page, link := filepath.Join(p.work, "page.html"), filepath.Join(p.work, "link.html")
	if err := errors.Join(os.WriteFile(page, []byte("old"), 0o640), os.Chmod(page, 0o640), os.Symlink("page.html", link)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Exporter(context.Background(), p.transcript(), "link.html"); err != nil {
		t.Fatal(err)
	}
	p.wantPage(page, 0o640)
	if to, err := os.Readlink(link); err != nil || to != "page.html" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

func TestNotReplaced(t *testing.T) {
	p := newPlace(t)
	in := func(name string) string { return filepath.Join(p.work, name) }
	if err := errors.Join(
		os.Symlink(p.session, in("symbolic")), os.Link(p.session, in("hard")), os.Symlink("nothing", in("dangling")),
		os.Mkdir(in("folder"), 0o700), syscall.Mkfifo(in("fifo"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		p.session: "session's own file", "../s.one.jsonl": "session's own file", "symbolic": "session's own file", "hard": "session's own file",
		"dangling": "link to a file that is not there", "folder": "something else than a regular file",
		"fifo": "something else than a regular file", "/dev/null": "something else than a regular file", "folder/../hard": "session's own file",
	} {
		got, err := p.Exporter(context.Background(), p.transcript(), path)
		if got != "" || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %q, %v; want an error with the path and %q", path, got, err, want)
		}
	}
	if text, err := os.ReadFile(p.session); err != nil || string(text) != "session" {
		t.Errorf("the session is now %q, %v", text, err)
	}
	p.wantClean(p.work)
}

// The name of a session is kept free until the first message makes the file.
func TestSessionWithoutItsFile(t *testing.T) {
	p := newPlace(t)
	if err := os.Remove(p.session); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{p.session, "../s.one.jsonl"} {
		if _, err := p.Exporter(context.Background(), p.transcript(), path); err == nil || !strings.Contains(err.Error(), "session's own file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Lstat(p.session); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the session's file: %v", err)
	}
}

func TestSessionThatIsNotKept(t *testing.T) {
	p := newPlace(t)
	p.session = ""
	if _, err := p.Exporter(context.Background(), p.transcript(), ""); err == nil || !strings.Contains(err.Error(), "say where") {
		t.Errorf("without a path: %v", err)
	}
	if _, err := p.Exporter(context.Background(), p.transcript(), "page.html"); err != nil {
		t.Fatal(err)
	}
	p.wantPage(filepath.Join(p.work, "page.html"), 0o600)
}

func TestCancelledExportChangesNothing(t *testing.T) {
	p := newPlace(t)
	page := filepath.Join(p.work, "page.html")
	if err := os.WriteFile(page, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	if _, err := p.Exporter(ctx, p.transcript(), "page.html"); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
	if text, err := os.ReadFile(page); err != nil || string(text) != "old" {
		t.Errorf("the page is now %q, %v", text, err)
	}
	p.wantClean(p.work)
}
