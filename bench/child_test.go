package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestScannerUntil(t *testing.T) {
	for _, c := range []struct {
		text     string
		preceded bool
		total    int64
	}{
		{"delta delta aborted delta ended", true, 31},
		{"delta delta ended", false, 17},
		{"aborted" + strings.Repeat("x", 1000) + "ended", true, 1012},
	} {
		s := &scanner{r: iotest.OneByteReader(strings.NewReader(c.text + "!")), buf: make([]byte, 256)}
		preceded, err := s.until([]byte("ended"), []byte("aborted"))
		if preceded != c.preceded || s.total != c.total || err != nil {
			t.Errorf("%.40q: got %v after %d bytes, %v; want %v after %d", c.text, preceded, s.total, err, c.preceded, c.total)
		}
	}
	s := &scanner{r: strings.NewReader("delta"), buf: make([]byte, 256)}
	if _, err := s.until([]byte("ended"), nil); err == nil {
		t.Error("the end of the output without the mark is no error")
	}
}

func TestAges(t *testing.T) {
	begun := time.Now().Add(-time.Hour)
	a := &ages{begun: begun, mark: []byte(`"delta":"`)}
	for _, line := range []string{
		`{"type":"other"}`,
		`{"delta":"0;"}`,
		`{"delta":"0;1800000000000;"}`, // two that were joined
		`{"delta":""}`,
	} {
		if err := a.add([]byte(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if len(a.all) != 3 || a.all[0] < 3600 || a.all[2] < 1800 || a.all[2] >= 3600 {
		t.Errorf("got ages %v, want about 3600, 3600 and 1800 s", a.all)
	}
	if err := a.add([]byte(`{"delta":"now"}`)); err == nil {
		t.Error("a delta without a time is no error")
	}
	if _, err := a.complete(); err == nil {
		t.Error("missing deltas are no error")
	}
}

func TestRoles(t *testing.T) {
	b := newTestBench(t)
	for role, want := range map[string]string{"echo": "a\n", "relay": "a\n"} {
		c, err := b.role(context.Background(), role)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.send([]byte("a\n")); err != nil {
			t.Errorf("%s: %v", role, err)
		}
		if got, err := c.line(); string(got) != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", role, got, err, want)
		}
		c.end()
	}
	c, err := b.counter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.end()
	if _, err := io.WriteString(c.in, "1\n2\n3\n"); err != nil {
		t.Fatal(err)
	}
	if n, err := c.close(); n != 3 || err != nil {
		t.Errorf("count: got %d, %v; want 3", n, err)
	}
}

func TestChoose(t *testing.T) {
	got, err := choose("abort,start")
	if err != nil || len(got) != 2 || got[0].name != "abort" || got[1].name != "start" {
		t.Errorf("got %v, %v; want abort and start", got, err)
	}
	if all, err := choose(""); err != nil || len(all) != len(sections) {
		t.Errorf("got %d sections, %v; want all %d", len(all), err, len(sections))
	}
	if _, err := choose("start,nothing"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("an unknown section: got %v, want an error that names it", err)
	}
}
