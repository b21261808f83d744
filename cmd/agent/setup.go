package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/protocol/jsonl"
	"github.com/dualagent/agent/providers"
	"github.com/dualagent/agent/providers/offline"
	"github.com/dualagent/agent/providers/openai"
	"github.com/dualagent/agent/providers/script"
	"github.com/dualagent/agent/sessions"
	"github.com/dualagent/agent/sessions/export"
	"github.com/dualagent/agent/tools"
)

// buildVersion is set by the linker.
var buildVersion = ""

// version returns the version of the program: the linker's, else what the build knows.
func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "0.1.0-dev"
}

// A host is a core.Host with what was made for it.
type host struct {
	*core.Host
	tools *tools.Set
}

// Close ends what runs and removes what tools have left.
func (h host) Close() error { return errors.Join(h.Host.Close(), h.tools.Close()) }

// setUp puts together what a run works with. It touches neither the network nor, but for the workspace and a script, the
// disk.
func (p program) setUp(s settings, m mode) (host, error) {
	all, err := s.providers(p)
	if err != nil {
		return host{}, startError{err}
	}
	store, err := p.store(s)
	if err != nil {
		return host{}, startError{err}
	}
	set, err := tools.New(tools.Options{Dir: s.root, SecretEnv: s.secrets()})
	if err != nil {
		return host{}, startError{fmt.Errorf("workspace %s: %w", s.root, err)}
	}
	usable, err := s.only(set.Tools())
	if err != nil {
		set.Close()
		return host{}, usageError{err}
	}
	approval, maxSteps := s.approval, s.maxSteps
	if approval == "" {
		approval = m.approval
	}
	if maxSteps == 0 {
		maxSteps = m.maxSteps
	}
	return host{tools: set, Host: core.NewHost(core.HostOptions{
		Providers: all, Tools: usable, Shell: set.Shell(), Store: store, Export: export.In(s.root),
		Approver: approval.Approver(), ApprovalTimeout: s.approvalTimeout,
		System: s.prompt(), Cwd: s.root, MaxSteps: maxSteps, TokenBudget: s.tokenBudget, Log: s.log,
	})}, nil
}

// providers returns the sources of models, the one to start with first. The built-in model is among them if there is no other,
// or if it is asked for by its name.
func (s settings) providers(p program) ([]core.Provider, error) {
	var all []core.Provider
	if s.script != "" {
		scripted, err := script.Load(s.script)
		if err != nil {
			return nil, fmt.Errorf("--script: %w", err)
		}
		all = append(all, scripted)
	}
	if s.endpoint != "" {
		name := s.provider
		if name == "" {
			name = "endpoint"
		}
		server, err := openai.New(openai.Options{
			Name: name, BaseURL: s.endpoint, KeyEnv: s.keyEnv, External: providers.External(s.endpoint),
		})
		if err != nil {
			return nil, fmt.Errorf("--endpoint: %w", err)
		}
		all = append(all, server)
	}
	builtIn := offline.New()
	asked := strings.HasPrefix(s.modelRef(), builtIn.Name())
	if len(all) == 0 && !asked {
		fmt.Fprintln(p.err, "agent: no model is configured, so the built-in offline/guide serves; "+
			"connect a real one with --endpoint URL --model ID [--api-key-env NAME]")
	}
	if len(all) == 0 || asked {
		all = append(all, builtIn)
	}
	return all, nil
}

// secrets names the environment variables that tools must not see.
func (s settings) secrets() []string {
	if s.keyEnv == "" {
		return nil
	}
	return []string{s.keyEnv}
}

func (p program) store(s settings) (core.Store, error) {
	if s.ephemeral {
		return sessions.Discard(), nil
	}
	store, err := p.sessionFiles(s.sessionDir)
	if err != nil {
		return nil, err
	}
	store.Notice = func(text string) { s.log.Warn(text) }
	if s.dialect == jsonl.Pi {
		return atPath{store}, nil
	}
	return store, nil
}

// sessionFiles returns the store of the sessions that are on disk; dir is what --session-dir says.
func (p program) sessionFiles(dir string) (*sessions.Store, error) {
	if dir = cmp.Or(dir, p.env("AGENT_SESSION_DIR")); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("session folder: %w", err)
		}
		return sessions.Flat(abs), nil
	}
	home, err := p.home()
	if err != nil {
		return nil, err
	}
	return sessions.Open(filepath.Join(home, "sessions")), nil
}

// home returns the folder for what the program keeps.
func (p program) home() (string, error) {
	if dir := p.env("AGENT_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := p.env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "agent"), nil
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for sessions: set AGENT_HOME, or name one with --session-dir: %w", err)
	}
	return filepath.Join(user, ".local", "state", "agent"), nil
}

// atPath is a store in which opening a path that does not exist starts a session there, as pi does.
type atPath struct{ *sessions.Store }

// Open implements core.Store.
func (s atPath) Open(ctx context.Context, cwd, ref string) (core.Log, core.Header, []core.Entry, error) {
	log, header, entries, err := s.Store.Open(ctx, cwd, ref)
	if !errors.Is(err, core.ErrNoSession) || filepath.Ext(ref) != ".jsonl" {
		return log, header, entries, err
	}
	header = core.NewHeader(cwd)
	log, err = s.Store.CreateAt(ctx, ref, header)
	return log, header, nil, err
}
