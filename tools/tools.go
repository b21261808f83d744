// Package tools is what a model can do in a workspace: read, write and edit files, run shell commands, search and list.
//
// The file tools stay inside the workspace: neither .. nor symbolic links lead out of it, unless the user has approved the
// call. A shell command is not confined; its risk is assessed by parsing it.
package tools

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools/internal/command"
	"github.com/dualagent/agent/tools/internal/redact"
)

// Options say where tools work and with what. Only Dir is required.
type Options struct {
	Dir     string // the workspace, absolute
	TempDir string // where outputs are kept that are too long to be shown; default: os.TempDir()
	// Env is the environment of commands. Nil means that of this program without variables that look like keys by
	// their names.
	Env []string
	// SecretEnv names variables that are never passed on. Their values are taken out of all that tools show.
	SecretEnv []string
}

// A Set is the tools of one workspace. It may be used by many goroutines at once, until Close.
type Set struct {
	space  *workspace
	redact *redact.Redactor
	spool  *command.Spool
	runner *command.Runner
}

// New returns the tools of a workspace. The caller closes the Set.
func New(o Options) (*Set, error) {
	temp := o.TempDir
	if temp == "" {
		temp = os.TempDir()
	}
	spool := command.NewSpool(temp)
	space, err := openWorkspace(o.Dir, spool)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	s := &Set{space: space, redact: redact.New(secrets(o)...), spool: spool}
	s.runner = &command.Runner{
		Shell:    shell(),
		Dir:      space.dir,
		Env:      environment(o, space.dir),
		Redactor: s.redact,
		Spool:    spool,
	}
	return s, nil
}

// Tools returns read, write, edit, bash, grep, find and ls.
func (s *Set) Tools() []core.Tool {
	return []core.Tool{readTool{s}, writeTool{s}, editTool{s}, bashTool{s}, grepTool{s}, findTool{s}, lsTool{s}}
}

// Shell returns what runs the user's own commands. It works like the tool bash.
func (s *Set) Shell() core.Shell { return userShell{s} }

// Close removes the kept outputs. No tool may be running or used any more.
func (s *Set) Close() error {
	s.runner.Close()
	return errors.Join(s.space.close(), s.spool.Close())
}

// shell returns the words that come before a command.
func shell() []string {
	path, err := exec.LookPath("bash")
	if err != nil {
		return []string{"/bin/sh", "-c", "--"}
	}
	return []string{path, "--noprofile", "--norc", "-c", "--"}
}

func environment(o Options, dir string) []string {
	secret := func(name string) bool { return slices.Contains(o.SecretEnv, name) }
	if o.Env != nil {
		return command.Environment(o.Env, dir, secret)
	}
	return command.Environment(os.Environ(), dir, func(name string) bool { return secret(name) || command.LooksSecret(name) })
}

// secrets returns the values of the variables that are never passed on. A command may still find them, in the memory of a parent
// process, say. Of variables that only have the name of a secret, values that look like one count: a plain word would be
// taken out of texts that have nothing to do with it.
func secrets(o Options) []string {
	var values []string
	for _, v := range slices.Concat(os.Environ(), o.Env) {
		name, value, ok := strings.Cut(v, "=")
		if ok && (slices.Contains(o.SecretEnv, name) || command.LooksSecret(name) && random(value)) {
			values = append(values, value)
		}
	}
	return values
}

// random reports whether s may have been made by a generator of keys.
func random(s string) bool {
	return len(s) >= 12 && strings.ContainsAny(s, "0123456789") && !strings.Contains(s, "/")
}
