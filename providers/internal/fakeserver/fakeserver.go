// Package fakeserver is an HTTP server on the loopback interface that answers byte for byte as a test says. A script has one
// step a line:
//
//	> "data: {}\n\n"     write these bytes (a Go string) and flush; the first write sends the header
//	OA{"content":"a"}    write a chat completions chunk with this delta
//	FIN(stop)            write a chat completions chunk with this finish_reason
//	DONE                 write "data: [DONE]\n\n"
//	~ 20ms               wait
//	! gate               wait until the test calls Open
//	! status 429         answer with this status
//	! header K: V        answer with this header
//	! flush              send the header
//	! hang               keep the connection open and send nothing until the client leaves
//	! rst                abort the connection
//	! close              end the body; the end of the script does so too
//
// The Content-Type is text/event-stream unless the script says otherwise.
package fakeserver

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// A Request is a request as it came in.
type Request struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// A Server answers requests by scripts.
type Server struct {
	URL string

	scripts []answer
	left    chan time.Time
	gate    chan struct{}

	mu       sync.Mutex
	requests []Request
}

// New starts a server that answers the nth request by the nth script, in the given shape, and all later ones by the last
// script. It runs until the test ends.
func New(t testing.TB, shape Shape, scripts ...string) *Server {
	t.Helper()
	s := &Server{left: make(chan time.Time, 100), gate: make(chan struct{}, 100)}
	for _, text := range scripts {
		a, err := parse(text)
		if err != nil {
			t.Fatalf("fakeserver: %v", err)
		}
		a.steps = shape(a.steps)
		s.scripts = append(s.scripts, a)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	s.URL = h.URL
	return s
}

// Requests returns the requests so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Left carries the time at which a client left a script that waits or hangs, once for each such client.
func (s *Server) Left() <-chan time.Time { return s.left }

// Open lets one script go on that waits at a gate, now or later.
func (s *Server) Open() { s.gate <- struct{}{} }

// ServeHTTP plays the next script.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // and so the server notices when the client leaves
	s.mu.Lock()
	n := min(len(s.requests), len(s.scripts)-1)
	s.requests = append(s.requests, Request{r.Method, r.URL.RequestURI(), r.Header.Clone(), body})
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for name, values := range s.scripts[n].header {
		w.Header()[name] = values
	}
	started := false
	for _, step := range s.scripts[n].steps {
		if step.kind == write && !started {
			started = true
			w.WriteHeader(s.scripts[n].status)
		}
		if !s.play(w, r, step) {
			return
		}
	}
	if !started {
		w.WriteHeader(s.scripts[n].status)
	}
}

// play reports whether the script goes on.
func (s *Server) play(w http.ResponseWriter, r *http.Request, step step) bool {
	switch step.kind {
	case write:
		io.WriteString(w, step.text) // a client that has left is noticed by the next wait
		http.NewResponseController(w).Flush()
	case wait:
		return pause(s, r, time.After(step.pause))
	case gate:
		return pause(s, r, s.gate)
	case hang:
		return pause[int](s, r, nil)
	case reset:
		abort(w)
		return false
	}
	return true
}

// pause waits for over, and reports whether the client is still there.
func pause[T any](s *Server, r *http.Request, over <-chan T) bool {
	select {
	case <-over:
		return true
	case <-r.Context().Done():
		s.left <- time.Now()
		return false
	}
}

// abort makes the client's next read fail.
func abort(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
