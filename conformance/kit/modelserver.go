package kit

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

// A modelServer plays a Script as an OpenAI-style chat completions server on loopback. Its base URL is url + "/v1".
type modelServer struct {
	http   *httptest.Server
	script *Script
	gates  *gates

	mu       sync.Mutex // guards the rest
	requests []string   // bodies of the requests for a reply, in the order they came
	next     int        // index of the next reply
	calls    int        // tool calls made so far
	faults   []string   // what was wrong with requests
}

func newModelServer(s *Script, g *gates) *modelServer {
	m := &modelServer{script: s, gates: g}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", m.models)
	mux.HandleFunc("POST /v1/chat/completions", m.complete)
	m.http = httptest.NewServer(mux)
	return m
}

func (m *modelServer) url() string { return m.http.URL + "/v1" }

// close returns when no request is being served any more.
func (m *modelServer) close() {
	m.http.CloseClientConnections()
	m.http.Close()
}

func (m *modelServer) models(w http.ResponseWriter, _ *http.Request) {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		OwnedBy string `json:"owned_by"`
		Window  int    `json:"context_length,omitempty"`
	}
	list := []model{}
	for _, s := range m.script.Models {
		list = append(list, model{ID: s.ID, Object: "model", OwnedBy: "conformance", Window: s.Window})
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(map[string]any{"object": "list", "data": list})) // the client may be gone
}

// complete answers one request with the next reply.
func (m *modelServer) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	reply, model, err := m.take(body)
	if err != nil {
		httpError(w, http.StatusBadRequest, err.Error(), 0)
		return
	}
	s := &sse{w: w, out: http.NewResponseController(w), model: model, usage: [2]int{100, 10}}
	for _, in := range reply {
		if !m.play(r.Context(), s, in) {
			return
		}
	}
	s.end()
}

// take records a request and returns the reply that it gets.
func (m *modelServer) take(body []byte) (Reply, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, string(body))
	var req chatRequest
	err := json.Unmarshal(body, &req)
	if err == nil {
		err = req.check()
	}
	if err != nil {
		m.faults = append(m.faults, fmt.Sprintf("request %d to the model: %v", len(m.requests), err))
		return nil, "", err
	}
	if m.next >= len(m.script.Replies) && m.script.Loop {
		m.next = 0
	}
	if m.next >= len(m.script.Replies) {
		return nil, "", fmt.Errorf("the script has %d replies, and this is request %d", len(m.script.Replies), len(m.requests))
	}
	m.next++
	return m.script.Replies[m.next-1], req.Model, nil
}

// play carries out one instruction and reports whether the reply goes on.
func (m *modelServer) play(ctx context.Context, s *sse, in Instruction) bool {
	switch in.Op {
	case "say":
		s.delta("content", in.Text)
	case "think":
		s.delta("reasoning_content", in.Text)
	case "repeat":
		for range in.N {
			s.delta("content", in.Text)
		}
	case "call":
		s.call(m.callID(), in)
	case "usage":
		s.usage = [2]int{in.In, in.Out}
	case "stop":
		s.finish = map[string]string{"length": "length", "stop": "stop", "tools": "tool_calls"}[in.Name]
	case "wait":
		select {
		case <-time.After(in.Wait):
		case <-ctx.Done():
			return false
		}
	case "gate":
		s.start()
		return m.gates.wait(ctx, in.Text) == nil
	case "fail":
		s.fail(in)
		return false
	case "cut":
		s.start()
		panic(http.ErrAbortHandler) // closes the connection without ending the body
	}
	return true
}

func (m *modelServer) callID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return fmt.Sprintf("call_%d", m.calls)
}

// asked returns the bodies of the requests so far, and what was wrong with them.
func (m *modelServer) asked() (requests, faults []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests), slices.Clone(m.faults)
}
