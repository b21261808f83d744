package sessions_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions"
)

const (
	asWriter = "SESSIONS_TEST_WRITER"
	noFlock  = "SESSIONS_TEST_NO_FLOCK"
)

// TestMain makes this test binary serve as another program that writes sessions.
func TestMain(m *testing.M) {
	if os.Getenv(asWriter) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	w := &otherWriter{store: sessions.Open(os.TempDir())}
	if os.Getenv(noFlock) != "" {
		w.store = sessions.WithoutFlock(w.store)
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		answer, err := w.do(strings.Fields(in.Text()))
		if err != nil {
			answer = "error: " + err.Error()
		}
		fmt.Fprintln(os.NewFile(1, "stdout"), answer)
	}
	os.Exit(0)
}

// An otherWriter is what the other program does.
type otherWriter struct {
	store *sessions.Store
	log   core.Log
}

func (w *otherWriter) do(args []string) (string, error) {
	ctx := context.Background()
	switch args[0] {
	case "open":
		log, _, entries, err := w.store.Open(ctx, "/", args[1])
		w.log = log
		return ids(entries), err
	case "create":
		log, err := w.store.CreateAt(ctx, args[1], header("/home/u/app"))
		if err != nil {
			return "", err
		}
		w.log = log
		return "", log.Append(say("u1", "", "one"))
	case "append":
		return "", w.log.Append(say(args[1], args[2], "more"))
	case "alternate":
		return "", alternate(w.store, args[1], args[2])
	case "child":
		child := exec.Command("sleep", "1000")
		err := child.Start()
		return fmt.Sprint(child.Process.Pid), err
	case "close":
		return "", w.log.Close()
	}
	return "", errors.New("what?")
}

// alternate adds 100 entries to a session that others write too, each as soon as it gets the lock.
func alternate(s *sessions.Store, path, prefix string) error {
	for i := 0; i < 100; {
		log, _, entries, err := s.Open(context.Background(), "/", path)
		if errors.Is(err, sessions.ErrLocked) {
			runtime.Gosched()
			continue
		} else if err != nil {
			return err
		}
		err = log.Append(say(fmt.Sprint(prefix, i), entries[len(entries)-1].ID, "more"))
		if err = errors.Join(err, log.Close()); err != nil {
			return err
		}
		i++
	}
	return nil
}

// A program is another program that writes sessions.
type program struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts another program; it is ended with the test.
func start(t *testing.T, env ...string) *program {
	t.Helper()
	p := &program{t: t, cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(append(os.Environ(), asWriter+"=1"), env...)
	p.cmd.Stderr = os.Stderr
	p.in = must[io.WriteCloser](t)(p.cmd.StdinPipe())
	p.out = bufio.NewReader(must[io.ReadCloser](t)(p.cmd.StdoutPipe()))
	ok(t, p.cmd.Start())
	t.Cleanup(p.kill)
	return p
}

func (p *program) pid() int { return p.cmd.Process.Pid }

// ask has the program do something and returns its answer.
func (p *program) ask(args ...string) string {
	p.t.Helper()
	p.tell(args...)
	return p.answer()
}

func (p *program) tell(args ...string) {
	p.t.Helper()
	must[int](p.t)(fmt.Fprintln(p.in, strings.Join(args, " ")))
}

func (p *program) answer() string {
	p.t.Helper()
	return strings.TrimSuffix(must[string](p.t)(p.out.ReadString('\n')), "\n")
}

// do has the program do what must succeed.
func (p *program) do(args ...string) {
	p.t.Helper()
	if answer := p.ask(args...); strings.HasPrefix(answer, "error") {
		p.t.Fatalf("%q: %s", args, answer)
	}
}

// kill ends the program at once, without a chance to clean up. It may be called again.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
