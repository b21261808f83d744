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

// limits are the names of what servers count requests by.
var limits = []string{"Requests", "Tokens"}

// limitReset returns how long it takes until the server counts anew what has been used up; 0 if it does not say.
func limitReset(h http.Header) time.Duration {
	var longest time.Duration
	for _, what := range limits {
		if h.Get("X-Ratelimit-Remaining-"+what) != "0" {
			continue
		}
		if d, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + what)); err == nil {
			longest = max(longest, d)
		}
	}
	return longest
}

// duration returns s, digits with at most one point among them, in units; 0 if it is none.
func duration(s string, unit time.Duration) time.Duration {
	s = strings.TrimSpace(s)
	if strings.ContainsFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) {
		return 0
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(n, 0) {
		return 0
	}
	if n > float64(math.MaxInt64)/float64(unit) {
		return math.MaxInt64
	}
	return time.Duration(n * float64(unit))
}
