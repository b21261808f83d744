package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dualagent/agent/conformance"
	"github.com/dualagent/agent/conformance/kit"
)

// inProcess returns the program as a target that runs in this process, with its scripted model.
func inProcess(t *testing.T, p kit.Protocol) kit.Target {
	target, err := kit.LoadTarget(conformance.Files, "agent")
	if err != nil {
		t.Fatal(err)
	}
	target.Model = "script"
	if p == kit.JSONRPC {
		target.Known = map[string]string{"jsonrpc/framing/hung-up": "in this process every signal is a SIGTERM"}
	}
	target.Args["script"] = slices.Concat(target.Argv[p][1:], target.Args["script"], []string{"--root", "{workspace}"})
	target.Func = func(ctx context.Context, args, env []string, in io.Reader, out, stderr io.Writer) int {
		return run(asSignal(ctx), program{args: append([]string{"agent"}, args...), env: lookup(env), in: in, out: out, err: stderr})
	}
	return target
}

// asSignal makes the end of ctx look like a SIGTERM.
func asSignal(ctx context.Context) context.Context {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { cancel(signalError{syscall.SIGTERM}) })
	return out
}

func lookup(env []string) func(string) string {
	return func(name string) string {
		for _, v := range env {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func transcripts(t *testing.T) fs.FS {
	sub, err := fs.Sub(conformance.Files, "transcripts")
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// TestTranscriptsInProcess plays every transcript of both wires against run, without a process between, and holds all lines
// against the documents that describe the wires.
func TestTranscriptsInProcess(t *testing.T) {
	judges := map[kit.Protocol]func(*testing.T) judge{kit.JSONRPC: jsonrpcJudge, kit.JSONL: jsonlJudge}
	for _, p := range []kit.Protocol{kit.JSONRPC, kit.JSONL} {
		target := inProcess(t, p)
		var lines tap
		lines.listen(&target)
		t.Run(string(p), func(t *testing.T) { kit.Run(t, target, p, transcripts(t), kit.Options{}) })
		t.Run(string(p)+"-schema", func(t *testing.T) { lines.judge(t, judges[p](t)) })
	}
}

// TestTranscripts plays every transcript of both wires against the program as a process, with a model reached over HTTP.
func TestTranscripts(t *testing.T) {
	target, err := kit.LoadTarget(conformance.Files, "agent")
	if err != nil {
		t.Fatal(err)
	}
	target.Env = append(target.Env, "GORACE="+os.Getenv("GORACE"))
	path, err := exec.LookPath("agent")
	if err != nil {
		t.Fatal(err)
	}
	for p, argv := range target.Argv {
		argv[0] = path
		t.Run(string(p), func(t *testing.T) { kit.Run(t, target, p, transcripts(t), kit.Options{Keys: true}) })
	}
}
