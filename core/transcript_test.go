package core_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

// exports remembers what it was given.
type exports struct {
	got  core.Transcript
	path string
}

func (x *exports) export(_ context.Context, t core.Transcript, path string) (string, error) {
	x.got, x.path = t, path
	return "written to " + path, nil
}

// conversation returns the texts of the messages on the way from the leaf to the root, the last one first.
func conversation(t core.Transcript) string {
	var all []string
	for id := t.Leaf; id != ""; {
		parent := ""
		for _, e := range t.Entries {
			if e.ID == id {
				parent = e.Parent
				if e.Message != nil {
					all = append(all, e.Message.Text())
				}
			}
		}
		id = parent
	}
	return strings.Join(all, " < ")
}

func TestExport(t *testing.T) {
	var x exports
	r := start(t, options{host: core.HostOptions{Export: x.export}, engine: core.EngineOptions{
		Session: core.SessionOptions{Name: "given"},
	}}, Reply(Say("one")), Reply(Say("two")))

	// Nothing is in the store before the first message.
	written, err := r.Export(context.Background(), "p")
	if err != nil || written != "written to p" {
		t.Fatalf("got %q, %v", written, err)
	}
	if n := len(x.got.Entries); n != 1 || x.got.Session != r.State().Session || x.got.Entries[0].Name != "given" || x.got.Leaf != x.got.Entries[0].ID {
		t.Errorf("before the first message: %+v, want the session and its name", x.got)
	}

	r.prompt("hello")
	r.prompt("again")
	r.settled(2)
	if _, err := r.Export(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	if got, want := conversation(x.got), "two < again < one < hello"; got != want || x.path != "" {
		t.Errorf("got %s to %q, want %s", got, x.path, want)
	}
}

// unkept is a store whose sessions have no path.
type unkept struct{ Store }

type unkeptLog struct{ core.Log }

func (unkeptLog) Path() string { return "" }

func (s *unkept) Create(ctx context.Context, h core.Header) (core.Log, error) {
	log, err := s.Store.Create(ctx, h)
	return unkeptLog{log}, err
}

func TestExportOfASessionThatIsNotKept(t *testing.T) {
	var x exports
	host := core.NewHost(core.HostOptions{
		Providers: []core.Provider{NewProvider(Reply(Say("one")))}, Store: &unkept{}, Export: x.export, Cwd: "/work",
	})
	defer host.Close()
	events := NewRecorder()
	e, err := host.Open(context.Background(), core.EngineOptions{}, events)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Prompt(core.Input{Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	if err := host.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Export(context.Background(), "p"); err != nil {
		t.Fatal(err)
	}
	if got, want := conversation(x.got), "one < hello"; got != want || x.got.Session.Path != "" {
		t.Errorf("got %s, path %q; want %s and none", got, x.got.Session.Path, want)
	}
	if _, _, err := e.Entries(context.Background()); !errors.Is(err, core.ErrNotRecorded) {
		t.Errorf("Entries: %v, want %v", err, core.ErrNotRecorded)
	}
}

func TestExportWithoutExporter(t *testing.T) {
	r := start(t, options{})
	if _, err := r.Export(context.Background(), "p"); err == nil {
		t.Error("there is no error")
	}
}
