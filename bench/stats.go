package main

import (
	"math"
	"slices"
	"time"
)

// percentile returns the smallest of the values that at least the share q of them do not exceed (nearest rank). q is from 0
// to 1. It is NaN without values; values may be in any order and stay in it.
func percentile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	// The product of a decimal fraction may lie a hair above the rank that is meant.
	rank := int(math.Ceil(q*float64(len(sorted)) - 1e-9))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// median returns the middle value, or the mean of the two in the middle; NaN without values.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// A series collects figures of repeated runs by name; each is read as its median.
type series map[string][]float64

func (s series) add(name string, v float64) { s[name] = append(s[name], v) }

func (s series) addAll(more series) {
	for name, values := range more {
		s[name] = append(s[name], values...)
	}
}

func (s series) median(name string) float64 { return median(s[name]) }

// spread summarizes many durations of one run, in seconds.
type spread struct{ p50, p99 float64 }

func spreadOf(seconds []float64) spread {
	return spread{percentile(seconds, 0.5), percentile(seconds, 0.99)}
}

// addSpread adds a spread as name with p50 and with p99 behind it.
func (s series) addSpread(name string, v spread) {
	s.add(name+" p50", v.p50)
	s.add(name+" p99", v.p99)
}

// perSecond returns how many of n come in a second if they take d; NaN if d is not positive.
func perSecond(n int, d time.Duration) float64 {
	if d <= 0 {
		return math.NaN()
	}
	return float64(n) / d.Seconds()
}
