package kit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// act carries out a line that begins with "!".
func (p *player) act(s step) error {
	a := s.act
	var err error
	switch a.verb {
	case "open":
		p.world.gates.release(a.name)
	case "eof":
		p.eof = true
		err = p.proc.stdin.Close()
	case "signal":
		err = p.proc.signal(signals[a.name])
	case "more":
		p.more = true
	case "exit":
		return p.exit(s.line, a.n)
	case "line":
		if !bytes.Contains(p.last, []byte(a.text)) {
			err = fmt.Errorf("the line of the last record has no such bytes: %s", shorten(string(p.last)))
		}
	case "file":
		err = p.file(a)
	case "wait-file":
		err = p.waitFile(a.name)
	case "asked":
		err = p.world.asked(a.n, a.text)
	case "requests":
		err = p.world.requests(a.n)
	}
	if err != nil {
		return p.fail(s.line, "! "+a.plain, err)
	}
	return nil
}

func (p *player) file(a *action) error {
	got, err := os.ReadFile(filepath.Join(p.world.workspace, filepath.FromSlash(a.name)))
	if err != nil {
		return err
	}
	if string(got) != a.text {
		return fmt.Errorf("%s has %q", a.name, shorten(string(got)))
	}
	return nil
}

// waitFile looks again and again, because there is no portable way to be told.
func (p *player) waitFile(name string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(p.opt.timeout())
	for {
		_, err := os.Stat(filepath.Join(p.world.workspace, filepath.FromSlash(name)))
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit:
			return fmt.Errorf("the file has not come into being for %v: %w", p.opt.timeout(), err)
		}
	}
}

// asked checks the n-th request to the model. With a script file nobody sees the requests.
func (w *world) asked(n int, text string) error {
	if w.model == nil {
		return nil
	}
	requests, _ := w.model.asked()
	if n > len(requests) {
		return fmt.Errorf("there have been only %d requests to the model", len(requests))
	}
	v, err := decode([]byte(requests[n-1]))
	if err != nil {
		return fmt.Errorf("request %d is not JSON: %w", n, err)
	}
	if !holds(v, text) {
		return fmt.Errorf("request %d has no %q in it: %s", n, text, shorten(requests[n-1]))
	}
	return nil
}

// holds reports whether one of the strings in v contains text.
func holds(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		for _, e := range v {
			if holds(e, text) {
				return true
			}
		}
	case *object:
		for _, e := range v.vals {
			if holds(e, text) {
				return true
			}
		}
	}
	return false
}

func (w *world) requests(n int) error {
	if w.model == nil {
		return nil
	}
	if requests, _ := w.model.asked(); len(requests) != n {
		return fmt.Errorf("there have been %d requests to the model", len(requests))
	}
	return nil
}

// faults reports what was wrong with the requests to the model.
func (w *world) faults(p *player, line int) error {
	if w.model == nil {
		return nil
	}
	if _, faults := w.model.asked(); len(faults) > 0 {
		return p.fail(line, "", errors.New(strings.Join(faults, "; ")))
	}
	return nil
}
