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

// A body answers every request.
type body string

func (b body) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(b)))}, nil
}

// Whatever a server says, the reply ends in a stop or in an error, calls are counted from 0, and each begins with its id.
func FuzzReply(f *testing.F) {
	for _, delta := range []string{
		`{"content":"a"}`, `{"content":[{"type":"text","text":"a"}]}`, `{"content":"<think>a</think>b"}`, `{"reasoning":"a"}`,
		`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]}`,
		`{"tool_calls":[{"function":{"name":"ls","arguments":null}},{"function":{"name":"ls","arguments":"{}"}}]}`,
		`{"function_call":{"name":"ls","arguments":{}}}`,
	} {
		f.Add(`data: {"choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\ndata: [DONE]\n\n")
	}
	f.Add(`{"error":{"code":429,"message":"x"}}`)
	f.Add(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":"5"}}`)
	f.Fuzz(func(t *testing.T, in string) {
		p := provider(t, openai.Options{BaseURL: "http://x", HTTP: &http.Client{Transport: body(in)}})
		calls, stopped := 0, false
		var last error
		for c, err := range p.Stream(t.Context(), hello) {
			switch last = err; {
			case err != nil:
			case stopped:
				t.Errorf("a chunk behind the stop: %+v", c)
			case c.Kind == core.ChunkStop:
				stopped = true
			case c.Kind == core.ChunkToolCall && c.Call == calls && c.ID != "":
				calls++
			case c.Kind == core.ChunkToolCall && (c.Call >= calls || c.ID != ""):
				t.Errorf("%d calls so far, then %+v", calls, c)
			}
		}
		var pe *core.ProviderError
		if stopped == (last != nil) || last != nil && !errors.As(last, &pe) {
			t.Errorf("stopped: %v, error %v", stopped, last)
		}
	})
}

const benchCall = `data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" hello"}}]},"logprobs":null,"finish_reason":null}]}` + "\n\n"

const benchChunk = `data: {"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-4o-mini","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":" hello"},"logprobs":null,"finish_reason":null}]}` + "\n\n"

// BenchmarkChunk measures the way from bytes to chunks; the floor is the event stream reader alone.
func BenchmarkChunk(b *testing.B) {
	const n = 10000
	const done = "data: [DONE]\n\n"
	in := strings.Repeat(benchChunk, n) + done
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; {
			for range sse.Read(strings.NewReader(in)) {
				i++
			}
		}
	})
	for name, in := range map[string]string{"stream": in, "calls": strings.Repeat(benchCall, n) + done} {
		b.Run(name, func(b *testing.B) {
			p := provider(b, openai.Options{BaseURL: "http://x", HTTP: &http.Client{Transport: body(in)}})
			b.ReportAllocs()
			for i := 0; i < b.N; {
				for _, err := range p.Stream(b.Context(), hello) {
					if err != nil {
						b.Fatal(err)
					}
					i++
				}
			}
		})
	}
}
