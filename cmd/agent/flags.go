package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/protocol/jsonl"
)

// settings are what the flags say.
type settings struct {
	call
	model, provider, thinking    string
	endpoint, keyEnv             string
	script                       string
	ephemeral, resumeLast        bool
	session, sessionDir, title   string
	root, system, appendToSystem string
	tools                        []string
	maxSteps, tokenBudget        int
	approval                     core.ApprovalMode
	approvalTimeout              time.Duration
	partials                     bool
	maxFrame                     int
	logLevel                     slog.Level

	dialect jsonl.Dialect
	log     *slog.Logger
}

// flags returns the flags that the program and its rpc command both take, for help in sections.
func flags(help bool) []cli.Flag {
	var model, session, run, wire, rest section
	if help {
		model, session, run, wire = "Model", "Session", "Run", "Protocol"
	}
	return []cli.Flag{
		model.text("`REF` of the model: provider/model, provider:model or an id, with an optional :level of thinking", "model", "m"),
		model.text("`NAME` of the model's provider; with --endpoint, the name to give it", "provider"),
		model.text("`LEVEL`: off, minimal, low, medium, high, xhigh or max", "thinking"),
		model.text("`URL` of an OpenAI-compatible server, base or full …/chat/completions", "endpoint"),
		model.text("`NAME` of the environment variable with the key for --endpoint", "api-key-env"),
		model.yes("consent to a provider that is not on this machine (--endpoint implies it)", "accept-external-provider"),
		model.text("`FILE` with a scripted model (format: docs/script.md)", "script"),

		session.yes("keep nothing on disk", "ephemeral", "no-session"),
		session.yes("resume the session that was written last here", "continue", "c"),
		session.text("resume the session with this `PATH|ID`", "session"),
		session.text("`DIR` for sessions (default: $AGENT_SESSION_DIR, else below $AGENT_HOME)", "session-dir"),
		session.text("`NAME` of a new session", "name", "n"),

		run.text("`DIR` to work in (default: the current one)", "root", "C"),
		run.text("`TEXT` in place of the system prompt", "system"),
		run.text("`TEXT` behind the system prompt", "append-system-prompt"),
		run.list("only these tools (`A,B`)", "tools", "t"),
		run.number("`N` requests to the model in one turn at most (default: 32 in JSON-RPC, no limit in JSONL)", "max-iterations"),
		run.number("`N` tokens in place of the model's context window", "token-budget"),
		run.text("`MODE`: ask (default in JSON-RPC), write, or yolo (default in JSONL)", "approval-mode"),
		run.text("deny an approval that is not answered in the time `D`", "approval-timeout"),
		run.yes("trust this project for this run; taken for the sake of clients: no configuration of a project is read", "approve", "a"),

		wire.text("`MODE`: rpc (JSON-RPC), jsonl, or auto (the first line decides)", "mode"),
		wire.yes("speak JSONL, as --mode jsonl does", "jsonl"),
		wire.text("`NAME` of the JSONL dialect: rpi or pi", "dialect"),
		wire.yes("repeat the message so far in each JSONL delta", "partials"),
		wire.number("`N` bytes of the longest line that is read (default: 64 MiB)", "max-frame"),

		rest.text("`LEVEL` of what is told on stderr: debug, info, warn (default) or error", "log-level"),
		rest.yes("print what there is", "help", "h"),
		rest.yes("print the version", "version", "v"),
	}
}

// values finds flags wherever they were given: in front of the rpc command or behind it.
type values struct{ c *cli.Context }

func (v values) at(name string) *cli.Context {
	for _, c := range v.c.Lineage() {
		if c.Command != nil && c.IsSet(name) {
			return c
		}
	}
	return v.c
}

func (v values) str(name string) string { return v.at(name).String(name) }
func (v values) flag(name string) bool  { return v.at(name).Bool(name) }
func (v values) num(name string) int    { return v.at(name).Int(name) }
func (v values) set(name string) bool   { return v.at(name).IsSet(name) }

