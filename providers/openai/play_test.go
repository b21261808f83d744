package openai_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/providers/internal/fakeserver"
	"github.com/dualagent/agent/providers/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var hello = core.Request{Model: core.Model{ID: "m"}, Messages: []core.Message{user("hello")}}

func user(s string) core.Message {
	return core.Message{Role: core.RoleUser, Content: []core.Block{core.TextBlock(s)}}
}

func provider(t testing.TB, o openai.Options) *openai.Provider {
	t.Helper()
	o.Name = "test"
	p, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

var (
	madeID   = regexp.MustCompile(`call_[a-z2-7]{26}`)
	estimate = regexp.MustCompile(`usage \d+/\d+ estimated\n`)
)

// play returns what the provider makes of the server's answers, a line for each thing, deltas joined.
func play(ctx context.Context, p *openai.Provider, r core.Request) string {
	var out transcript
	for c, err := range p.Stream(ctx, r) {
		if err != nil {
			out.line("error", describe(err))
			break
		}
		out.add(c)
	}
	return trim(madeID.ReplaceAllString(out.String(), "call_*"))
}

// A transcript notes chunks. Arguments are shown with the call's end.
type transcript struct {
	strings.Builder
	last  string
	calls []string
}

func (w *transcript) line(kind, text string) {
	if w.last != kind && w.Len() > 0 {
		w.WriteString("\n")
	}
	if w.last != kind {
		w.WriteString(kind + " ")
	}
	w.last = kind
	w.WriteString(text)
}

func (w *transcript) add(c core.Chunk) {
	switch c.Kind {
	case core.ChunkText:
		w.line("text", c.Text)
	case core.ChunkReasoning:
		w.line("think", c.Text)
	case core.ChunkToolCall:
		if c.Call == len(w.calls) {
			w.calls = append(w.calls, "")
			w.line(fmt.Sprintf("call%d", c.Call), fmt.Sprintf("%s %s ", c.ID, c.Name))
		}
		if c.Signature != "" {
			w.calls[c.Call] += "[" + c.Signature + "]"
		}
		w.calls[c.Call] += c.Text
	case core.ChunkUsage:
		w.line("usage", fmt.Sprintf("%d/%d", c.Usage.Input, c.Usage.Output))
		if c.Usage.CacheRead+c.Usage.CacheWrite+c.Usage.Reasoning > 0 {
			w.line("usage", fmt.Sprintf(" cache %d/%d reasoning %d", c.Usage.CacheRead, c.Usage.CacheWrite, c.Usage.Reasoning))
		}
		if c.Usage.Estimated {
			w.line("usage", " estimated")
		}
	case core.ChunkStop:
		for i, args := range w.calls {
			w.line(fmt.Sprintf("args%d", i), args)
		}
		w.line(string(c.Stop), c.Text)
	}
}

func describe(err error) string {
	var p *core.ProviderError
	if !errors.As(err, &p) {
		return err.Error()
	}
	var b strings.Builder
	if p.Status != 0 {
		fmt.Fprintf(&b, "%d ", p.Status)
	}
	if p.Retry {
		b.WriteString("retry ")
	}
	if p.RetryAfter != 0 {
		fmt.Fprintf(&b, "after %v ", p.RetryAfter)
	}
	if p.Overflow {
		b.WriteString("overflow ")
	}
	_, what, _ := strings.Cut(err.Error(), "): ")
	return b.String() + what
}

// trim takes the indentation off lines of a table, and white space off their ends.
func trim(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(strings.TrimLeft(lines[i], "\t"), " ")
	}
	return strings.Join(lines, "\n")
}

// A quirk is a stream that has broken clients, and what is to be made of it. If want has no estimated usage, none matters.
type quirk struct{ name, script, want string }

// runQuirks plays each stream in every shape.
func runQuirks(t *testing.T, quirks []quirk) {
	for _, q := range quirks {
		for name, shape := range fakeserver.Shapes {
			t.Run(q.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := fakeserver.New(t, shape, q.script)
				p := provider(t, openai.Options{BaseURL: s.URL})
				got, want := play(t.Context(), p, hello), trim(q.want)
				if !strings.Contains(want, "estimated") {
					got = estimate.ReplaceAllString(got, "")
				}
				if got != want {
					t.Errorf("script:\n%s\ngot:\n%s\nwant:\n%s", q.script, got, want)
				}
			})
		}
	}
}
