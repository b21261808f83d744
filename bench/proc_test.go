package main

import (
	"testing"
	"time"
)

func TestParseStatus(t *testing.T) {
	got, err := parseStatus("Name:\tVmRSS\nVmPeak:\t 1240000 kB\nVmHWM:\t   14336 kB\nVmRSS:\t   12288 kB\nThreads:\t6\n")
	if want := (memory{now: 12 * mib, peak: 14 * mib}); got != want || err != nil {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, bad := range []string{"", "Name:\tx\nState:\tZ (zombie)\n", "VmHWM:\t1 kB\nVmRSS:\tmuch kB\n", "VmRSS:\t5 kB\n"} {
		if got, err := parseStatus(bad); err == nil {
			t.Errorf("%q: got %+v, want an error", bad, got)
		}
	}
}

func TestParseStat(t *testing.T) {
	const text = "4711 (a b) c) 1) S 1 4711 4711 0 -1 4194560 1500 90 0 0 123 45 67 8 20 0 6 0 9999 1260000000 3000"
	own, children, err := parseStat(text)
	if own != 1.68 || children != 0.75 || err != nil {
		t.Errorf("%q: got %v, %v, %v; want 1.68 s of its own and 0.75 s of its children", text, own, children, err)
	}
	for _, bad := range []string{"", "1 (x) S 1 2 3", "1 (x) S 1 1 1 0 -1 0 0 0 0 0 12 x 0 0 20", "1 (x) S 1 1 1 0 -1 0 0 0 0 0 12 1 0 x 20"} {
		if own, children, err := parseStat(bad); err == nil {
			t.Errorf("%q: got %v, %v, want an error", bad, own, children)
		}
	}
}

func TestParseMachine(t *testing.T) {
	//                user nice system idle iowait irq softirq steal guest
	const text = "cpu  100 20 30 999999 88888 4 5 600 7 8\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
	if got, err := parseMachine(text); got != 7.59 || err != nil {
		t.Errorf("%q: got %v, %v; want 7.59 s, without idle, iowait and guests", text, got, err)
	}
	for _, bad := range []string{"", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3", "cpu 1 2 x 4 5 6 7 8"} {
		if got, err := parseMachine(bad); err == nil {
			t.Errorf("%q: got %v, want an error", bad, got)
		}
	}
}

func TestSpoilt(t *testing.T) {
	for _, c := range []struct {
		use  use
		want bool
	}{
		{use{took: time.Second, foreign: 0.32}, false},
		{use{took: time.Second, foreign: 0.34}, true},
		{use{took: 10 * time.Millisecond, foreign: 0.03}, false}, // within the grain of /proc
		{use{took: 10 * time.Millisecond, foreign: 0.04}, true},
		{use{took: time.Second, foreign: -0.01}, false},
	} {
		if got := c.use.spoilt(); got != c.want {
			t.Errorf("%+v: spoilt is %v, want %v", c.use, got, c.want)
		}
	}
}
