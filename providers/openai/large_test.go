package openai_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/providers/internal/sse"
	"github.com/dualagent/agent/providers/openai"
)

// A reader answers every request with what it reads.
type reader struct{ io.Reader }

func (r reader) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(r.Reader)}, nil
}

func from(t *testing.T, r io.Reader) *openai.Provider {
	t.Helper()
	return provider(t, openai.Options{BaseURL: "http://x", HTTP: &http.Client{Transport: reader{r}}})
}

// S08, O36: five MiB are no more trouble in one event than in many.
func TestLargeReplies(t *testing.T) {
	const size = 5 << 20
	event := func(delta string) string { return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n" }
	call := func(arguments string) string {
		return event(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"` + arguments + `"}}]}`)
	}
	for name, in := range map[string]io.Reader{
		"one text":               strings.NewReader(event(`{"content":"` + strings.Repeat("x", size) + `"}`)),
		"one call":               strings.NewReader(call(strings.Repeat("x", size))),
		"a call in small pieces": strings.NewReader(strings.Repeat(call(strings.Repeat("x", 64)), size/64)),
	} {
		got := 0
		for c, err := range from(t, io.MultiReader(in, strings.NewReader("data: [DONE]\n\n"))).Stream(t.Context(), hello) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if c.Kind == core.ChunkText || c.Kind == core.ChunkToolCall {
				got += len(c.Text)
			}
		}
		if got != size {
			t.Errorf("%s: %d bytes, want %d", name, got, size)
		}
	}
}

func TestTooLargeEvent(t *testing.T) {
	in := `data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", sse.MaxEvent) + `"}}]}` + "\n\n"
	var last error
	for _, last = range from(t, strings.NewReader(in)).Stream(t.Context(), hello) {
	}
	var pe *core.ProviderError
	var long *sse.TooLongError
	if !errors.As(last, &pe) || !errors.As(last, &long) || pe.Retry {
		t.Errorf("error %v; want a ProviderError for a TooLongError, and no retry", last)
	}
}
