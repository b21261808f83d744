package protocol_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
	"github.com/dualagent/agent/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHost(t testing.TB, tools []core.Tool, replies ...[]Step) *core.Host {
	h := core.NewHost(core.HostOptions{
		Providers: []core.Provider{NewProvider(replies...)}, Tools: tools, Store: &Store{}, Cwd: "/work",
	})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return h
}

// serve gives the whole input at once and returns the whole output.
func serve(t *testing.T, h *core.Host, input string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := protocol.Serve(context.Background(), h, openToy, strings.NewReader(input), &out, protocol.ServeOptions{}); err != nil {
		t.Fatalf("serve: %v", err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestEndOfInputFinishesWhatWasAskedFor: echo ... | agent prints the whole turn.
func TestEndOfInputFinishesWhatWasAskedFor(t *testing.T) {
	h := newHost(t, nil, Reply(Say("a", "b")), Reply(Say("c")))
	want(t, serve(t, h, "say one\nsay two"),
		"hello", "ok one", "ok two", "text a", "text b", "end stop", "text c", "end stop")
}

func TestRepliesGoAheadOfWhatTheirCommandsCause(t *testing.T) {
	for range 200 {
		h := newHost(t, nil, Reply(Say("a")))
		want(t, serve(t, h, "say one\nnonsense\n"), "hello", "ok one", "error unknown nonsense", "text a", "end stop")
	}
}

// TestAbortBehindAPromptInOneWrite: the prompt's turn is aborted before it says a word, every time.
func TestAbortBehindAPromptInOneWrite(t *testing.T) {
	for range 1000 {
		h := newHost(t, nil, Reply(Say("a")))
		want(t, serve(t, h, "say one\nstop\n"), "hello", "ok one", "ok stop", "end aborted")
	}
}

// TestAFloodOfCommandsDoesNotStarveATurn: whoever never stops asking still gets what was asked for.
func TestAFloodOfCommandsDoesNotStarveATurn(t *testing.T) {
	h := newHost(t, nil, Reply(Say(strings.SplitAfter(strings.Repeat("tok ", 500), " ")...)))
	c := connect(t, h, protocol.ServeOptions{})
	c.read()
	stop := make(chan struct{})
	var flood sync.WaitGroup
	c.send("say go")
	flood.Go(func() {
		defer c.in.Close()
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := io.WriteString(c.in, strings.Repeat("hm\n", 100)); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	ended := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return bytes.Contains(c.got.Bytes(), []byte("end stop"))
	}
	for deadline := time.Now().Add(20 * time.Second); !ended(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Error("the turn does not end while commands keep coming")
			break
		}
	}
	close(stop)
	flood.Wait()
	if err := <-c.served; err != nil {
		t.Fatal(err)
	}
	c.reading.Wait()
}

func TestEndOfInputDeniesWhatNobodyAnswers(t *testing.T) {
	tools := []core.Tool{&Tool{Name: "rm", Risk: core.RiskDestructive}}
	h := newHost(t, tools, Reply(Call(0, "c", "rm", "{}")), Reply(Say("no")))
	want(t, serve(t, h, "say one\n"), "hello", "ok one", "may rm", "text no", "end stop")
}

func TestAnswersCanBePiped(t *testing.T) {
	tools := []core.Tool{&Tool{Name: "rm", Risk: core.RiskDestructive}}
	h := newHost(t, tools, Reply(Call(0, "c", "rm", "{}")), Reply(Say("gone")))
	want(t, serve(t, h, "say one\nyes\n"), "hello", "ok one", "ok yes", "may rm", "text gone", "end stop")
}

func TestLateRepliesAreWaitedFor(t *testing.T) {
	h := newHost(t, nil)
	got := serve(t, h, "later a\nlater b\n")
	slices.Sort(got)
	want(t, got, "done a", "done b", "hello")
}

func TestBadLinesAreAnsweredAndTheNextOneWorks(t *testing.T) {
	h := newHost(t, nil)
	var out bytes.Buffer
	in := "say \xff\n" + strings.Repeat("x", 2000) + "\n" + strings.Repeat("[", 1500) + "\nstop\n"
	o := protocol.ServeOptions{MaxFrame: 1800}
	if err := protocol.Serve(context.Background(), h, openToy, strings.NewReader(in), &out, o); err != nil {
		t.Fatal(err)
	}
	want(t, strings.Split(strings.TrimSpace(out.String()), "\n"),
		"hello", "error invalid UTF-8 at byte 4", "error frame exceeds 1800 bytes",
		"error nested deeper than 1000 at byte 1000", "ok stop")
}

// A pipe to a client that may stop reading.
type client struct {
	t       *testing.T
	in      *io.PipeWriter
	out     *io.PipeReader
	served  chan error
	stop    context.CancelCauseFunc
	mu      sync.Mutex
	got     bytes.Buffer
	reading sync.WaitGroup
}

func connect(t *testing.T, h *core.Host, o protocol.ServeOptions) *client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancelCause(context.Background())
	c := &client{t: t, in: inW, out: outR, served: make(chan error, 1), stop: stop}
	go func() {
		err := protocol.Serve(ctx, h, openToy, inR, outW, o)
		outW.Close()
		inR.Close()
		c.served <- err
	}()
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// read reads until the end of the output, on a goroutine of its own.
func (c *client) read() {
	c.reading.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := c.out.Read(buf)
			c.mu.Lock()
			c.got.Write(buf[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
}

func TestAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1_000_000
		sent := 0
		flood := func(_ context.Context, yield func(core.Chunk, error) bool) bool {
			for ; sent < n; sent++ {
				if !yield(core.Chunk{Kind: core.ChunkText, Text: "tok "}, nil) {
					return false
				}
			}
			return true
		}
		h := newHost(t, nil, Reply(flood))
		c := connect(t, h, protocol.ServeOptions{})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.send("say go")
		synctest.Wait()
		runtime.GC()
		runtime.ReadMemStats(&after)
		if sent > 10_000 {
			t.Errorf("the model was asked for %d pieces while nobody read", sent)
		}
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
			t.Errorf("the heap has grown by %d bytes", grown)
		}
		begin := time.Now()
		c.send("stop")
		synctest.Wait()
		if took := time.Since(begin); took > 5*time.Millisecond {
			t.Errorf("abort took %v", took)
		}
		c.read()
		c.in.Close()
		if err := <-c.served; err != nil {
			t.Fatal(err)
		}
		c.reading.Wait()
		said, others := text(c.got.Bytes())
		if want := strings.Repeat("tok ", len(said)/4); said != want || len(said) < 1000 || len(said) > 4*(sent+1) {
			t.Errorf("%d bytes of %d pieces arrived", len(said), sent)
		}
		want(t, others, "hello", "ok go", "ok stop", "end aborted")
	})
}

func TestASlowClientGetsAllOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 200_000
		flood := func(_ context.Context, yield func(core.Chunk, error) bool) bool {
			for range n {
				if !yield(core.Chunk{Kind: core.ChunkText, Text: "tok "}, nil) {
					return false
				}
			}
			return true
		}
		h := newHost(t, nil, Reply(flood))
		c := connect(t, h, protocol.ServeOptions{})
		c.send("say go")
		synctest.Wait() // the outbox is full
		c.read()
		c.in.Close()
		if err := <-c.served; err != nil {
			t.Fatal(err)
		}
		c.reading.Wait()
		said, others := text(c.got.Bytes())
		if said != strings.Repeat("tok ", n) {
			t.Errorf("%d bytes arrived, want %d", len(said), 4*n)
		}
		if lines := bytes.Count(c.got.Bytes(), []byte("\n")); lines >= n {
			t.Errorf("%d lines: deltas were not joined", lines)
		}
		want(t, others, "hello", "ok go", "end stop")
	})
}

