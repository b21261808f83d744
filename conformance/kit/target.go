package kit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"
)

// An Order says how exactly the order of a server's records is fixed.
type Order string

// The orders. With Lanes events keep their order among themselves, but responses may come before or after them.
const (
	Strict Order = "strict"
	Lanes  Order = "lanes"
)

// A Target is a server to test. In argv, args and env, {model_url}, {model}, {script}, {workspace} and {home} stand
// for the base URL of the scripted model (it ends in /v1), its model's id, the script file, and two new folders.
type Target struct {
	Name string `json:"name"`
	// Argv starts the server, by protocol.
	Argv map[Protocol][]string `json:"argv"`
	// Args come behind Argv, by the kind of model: "http" or "script".
	Args map[string][]string `json:"args"`
	// Env is added to PATH, HOME, TMPDIR, LANG and GATE; nothing else is handed on.
	Env []string `json:"env"`
	// Files are put into the home folder before the start; the placeholders in them are replaced, too.
	Files map[string]string `json:"files"`
	// Model is the kind of model: "http" (default) or "script".
	Model string `json:"model"`
	// Tools maps the names of tools in transcripts to the target's.
	Tools map[string]string `json:"tools"`
	// Optional lists keys of records that may be missing where transcripts expect null, "@string" or "@any".
	Optional []string `json:"optional"`
	// Ignore lists kinds of records that are always passed over.
	Ignore []string `json:"ignore"`
	Order  Order    `json:"order"`
	// Known maps protocol/transcript, with the wildcards of path.Match, to the reason why it is known to fail.
	Known map[string]string `json:"known"`

	// Func, if set, runs the server in this process instead of Argv. It gets the arguments without the program's
	// name and the working directory of this process, not the workspace, and must return its exit code when ctx ends, which stands for a signal.
	Func func(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int `json:"-"`
}

// LoadTarget reads targets/NAME.json in fsys, or fails with what is wrong with it.
func LoadTarget(fsys fs.FS, name string) (Target, error) {
	var t Target
	data, err := fs.ReadFile(fsys, path.Join("targets", name+".json"))
	if err != nil {
		return t, fmt.Errorf("target %s: %w", name, err)
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, fmt.Errorf("target %s: %w", name, err)
	}
	return t, t.Validate()
}

// Validate reports what is wrong with the target.
func (t *Target) Validate() error {
	switch {
	case t.Model != "" && t.Model != "http" && t.Model != "script":
		return fmt.Errorf("target %s: unknown model %q; use http or script", t.Name, t.Model)
	case t.Order != "" && t.Order != Strict && t.Order != Lanes:
		return fmt.Errorf("target %s: unknown order %q; use strict or lanes", t.Name, t.Order)
	}
	return nil
}

// known returns why the transcript is known to fail, or "".
func (t *Target) known(tr *Transcript) string {
	full := string(tr.Protocol) + "/" + tr.Name
	for pattern, reason := range t.Known {
		if ok, _ := path.Match(pattern, full); ok {
			return reason
		}
	}
	return ""
}

// signals are those that a transcript may send.
var signals = map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": os.Interrupt, "HUP": syscall.SIGHUP}

// A process is a server that runs.
type process struct {
	stdin  io.WriteCloser
	stdout io.Reader // ends when the server has
	stderr tail
	signal func(os.Signal) error
	kill   func()
	exited chan struct{} // closed when code is set
	code   int
}

// start runs the server with args behind those that it always gets. The caller must call stop.
func (t *Target) start(p Protocol, args, env []string, dir string) (*process, error) {
	if t.Func != nil {
		return t.startFunc(args, env), nil
	}
	argv := append(append([]string{}, t.Argv[p]...), args...)
	if len(argv) == len(args) {
		return nil, fmt.Errorf("target %s has no argv for %s; give one behind --", t.Name, p)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = time.Second // a child may hold our pipe
	out, in := io.Pipe()
	proc := &process{stdout: out, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = in, &proc.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	proc.stdin = stdin
	proc.signal = cmd.Process.Signal
	proc.kill = func() { _ = cmd.Process.Kill() } // it may be gone
	go func() {
		err := cmd.Wait()
		proc.code = exitCode(err)
		_ = in.Close() // always nil
		close(proc.exited)
	}()
	return proc, nil
}

// exitCode counts an end by signal n as 128+n, as shells do.
func exitCode(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			return -1
		}
		return 0
	}
	if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return exit.ExitCode()
}

func (t *Target) startFunc(args, env []string) *process {
	ctx, cancel := context.WithCancel(context.Background())
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	proc := &process{stdin: inW, stdout: outR, exited: make(chan struct{})}
	proc.signal = func(os.Signal) error { cancel(); return nil }
	proc.kill = func() {
		cancel()
		_ = inW.Close() // always nil
		_ = outR.Close()
	}
	go func() {
		proc.code = t.Func(ctx, args, env, inR, outW, &proc.stderr)
		cancel()
		_ = inR.Close()
		_ = outW.Close()
		close(proc.exited)
	}()
	return proc
}

// stop ends the server if it still runs: first kindly, so that it can end its children.
func (p *process) stop() {
	_ = p.stdin.Close() // it may be closed
	_ = p.signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(3 * time.Second):
		p.kill()
		<-p.exited
	}
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex // guards text
	text []byte
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "\ufffd")
}
