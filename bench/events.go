package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol"
)

const (
	eventRounds = 3
	eventsOfRun = 1_000_000
	// turnsOfRun is how many replies these events are of. The records at the end of a turn repeat its text.
	turnsOfRun = 50
)

// A path is a way for events to a client. It brings n pieces of text into a pipe and returns when they are written.
type path struct {
	name string
	run  func(ctx context.Context, w wire, n int, text string, to io.Writer) error
}

// The paths begin where a turn publishes, and where a model's chunk arrives. On the first one no two neighbouring events can
// be joined, so that every event is a record; on the second one those of a writer that falls behind are.
var paths = []path{
	{"Publish to pipe", publish},
	{"model's chunk to pipe", replies},
}

// measureEvents lets each codec write events into a pipe that another process reads, in this process.
func measureEvents(ctx context.Context, b *bench) ([]check, error) {
	s, err := b.rounds(ctx, eventRounds, func(s series) error {
		if err := b.writing(ctx, "each", writeEach, s); err != nil {
			return err
		}
		if err := b.writing(ctx, "together", writeTogether, s); err != nil {
			return err
		}
		for _, w := range wires {
			for _, p := range paths {
				if err := b.events(ctx, w, p, s); err != nil {
					return fmt.Errorf("%s, %s: %w", w.name, p.name, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	each := base{name: "one write a line", value: s.median("each")}
	together := base{name: "coalescing writer", value: s.median("together")}
	var checks []check
	for _, w := range wires {
		for _, p := range paths {
			key := w.name + p.name
			checks = append(checks,
				check{budget: 3, measure: p.name, wire: w.name, figure: s.median(key), unit: perSec, beside: together, limit: 0.3, atLeast: true},
				check{budget: 3, measure: p.name, wire: w.name, figure: s.median(key), unit: perSec, beside: each, limit: 2, atLeast: true},
				check{budget: 3, measure: "  allocations an event", wire: w.name, figure: s.median(key + " allocs"), unit: count, beside: own, limit: 2},
				check{budget: 3, measure: "  records an event", wire: w.name, figure: s.median(key + " records"), unit: count},
			)
		}
	}
	return checks, nil
}

func (b *bench) events(ctx context.Context, w wire, p path, s series) error {
	text, err := fill(ctx, w)
	if err != nil {
		return err
	}
	c, err := b.counter(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	if err := p.run(ctx, w, eventsOfRun, text, c.in); err != nil {
		return err
	}
	took := time.Since(begun)
	runtime.ReadMemStats(&after)
	lines, err := c.close()
	if err != nil {
		return err
	}
	key := w.name + p.name
	s.add(key, perSecond(eventsOfRun, took))
	// What is allocated once for the whole run does not count.
	s.add(key+" allocs", math.Round(float64(after.Mallocs-before.Mallocs)/eventsOfRun*100)/100)
	s.add(key+" records", float64(lines)/eventsOfRun)
	return nil
}

// fill returns a text whose record is as long as the lines of the floors.
func fill(ctx context.Context, w wire) (string, error) {
	host := scriptedHost(nil)
	defer host.Close()
	codec, err := w.open(core.EngineOptions{})(ctx, host, protocol.NewOutbox())
	if err != nil {
		return "", err
	}
	delta := core.TextDelta{Turn: 1, Text: "x"}
	if _, err := codec.Append(nil, delta); err != nil { // JSONL tells of a block's start before its first piece
		return "", err
	}
	record, err := codec.Append(nil, delta)
	if err != nil || len(record) > lineSize {
		return "", fmt.Errorf("the record of one byte of text has %d bytes, want at most %d: %v", len(record), lineSize, err)
	}
	return strings.Repeat("x", 1+lineSize-len(record)), nil
}

// scriptedHost returns a host whose model says what step yields. It keeps nothing.
func scriptedHost(step coretest.Step) *core.Host {
	var provider *coretest.Provider
	if step == nil {
		provider = coretest.NewProvider()
	} else {
		provider = coretest.NewProvider(coretest.Reply(step))
	}
	return core.NewHost(core.HostOptions{
		Providers: []core.Provider{provider}, Store: &coretest.Store{}, Cwd: os.TempDir(), Approver: core.ApproveAll.Approver(),
	})
}

// publish publishes the deltas of two blocks in turns, as a turn does.
func publish(ctx context.Context, w wire, n int, text string, to io.Writer) error {
	host := scriptedHost(nil)
	defer host.Close()
	out := protocol.NewOutbox()
	codec, err := w.open(core.EngineOptions{})(ctx, host, out)
	if err != nil {
		return err
	}
	written := make(chan error, 1)
	go func() { written <- out.Run(to, codec.Append) }()
	var bus core.Bus
	bus.Subscribe(out)
	for i := range n {
		bus.Publish(core.TextDelta{Turn: 1, Block: i & 1, Text: text})
		if err = bus.Ready(ctx); err != nil {
			break
		}
	}
	out.Close()
	if werr := <-written; werr != nil {
		return werr
	}
	return err
}

// replies has a client send prompts, which the model answers with the deltas of one block. The text is that of a token, not of
// the records that the floors write: at the end of a turn it is repeated as a whole.
func replies(ctx context.Context, w wire, n int, _ string, to io.Writer) error {
	for range turnsOfRun {
		if err := reply(ctx, w, n/turnsOfRun, "tok ", to); err != nil {
			return err
		}
	}
	return nil
}

func reply(ctx context.Context, w wire, n int, text string, to io.Writer) error {
	host := scriptedHost(func(_ context.Context, yield func(core.Chunk, error) bool) bool {
		for range n {
			if !yield(core.Chunk{Kind: core.ChunkText, Text: text}, nil) {
				return false
			}
		}
		return true
	})
	defer host.Close()
	prompt := strings.NewReader(string(w.promptLine("go")))
	return protocol.Serve(ctx, host, w.open(core.EngineOptions{}), prompt, to, protocol.ServeOptions{})
}
