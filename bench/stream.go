package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"
)

const (
	streamDeltas = 20_000
	streamRounds = 5
	// Deltas that are calmGap apart are written one by one, so that their bytes do not depend on how busy the machine is.
	calmGap    = 20 * time.Microsecond
	calmRounds = 2
)

// measureStream has a model say many words as fast as they are taken, and then so that each of them is a record.
func measureStream(ctx context.Context, b *bench) ([]check, error) {
	s, err := b.replies(ctx, streamRounds, deltas(streamDeltas, "tok "))
	if err != nil {
		return nil, err
	}
	once, err := b.replies(ctx, calmRounds, paced(streamDeltas, calmGap, "tok "))
	if err != nil {
		return nil, err
	}
	twice, err := b.replies(ctx, calmRounds, paced(2*streamDeltas, calmGap, "tok "))
	if err != nil {
		return nil, err
	}
	var checks []check
	for _, w := range wires {
		add := func(measure string, figure float64, u unit, beside base, limit float64) {
			checks = append(checks, check{budget: 6, measure: measure, wire: w.name, figure: figure, unit: u, beside: beside, limit: limit})
		}
		took, written := s.median(w.name+" time"), once.median(w.name+" bytes")
		add("20,000 deltas, time", took, seconds, base{name: "bare HTTP client", value: s.median("bare time")}, 0)
		add("20,000 deltas, time", took, seconds, pi(piStreamTime), 0.25)
		add("20,000 deltas, processor time", s.median(w.name+" cpu"), seconds, pi(piStreamCPU), 0.15)
		add("20,000 deltas, peak memory", s.median(w.name+" peak"), bytesOf, own, 25*mib)
		add("20,000 deltas, bytes, paced", written, bytesOf, pi(piStreamBytes), 0.5)
		add("40,000 deltas, bytes, paced", twice.median(w.name+" bytes"), bytesOf, base{name: "for 20,000", value: written}, 2.05)
	}
	return checks, nil
}

// replies has a bare client and each mode of the program read what a model says.
func (b *bench) replies(ctx context.Context, rounds int, what speech) (series, error) {
	m, err := serveModel(what)
	if err != nil {
		return nil, err
	}
	defer m.close()
	return b.rounds(ctx, rounds, func(s series) error {
		begun := time.Now()
		if err := m.ask(ctx, func([]byte) error { return nil }); err != nil {
			return fmt.Errorf("bare client: %w", err)
		}
		s.add("bare time", time.Since(begun).Seconds())
		for _, w := range wires {
			if err := b.stream(ctx, w, m, s); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
		return nil
	})
}

// stream sends a prompt and reads to the end of its turn.
func (b *bench) stream(ctx context.Context, w wire, m *model, s series) error {
	c, err := b.serveReady(ctx, w, "--endpoint", m.url, "--model", "fake-1")
	if err != nil {
		return err
	}
	defer c.end()
	before, err := cpuOf(c.pid())
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := c.send(w.promptLine("go")); err != nil {
		return err
	}
	out := c.scan()
	failed, err := out.until([]byte(w.ended), []byte(w.aborted))
	if err != nil {
		return err
	}
	took := time.Since(begun)
	if failed {
		return fmt.Errorf("the turn has failed: %s came", w.aborted)
	}
	after, err := cpuOf(c.pid())
	if err != nil {
		return err
	}
	mem, err := memoryOf(c.pid())
	s.add(w.name+" time", took.Seconds())
	s.add(w.name+" cpu", after-before)
	s.add(w.name+" peak", mem.peak)
	s.add(w.name+" bytes", float64(out.total))
	return err
}

// eachLine hands on the lines of r, without their ends.
func eachLine(r io.Reader, line func([]byte) error) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if err := line(lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}
