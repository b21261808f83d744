package kit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Options are how to play; zero fields mean the defaults.
type Options struct {
	Timeout time.Duration // for one expectation; 10 s
	Keys    bool          // compare the order of keys, too
	Trace   io.Writer     // gets every line that is sent and received
}

func (o Options) timeout() time.Duration {
	if o.Timeout <= 0 {
		return 10 * time.Second
	}
	return o.Timeout
}

// Run plays every transcript of the protocol in fsys as a parallel subtest. A transcript that the target is known to fail
// must fail.
func Run(t *testing.T, target Target, p Protocol, fsys fs.FS, opt Options) {
	t.Helper()
	list, err := Load(fsys, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("there are no %s transcripts", p)
	}
	for _, tr := range list {
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			r := Check(tr, target, opt)
			if r.Unexpected() {
				t.Error(r)
			}
		})
	}
}

// A world is what surrounds the server in one run.
type world struct {
	root      string
	workspace string
	home      string
	gates     *gates
	script    string       // the model section
	model     *modelServer // nil if the target plays script files
	modelID   string
	vars      *strings.Replacer // for $WORK and $GATE
}

var callLine = regexp.MustCompile(`(?m)^(\s*call(?:/\d+)?\s+)(\S+)`)

func newWorld(tr *Transcript, target *Target) (*world, error) {
	root, err := os.MkdirTemp("", "conform-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	w := &world{root: root, workspace: filepath.Join(root, "work"), home: filepath.Join(root, "home")}
	// Gates are inside the workspace so that reading one needs no approval.
	gateDir := filepath.Join(w.workspace, ".gate")
	w.vars = strings.NewReplacer("$WORK", w.workspace, "$GATE", gateDir)
	for name, text := range tr.files {
		if err := writeFile(filepath.Join(w.workspace, filepath.FromSlash(name)), text); err != nil {
			return w, err
		}
	}
	for _, dir := range []string{w.workspace, w.home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return w, err
		}
	}
	if w.gates, err = newGates(gateDir, tr.gates); err != nil {
		return w, err
	}
	if err := w.setModel(tr, target); err != nil {
		return w, err
	}
	for name, text := range target.Files {
		if err := writeFile(filepath.Join(w.home, filepath.FromSlash(name)), w.fill([]string{text})[0]); err != nil {
			return w, err
		}
	}
	return w, nil
}

func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// setModel starts the model server or writes the script file.
func (w *world) setModel(tr *Transcript, target *Target) error {
	text := callLine.ReplaceAllStringFunc(w.vars.Replace(tr.model.text), func(s string) string {
		m := callLine.FindStringSubmatch(s)
		if name := target.Tools[m[2]]; name != "" {
			return m[1] + name
		}
		return s
	})
	script, err := ParseScript(text)
	if err != nil {
		return err
	}
	w.modelID = script.Models[0].ID
	if target.Model == "script" {
		w.script = filepath.Join(w.root, "script")
		return os.WriteFile(w.script, []byte(text), 0o600)
	}
	w.model = newModelServer(script, w.gates)
	return nil
}

// fill replaces the placeholders of a target.
func (w *world) fill(list []string) []string {
	url := ""
	if w.model != nil {
		url = w.model.url()
	}
	r := strings.NewReplacer("{model_url}", url, "{model}", w.modelID, "{script}", w.script, "{workspace}", w.workspace, "{home}", w.home)
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = w.vars.Replace(r.Replace(s))
	}
	return out
}

func (w *world) env(target *Target, tr *Transcript) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + w.home,
		"TMPDIR=" + w.root,
		"LANG=C.UTF-8",
		"GATE=" + filepath.Join(w.workspace, ".gate"),
	}
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		env = append(env, "GOCOVERDIR="+dir)
	}
	return append(env, w.fill(slices.Concat(target.Env, tr.env))...)
}

func (w *world) close() {
	if w == nil {
		return
	}
	if w.model != nil {
		w.model.close()
	}
	if w.gates != nil {
		w.gates.close()
	}
	_ = os.RemoveAll(w.root) // what is left of a server may still write to it
}

// Play plays one transcript and returns nil or, if the server differs from it, a *Failure.
func Play(tr *Transcript, target Target, opt Options) error {
	if err := target.Validate(); err != nil {
		return err
	}
	w, err := newWorld(tr, &target)
	defer w.close()
	if err != nil {
		return fmt.Errorf("%s: %w", tr.File, err)
	}
	steps, err := parsePlay(tr.play, tr.Protocol, w.vars)
	if err != nil {
		return atLine(tr.File, 0, err)
	}
	kind := target.Model
	if kind == "" {
		kind = "http"
	}
	args := w.fill(slices.Concat(target.Args[kind], tr.flags))
	proc, err := target.start(tr.Protocol, args, w.env(&target, tr), w.workspace)
	if err != nil {
		return err
	}
	defer proc.stop()
	ignore := tr.ignore
	if ignore == nil {
		ignore = tr.Protocol.ignored()
	}
	p := &player{
		tr: tr, opt: opt, order: target.Order, proc: proc, out: readStream(proc.stdout), rules: newInvariants(tr.Protocol),
		match: matcher{keys: opt.Keys, tools: target.Tools, may: target.Optional}, world: w, ignore: slices.Concat(ignore, target.Ignore),
	}
	err = p.play(steps)
	var f *Failure
	if errors.As(err, &f) {
		proc.stop() // stderr is complete only then
		f.Stderr = proc.stderr.String()
	}
	return err
}