// TestRepliesAreBounded: a client that asks without reading is not read any more, and is when it reads again.
func TestRepliesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, nil)
		c := connect(t, h, protocol.ServeOptions{})
		sent := 0
		var sending sync.WaitGroup
		sending.Go(func() {
			for ; sent < 50; sent++ {
				c.send("much")
			}
			c.in.Close()
		})
		synctest.Wait()
		if sent > 20 {
			t.Errorf("%d MiB of replies were asked for and kept", sent)
		}
		c.read()
		if err := <-c.served; err != nil {
			t.Fatal(err)
		}
		sending.Wait()
		c.reading.Wait()
		if got := bytes.Count(c.got.Bytes(), []byte("\n")); got != 51 {
			t.Errorf("%d lines, want 51", got)
		}
	})
}

func TestSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		defer close(never)
		cause := errors.New("signal")
		h := newHost(t, nil, Reply(Say("half"), Wait(never)))
		c := connect(t, h, protocol.ServeOptions{})
		c.read()
		c.send("say one")
		c.send("say two")
		synctest.Wait()
		c.stop(cause)
		if err := <-c.served; !errors.Is(err, cause) {
			t.Errorf("serve returned %v, want the cause", err)
		}
		c.reading.Wait()
		_, others := text(c.got.Bytes())
		want(t, others, "hello", "ok one", "ok two", "end aborted", "end aborted")
	})
}

func TestSignalWhileNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("signal")
		h := newHost(t, nil, Reply(Say("half")))
		c := connect(t, h, protocol.ServeOptions{})
		c.send("say one")
		synctest.Wait()
		begin := time.Now()
		c.stop(cause)
		if err := <-c.served; !errors.Is(err, cause) {
			t.Errorf("serve returned %v, want the cause", err)
		}
		if took := time.Since(begin); took > 3*time.Second {
			t.Errorf("took %v", took)
		}
		c.out.Close()
		c.in.Close()
	})
}

func TestOutputIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		defer close(never)
		h := newHost(t, nil, Reply(Say("half"), Wait(never)))
		c := connect(t, h, protocol.ServeOptions{})
		c.out.Close()
		_, _ = io.WriteString(c.in, "say one\n") // it may be gone already
		if err := <-c.served; !errors.Is(err, protocol.ErrOutput) {
			t.Errorf("serve returned %v, want ErrOutput", err)
		}
		if err := h.Wait(context.Background()); err != nil {
			t.Errorf("the turn goes on: %v", err)
		}
		c.in.Close()
	})
}

func TestAClientThatNeverReadsTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, nil, Reply(Say("half")))
		c := connect(t, h, protocol.ServeOptions{})
		c.send("say one")
		c.in.Close()
		begin := time.Now()
		if err := <-c.served; !errors.Is(err, protocol.ErrStalled) {
			t.Errorf("serve returned %v, want ErrStalled", err)
		}
		if took := time.Since(begin); took < time.Minute || took > 3*time.Minute {
			t.Errorf("gave up after %v, want one or two minutes", took)
		}
		c.out.Close()
	})
}

// TestALargeReplyToASlowReader: the last line is whole, however slowly it is read.
func TestALargeReplyToASlowReader(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, nil)
	done := make(chan error, 1)
	go func() {
		err := protocol.Serve(context.Background(), h, openToy, strings.NewReader("much\nmuch\nmuch\nmuch\n"), w, protocol.ServeOptions{})
		w.Close()
		done <- err
	}()
	n := 0
	for buf := make([]byte, 4096); ; {
		m, err := r.Read(buf)
		n += m
		if err != nil {
			break
		}
		runtime.Gosched()
	}
	if err := <-done; err != nil || n != len("hello\n")+4*(1<<20+1) {
		t.Errorf("%d bytes arrived (%v)", n, err)
	}
}
