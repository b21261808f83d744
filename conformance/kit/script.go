package kit

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Script is what a model says, reply by reply. The format is described in the package comment.
type Script struct {
	Models  []ScriptModel // never empty
	Replies []Reply
	Loop    bool // start again after the last reply
}

// A ScriptModel is a model on offer.
type ScriptModel struct {
	ID        string
	Reasoning bool
	Images    bool
	Window    int // tokens, 0 if not said
}

// A Reply is what answers one request.
type Reply []Instruction

// An Instruction is one line of a script. Op is its first word; which other fields it uses follows from that.
type Instruction struct {
	Op         string
	Name       string // of the tool of call, of stop's reason
	Text       string // also the arguments of call and the path of gate
	N          int    // pieces of call, times of repeat, status of fail
	In, Out    int
	Wait       time.Duration // also fail's retry-after
	SourceLine int
}

// ParseScript reads a model section or a script file.
func ParseScript(text string) (*Script, error) {
	s := &Script{}
	b := replyBuilder{}
	line := 0
	for l := range strings.Lines(text) {
		line++
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		in, err := parseInstruction(l)
		if err == nil && in.Op == "model" {
			err = s.addModel(l)
		}
		if err != nil {
			return nil, &lineError{line, err}
		}
		in.SourceLine = line
		switch in.Op {
		case "model":
		case "loop":
			s.Loop = true
		default:
			b.add(in)
		}
	}
	s.Replies = b.all()
	if len(s.Models) == 0 {
		s.Models = []ScriptModel{{ID: "scripted"}}
	}
	return s, nil
}

// A replyBuilder cuts instructions into replies.
type replyBuilder struct {
	done   []Reply
	now    Reply
	called bool // now has a call
	broken bool // now has ended with fail or cut
}

func (b *replyBuilder) add(in Instruction) {
	if in.Op == "next" {
		b.end()
		return
	}
	switch in.Op {
	case "call", "usage", "stop":
	default:
		if b.called {
			b.end()
		}
	}
	if b.broken {
		b.end()
	}
	b.now = append(b.now, in)
	b.called = b.called || in.Op == "call"
	b.broken = in.Op == "fail" || in.Op == "cut"
}

func (b *replyBuilder) end() {
	b.done = append(b.done, b.now)
	b.now, b.called, b.broken = nil, false, false
}

func (b *replyBuilder) all() []Reply {
	if len(b.now) > 0 {
		b.end()
	}
	return b.done
}

func parseInstruction(line string) (Instruction, error) {
	op, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	in := Instruction{Op: op}
	var err error
	if pieces, ok := strings.CutPrefix(op, "call/"); ok {
		in.Op = "call"
		in.N, err = atLeast(1, pieces)
	}
	switch in.Op {
	case "say", "think":
		in.Text, rest, err = quoted(rest)
		err = errors.Join(err, nothingAfter(rest))
	case "repeat":
		n, text, _ := strings.Cut(rest, " ")
		in.N, err = atLeast(0, n)
		var errText error
		in.Text, rest, errText = quoted(text)
		err = errors.Join(err, errText, nothingAfter(rest))
	case "call":
		in.Name, in.Text, _ = strings.Cut(rest, " ")
		in.N = max(in.N, 1)
		if in.Name == "" {
			err = errors.New("call needs the name of a tool")
		}
	case "usage":
		first, second, _ := strings.Cut(rest, " ")
		var errOut error
		in.In, err = atLeast(0, first)
		in.Out, errOut = atLeast(0, strings.TrimSpace(second))
		err = errors.Join(err, errOut)
	case "wait":
		in.Wait, err = time.ParseDuration(rest)
	case "gate":
		in.Text, err = rest, oneWord(rest)
	case "fail":
		err = in.parseFail(rest)
	case "stop":
		in.Name = rest
		if rest != "length" && rest != "stop" && rest != "tools" {
			err = fmt.Errorf("unknown reason %q; use length, stop or tools", rest)
		}
	case "cut", "next", "loop":
		err = nothingAfter(rest)
	case "model":
	default:
		err = fmt.Errorf("unknown instruction %q; use say, think, repeat, call, usage, wait, gate, fail, cut, stop, next, model or loop", op)
	}
	return in, err
}

// parseFail reads STATUS "TEXT" [retry-after D].
func (in *Instruction) parseFail(rest string) error {
	status, rest, _ := strings.Cut(rest, " ")
	n, err := atLeast(400, status)
	if err != nil || n > 599 {
		return fmt.Errorf("fail needs a status from 400 to 599, got %q", status)
	}
	in.N = n
	if in.Text, rest, err = quoted(rest); err != nil {
		return err
	}
	if after, ok := strings.CutPrefix(strings.TrimSpace(rest), "retry-after "); ok {
		in.Wait, err = time.ParseDuration(strings.TrimSpace(after))
		return err
	}
	return nothingAfter(rest)
}

// addModel reads "model ID [reasoning] [images] [window N]".
func (s *Script) addModel(line string) error {
	words := strings.Fields(line)[1:]
	if len(words) == 0 {
		return errors.New("model needs an id")
	}
	m := ScriptModel{ID: words[0]}
	for words = words[1:]; len(words) > 0; words = words[1:] {
		switch {
		case words[0] == "reasoning":
			m.Reasoning = true
		case words[0] == "images":
			m.Images = true
		case words[0] == "window" && len(words) > 1:
			n, err := atLeast(1, words[1])
			if err != nil {
				return err
			}
			m.Window, words = n, words[1:]
		default:
			return fmt.Errorf("model %s: %q is none of reasoning, images, window N", m.ID, words[0])
		}
	}
	s.Models = append(s.Models, m)
	return nil
}

func atLeast(least int, s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least {
		return 0, fmt.Errorf("want a number from %d, got %q", least, s)
	}
	return n, nil
}

// quoted takes a double-quoted string, with Go's or JSON's escapes, off the front of s.
func quoted(s string) (text, rest string, err error) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, `"`) {
		return "", s, fmt.Errorf("want a double-quoted string, got %q", s)
	}
	if prefix, err := strconv.QuotedPrefix(s); err == nil {
		text, err = strconv.Unquote(prefix)
		return text, s[len(prefix):], err
	}
	d := json.NewDecoder(strings.NewReader(s))
	if err := d.Decode(&text); err != nil {
		return "", s, fmt.Errorf("bad string %s: %w", s, err)
	}
	return text, s[d.InputOffset():], nil
}
