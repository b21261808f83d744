package fakeserver

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An answer is a parsed script.
type answer struct {
	status int
	header http.Header
	steps  []step
}

type kind int

const (
	write kind = iota // and flush
	wait
	gate
	hang
	reset
)

type step struct {
	kind  kind
	text  string
	pause time.Duration
}

// parse takes a script up to "! close".
func parse(text string) (answer, error) {
	a := answer{status: http.StatusOK, header: http.Header{}}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "! close" {
			break
		}
		if line == "" {
			continue
		}
		if err := a.add(line); err != nil {
			return a, fmt.Errorf("line %d, %q: %w", i+1, line, err)
		}
	}
	return a, nil
}

func (a *answer) add(line string) (err error) {
	if rest, ok := strings.CutPrefix(line, "! status "); ok {
		a.status, err = strconv.Atoi(rest)
		return err
	}
	if rest, ok := strings.CutPrefix(line, "! header "); ok {
		name, value, found := strings.Cut(rest, ": ")
		if !found {
			return errors.New("want a name, a colon, a space and a value")
		}
		a.header.Set(name, value)
		return nil
	}
	s, err := parseStep(line)
	a.steps = append(a.steps, s)
	return err
}

func parseStep(line string) (step, error) {
	if delta, ok := strings.CutPrefix(line, "OA"); ok {
		return step{text: chunk(delta, "null")}, nil
	}
	if reason, ok := strings.CutPrefix(line, "FIN("); ok {
		return step{text: chunk("{}", strconv.Quote(strings.TrimSuffix(reason, ")")))}, nil
	}
	if line == "DONE" {
		return step{text: "data: [DONE]\n\n"}, nil
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case ">":
		text, err := strconv.Unquote(rest)
		return step{text: text}, err
	case "~":
		d, err := time.ParseDuration(rest)
		return step{kind: wait, pause: d}, err
	}
	switch line {
	case "! flush":
		return step{}, nil
	case "! gate":
		return step{kind: gate}, nil
	case "! hang":
		return step{kind: hang}, nil
	case "! rst":
		return step{kind: reset}, nil
	}
	return step{}, errors.New("unknown step")
}

// chunk returns a chat completions chunk as an event.
func chunk(delta, reason string) string {
	return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta +
		`,"finish_reason":` + reason + "}]}\n\n"
}

// A Shape cuts the writes of a script in another way, or changes their line ends. The client must not see a difference.
type Shape func([]step) []step

// AsWritten plays scripts as they are.
func AsWritten(steps []step) []step { return steps }

// OneByte writes each byte by itself.
func OneByte(steps []step) []step {
	var out []step
	for _, s := range steps {
		if s.kind != write || s.text == "" {
			out = append(out, s)
			continue
		}
		for i := range len(s.text) {
			out = append(out, step{text: s.text[i : i+1]})
		}
	}
	return out
}

// OneWrite writes all bytes up to a hang, a reset or the end at once, without the waits.
func OneWrite(steps []step) []step {
	var out []step
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out = append(out, step{text: text.String()})
			text.Reset()
		}
	}
	for _, s := range steps {
		switch s.kind {
		case write:
			text.WriteString(s.text)
		case wait:
		default:
			flush()
			out = append(out, s)
		}
	}
	flush()
	return out
}

// CRLF ends each line with CRLF that ended with LF.
func CRLF(steps []step) []step {
	var out []step
	var last byte
	for _, s := range steps {
		if s.kind == write {
			var text strings.Builder
			for i := range len(s.text) {
				if s.text[i] == '\n' && last != '\r' {
					text.WriteByte('\r')
				}
				last = s.text[i]
				text.WriteByte(last)
			}
			s.text = text.String()
		}
		out = append(out, s)
	}
	return out
}

// Shapes are all of them by name.
var Shapes = map[string]Shape{"as written": AsWritten, "one byte a write": OneByte, "one write": OneWrite, "CRLF": CRLF}
