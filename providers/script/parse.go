package script

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dualagent/agent/core"
)

// A kind is what a step does.
type kind int

const (
	say kind = iota
	think
	call
	usage
	wait
	gate
	fail
	cut
	panics
	stop
)

// A step is an instruction that is part of a reply.
type step struct {
	kind    kind
	name    string // of call
	text    string // what is said; arguments of call, path of gate, reason of stop
	n       int    // times of say, pieces of call, status of fail
	in, out int    // of usage
	wait    time.Duration
}

// instructions are those that make steps. If apart, a call before it has ended the reply.
var instructions = map[string]struct {
	kind  kind
	apart bool
	parse func(*step, *words) error
}{
	"say":    {say, true, func(s *step, w *words) error { s.n = 1; return w.text(&s.text) }},
	"think":  {think, true, func(s *step, w *words) error { return w.text(&s.text) }},
	"repeat": {say, true, func(s *step, w *words) error { return cmp.Or(w.number(&s.n, 0), w.text(&s.text)) }},
	"call":   {call, false, func(s *step, w *words) error { s.n = 1; return parseCall(s, w) }},
	"usage":  {usage, false, func(s *step, w *words) error { return cmp.Or(w.number(&s.in, 0), w.number(&s.out, 0)) }},
	"wait":   {wait, true, func(s *step, w *words) error { return w.duration(&s.wait) }},
	"gate":   {gate, true, func(s *step, w *words) error { return w.all(&s.text, "a path") }},
	"fail":   {fail, true, parseFail},
	"cut":    {cut, true, func(*step, *words) error { return nil }},
	"panic":  {panics, false, func(s *step, w *words) error { return w.text(&s.text) }},
	"stop":   {stop, false, parseStop},
}

// Parse returns the script in text. Errors begin with name and the number of the line.
func Parse(name string, text []byte) (*Script, error) {
	p := &parser{script: &Script{name: name}}
	for i, line := range bytes.Split(text, []byte{'\n'}) {
		if err := p.line(string(bytes.TrimSpace(line))); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	p.end()
	if len(p.script.models) == 0 {
		p.script.models = []core.Model{model("script-1")}
		p.script.models[0].Reasoning = true
	}
	return p.script, nil
}

func model(id string) core.Model {
	return core.Model{ID: id, Name: id, API: API, Provider: Name, ContextWindow: defaultWindow}
}

// A parser cuts instructions into replies.
type parser struct {
	script *Script
	reply  []step
	begun  bool // an instruction of a reply has come
	called bool // reply has a call
	broken bool // reply ends in a failure
}

func (p *parser) line(line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if !utf8.ValidString(line) {
		return errors.New("the line is not UTF-8")
	}
	w := &words{rest: line}
	word := w.next()
	switch {
	case p.script.loop:
		return errors.New("nothing may come after loop")
	case word == "model":
		return p.model(w)
	case word == "loop":
		p.end()
		p.script.loop = true
		if len(p.script.replies) == 0 {
			return errors.New("loop needs a reply to begin again with")
		}
		return w.end()
	case word == "next":
		p.begun = true
		p.script.replies = append(p.script.replies, p.reply)
		p.reply, p.called, p.broken = nil, false, false
		return w.end()
	default:
		return p.step(word, w)
	}
}

// step adds an instruction to a reply.
func (p *parser) step(word string, w *words) error {
	word, pieces, inPieces := strings.Cut(word, "/")
	in, ok := instructions[word]
	if !ok || inPieces && in.kind != call {
		return fmt.Errorf("unknown instruction %q", word)
	}
	s := step{kind: in.kind}
	if err := in.parse(&s, w); err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	if err := w.end(); err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	if inPieces {
		if err := (&words{rest: pieces}).number(&s.n, 1); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
	}
	if p.called && in.apart || p.broken {
		p.end()
	}
	p.begun = true
	p.reply = append(p.reply, s)
	p.called = p.called || s.kind == call
	p.broken = s.kind == fail || s.kind == cut || s.kind == panics
	return nil
}

// end completes the reply, if there is one.
func (p *parser) end() {
	if len(p.reply) > 0 {
		p.script.replies = append(p.script.replies, p.reply)
	}
	p.reply, p.called, p.broken = nil, false, false
}

func (p *parser) model(w *words) error {
	if p.begun {
		return errors.New("model: declare models before the first reply")
	}
	m := model(w.next())
	if m.ID == "" {
		return errors.New("model: the id is missing")
	}
	if slices.ContainsFunc(p.script.models, func(o core.Model) bool { return o.ID == m.ID }) {
		return fmt.Errorf("model: %s is declared twice", m.ID)
	}
	for word := w.next(); word != ""; word = w.next() {
		switch word {
		case "reasoning":
			m.Reasoning = true
		case "images":
			m.Images = true
		case "window":
			if err := w.number(&m.ContextWindow, 1); err != nil {
				return fmt.Errorf("model: window: %w", err)
			}
		default:
			return fmt.Errorf("model: %q is none of reasoning, images and window", word)
		}
	}
	p.script.models = append(p.script.models, m)
	return nil
}

func parseCall(s *step, w *words) error {
	if s.name = w.next(); s.name == "" {
		return errors.New("the name of the tool is missing")
	}
	s.text, w.rest = w.rest, ""
	return nil
}

func parseFail(s *step, w *words) error {
	if err := cmp.Or(w.number(&s.n, 0), w.text(&s.text)); err != nil {
		return err
	}
	if s.n < 400 || s.n > 599 {
		return fmt.Errorf("the status must be from 400 to 599, not %d", s.n)
	}
	if w.rest == "" {
		return nil
	}
	if word := w.next(); word != "retry-after" {
		return fmt.Errorf("want retry-after or nothing, not %q", word)
	}
	return w.duration(&s.wait)
}

func parseStop(s *step, w *words) error {
	switch s.text = w.next(); core.StopReason(s.text) {
	case core.StopEnd, core.StopLength, core.StopTools:
		return nil
	default:
		return fmt.Errorf("want stop, length or tools, not %q", s.text)
	}
}
