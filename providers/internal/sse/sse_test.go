package sse_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dualagent/agent/providers/internal/sse"
)

func collect(r io.Reader) ([]sse.Event, error) {
	var events []sse.Event
	for ev, err := range sse.Read(r) {
		if err != nil {
			return events, err
		}
		events = append(events, ev)
	}
	return events, nil
}

// crlf rewrites every line end that is a lone LF.
func crlf(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

func data(s ...string) []sse.Event {
	var events []sse.Event
	for _, s := range s {
		events = append(events, sse.Event{Data: s})
	}
	return events
}

var framing = []struct {
	name, in string
	want     []sse.Event
}{
	{"S01 no space", "data:a\n\n", data("a")},
	{"one space at most is dropped", "data:  a\n\n", data(" a")},
	{"S02 CRLF", "data: a\r\n\r\n", data("a")},
	{"S02 lone CR", "data: a\r\rdata: b\r\r", data("a", "b")},
	{"S02 mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", data("a", "b", "c")},
	{"S03 comments", ": PROCESSING\n\n: ping\n\ndata: a\n\n:x\n\n", data("a")},
	{"S04 comment", ": x\n\n", nil},
	{"S04 event without data", "event: ping\n\n", nil},
	{"S04 empty data", "data:\n\n", nil},
	{"S04 blank data", "data: \n\n", nil},
	{"S04 id", "id: 7\n\n", nil},
	{"S04 retry", "retry: 3000\n\n", nil},
	{"S04 blank lines", "\n\n\n", nil},
	{"S04 all together", ": x\n\nevent: ping\n\ndata:\n\ndata: \n\nid: 7\n\nretry: 3000\n\n\n\n\ndata: a\n\n", data("a")},
	{"S05 lines", "data: {\"a\":\ndata: 1}\n\n", data("{\"a\":\n1}")},
	{"S06 UTF-8", "data: 那😀\n\n", data("那😀")},
	{"S12 cut before the blank line", "data: a\n\ndata: b\n", data("a", "b")},
	{"S12 cut before the line end", "data: a\n\ndata: b", data("a", "b")},
	{"S12 cut inside CRLF", "data: a\n\ndata: b\r", data("a", "b")},
	{"type", "event: error\ndata: a\n\ndata: b\n\n", []sse.Event{{Type: "error", Data: "a"}, {Data: "b"}}},
	{"unknown fields", "foo: 1\ndata: a\nbar\n\n", data("a")},
	{"bare JSON", "data: a\n\n{\"b\":1}\n\n", data("a", `{"b":1}`)},
	{"bare JSON in lines, at the end", "data: a\n\n{\n\"b\":1\n}\n", data("a", "{\n\"b\":1\n}")},
	{"JSON within an event", "data: a\n{}\n\n", data("a")},
	{"byte order mark", "\ufeffdata: a\n\n", data("a")},
	{"nothing", "", nil},
}

func TestFraming(t *testing.T) {
	shapes := []struct {
		name string
		open func(string) io.Reader
	}{
		{"as it is", func(s string) io.Reader { return strings.NewReader(s) }},
		{"one byte at a time", func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) }},
		{"data with EOF", func(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) }},
	}
	for _, c := range framing {
		for _, shape := range shapes {
			for _, in := range []string{c.in, crlf(c.in)} {
				got, err := collect(shape.open(in))
				if err != nil || !slices.Equal(got, c.want) {
					t.Errorf("%s, %s: Read(%q):\ngot  %q, %v\nwant %q", c.name, shape.name, in, got, err, c.want)
				}
			}
		}
	}
}

// An event is given out as soon as its blank line is there, and nothing more is read for it.
func TestEventsComeAtOnce(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r", "\r\n\r"} {
		r, w := io.Pipe()
		go func() {
			w.Write([]byte("data: a" + end)) // returns when it has been read; the pipe then stays silent
		}()
		for ev, err := range sse.Read(r) {
			if err != nil || ev.Data != "a" {
				t.Errorf("with line ends %q: %q, %v; want a", end, ev.Data, err)
			}
			break
		}
		r.Close()
	}
}

func TestLargeEvents(t *testing.T) {
	big := strings.Repeat("x", 5<<20)
	for name, r := range map[string]io.Reader{
		"at once":            strings.NewReader("data: " + big + "\n\ndata: b\n\n"),
		"one byte at a time": iotest.OneByteReader(strings.NewReader("data: " + big + "\n\ndata: b\n\n")),
	} {
		got, err := collect(r)
		if err != nil || len(got) != 2 || got[0].Data != big || got[1].Data != "b" {
			t.Errorf("%s: %d events, %v; want the 5 MiB and b", name, len(got), err)
		}
	}
	limit := strings.Repeat("x", sse.MaxEvent-len("data: \n\n"))
	if got, err := collect(strings.NewReader("data: " + limit + "\n\n")); err != nil || len(got) != 1 || got[0].Data != limit {
		t.Errorf("an event of MaxEvent bytes: %d events, %v", len(got), err)
	}
}

func TestTooLarge(t *testing.T) {
	for name, in := range map[string]string{
		"one line":   "data: " + strings.Repeat("x", sse.MaxEvent),
		"many lines": strings.Repeat("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", sse.MaxEvent/32),
	} {
		got, err := collect(strings.NewReader("data: a\n\n" + in + "\n\ndata: b\n\n"))
		var long *sse.TooLongError
		if !errors.As(err, &long) || !slices.Equal(got, data("a")) {
			t.Errorf("%s: %d events, %v; want a and a TooLongError", name, len(got), err)
		}
	}
}

func TestReadErrorComesLast(t *testing.T) {
	broken := errors.New("connection reset")
	r := io.MultiReader(strings.NewReader("data: a\n\ndata: ha"), iotest.ErrReader(broken))
	got, err := collect(r)
	if !errors.Is(err, broken) || !slices.Equal(got, data("a")) {
		t.Errorf("got %q, %v; want a and %v; half an event must not be given out", got, err, broken)
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range framing {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := collect(bytes.NewReader(in))
		if err != nil {
			t.Fatalf("Read(%q): %v", in, err)
		}
		pieces, err := collect(iotest.OneByteReader(bytes.NewReader(in)))
		if err != nil || !slices.Equal(whole, pieces) {
			t.Errorf("Read(%q):\nwhole     %q\nin pieces %q, %v", in, whole, pieces, err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	const chunk = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" hello"},"finish_reason":null}]}` + "\n\n"
	in := strings.Repeat(chunk, 1000)
	b.ReportAllocs()
	b.SetBytes(int64(len(chunk)))
	for n := 0; n < b.N; {
		for range sse.Read(strings.NewReader(in)) {
			n++
		}
	}
}
