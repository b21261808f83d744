package kit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A step is one thing to do, in the order of the transcript. Exactly one of its parts is used.
type step struct {
	line   int
	group  bool          // of expectations in any order
	send   []string      // lines for one write; bound values are filled in when they are sent
	raw    string        // bytes for one write
	expect []expectation // records, in any order if there are several
	act    *action
}

// An expectation is what a record should be.
type expectation struct {
	line  int
	text  string
	value *object
	id    string // the bytes of its id
	batch bool   // the record is part of an array
}

// An action is a line that begins with "!".
type action struct {
	verb  string
	name  string
	text  string
	n     int
	plain string // the line
}

// parsePlay reads the lines of a play section. vars are what $WORK and $GATE stand for.
func parsePlay(s section, p Protocol, vars *strings.Replacer) ([]step, error) {
	var steps []step
	line := s.line - 1
	for text := range strings.Lines(s.text) {
		line++
		text = vars.Replace(strings.TrimSuffix(text, "\n"))
		mark, rest, _ := strings.Cut(text, " ")
		var err error
		switch {
		case strings.TrimSpace(text) == "" || strings.HasPrefix(mark, "#"):
		case mark == ">":
			steps = append(steps, step{line: line, send: []string{rest}})
		case mark == ">|":
			if n := len(steps); n > 0 && steps[n-1].send != nil {
				steps[n-1].send = append(steps[n-1].send, rest)
			} else {
				err = errors.New(">| must follow > or >|")
			}
		case mark == ">raw":
			var raw string
			if raw, rest, err = quoted(rest); err == nil {
				steps, err = append(steps, step{line: line, raw: raw}), nothingAfter(rest)
			}
		case mark == "<" || mark == "~":
			steps, err = addExpectation(steps, p, mark, line, rest)
		case mark == "!":
			var a *action
			a, err = parseAction(rest)
			steps = append(steps, step{line: line, act: a})
		default:
			err = fmt.Errorf("%q begins with none of > >| >raw < ~ ! #", text)
		}
		if err != nil {
			return nil, &lineError{line, err}
		}
	}
	return steps, nil
}

// addExpectation appends one, or adds it to the group or the text before it.
func addExpectation(steps []step, p Protocol, mark string, line int, text string) ([]step, error) {
	v, err := decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the expectation is not JSON: %w", err)
	}
	if _, ok := v.([]any); ok && mark == "<" {
		return addBatch(steps, line, text)
	}
	o, ok := v.(*object)
	if !ok {
		return nil, errors.New("the expectation must be a JSON object")
	}
	e := expectation{line: line, text: text, value: o, id: rawID([]byte(text))}
	n := len(steps)
	switch {
	case mark == "~" && n > 0 && steps[n-1].group && !steps[n-1].expect[0].batch:
		steps[n-1].expect = append(steps[n-1].expect, e)
		return steps, nil
	case mark == "~":
		return append(steps, step{line: line, group: true, expect: []expectation{e}}), nil
	case n > 0 && len(steps[n-1].expect) == 1 && !steps[n-1].group:
		if joined, ok := joinExpectations(p, steps[n-1].expect[0], e); ok {
			steps[n-1].expect[0] = joined
			return steps, nil
		}
	}
	return append(steps, step{line: line, expect: []expectation{e}}), nil
}

// addBatch appends the expectations of an array, whose elements may come in any order.
func addBatch(steps []step, line int, text string) ([]step, error) {
	recs, err := parseBatch([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the expectation: %w", err)
	}
	s := step{line: line, group: true}
	for _, r := range recs {
		s.expect = append(s.expect, expectation{line: line, text: text, value: r.object, id: r.id, batch: true})
	}
	return append(steps, s), nil
}

// joinExpectations makes one of two neighbouring pieces of the same plain text.
func joinExpectations(p Protocol, a, b expectation) (expectation, bool) {
	if p.takesAll(a.value) || p.takesAll(b.value) {
		return a, false
	}
	joined, ok := p.join(record{object: a.value}, record{object: b.value})
	if !ok {
		return a, false
	}
	a.value, a.text = joined.object, string(joined.text)
	return a, true
}

func parseAction(text string) (*action, error) {
	verb, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	a := &action{verb: verb, plain: text}
	var err error
	switch verb {
	case "eof", "more":
		err = nothingAfter(rest)
	case "open", "wait-file":
		a.name, err = rest, oneWord(rest)
	case "signal":
		a.name = rest
		if signals[rest] == nil {
			err = fmt.Errorf("unknown signal %q; use TERM, INT or HUP", rest)
		}
	case "exit", "requests":
		a.n, err = strconv.Atoi(rest)
	case "line":
		a.text, rest, err = quoted(rest)
		err = errors.Join(err, nothingAfter(rest))
	case "file":
		a.name, rest, _ = strings.Cut(rest, " ")
		a.text, rest, err = quoted(rest)
		err = errors.Join(err, nothingAfter(rest))
	case "asked":
		var number string
		number, rest, _ = strings.Cut(rest, " ")
		var errN error
		a.n, errN = strconv.Atoi(number)
		a.text, rest, err = quoted(rest)
		err = errors.Join(errN, err, nothingAfter(rest))
	default:
		err = fmt.Errorf("unknown action %q; use open, eof, signal, exit, more, line, file, wait-file, asked or requests", verb)
	}
	return a, err
}

func oneWord(s string) error {
	if s == "" || strings.ContainsAny(s, " \t") {
		return fmt.Errorf("want one name, got %q", s)
	}
	return nil
}

func nothingAfter(rest string) error {
	if strings.TrimSpace(rest) != "" {
		return fmt.Errorf("%q is too much", strings.TrimSpace(rest))
	}
	return nil
}
