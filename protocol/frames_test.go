package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns what a stream holds: lines, and "too long" for each one that was skipped.
func readAll(r io.Reader, limit int) []string {
	f := newFrames(r, limit)
	var got []string
	for {
		line, err := f.next()
		var long *TooLongError
		switch {
		case errors.As(err, &long):
			got = append(got, "too long")
		case err != nil:
			return got
		default:
			got = append(got, string(line))
		}
	}
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"empty", "", nil},
		{"one", "{}\n", []string{"{}"}},
		{"last without LF", "a\nb", []string{"a", "b"}},
		{"CRLF", "a\r\nb\r\n", []string{"a", "b"}},
		{"one CR goes, the second stays", "a\r\r\n", []string{"a\r"}},
		{"CR is no line end", "a\rb\n", []string{"a\rb"}},
		{"blank lines", "\n\r\n  \t\na\n\n", []string{"a"}},
		{"spaces stay", " a \n", []string{" a "}},
		{"byte order mark", "\ufeffa\n\ufeffb\n", []string{"a", "\ufeffb"}},
		{"only a byte order mark", "\ufeff\na\n", []string{"a"}},
		{"other line ends are text", "a\u2028b\u0085\n\v\n", []string{"a\u2028b\u0085", "\v"}},
		{"at the limit", "12345678\nx\n", []string{"12345678", "x"}},
		{"at the limit with CR", "12345678\r\nx\n", []string{"12345678", "x"}},
		{"over the limit", "123456789\nx\n", []string{"too long", "x"}},
		{"over the limit with CR", "123456789\r\nx\n", []string{"too long", "x"}},
		{"limit plus CR in the middle", "1234567\r8\nx\n", []string{"too long", "x"}},
		{"far over the limit", strings.Repeat("y", 300_000) + "\nx\n", []string{"too long", "x"}},
		{"over the limit at the end", "x\n123456789", []string{"x", "too long"}},
		{"far over the limit at the end", "x\n" + strings.Repeat("y", 300_000), []string{"x", "too long"}},
		{"two long ones", "123456789\n123456789\n", []string{"too long", "too long"}},
	} {
		for _, way := range []struct {
			name string
			r    func(io.Reader) io.Reader
		}{
			{"at once", func(r io.Reader) io.Reader { return r }},
			{"one byte each", iotest.OneByteReader},
			{"halves", iotest.HalfReader},
			{"data with the error", iotest.DataErrReader},
		} {
			if got := readAll(way.r(strings.NewReader(c.in)), 8); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: got %.80q, want %q", c.name, way.name, got, c.want)
			}
		}
	}
}

func TestFramesOfEverySize(t *testing.T) {
	var in bytes.Buffer
	var want []string
	for _, n := range []int{1, readSize - 1, readSize, readSize + 1, 5*readSize + 3, 1 << 20, 10, readSize / 2, 3 << 20, 7} {
		line := strings.Repeat(fmt.Sprint(n%10), n)
		want = append(want, line)
		in.WriteString(line + "\n")
	}
	if got := readAll(&in, 0); !slices.Equal(got, want) {
		t.Error("lines of many sizes do not come out as they went in")
	}
}

// endless yields one line that never ends.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	e.left -= n
	for i := range p[:n] {
		p[i] = 'x'
	}
	return n, nil
}

func TestFramesSkipInBoundedMemory(t *testing.T) {
	r := io.MultiReader(&endless{left: 1 << 27}, strings.NewReader("\nnext\n"))
	f := newFrames(r, 1<<20)
	var long *TooLongError
	if _, err := f.next(); !errors.As(err, &long) {
		t.Fatalf("got %v, want a TooLongError", err)
	}
	line, err := f.next()
	if err != nil || string(line) != "next" {
		t.Fatalf("after a long line: %q, %v", line, err)
	}
	if cap(f.buf) > 4<<20 {
		t.Errorf("the buffer has grown to %d bytes", cap(f.buf))
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("a\r\n\n123456789\nb"), 3)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		want := readAll(bytes.NewReader(data), 8)
		got := readAll(&chunked{data, 1 + (size & 0xff)}, 8)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in pieces: got %q, want %q", data, got, want)
		}
	})
}

type chunked struct {
	data []byte
	size int
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(c.size, len(c.data))])
	c.data = c.data[n:]
	return n, nil
}
