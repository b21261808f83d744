package kit

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An sse writes one reply as a stream of events.
type sse struct {
	w      http.ResponseWriter
	out    *http.ResponseController
	model  string
	begun  bool
	calls  int
	finish string
	usage  [2]int // in, out
}

func (s *sse) start() {
	if s.begun {
		return
	}
	s.begun = true
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.choice(map[string]any{"role": "assistant", "content": ""}, nil)
}

func (s *sse) delta(field, text string) {
	s.start()
	s.choice(map[string]any{field: text}, nil)
}

func (s *sse) choice(delta map[string]any, finish any) {
	s.chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}, nil)
}

func (s *sse) chunk(choices []any, usage any) {
	s.send(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": s.model,
		"choices": choices, "usage": usage,
	})
}

// send ignores errors: the client may have gone, which the next wait notices.
func (s *sse) send(v any) {
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", encode(v))
	_ = s.out.Flush()
}

// call sends id and name first, then the arguments in pieces.
func (s *sse) call(id string, in Instruction) {
	s.start()
	index := s.calls
	s.calls++
	piece := func(more map[string]any) {
		more["index"] = index
		s.choice(map[string]any{"tool_calls": []any{more}}, nil)
	}
	piece(map[string]any{"id": id, "type": "function", "function": map[string]any{"name": in.Name, "arguments": ""}})
	for _, part := range cutText(in.Text, in.N) {
		piece(map[string]any{"function": map[string]any{"arguments": part}})
	}
}

// cutText cuts s into n pieces of about the same size, fewer if s is shorter.
func cutText(s string, n int) []string {
	runes := []rune(s)
	size := max(1, (len(runes)+n-1)/n)
	var parts []string
	for part := range slices.Chunk(runes, size) {
		parts = append(parts, string(part))
	}
	return parts
}

func (s *sse) fail(in Instruction) {
	if s.begun {
		s.send(map[string]any{"error": map[string]any{"message": in.Text, "code": in.N}})
		return
	}
	httpError(s.w, in.N, in.Text, in.Wait)
}

func (s *sse) end() {
	s.start()
	if s.finish == "" {
		s.finish = "stop"
		if s.calls > 0 {
			s.finish = "tool_calls"
		}
	}
	s.choice(map[string]any{}, s.finish)
	in, out := s.usage[0], s.usage[1]
	s.chunk([]any{}, map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out})
	_, _ = io.WriteString(s.w, "data: [DONE]\n\n")
}

func httpError(w http.ResponseWriter, status int, text string, retryAfter time.Duration) {
	w.Header().Set("Content-Type", "application/json")
	if retryAfter > 0 {
		seconds := (retryAfter + time.Second - 1) / time.Second
		w.Header().Set("Retry-After", fmt.Sprint(int(seconds)))
	}
	w.WriteHeader(status)
	kind := strings.ToLower(strings.ReplaceAll(http.StatusText(status), " ", "_"))
	_, _ = w.Write(encode(map[string]any{"error": map[string]any{"message": text, "type": kind}}))
}
