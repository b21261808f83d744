package main

import (
	"context"
	"time"
)

const (
	// foreignLimit is how many processors other programs may use during a round without spoiling it.
	foreignLimit = 0.3
	// foreignSlack is the time of a processor that does not matter in however short a round: times in /proc are coarse.
	foreignSlack = 0.03
	// repeatLimit bounds the time that a section may spend on rounds that turn out to be spoilt and are made again.
	repeatLimit = 10 * time.Second
)

// A calm decides which rounds count: those during which other programs left the machine alone, as long as there is time to
// wait for such rounds.
type calm struct {
	repeats time.Duration // spent by this section on rounds that did not count
	dropped int
	kept    int // rounds that count though they are spoilt
}

// rounds calls round n times, and again for each round that was spoilt, and adds up what the good ones have measured.
func (c *calm) rounds(ctx context.Context, n int, round func(s series) error) (series, error) {
	all := series{}
	for range n {
		for {
			s := series{}
			use, err := watchUse(func() error { return round(s) })
			if err != nil {
				return all, err
			}
			if use.spoilt() && c.repeats+use.took < repeatLimit && ctx.Err() == nil {
				c.repeats += use.took
				c.dropped++
				continue
			}
			if use.spoilt() {
				c.kept++
			}
			all.addAll(s)
			break
		}
	}
	return all, nil
}

// A use is what other programs took of the processors, in seconds, while something was measured.
type use struct {
	took    time.Duration
	foreign float64
}

func (u use) spoilt() bool { return u.foreign > foreignLimit*u.took.Seconds()+foreignSlack }

// watchUse runs f. Without /proc nothing counts as foreign.
func watchUse(f func() error) (use, error) {
	begun := time.Now()
	machine, own := cpuTimes()
	err := f()
	took := time.Since(begun)
	machineAfter, ownAfter := cpuTimes()
	return use{took, (machineAfter - machine) - (ownAfter - own)}, err
}

// cpuTimes returns the processor times of the machine and of what belongs to this program; 0 if they cannot be read.
func cpuTimes() (machine, own float64) {
	machine, merr := machineCPU()
	own, oerr := ownCPU()
	if merr != nil || oerr != nil {
		return 0, 0
	}
	return machine, own
}
