package main

import (
	"context"
	"time"
)

// Each program is started startsOfRound times in each round.
const (
	startRounds   = 3
	startsOfRound = 15
)

// measureStart starts the bare program and both modes of the measured one, one after the other, many times.
func measureStart(ctx context.Context, b *bench) ([]check, error) {
	s, err := b.rounds(ctx, startRounds, func(s series) error {
		for range startsOfRound {
			if err := b.startBare(ctx, s); err != nil {
				return err
			}
			for _, w := range wires {
				if err := b.startWire(ctx, w, s); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	limit := 2.5
	if len(b.sdks) > 0 {
		limit = 4
	}
	bare := base{name: "bare Go", value: s.median("bare")}
	bareMemory := base{name: "bare Go", value: s.median("bare memory")}
	var checks []check
	for _, w := range wires {
		add := func(budget int, measure, key string, u unit, beside base, limit float64) {
			checks = append(checks, check{budget: budget, measure: measure, wire: w.name, figure: s.median(w.name + key),
				unit: u, beside: beside, limit: limit})
		}
		add(1, "exec to first record", " first", seconds, bare, limit)
		add(1, "exec to first answer", " answer", seconds, bare, limit)
		add(1, "exec to first answer", " answer", seconds, pi(piStart), 1.0/40)
		add(2, "resident memory then", " memory", bytesOf, own, 14*mib)
		add(2, "resident memory then", " memory", bytesOf, pi(piMemory), 1.0/8)
		add(2, "its peak until then", " peak", bytesOf, bareMemory, 0)
	}
	return checks, nil
}

func (b *bench) startBare(ctx context.Context, s series) error {
	c, err := startChild(ctx, b.bare, nil, nil)
	if err != nil {
		return err
	}
	defer c.end()
	if _, err := c.line(); err != nil {
		return err
	}
	s.add("bare", time.Since(c.begun).Seconds())
	m, err := memoryOf(c.pid())
	s.add("bare memory", m.now)
	return err
}

func (b *bench) startWire(ctx context.Context, w wire, s series) error {
	c, err := b.serve(ctx, w)
	if err != nil {
		return err
	}
	defer c.end()
	// The request is there before it is asked for, as with a client that does not wait for the greeting.
	if err := c.send(w.stateLine(1)); err != nil {
		return err
	}
	if _, err := c.line(); err != nil {
		return err
	}
	s.add(w.name+" first", time.Since(c.begun).Seconds())
	if err := c.until([]byte(w.answered)); err != nil {
		return err
	}
	s.add(w.name+" answer", time.Since(c.begun).Seconds())
	m, err := memoryOf(c.pid())
	s.add(w.name+" memory", m.now)
	s.add(w.name+" peak", m.peak)
	return err
}

// serve starts the program in a mode. It keeps nothing on disk.
func (b *bench) serve(ctx context.Context, w wire, more ...string) (*child, error) {
	args := append(append([]string(nil), w.args...), "--ephemeral", "-C", b.dir)
	return startChild(ctx, b.agent, append(args, more...), []string{"HOME=" + b.dir})
}

// serveReady is serve, and waits for the answer to a first request.
func (b *bench) serveReady(ctx context.Context, w wire, more ...string) (*child, error) {
	c, err := b.serve(ctx, w, more...)
	if err != nil {
		return nil, err
	}
	if err = c.send(w.stateLine(0)); err == nil {
		err = c.until([]byte(w.answered))
	}
	if err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}
