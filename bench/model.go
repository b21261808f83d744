package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A model is a chat-completions server on loopback that answers every request in the same way.
type model struct {
	url    string // base URL
	server *http.Server
	served sync.WaitGroup
	chunks atomic.Int64  // pieces of text written so far
	gone   chan struct{} // gets a value when a reply was given up by the client
}

// A speech writes the text of a reply. It ends early when ctx does.
type speech func(ctx context.Context, say func(text string))

// serveModel starts a model; close ends it.
func serveModel(s speech) (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + l.Addr().String() + "/v1", gone: make(chan struct{}, 1)}
	m.server = &http.Server{Handler: m.handler(s), ReadHeaderTimeout: measureLimit}
	m.served.Go(func() { m.server.Serve(l) }) // until close
	return m, nil
}

func (m *model) close() {
	m.server.Close()
	m.served.Wait()
}

const (
	chunkHead = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"fake-1","choices":[{"index":0,"delta":`
	chunkTail = `,"finish_reason":null}]}` + "\n\n"
	lastChunk = chunkHead + `{},"finish_reason":"stop"}]}` + "\n\n" +
		`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"fake-1","choices":[],` +
		`"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20}}` + "\n\ndata: [DONE]\n\n"
)

// handler answers with an event stream in which every piece of text is a chunk that is written at once.
func (m *model) handler(s speech) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		w.Header().Set("Content-Type", "text/event-stream")
		flush := w.(http.Flusher).Flush
		var buf []byte
		io.WriteString(w, chunkHead+`{"role":"assistant","content":""}`+chunkTail)
		flush()
		s(ctx, func(text string) {
			buf = append(buf[:0], chunkHead+`{"content":`...)
			buf = strconv.AppendQuote(buf, text)
			buf = append(buf, '}')
			buf = append(buf, chunkTail...)
			if _, err := w.Write(buf); err != nil {
				cancel()
				return
			}
			flush()
			m.chunks.Add(1)
		})
		if ctx.Err() != nil {
			select {
			case m.gone <- struct{}{}:
			default:
			}
			return
		}
		io.WriteString(w, lastChunk)
	}
}

// deltas says the same n times, as fast as the client takes it.
func deltas(n int, text string) speech {
	return func(ctx context.Context, say func(string)) {
		for i := 0; i < n && ctx.Err() == nil; i++ {
			say(text)
		}
	}
}

// paced says the same n times, gap apart.
func paced(n int, gap time.Duration, text string) speech {
	return func(ctx context.Context, say func(string)) {
		atPace(ctx, n, gap, func() { say(text) })
	}
}

// stamps says the time since begun, in nanoseconds and with a semicolon behind it, n times, gap apart.
func stamps(n int, gap time.Duration, begun time.Time) speech {
	return func(ctx context.Context, say func(string)) {
		atPace(ctx, n, gap, func() { say(strconv.FormatInt(int64(time.Since(begun)), 10) + ";") })
	}
}

// atPace calls f n times at times that are gap apart: one late call does not make all others late.
func atPace(ctx context.Context, n int, gap time.Duration, f func()) {
	start := time.Now()
	for i := 0; i < n && ctx.Err() == nil; i++ {
		time.Sleep(time.Until(start.Add(time.Duration(i) * gap)))
		f()
	}
}
