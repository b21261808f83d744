package main

import (
	"math"
	"testing"
	"time"
)

func upTo(n int) []float64 {
	var all []float64
	for i := range n {
		all = append(all, float64(n-i)) // descending: order must not matter
	}
	return all
}

func TestPercentile(t *testing.T) {
	for _, c := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{upTo(100), 0.5, 50},
		{upTo(100), 0.99, 99},
		{upTo(100), 0.07, 7}, // 0.07*100 is a hair above 7
		{upTo(2000), 0.99, 1980},
		{upTo(3), 0.5, 2},
		{upTo(3), 0, 1},
		{upTo(3), 1, 3},
		{[]float64{7}, 0.99, 7},
	} {
		if got := percentile(c.values, c.q); got != c.want {
			t.Errorf("percentile of %d values at %v: got %v, want %v", len(c.values), c.q, got, c.want)
		}
	}
	if got := percentile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("percentile of nothing: got %v, want NaN", got)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{9, 1, 5}, 5},
		{[]float64{9, 1, 5, 3}, 4},
		{[]float64{2}, 2},
	} {
		values := append([]float64(nil), c.values...)
		if got := median(values); got != c.want {
			t.Errorf("median(%v): got %v, want %v", c.values, got, c.want)
		}
		if values[0] != c.values[0] {
			t.Errorf("median(%v) has changed the order to %v", c.values, values)
		}
	}
	if got := median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing: got %v, want NaN", got)
	}
}

func TestSeries(t *testing.T) {
	a, b := series{}, series{}
	a.add("x", 1)
	b.add("x", 3)
	b.addSpread("y", spread{0.5, 0.9})
	a.addAll(b)
	for name, want := range map[string]float64{"x": 2, "y p50": 0.5, "y p99": 0.9} {
		if got := a.median(name); got != want {
			t.Errorf("median of %q: got %v, want %v", name, got, want)
		}
	}
	if got := a.median("z"); !math.IsNaN(got) {
		t.Errorf("median of what was never added: got %v, want NaN", got)
	}
}

func TestPerSecond(t *testing.T) {
	if got := perSecond(500, 250*time.Millisecond); got != 2000 {
		t.Errorf("500 in 250 ms: got %v/s, want 2000", got)
	}
	if got := perSecond(500, 0); !math.IsNaN(got) {
		t.Errorf("500 in no time: got %v/s, want NaN", got)
	}
}
