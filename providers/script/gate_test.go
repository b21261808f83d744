//go:build unix

package script_test

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
)

// gated plays a script with a gate at path, up to its first piece; what it says is sent when it ends.
func gated(t *testing.T, ctx context.Context, path string) <-chan string {
	t.Helper()
	t.Setenv("GATES", filepath.Dir(path))
	p := parse(t, "gate $GATES/"+filepath.Base(path)+"\nsay \"open\"")
	c := make(chan string, 1)
	go func() { c <- play(ctx, p, core.Request{}) }()
	return c
}

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantOpen(t *testing.T, c <-chan string) {
	t.Helper()
	if got := <-c; !strings.HasPrefix(got, `"open"`) {
		t.Errorf("got %s, want open", got)
	}
}

func TestGateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gate")
	c := gated(t, t.Context(), path)
	select {
	case got := <-c:
		t.Errorf("a gate without a file let pass: %s", got)
	case <-time.After(20 * time.Millisecond):
	}
	write(t, path, "")
	wantOpen(t, c)
}

func TestGateFIFO(t *testing.T) {
	for name, text := range map[string]string{"written to": "x", "opened and closed": ""} {
		t.Run(name, func(t *testing.T) {
			path := fifo(t)
			c := gated(t, t.Context(), path)
			w, err := os.OpenFile(path, os.O_WRONLY, 0) // until there is a reader
			if err != nil {
				t.Fatal(err)
			}
			if text == "" {
				select {
				case got := <-c:
					t.Errorf("an open writer alone let pass: %s", got)
				case <-time.After(20 * time.Millisecond):
				}
				w.Close()
				wantOpen(t, c)
				return
			}
			if _, err := w.WriteString(text); err != nil {
				t.Fatal(err)
			}
			wantOpen(t, c) // the writer need not close it
			w.Close()
		})
	}
}

func TestGateCancel(t *testing.T) {
	stop := errors.New("stop it")
	for name, hold := range map[string]func(t *testing.T, path string){
		"no writer": func(*testing.T, string) {},
		"silent writer": func(t *testing.T, path string) {
			w, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { w.Close() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := fifo(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c := gated(t, ctx, path)
			hold(t, path)
			<-time.After(20 * time.Millisecond) // by then it waits
			start := time.Now()
			cancel(stop)
			if got := <-c; got != "error stop it" || time.Since(start) > 100*time.Millisecond {
				t.Errorf("got %s after %v", got, time.Since(start))
			}
		})
	}
}

func TestGateThatCannotBe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "")
	if got := <-gated(t, t.Context(), filepath.Join(path, "gate")); !strings.HasPrefix(got, "error gate: ") {
		t.Errorf("a path below a file: %s", got)
	}
}
