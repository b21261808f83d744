//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A process is the program as others run it.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	dir string

	stdout io.Closer
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, dir: t.TempDir()}
	p.cmd = exec.Command("agent", args...)
	p.cmd.Dir = p.dir
	p.cmd.Env = append(os.Environ(), "AGENT_HOME="+filepath.Join(p.dir, "home"), "MARK="+t.Name())
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out, p.stdout = bufio.NewReaderSize(out, 1<<20), out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	return p
}

// scripted starts the program with a scripted model.
func scripted(t *testing.T, model string, args ...string) *process {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.txt")
	if err := os.WriteFile(path, []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	return start(t, append(args, "--ephemeral", "--script", path)...)
}

func (p *process) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// until reads up to a line that holds part and returns it; it fails at the end of the output.
func (p *process) until(part string) string {
	p.t.Helper()
	var last string
	for {
		line, err := p.out.ReadString('\n')
		if strings.Contains(line, part) {
			return line
		}
		if err != nil {
			p.t.Fatalf("no line with %s; the last one was %.300s", part, last)
		}
		last = line
	}
}

// rest reads the whole rest of the output.
func (p *process) rest() []string {
	p.t.Helper()
	all, err := io.ReadAll(p.out)
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
}

// exit waits for the end and checks the exit code and the time that it took.
func (p *process) exit(code int, limit time.Duration) {
	p.t.Helper()
	begin := time.Now()
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(limit + 10*time.Second):
		p.t.Fatal("the program does not end")
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d", got, code)
	}
	if took := time.Since(begin); took > limit {
		p.t.Errorf("ended after %v, want %v at most", took, limit)
	}
}

// memory returns the resident set in bytes, now or at its peak.
func (p *process) memory(field string) int {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	m := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		p.t.Fatalf("no %s in the status", field)
	}
	kb, _ := strconv.Atoi(string(m[1]))
	return kb << 10
}

