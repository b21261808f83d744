package kit

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// TestTranscriptsCanBePassed plays each transcript against a server that says what the transcript wants to hear. So every
// transcript can be played, agrees with the invariants, and answers what it sends.
func TestTranscriptsCanBePassed(t *testing.T) {
	for _, p := range []Protocol{JSONRPC, JSONL} {
		list, err := Load(os.DirFS("../transcripts"), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range list {
			t.Run(string(p)+"/"+tr.Name, func(t *testing.T) {
				t.Parallel()
				m := &mirror{tr: tr}
				if err := Play(tr, Target{Name: "mirror", Model: "script", Func: m.serve}, Options{}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// A mirror is a server that knows the transcript.
type mirror struct {
	tr      *Transcript
	work    string
	out     io.Writer
	running bool // a turn has begun and not ended
}

func (m *mirror) serve(ctx context.Context, _, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	i := slices.IndexFunc(env, func(s string) bool { return strings.HasPrefix(s, "GATE=") })
	gate := strings.TrimPrefix(env[i], "GATE=")
	m.work, m.out = filepath.Dir(gate), stdout
	steps, err := parsePlay(m.tr.play, m.tr.Protocol, strings.NewReplacer("$WORK", m.work, "$GATE", gate))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	m.files(steps)
	if m.tr.Protocol == JSONRPC && m.tr.exitCode(steps) != 2 && !m.expectsReady(steps) {
		fmt.Fprintln(stdout, `{"jsonrpc":"2.0","method":"ready","params":{}}`)
	}
	in := bufio.NewReader(stdin)
	for _, s := range steps {
		switch {
		case s.expect != nil:
			m.say(s)
		case s.act != nil && s.act.verb == "open":
			_, _ = os.ReadFile(filepath.Join(gate, s.act.name)) // returns when the gate is opened
		case s.act != nil && s.act.verb == "signal":
			<-ctx.Done()
		case s.act != nil && s.act.verb == "exit":
			return s.act.n
		case s.act == nil:
			_, _ = io.CopyN(io.Discard, in, int64(m.length(s))) // at the end of input there is nothing to answer
		}
	}
	_, _ = io.Copy(io.Discard, in)
	return 0
}

// files makes the files that the transcript looks at.
func (m *mirror) files(steps []step) {
	for _, s := range steps {
		if s.act != nil && (s.act.verb == "file" || s.act.verb == "wait-file") {
			_ = writeFile(filepath.Join(m.work, s.act.name), s.act.text) // the player would miss it
		}
	}
}

func (t *Transcript) exitCode(steps []step) int {
	for _, s := range steps {
		if s.act != nil && s.act.verb == "exit" {
			return s.act.n
		}
	}
	return 0
}

func (m *mirror) expectsReady(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.expect != nil && s.expect[0].value.str("method") == "ready" })
}

// length returns how many bytes the player sends; what is bound has the length of sample's value.
func (m *mirror) length(s step) int {
	n := len(s.raw)
	for _, line := range s.send {
		n += len(boundName.ReplaceAllStringFunc(line, func(s string) string { return string(encode(bound(s[2 : len(s)-1]))) })) + 1
	}
	return n
}

func bound(name string) string { return "bound to " + name }

// say writes the records that s expects, and before them what has to come but is not listened to.
func (m *mirror) say(s step) {
	var texts []string
	for _, e := range s.expect {
		m.begin(e.value)
		o := sample(e.value).(*object)
		text := string(encode(o))
		if e.id != "" && !strings.HasPrefix(e.id, `"@`) {
			text = strings.Replace(text, `"id":`+string(encode(o.vals["id"])), `"id":`+e.id, 1)
		}
		texts = append(texts, text)
	}
	if s.expect[0].batch {
		texts = []string{"[" + strings.Join(texts, ",") + "]"}
	}
	for _, text := range texts {
		fmt.Fprintln(m.out, text)
	}
}

// begin starts a turn where the transcript passes over its start.
func (m *mirror) begin(o *object) {
	start, ends := `{"jsonrpc":"2.0","method":"agent/start","params":{}}`, []string{"agent/end", "agent/error"}
	if m.tr.Protocol == JSONL {
		start, ends = `{"type":"agent_start"}`, []string{"agent_settled"}
	}
	kind := m.tr.Protocol.kind(o)
	of := ofTurn(kind) && o.obj("params").str("state") != "idle" || m.tr.Protocol == JSONL && ofRun(kind)
	isStart := kind == "agent/start" || kind == "agent_start"
	if isEnd := slices.Contains(ends, kind); !m.running && (of || isEnd) {
		fmt.Fprintln(m.out, start)
		m.running = true
	}
	m.running = (m.running || isStart) && !slices.Contains(ends, kind)
}

// sample returns a value that matches want.
func sample(want any) any {
	switch w := want.(type) {
	case *object:
		o := &object{vals: map[string]any{}}
		for _, k := range w.keys {
			if k != moreKey {
				o.keys = append(o.keys, k)
				o.vals[k] = sample(w.vals[k])
			}
		}
		return o
	case []any:
		list := []any{}
		for _, e := range w {
			if e != "@rest" && e != "@some" {
				list = append(list, sample(e))
			}
		}
		return list
	case string:
		return sampleString(w)
	}
	return want
}

func sampleString(want string) any {
	name, arg, _ := strings.Cut(want, ":")
	switch {
	case name == "@any":
		return nil
	case name == "@string":
		return "text"
	case name == "@number":
		return 1
	case name == "@bool":
		return true
	case name == "@bind":
		return bound(arg)
	case name == "@re":
		re, err := syntax.Parse(arg, syntax.Perl)
		if err != nil {
			return err.Error()
		}
		return sampleRegexp(re)
	case strings.HasPrefix(name, "@@"):
		return want[1:]
	case regexp.MustCompile(`^@\w+$`).MatchString(want):
		return bound(want[1:])
	}
	return want
}

// sampleRegexp returns a string that re matches, for the kinds of regular expressions that transcripts use.
func sampleRegexp(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCharClass:
		return string(re.Rune[:1])
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return sampleRegexp(re.Sub[0])
	case syntax.OpConcat:
		s := ""
		for _, sub := range re.Sub {
			s += sampleRegexp(sub)
		}
		return s
	}
	return ""
}
