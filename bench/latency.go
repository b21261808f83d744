package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	latencyDeltas = 2000
	latencyGap    = time.Millisecond
	latencyRounds = 3
)

// measureLatency has a model say the time, once a millisecond, and looks at how old it is when the record arrives.
func measureLatency(ctx context.Context, b *bench) ([]check, error) {
	begun := time.Now()
	m, err := serveModel(stamps(latencyDeltas, latencyGap, begun))
	if err != nil {
		return nil, err
	}
	defer m.close()
	// A wire is a round by itself, with a floor of its own: the shorter a round, the better its chance to be left alone.
	s := series{}
	for _, w := range wires {
		got, err := b.rounds(ctx, latencyRounds, func(s series) error {
			ages, err := bareAges(ctx, m, begun)
			if err != nil {
				return fmt.Errorf("bare client: %w", err)
			}
			s.addSpread(w.name+" bare", spreadOf(ages))
			if ages, err = b.wireAges(ctx, w, m, begun); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			s.addSpread(w.name, spreadOf(ages))
			return nil
		})
		if err != nil {
			return nil, err
		}
		s.addAll(got)
	}
	var checks []check
	for _, w := range wires {
		for _, q := range []struct {
			name  string
			pi    float64
			limit float64
		}{{"p50", piLatencyP50, 0.5}, {"p99", piLatencyP99, 0.3}} {
			line := check{budget: 5, measure: "model's chunk to record " + q.name, wire: w.name,
				figure: s.median(w.name + " " + q.name), unit: seconds}
			line.beside = base{name: "bare HTTP client", value: s.median(w.name + " bare " + q.name)}
			checks = append(checks, line)
			line.beside, line.limit = pi(q.pi), q.limit
			checks = append(checks, line)
		}
	}
	return checks, nil
}

// ages collects how old the stamps are that come behind mark.
type ages struct {
	begun time.Time
	mark  []byte
	all   []float64
}

// add takes the stamps of a line that has just been read. More than one are there if pieces were joined.
func (a *ages) add(line []byte) error {
	now := time.Since(a.begun)
	_, text, ok := bytes.Cut(line, a.mark)
	if !ok {
		return nil
	}
	text, _, _ = bytes.Cut(text, []byte{'"'})
	for stamp := range strings.SplitSeq(strings.TrimSuffix(string(text), ";"), ";") {
		if stamp == "" {
			continue
		}
		ns, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			return fmt.Errorf("a delta holds no time: %s", line)
		}
		a.all = append(a.all, (now - time.Duration(ns)).Seconds())
	}
	return nil
}

func (a *ages) complete() ([]float64, error) {
	if len(a.all) != latencyDeltas {
		return nil, fmt.Errorf("%d stamps came of %d", len(a.all), latencyDeltas)
	}
	return a.all, nil
}

func (b *bench) wireAges(ctx context.Context, w wire, m *model, begun time.Time) ([]float64, error) {
	c, err := b.serveReady(ctx, w, "--endpoint", m.url, "--model", "fake-1")
	if err != nil {
		return nil, err
	}
	defer c.end()
	if err := c.send(w.promptLine("go")); err != nil {
		return nil, err
	}
	a := &ages{begun: begun, mark: []byte(w.delta)}
	for {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		if err := a.add(line); err != nil {
			return nil, err
		}
		if bytes.Contains(line, []byte(w.ended)) {
			return a.complete()
		}
	}
}

// bareAges reads the same stream with nothing but an HTTP client.
func bareAges(ctx context.Context, m *model, begun time.Time) ([]float64, error) {
	a := &ages{begun: begun, mark: []byte(`"delta":{"content":"`)}
	err := m.ask(ctx, a.add)
	if err != nil {
		return nil, err
	}
	return a.complete()
}

// ask makes a request as a bare client and hands on each line of the answer.
func (m *model) ask(ctx context.Context, line func([]byte) error) error {
	ctx, cancel := context.WithTimeout(ctx, measureLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url+"/chat/completions", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return eachLine(answer.Body, line)
}
