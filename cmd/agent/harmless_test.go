package main

import (
	"strings"
	"testing"
	"unicode"
)

func TestHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"plain äöü 名\n\tx":            "plain äöü 名\n\tx",
		"\x1b[31mred\x07\x00\x7f":     "?[31mred???",
		"\u009b31m\u202e\u2066\ufeff": "?31m???",
		"a\r\nb\rc":                   "a\nb?c",
		"a\u00a0b\u2028c":             "a b?c",
		"\xff":                        "\ufffd",
		"👩\u200d💻":                    "👩\u200d💻",
	} {
		if got := harmless(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text        string
		columns     int
		end, before string
	}{
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "ab…", "…cd"},
		{"名名名", 6, "名名名", "名名名"},
		{"名名名", 5, "名名…", "…名名"},
		{"名名名", 4, "名…", "…名"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…", "…e\u0301"},
		{"abc", 1, "…", "…"},
	} {
		if got := cut(c.text, c.columns); got != c.end {
			t.Errorf("cut(%q, %d): got %q, want %q", c.text, c.columns, got, c.end)
		}
		if got := cutFront(c.text, c.columns); got != c.before {
			t.Errorf("cutFront(%q, %d): got %q, want %q", c.text, c.columns, got, c.before)
		}
	}
}

func FuzzHarmless(f *testing.F) {
	f.Add("a\x1b[31m\u202eb\r\n", 5)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		safe := harmless(text)
		if i := strings.IndexFunc(safe, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
			t.Errorf("%q: got %q, with a control character at %d", text, safe, i)
		}
		columns = max(columns, 1)
		for _, got := range []string{cut(safe, columns), cutFront(safe, columns)} {
			if n := width(got); n > columns {
				t.Errorf("%q cut to %d columns has %d", got, columns, n)
			}
		}
	})
}
