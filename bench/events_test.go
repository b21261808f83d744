package main

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// TestMain lets the test program play the roles that measurements need.
func TestMain(m *testing.M) {
	if played, err := playRole(); played {
		exit(err)
	}
	os.Exit(m.Run())
}

func newTestBench(tb testing.TB) *bench {
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return &bench{self: self, dir: tb.TempDir()}
}

// Every event arrives in another process, on every path: what budget 3 counts is really written.
func TestPathsWriteAll(t *testing.T) {
	b := newTestBench(t)
	for _, w := range wires {
		for _, p := range paths {
			c, err := b.counter(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			// Few enough that nothing is joined.
			const events = 2 * turnsOfRun
			if err := p.run(context.Background(), w, events, "x", c.in); err != nil {
				t.Errorf("%s, %s: %v", w.name, p.name, err)
			}
			if lines, err := c.close(); err != nil || lines < events {
				t.Errorf("%s, %s: %d records came, %v; want at least %d", w.name, p.name, lines, err, events)
			}
			c.end()
		}
	}
}

// The records of Publish are as long as the lines of the floors.
func TestFill(t *testing.T) {
	for _, w := range wires {
		text, err := fill(context.Background(), w)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		var out lengths
		if err := publish(context.Background(), w, 100, text, &out); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		if out[lineSize] < 100 {
			t.Errorf("%s: records by length are %v, want 100 of %d bytes", w.name, out, lineSize)
		}
	}
}

// BenchmarkEvents is budget 3 for profiles:
//
//	go test -run - -bench Events/JSONL/Publish -cpuprofile cpu.out -memprofile mem.out ./bench
func BenchmarkEvents(b *testing.B) {
	setup := newTestBench(b)
	for _, w := range wires {
		for _, p := range paths {
			b.Run(fmt.Sprintf("%s/%s", w.name, p.name), func(b *testing.B) {
				text, err := fill(context.Background(), w)
				if err != nil {
					b.Fatal(err)
				}
				c, err := setup.counter(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				defer c.end()
				b.ReportAllocs()
				b.ResetTimer()
				if err := p.run(context.Background(), w, b.N, text, c.in); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
			})
		}
	}
}

// lengths counts lines by their length. Every Write must hold whole lines.
type lengths map[int]int

func (l *lengths) Write(p []byte) (int, error) {
	if *l == nil {
		*l = lengths{}
	}
	n := 0
	for _, c := range p {
		n++
		if c == '\n' {
			(*l)[n]++
			n = 0
		}
	}
	if n > 0 {
		return 0, fmt.Errorf("a write ends in the middle of a line")
	}
	return len(p), nil
}
