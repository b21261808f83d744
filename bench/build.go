package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// bareProgram says one line, as the program does when it is ready, and waits for its end.
const bareProgram = `package main

import "os"

func main() {
	os.Stdout.Write([]byte("ready\n"))
	os.Stdin.Read(make([]byte, 1))
}
`

// sdks are the modules that talk to models; linking one makes every start slower.
var sdks = []string{
	"github.com/anthropics/anthropic-sdk-go", "github.com/openai/openai-go", "google.golang.org/genai",
}

// prepare builds what is measured. The caller removes b.dir.
func prepare(ctx context.Context, agent string) (b *bench, err error) {
	b = &bench{agent: agent}
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp("", "agent-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(b.dir)
		}
	}()
	b.bare = filepath.Join(b.dir, "bare")
	source := filepath.Join(b.dir, "bare.go")
	if err := os.WriteFile(source, []byte(bareProgram), 0o600); err != nil {
		return nil, err
	}
	if err := build(ctx, b.bare, source); err != nil {
		return nil, err
	}
	if agent == "" {
		b.agent = filepath.Join(b.dir, "agent")
		if err := build(ctx, b.agent, "github.com/dualagent/agent/cmd/agent"); err != nil {
			return nil, err
		}
	}
	b.sdks, err = linked(b.agent)
	return b, err
}

// build builds as releases are built.
func build(ctx context.Context, to, source string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "urfave_cli_no_docs", "-ldflags", "-s -w", "-o", to, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", source, err, out)
	}
	return nil
}

// linked returns the SDKs that a program was built with.
func linked(program string) ([]string, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("read how %s was built: %w", program, err)
	}
	var found []string
	for _, m := range info.Deps {
		if slices.ContainsFunc(sdks, func(sdk string) bool { return m.Path == sdk || strings.HasPrefix(m.Path, sdk+"/") }) {
			found = append(found, m.Path)
		}
	}
	return found, nil
}

// printHead says what the figures depend on.
func printHead(w io.Writer, c calm) {
	load := "unknown"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(text))[:3], " ")
	}
	fmt.Fprintf(w, "%s, %s/%s, %d processors, load %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load)
	fmt.Fprintf(w, "rounds that other programs disturbed: %d made again, %d kept\n\n", c.dropped, c.kept)
}
