package main

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

const (
	tripRounds = 5
	roundTrips = 5000 // of each run, and of the burst
)

// measureRoundTrips asks for the state one request after the other, and then many at once, and puts echoes beside it.
func measureRoundTrips(ctx context.Context, b *bench) ([]check, error) {
	s, err := b.rounds(ctx, tripRounds, func(s series) error {
		for _, role := range []string{"echo", "relay"} {
			if err := b.echoTrips(ctx, role, s); err != nil {
				return fmt.Errorf("%s: %w", role, err)
			}
		}
		for _, w := range wires {
			if err := b.wireTrips(ctx, w, s); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	relay := func(q string) base { return base{name: "three goroutines", value: s.median("relay " + q)} }
	checks := []check{
		{budget: 4, measure: "round trip p50, three goroutines", figure: s.median("relay p50"), unit: seconds,
			beside: base{name: "raw echo", value: s.median("echo p50")}},
	}
	for _, w := range wires {
		checks = append(checks,
			check{budget: 4, measure: "round trip p50", wire: w.name, figure: s.median(w.name + " p50"), unit: seconds,
				beside: relay("p50"), limit: 1.5},
			check{budget: 4, measure: "round trip p99", wire: w.name, figure: s.median(w.name + " p99"), unit: seconds,
				beside: relay("p99"), limit: 2},
			check{budget: 4, measure: "burst of 5,000, answers", wire: w.name, figure: s.median(w.name + " burst"), unit: perSec,
				beside: pi(piBurst), limit: 3, atLeast: true},
			check{budget: 4, measure: "  answered, not refused", wire: w.name, figure: s.median(w.name + " answered"), unit: count,
				beside: own, limit: roundTrips, atLeast: true},
		)
	}
	return checks, nil
}

func (b *bench) echoTrips(ctx context.Context, role string, s series) error {
	c, err := b.role(ctx, role)
	if err != nil {
		return err
	}
	defer c.end()
	line := wires[0].stateLine(1)
	took, err := trips(c, func(int) []byte { return line }, nil)
	if err != nil {
		return err
	}
	s.addSpread(role, took)
	return nil
}

func (b *bench) wireTrips(ctx context.Context, w wire, s series) error {
	c, err := b.serveReady(ctx, w)
	if err != nil {
		return err
	}
	defer c.end()
	took, err := trips(c, w.stateLine, []byte(w.answered))
	if err != nil {
		return err
	}
	s.addSpread(w.name, took)
	return burst(c, w, s)
}

// trips sends requests and waits for each one's answer, a line that must hold mark.
func trips(c *child, request func(i int) []byte, mark []byte) (spread, error) {
	took := make([]float64, 0, roundTrips)
	for i := range roundTrips {
		line := request(i + 1)
		begun := time.Now()
		if err := c.send(line); err != nil {
			return spread{}, err
		}
		answer, err := c.line()
		if err != nil {
			return spread{}, err
		}
		took = append(took, time.Since(begun).Seconds())
		if !bytes.Contains(answer, mark) {
			return spread{}, fmt.Errorf("the answer to %s is %s", line, answer)
		}
	}
	return spreadOf(took), nil
}

// burst writes all requests at once while it reads the answers. Those that are refused do not count as answered.
func burst(c *child, w wire, s series) error {
	var all []byte
	for i := range roundTrips {
		all = append(all, w.stateLine(i+1)...)
	}
	sent := make(chan error, 1)
	begun := time.Now()
	go func() { sent <- c.send(all) }()
	good := 0
	for range roundTrips {
		answer, err := c.line()
		if err != nil {
			return err
		}
		if bytes.Contains(answer, []byte(w.answered)) {
			good++
		}
	}
	s.add(w.name+" burst", perSecond(good, time.Since(begun)))
	s.add(w.name+" answered", float64(good))
	return <-sent
}
