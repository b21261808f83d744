package main

import (
	"testing"
	"time"
)

func TestShortIDs(t *testing.T) {
	got := shortIDs([]string{"0123456789", "0123456700", "01234567", "fedcba9876543210", "a", "0123456789"})
	for id, want := range map[string]string{
		"0123456789": "012345678", "0123456700": "012345670", "01234567": "01234567", "fedcba9876543210": "fedcba98", "a": "a",
	} {
		if got[id] != want {
			t.Errorf("%s: got %q, want %q", id, got[id], want)
		}
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 8, 14, 9, 0, 0, 0, time.Local)
	for back, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago",
		3 * time.Hour: "3 h ago", 9 * time.Hour: "9 h ago", 10 * time.Hour: "2026-08-13 23:00", -time.Minute: "2026-08-14 09:01",
	} {
		if got := ago(now.Add(-back), now); got != want {
			t.Errorf("%v before: got %q, want %q", back, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 20000: "20 KiB", 5 << 20: "5.0 MiB", 1 << 30: "1.0 GiB", 1 << 60: "1048576 TiB",
	} {
		if got := size(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