// strays returns the processes, other than p, that carry the test's mark in their environment.
func (p *process) strays() []string {
	var found []string
	procs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range procs {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(env, []byte("MARK="+p.t.Name()+"\x00")) {
			continue
		}
		dir := filepath.Dir(path)
		if state, err := os.ReadFile(filepath.Join(dir, "stat")); err != nil || bytes.Contains(state, []byte(") Z ")) {
			continue
		}
		if filepath.Base(dir) != strconv.Itoa(p.cmd.Process.Pid) {
			line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

func (p *process) noStrays() {
	p.t.Helper()
	for limit := time.Now().Add(3 * time.Second); ; {
		left := p.strays()
		if len(left) == 0 {
			return
		}
		if time.Now().After(limit) {
			p.t.Errorf("left behind: %q", left)
			return
		}
	}
}

const (
	rpcPrompt   = `{"jsonrpc":"2.0","method":"prompt","params":{"message":"go"},"id":1}`
	rpcAbort    = `{"jsonrpc":"2.0","method":"abort","id":2}`
	jsonlPrompt = `{"type":"prompt","id":"1","message":"go"}`
	jsonlAbort  = `{"type":"abort","id":"2"}`
)

// TestSignals: terminal records, children gone, exit code 128 + n, within three seconds.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		args   []string
		prompt string
		tool   string // the record that tells that the tool runs
		ends   []string
	}{
		{syscall.SIGTERM, []string{"--mode", "rpc", "--approval-mode", "yolo"}, rpcPrompt, `"executing_tool"`,
			[]string{`"method":"agent/error"`, `"state":"idle"`, `"id":1,"result":{"error":`}},
		{syscall.SIGINT, []string{"rpc", "--jsonl"}, jsonlPrompt, `"tool_execution_start"`,
			[]string{`"type":"agent_end"`, `"type":"run_failed"`, `{"type":"agent_settled"}`}},
		{syscall.SIGHUP, []string{"rpc", "--jsonl"}, jsonlPrompt, `"tool_execution_start"`,
			[]string{`"type":"agent_end"`, `"type":"run_failed"`, `{"type":"agent_settled"}`}},
	} {
		t.Run(c.signal.String(), func(t *testing.T) {
			p := scripted(t, `call bash {"command":"sh -c 'sleep 1000 & sleep 1000'; sleep 1000"}`, c.args...)
			p.send(c.prompt)
			p.until(c.tool)
			if err := p.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			rest := p.rest()
			p.exit(128+int(c.signal), 3*time.Second)
			if len(rest) < len(c.ends) {
				t.Fatalf("the output ends with %q", rest)
			}
			for i, want := range c.ends {
				if got := rest[len(rest)-len(c.ends)+i]; !strings.Contains(got, want) {
					t.Errorf("got %.200s, want %s", got, want)
				}
			}
			p.noStrays()
		})
	}
}

func TestSignalWhileIdle(t *testing.T) {
	p := start(t, "--mode", "rpc", "--ephemeral")
	p.until("ready")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest := p.rest(); rest[0] != "" {
		t.Errorf("output: %q", rest)
	}
	p.exit(128+15, time.Second)
}

// TestSignalBeforeTheFirstLine: in auto mode there is nothing yet to speak of.
func TestSignalBeforeTheFirstLine(t *testing.T) {
	in, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(10*time.Millisecond, func() { cancel(signalError{syscall.SIGTERM}) })
	var out bytes.Buffer
	code := run(ctx, program{args: []string{"agent", "--mode", "auto", "--ephemeral"}, env: os.Getenv, in: in, out: &out, err: io.Discard})
	if code != 143 || out.Len() != 0 {
		t.Errorf("exit code %d, output %q; want 143 and nothing", code, &out)
	}
}

// TestSignalDuringTheStart: what it breaks off is not a failure to start.
func TestSignalDuringTheStart(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(signalError{syscall.SIGINT})
	code := run(ctx, program{args: []string{"agent", "--mode", "rpc"}, env: os.Getenv, in: strings.NewReader(""), out: io.Discard, err: io.Discard})
	if code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}

// TestReaderGoesAwayWhileIdle: the program does not wait for something to write to find out.
func TestReaderGoesAwayWhileIdle(t *testing.T) {
	p := start(t, "--mode", "rpc", "--ephemeral")
	p.until("ready")
	if err := p.stdout.Close(); err != nil {
		t.Fatal(err)
	}
	p.exit(exitFailed, time.Second)
}

// TestNobodyReads: a client that reads nothing during a reply of a million deltas. Memory stays bounded, an abort acts, and
// when the client reads again all that was said before the abort is there, and the end.
func TestNobodyReads(t *testing.T) {
	for _, c := range []struct {
		name, prompt, abort string
		args                []string
		piece, end          string
	}{
		{"jsonrpc", rpcPrompt, rpcAbort, []string{"--mode", "rpc"}, `"delta":"`, `{"jsonrpc":"2.0","id":1,"result":{"error":"cancelled"}}`},
		{"jsonl", jsonlPrompt, jsonlAbort, []string{"rpc", "--jsonl"}, `"delta":"`, `{"type":"agent_settled"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := scripted(t, `repeat 1000000 "tok "`, c.args...)
			p.send(c.prompt)
			full := waitUntilStill(p)
			if full > 64<<20 {
				t.Errorf("%d MiB are resident while nobody reads", full>>20)
			}
			p.send(c.abort)
			p.in.Close()
			var said strings.Builder
			last := ""
			for {
				line, err := p.out.ReadString('\n')
				if err != nil {
					break
				}
				last = strings.TrimSuffix(line, "\n")
				if i := strings.Index(line, c.piece); i >= 0 && !strings.Contains(line, "agent_end") {
					text := line[i+len(c.piece):]
					said.WriteString(text[:strings.IndexByte(text, '"')])
				}
			}
			p.exit(0, time.Second)
			if last != c.end {
				t.Errorf("the last record is %.200s, want %s", last, c.end)
			}
			n := said.Len() / len("tok ")
			if said.String() != strings.Repeat("tok ", n) || n == 0 || n > 500_000 {
				t.Errorf("%d pieces were said before the abort", n)
			}
		})
	}
}

// waitUntilStill waits until the process has stopped using the processor, and returns its memory then.
func waitUntilStill(p *process) int {
	p.t.Helper()
	if _, err := p.out.Peek(1); err != nil {
		p.t.Fatal(err)
	}
	still, before := 0, -1
	for deadline := time.Now().Add(20 * time.Second); still < 5 && time.Now().Before(deadline); {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
		if err != nil {
			p.t.Fatal(err)
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')'):]))
		user, _ := strconv.Atoi(fields[12])
		system, _ := strconv.Atoi(fields[13])
		if now := user + system; now == before {
			still++
		} else {
			still, before = 0, now
		}
		<-time.After(50 * time.Millisecond)
	}
	return p.memory("VmRSS")
}

// TestEndlessOutput: a tool that writes for ever costs no memory, is stopped on time, and leaves nothing behind.
func TestEndlessOutput(t *testing.T) {
	p := scripted(t, "call bash {\"command\":\"yes\",\"timeout\":1}\nsay \"stopped\"", "rpc", "--jsonl")
	p.send(jsonlPrompt)
	p.until(`"tool_execution_start"`)
	begin := time.Now()
	end := p.until(`"tool_execution_end"`)
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("stopped after %v", took)
	}
	if !strings.Contains(end, "timed out after 1 seconds") || !strings.Contains(end, `"isError":true`) {
		t.Errorf("the end of the tool: %.300s", end)
	}
	p.until(`{"type":"agent_settled"}`)
	if peak := p.memory("VmHWM"); peak > 96<<20 {
		t.Errorf("peak of %d MiB", peak>>20)
	}
	p.noStrays()
}

// TestBackgroundChild: a command is over when its shell is, whoever holds its output, and takes its children with it.
func TestBackgroundChild(t *testing.T) {
	for _, command := range []string{"sleep 1000 & echo hi", "setsid sleep 1000 & echo hi", "(sleep 1000 &) ; echo hi"} {
		p := scripted(t, "call bash {\"command\":\""+command+"\"}\nsay \"ok\"", "rpc", "--jsonl")
		begin := time.Now()
		p.send(jsonlPrompt)
		if end := p.until(`"tool_execution_end"`); !strings.Contains(end, `"text":"hi`) {
			t.Errorf("%s: %.300s", command, end)
		}
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("%s: took %v", command, took)
		}
		p.noStrays()
		p.in.Close()
		p.rest()
		p.exit(0, time.Second)
	}
}

