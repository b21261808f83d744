package kit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A player carries out the steps of one run.
type player struct {
	tr      *Transcript
	opt     Options
	order   Order
	proc    *process
	out     *stream
	match   matcher
	rules   invariants
	world   *world
	ignore  []string
	waiting []record // read, but not matched yet
	since   []string // lines since the last match, for people
	last    []byte   // the line of the last match
	taking  *record  // a piece whose text was matched by a wildcard: what follows belongs to it
	eof     bool     // standard input is closed
	exited  bool     // the exit was part of the transcript
	more    bool
}

func (p *player) fail(line int, want string, why error) *Failure {
	return &Failure{File: p.tr.File, Line: line, Want: want, Why: why.Error(), Since: p.since}
}

// play carries out the steps and then waits for the end of the server.
func (p *player) play(steps []step) error {
	line := p.tr.play.line
	for _, s := range steps {
		line = s.line
		var err error
		switch {
		case s.expect != nil:
			err = p.expect(s.expect)
		case s.act != nil:
			err = p.act(s)
		default:
			err = p.send(s)
		}
		if err != nil {
			return err
		}
	}
	return p.finish(line)
}

func (p *player) deadline() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), p.opt.timeout())
}

func (p *player) send(s step) error {
	data := s.raw
	for _, line := range s.send {
		data += p.match.fill(line) + "\n"
	}
	p.rules.sent(data)
	p.trace('>', data)
	ctx, cancel := p.deadline()
	defer cancel()
	written := make(chan error, 1)
	go func() { // ends when the server reads or stops
		_, err := io.WriteString(p.proc.stdin, data)
		written <- err
	}()
	var err error
	select {
	case err = <-written:
	case <-ctx.Done():
		err = fmt.Errorf("the server has not read its input for %v", p.opt.timeout())
	}
	if err != nil {
		return p.fail(s.line, shorten(data), fmt.Errorf("send: %w", err))
	}
	return nil
}

// expect waits for the records of one step.
func (p *player) expect(open []expectation) error {
	open = slices.Clone(open)
	var part *record // a piece that is not yet the whole text
	for len(open) > 0 {
		rec, err := p.next(open)
		if err != nil {
			return p.expectFailure(open[0], err)
		}
		if part != nil {
			joined, ok := p.tr.Protocol.join(*part, rec)
			if !ok {
				return p.fail(open[0].line, open[0].text, errors.New("the text goes no further than this"))
			}
			rec = joined
		}
		at, more, why := p.try(open, rec)
		switch {
		case at >= 0:
			if p.tr.Protocol.takesAll(open[at].value) {
				p.taking = &rec
			}
			p.last = rec.text
			open, part, p.since = slices.Delete(open, at, at+1), nil, nil
		case more:
			part = &rec
		default:
			return p.fail(open[0].line, wants(open), why)
		}
	}
	return nil
}

func (p *player) expectFailure(want expectation, err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("nothing has come for %v", p.opt.timeout())
	case errors.Is(err, io.EOF):
		err = errors.New("the output has ended")
	}
	return p.fail(want.line, want.text, err)
}

// try returns which expectation rec meets, or else whether it may become one if more text follows.
func (p *player) try(open []expectation, rec record) (at int, more bool, why error) {
	for i, want := range open {
		err := p.match.record(want, rec)
		if err == nil {
			return i, false, nil
		}
		more = more || p.tr.Protocol.wantsMore(want.value, rec.object)
		if why == nil {
			why = err
		}
	}
	if len(open) > 1 {
		why = errors.New("the record is none of those that may come here")
	}
	return -1, more, why
}

func wants(open []expectation) string {
	texts := make([]string, len(open))
	for i, want := range open {
		texts[i] = want.text
	}
	return strings.Join(texts, "\n     or ")
}

// next returns the next record, or with Lanes the next one that has its place where one of open stands.
func (p *player) next(open []expectation) (record, error) {
	for i := 0; ; i++ {
		if i == len(p.waiting) {
			if err := p.read(); err != nil {
				return record{}, err
			}
		}
		if i == len(p.waiting) {
			i-- // what was read is to be passed over
			continue
		}
		rec := p.waiting[i]
		if p.order == Lanes && !p.hasPlace(rec, open) {
			continue
		}
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return rec, nil
	}
}

// hasPlace reports whether an expectation is on the lane of rec: that of the events, or that of the answers with its id.
func (p *player) hasPlace(rec record, open []expectation) bool {
	reply := p.tr.Protocol.isReply(rec.object)
	for _, want := range open {
		if p.tr.Protocol.isReply(want.value) == reply && (!reply || want.id == rec.id || strings.HasPrefix(want.id, `"@`)) {
			return true
		}
	}
	return false
}

// read takes one line of output and appends to waiting what is in it and not to be passed over.
func (p *player) read() error {
	ctx, cancel := p.deadline()
	defer cancel()
	line, err := p.out.next(ctx)
	if err != nil {
		return err
	}
	p.trace('<', string(line)+"\n")
	recs, err := parseRecords(line)
	if err != nil {
		p.since = append(p.since, shorten(string(line)))
		return err
	}
	for _, rec := range recs {
		err := p.rules.record(rec)
		ignored := slices.Contains(p.ignore, p.tr.Protocol.kind(rec.object))
		if err != nil || !ignored {
			p.since = append(p.since, shorten(string(line)))
		}
		if err != nil {
			return fmt.Errorf("always: %w", err)
		}
		if ignored || p.goesOn(rec) {
			continue
		}
		p.waiting = append(p.waiting, rec)
	}
	return nil
}

// goesOn reports whether rec is more of a text that a wildcard has taken.
func (p *player) goesOn(rec record) bool {
	if p.taking == nil {
		return false
	}
	if joined, ok := p.tr.Protocol.join(*p.taking, rec); ok {
		p.taking = &joined
		return true
	}
	if !p.tr.Protocol.isReply(rec.object) {
		p.taking = nil
	}
	return false
}

// finish closes standard input and checks how the server ends.
func (p *player) finish(line int) error {
	if !p.exited {
		if !p.eof {
			_ = p.proc.stdin.Close() // the server may be gone
		}
		if err := p.exit(line, 0); err != nil {
			return err
		}
	}
	if p.proc.code == 0 {
		if err := p.rules.end(); err != nil {
			return p.fail(line, "", fmt.Errorf("always: %w", err))
		}
	}
	return p.world.faults(p, line)
}

// exit waits for the end of the server, which must come with this code and without further records.
func (p *player) exit(line, code int) error {
	p.exited = true
	for {
		err := p.read()
		if len(p.waiting) > 0 && !p.more {
			return p.fail(line, "", errors.New("a record that nobody expected"))
		}
		p.waiting = nil
		if errors.Is(err, io.EOF) {
			break
		} else if errors.Is(err, context.DeadlineExceeded) {
			return p.fail(line, "", fmt.Errorf("the server neither ends nor says anything for %v", p.opt.timeout()))
		} else if err != nil {
			return p.fail(line, "", err)
		}
	}
	<-p.proc.exited // output ends only then
	if p.proc.code != code {
		return p.fail(line, "", fmt.Errorf("want exit code %d, got %d", code, p.proc.code))
	}
	return nil
}

func (p *player) trace(mark rune, data string) {
	if p.opt.Trace == nil {
		return
	}
	for line := range strings.Lines(data) {
		fmt.Fprintf(p.opt.Trace, "%c %s\n", mark, shorten(strings.TrimSuffix(line, "\n")))
	}
}