// read makes settings of the flags. An error is a mistake of whoever called the program.
func read(c *cli.Context, name, command string) (settings, error) {
	v := values{c}
	s := settings{
		call:  call{name: name, command: command, mode: v.str("mode"), jsonl: v.flag("jsonl"), dialect: v.str("dialect")},
		model: v.str("model"), provider: v.str("provider"), thinking: v.str("thinking"),
		endpoint: v.str("endpoint"), keyEnv: v.str("api-key-env"), script: v.str("script"),
		ephemeral: v.flag("ephemeral"), resumeLast: v.flag("continue"),
		session: v.str("session"), sessionDir: v.str("session-dir"), title: v.str("name"),
		root: v.str("root"), system: v.str("system"), appendToSystem: v.str("append-system-prompt"),
		tools: v.at("tools").StringSlice("tools"), maxSteps: v.num("max-iterations"), tokenBudget: v.num("token-budget"),
		approval: core.ApprovalMode(v.str("approval-mode")),
		partials: v.flag("partials"), maxFrame: v.num("max-frame"),
	}
	s.logLevel = slog.LevelWarn
	if level := v.str("log-level"); level != "" {
		if err := s.logLevel.UnmarshalText([]byte(level)); err != nil {
			return s, fmt.Errorf("--log-level: %w", err)
		}
	}
	if limit := v.str("approval-timeout"); limit != "" {
		var err error
		if s.approvalTimeout, err = time.ParseDuration(limit); err != nil || s.approvalTimeout <= 0 {
			return s, fmt.Errorf("--approval-timeout: %q is not a time such as 30s or 5m", limit)
		}
	}
	if c.Args().Present() {
		return s, fmt.Errorf("unexpected argument %q: prompts come over stdin", c.Args().First())
	}
	for _, name := range []string{"max-iterations", "token-budget", "max-frame"} {
		if v.set(name) && v.num(name) < 1 {
			return s, fmt.Errorf("--%s must be at least 1", name)
		}
	}
	return s, s.check()
}

// check finds what the flags cannot mean together.
func (s *settings) check() error {
	exclusive := 0
	for _, set := range []bool{s.ephemeral, s.resumeLast, s.session != ""} {
		if set {
			exclusive++
		}
	}
	switch {
	case exclusive > 1:
		return errors.New("--ephemeral, --continue and --session exclude each other")
	case s.approval != "" && !s.approval.Valid():
		return fmt.Errorf("unknown approval mode %q: it is ask, write or yolo", s.approval)
	case s.thinking != "" && !core.ThinkingLevel(s.thinking).Valid():
		return fmt.Errorf("unknown thinking level %q: it is one of %v", s.thinking, core.ThinkingLevels)
	case s.endpoint != "" && s.model == "":
		return errors.New("--endpoint needs --model: which of the server's models to use")
	case s.keyEnv != "" && s.endpoint == "":
		return errors.New("--api-key-env needs --endpoint")
	}
	return s.findRoot()
}

func (s *settings) findRoot() error {
	root, err := filepath.Abs(s.root)
	if err != nil {
		return fmt.Errorf("--root: %w", err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return fmt.Errorf("--root: %w", err)
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return fmt.Errorf("--root: %s is not a directory", root)
	}
	s.root = root
	return nil
}

// only keeps the tools that --tools names.
func (s settings) only(all []core.Tool) ([]core.Tool, error) {
	if len(s.tools) == 0 {
		return all, nil
	}
	var kept []core.Tool
	var names []string
	for _, t := range all {
		name := t.Spec().Name
		names = append(names, name)
		if slices.Contains(s.tools, name) {
			kept = append(kept, t)
		}
	}
	for _, want := range s.tools {
		if !slices.Contains(names, want) {
			return nil, fmt.Errorf("--tools: there is no tool %q; there are %v", want, names)
		}
	}
	return kept, nil
}
