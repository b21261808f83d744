package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	abortRounds = 5
	abortLimit  = 5 * millisecond
	// flowing is how many bytes of a reply are read before it is aborted.
	flowing = 1 << 20
)

// measureAbort aborts a reply that comes as fast as it can, with a client that reads, and with one that does not.
func measureAbort(ctx context.Context, b *bench) ([]check, error) {
	script := filepath.Join(b.dir, "flood.script")
	if err := os.WriteFile(script, []byte("repeat 20000000 \"x\"\n"), 0o600); err != nil {
		return nil, err
	}
	s, err := b.rounds(ctx, abortRounds, func(s series) error {
		for _, w := range wires {
			if err := b.abortFlood(ctx, w, script, s); err != nil {
				return fmt.Errorf("%s, client reads: %w", w.name, err)
			}
			if err := b.abortUnread(ctx, w, s); err != nil {
				return fmt.Errorf("%s, client does not read: %w", w.name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var checks []check
	for _, w := range wires {
		checks = append(checks,
			check{budget: 7, measure: "abort in a flood, to its last record", wire: w.name, figure: s.median(w.name + " flood"),
				unit: seconds, beside: own, limit: abortLimit},
			check{budget: 7, measure: "  bytes read until then", wire: w.name, figure: s.median(w.name + " bytes"), unit: bytesOf},
			check{budget: 7, measure: "abort unread, to the model's end", wire: w.name, figure: s.median(w.name + " unread"),
				unit: seconds, beside: own, limit: abortLimit},
			check{budget: 7, measure: "  model's chunks until it waited", wire: w.name, figure: s.median(w.name + " chunks"), unit: count},
		)
	}
	return checks, nil
}

// abortFlood measures from the abort's line to the turn's last record, which comes behind all that was on its way.
func (b *bench) abortFlood(ctx context.Context, w wire, script string, s series) error {
	c, err := b.serveReady(ctx, w, "--script", script)
	if err != nil {
		return err
	}
	defer c.end()
	if err := c.send(w.promptLine("go")); err != nil {
		return err
	}
	out := c.scan()
	for out.total < flowing {
		seen, err := out.more()
		if err != nil {
			return err
		}
		out.pass(seen)
	}
	before := out.total
	begun := time.Now()
	if err := c.send(w.abortLine()); err != nil {
		return err
	}
	aborted, err := out.until([]byte(w.ended), []byte(w.aborted))
	if err != nil {
		return err
	}
	took := time.Since(begun)
	if !aborted {
		return errors.New("the reply had ended before it was aborted")
	}
	s.add(w.name+" flood", took.Seconds())
	s.add(w.name+" bytes", float64(out.total-before))
	return nil
}

// abortUnread measures from the abort's line to the moment in which the model sees that its client has left. Nobody reads
// what the program writes, so that it has long stopped to read what the model says.
func (b *bench) abortUnread(ctx context.Context, w wire, s series) error {
	m, err := serveModel(deltas(1<<40, "tok "))
	if err != nil {
		return err
	}
	defer m.close()
	c, err := b.serveReady(ctx, w, "--endpoint", m.url, "--model", "fake-1")
	if err != nil {
		return err
	}
	defer c.end()
	if err := c.send(w.promptLine("go")); err != nil {
		return err
	}
	if err := m.waits(ctx); err != nil {
		return err
	}
	begun := time.Now()
	if err := c.send(w.abortLine()); err != nil {
		return err
	}
	select {
	case <-m.gone:
	case <-time.After(measureLimit / 4):
		return errors.New("the model still has its client")
	}
	s.add(w.name+" unread", time.Since(begun).Seconds())
	s.add(w.name+" chunks", float64(m.chunks.Load()))
	aborted, err := c.scan().until([]byte(w.ended), []byte(w.aborted))
	if err == nil && !aborted {
		err = errors.New("the turn did not end as aborted")
	}
	return err
}

// waits returns when nobody has taken more of what the model says for a while.
func (m *model) waits(ctx context.Context) error {
	const still = 60 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, measureLimit/2)
	defer cancel()
	tick := time.NewTicker(still)
	defer tick.Stop()
	for before := int64(-1); ; {
		select {
		case <-tick.C:
			now := m.chunks.Load()
			if now > 0 && now == before {
				return nil
			}
			before = now
		case <-ctx.Done():
			return fmt.Errorf("the model can go on speaking though nobody reads: %w", ctx.Err())
		}
	}
}
