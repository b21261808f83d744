package text

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain\ttext\n", "plain\ttext\n"},
		{"a\r\nb\rc", "a\nbc"},
		{"a\x00b\x07c\x7fd", "abcd"},
		{"\x1b[1;31mred\x1b[0m", "red"},
		{"\x1b[?25lx\x1b[2K", "x"},
		{"\x1b]0;title\x07x\x1b]8;;http://h\x1b\\y", "xy"},
		{"\x1bPdata\x1b\\x\x1b(By\x1b=z", "xyz"},
		{"\x1b]never ends\nx", "\nx"},
		{"\x1b]" + strings.Repeat("a", 5000) + "\n", strings.Repeat("a", 5000-4096) + "\n"},
		{"\x1b[3\nx", "\nx"},
		{"\x1b\x1b[1mx", "x"},
		{"\x1b]a\x1b[1mx", "x"},
		{"gr\xc3\xbcn \xff\xe7\x95x", "grün \ufffd\ufffd\ufffdx"},
		{"a\u0085b\u009bc", "abc"},
		{"cut \xe7\x95", "cut \ufffd"},
		{"\u2028 ok", "\u2028 ok"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// FuzzCleaner: what comes out can be shown, and does not depend on how the input was cut into pieces.
func FuzzCleaner(f *testing.F) {
	f.Add([]byte("a\x1b[31m界\xff\x1b]0;t\x07"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		var c Cleaner
		whole := string(c.Flush(c.Append(nil, data)))
		var pieces []byte
		for rest := data; len(rest) > 0; {
			k := min(int(n%7)+1, len(rest))
			pieces, rest = c.Append(pieces, rest[:k]), rest[k:]
		}
		pieces = c.Flush(pieces)
		if whole != string(pieces) {
			t.Fatalf("%q: whole %q, in pieces %q", data, whole, pieces)
		}
		bad := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
		if !utf8.ValidString(whole) || strings.ContainsFunc(whole, bad) {
			t.Fatalf("%q became %q", data, whole)
		}
	})
}

// lines returns lines "from" to "to".
func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		b.WriteString(strconv.Itoa(i) + "\n")
	}
	return b.String()
}

func TestTail(t *testing.T) {
	wide := strings.Repeat("界", 20_000) // 60,000 bytes
	long := strings.Repeat("x", 99) + "\n"
	for _, c := range []struct {
		name, in string
		want     Cut
	}{
		{"empty", "", Cut{}},
		{"short", "a\nb", Cut{Text: "a\nb", Lines: 2, TotalLines: 2, TotalBytes: 3}},
		{"just fits", lines(1, 2000), Cut{Text: lines(1, 2000), Lines: 2000, TotalLines: 2000, TotalBytes: 8893}},
		{"a line too many", lines(1, 2001), Cut{Text: lines(2, 2001), Truncated: true, ByLines: true, Lines: 2000, TotalLines: 2001, TotalBytes: 8898}},
		{"too many bytes", strings.Repeat(long, 600), Cut{Text: strings.Repeat(long, 512), Truncated: true, Lines: 512, TotalLines: 600, TotalBytes: 60_000}},
		{"cut at a line", "x" + strings.Repeat(long, 512), Cut{Text: strings.Repeat(long, 511), Truncated: true, Lines: 511, TotalLines: 512, TotalBytes: 51_201}},
		{"one line", wide, Cut{Text: wide[len(wide)-51_198:], Truncated: true, Lines: 1, TotalLines: 1, TotalBytes: 60_000, Partial: true}},
		{"one line with its end", wide + "\n", Cut{Text: wide[len(wide)-51_198:] + "\n", Truncated: true, Lines: 1, TotalLines: 1, TotalBytes: 60_001, Partial: true}},
		{"feeds", strings.Repeat("\n", 3000), Cut{Text: strings.Repeat("\n", 2000), Truncated: true, ByLines: true, Lines: 2000, TotalLines: 3000, TotalBytes: 3000}},
		{"huge", strings.Repeat(long, 50_000), Cut{Text: strings.Repeat(long, 512), Truncated: true, Lines: 512, TotalLines: 50_000, TotalBytes: 5_000_000}},
	} {
		for _, size := range []int{1 << 30, 7777, 100_000} {
			var tail Tail
			for rest := c.in; rest != ""; {
				n := min(size, len(rest))
				tail.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := tail.Cut(); got != c.want {
				got.Text, c.want.Text = Prefix(got.Text, 40), Prefix(c.want.Text, 40)
				t.Errorf("%s in pieces of %d:\ngot  %+v\nwant %+v", c.name, size, got, c.want)
			}
			if _, whole := tail.Whole(); whole == c.want.Truncated {
				t.Errorf("%s: Whole is %t", c.name, whole)
			}
		}
	}
}

func TestHead(t *testing.T) {
	long := strings.Repeat("x", 99)
	for _, c := range []struct {
		name, in string
		want     Cut
	}{
		{"short", "a\nb", Cut{Text: "a\nb", Lines: 2, TotalLines: 2, TotalBytes: 3}},
		{"a line too many", strings.TrimSuffix(lines(1, 2001), "\n"),
			Cut{Text: strings.TrimSuffix(lines(1, 2000), "\n"), Truncated: true, ByLines: true, Lines: 2000, TotalLines: 2001, TotalBytes: 8897}},
		{"too many bytes", strings.TrimSuffix(strings.Repeat(long+"\n", 600), "\n"),
			Cut{Text: strings.TrimSuffix(strings.Repeat(long+"\n", 512), "\n"), Truncated: true, Lines: 512, TotalLines: 600, TotalBytes: 59_999}},
		{"one line", strings.Repeat("界", 20_000), Cut{Text: strings.Repeat("界", 17_066), Truncated: true, Lines: 1, TotalLines: 1, TotalBytes: 60_000, Partial: true}},
	} {
		if got := CutHead(c.in); got != c.want {
			got.Text, c.want.Text = Prefix(got.Text, 40), Prefix(c.want.Text, 40)
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, got, c.want)
		}
	}
	list := NewList()
	for range 5000 {
		if !list.Add("x") {
			t.Fatal("a list is limited by its lines")
		}
	}
}

func TestPrefix(t *testing.T) {
	for n, want := range []string{"", "a", "a", "a", "a界", "a界b", "a界b"} {
		if got := Prefix("a界b", n); got != want {
			t.Errorf("Prefix of %d bytes is %q, want %q", n, got, want)
		}
	}
}

func BenchmarkTail(b *testing.B) {
	chunk := []byte(strings.Repeat("y\n", 16<<10))
	b.SetBytes(int64(len(chunk)))
	var t Tail
	for b.Loop() {
		t.Write(chunk)
	}
}
