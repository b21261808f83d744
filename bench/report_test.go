package main

import (
	"math"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	floor := base{name: "floor", value: 10}
	for _, c := range []struct {
		what string
		c    check
		want string
	}{
		{"ratio at its limit", check{figure: 25, beside: floor, limit: 2.5}, "met"},
		{"ratio above its limit", check{figure: 26, beside: floor, limit: 2.5}, "MISSED"},
		{"ratio above a lower limit", check{figure: 25, beside: floor, limit: 2.5, atLeast: true}, "met"},
		{"ratio below a lower limit", check{figure: 24, beside: floor, limit: 2.5, atLeast: true}, "MISSED"},
		{"figure below its limit", check{figure: 4, beside: own, limit: 5}, "met"},
		{"figure above its limit", check{figure: 6, beside: own, limit: 5}, "MISSED"},
		{"no limit", check{figure: 6, beside: floor}, ""},
		{"no figure", check{figure: math.NaN(), beside: own, limit: 5}, "no figure"},
		{"no floor", check{figure: 6, beside: base{name: "floor", value: math.NaN()}, limit: 5}, "no figure"},
		{"a floor of nothing", check{figure: 6, beside: base{name: "floor"}, limit: 5}, "no figure"},
	} {
		if got := c.c.verdict(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

func TestReport(t *testing.T) {
	var out strings.Builder
	printReport(&out, []check{
		{budget: 1, measure: "exec to ready", wire: "JSONL", figure: 3 * millisecond, unit: seconds,
			beside: base{name: "bare Go", value: 1.5 * millisecond}, limit: 2.5},
		{budget: 3, measure: "events", wire: "JSONL", figure: 2e6, unit: perSec,
			beside: base{name: "writer", value: 10e6}, limit: 0.3, atLeast: true},
		{budget: 1, measure: "exec to ready", wire: "JSONL", figure: 3 * millisecond, unit: seconds, beside: pi(piStart), limit: 1.0 / 40},
		{budget: 7, measure: "abort", wire: "JSONL", figure: 82.5 * microsecond, unit: seconds, beside: own, limit: abortLimit},
	})
	const want = `
#  measure        wire   figure   beside                               ratio      budget
1  exec to ready  JSONL  3 ms     1.50 ms bare Go                      2 ×        ≤ 2.50 ×   met
1  exec to ready  JSONL  3 ms     422 ms pi 1.6.0, recorded elsewhere  0.00711 ×  ≤ 0.025 ×  met
3  events         JSONL  2 M/s    10 M/s writer                        0.2 ×      ≥ 0.3 ×    MISSED
7  abort          JSONL  82.5 µs                                                  ≤ 5 ms     met
`
	got := "\n" + out.String()
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\n1 of 4 budgets missed\n") {
		t.Errorf("got:\n%s\nwant the table\n%s\nand 1 of 4 budgets missed", got, want)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		unit unit
		v    float64
		want string
	}{
		{seconds, 1.5, "1.50 s"},
		{seconds, 0.0004221, "422 µs"},
		{seconds, 3.2e-7, "320 ns"},
		{seconds, 0, "0 ns"},
		{bytesOf, 14 * mib, "14 MiB"},
		{bytesOf, 6.4e6, "6.10 MiB"},
		{bytesOf, 900, "900 B"},
		{perSec, 61_586, "61.6 k/s"},
		{perSec, 4_840_000, "4.84 M/s"},
		{times, 0.0078, "0.0078 ×"},
		{count, 1.37, "1.37"},
		{count, math.NaN(), "–"},
	} {
		if got := c.unit.format(c.v); got != c.want {
			t.Errorf("format %v: got %q, want %q", c.v, got, c.want)
		}
	}
}
