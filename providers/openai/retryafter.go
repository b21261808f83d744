package openai

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter returns how long the server asks to wait, now being the time; 0 if it does not say, or nothing sensible.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if d := duration(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	value := h.Get("Retry-After")
	if d := duration(value, time.Second); d > 0 {
		return d
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// duration returns s, a decimal number, in units; 0 if it is none.
func duration(s string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return 0
	}
	if n > float64(math.MaxInt64)/float64(unit) {
		return math.MaxInt64
	}
	return time.Duration(n * float64(unit))
}