// TestReaderGoesAway: the client closes the output in the middle of a reply, or of a tool.
func TestReaderGoesAway(t *testing.T) {
	for _, model := range []string{`repeat 1000000 "tok "`, `call bash {"command":"echo tok; sleep 1000"}`} {
		p := scripted(t, model, "rpc", "--jsonl")
		p.send(jsonlPrompt)
		p.until("tok")
		if err := p.stdout.Close(); err != nil {
			t.Fatal(err)
		}
		p.exit(exitFailed, 3*time.Second)
		p.noStrays()
	}
}

// TestLongLastLine: the end of a large reply arrives whole, though the input is closed at once and the client reads slowly.
func TestLongLastLine(t *testing.T) {
	p := scripted(t, `say "`+strings.Repeat("x", 4<<20)+`"`, "--mode", "rpc")
	p.send(rpcPrompt)
	p.in.Close()
	p.out = bufio.NewReaderSize(p.out, 4096)
	lines := p.rest()
	p.exit(0, time.Second)
	var last struct{ Result struct{ Reply string } }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || len(last.Result.Reply) != 4<<20 {
		t.Errorf("the result holds %d bytes (%v)", len(last.Result.Reply), err)
	}
}

// TestSecretsStayHere: tools see neither the key nor, through the parent process, where it is kept.
func TestSecretsStayHere(t *testing.T) {
	t.Setenv("MODEL_KEY", "s3cret-value-of-the-key")
	t.Setenv("OTHER_API_KEY", "an0ther-value")
	p := scripted(t, "call bash {\"command\":\"env; echo MODEL_KEY is $MODEL_KEY.; cat /proc/$PPID/environ | tr '\\\\0' '\\\\n'\"}\nsay \"ok\"",
		"rpc", "--jsonl", "--endpoint", "http://127.0.0.1:1", "--api-key-env", "MODEL_KEY", "--model", "script/script-1")
	p.send(jsonlPrompt)
	p.in.Close()
	for _, line := range p.rest() {
		if strings.Contains(line, "s3cret-value") || strings.Contains(line, "an0ther-value") {
			t.Errorf("a secret got out: %.400s", line)
		}
	}
}
