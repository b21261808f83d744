package openai_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dualagent/agent/providers/openai"
)

func gzipped(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pipeClient returns a client whose server is at the other end of a pipe, so that time can be faked. If serve is nil, there is
// no connection.
func pipeClient(t *testing.T, serve func(net.Conn)) *http.Client {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		if serve == nil {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			readRequest(server)
			serve(server)
			io.Copy(io.Discard, server) // until the client leaves
		}()
		return client, nil
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func readRequest(c net.Conn) {
	var got []byte
	buf := make([]byte, 4096)
	for !bytes.HasSuffix(got, []byte(`"include_usage":true}}`)) {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		got = append(got, buf[:n]...)
	}
}

const (
	head     = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	aChunk   = `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n"
	finished = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
)

func TestTimeouts(t *testing.T) {
	say := func(what ...string) func(net.Conn) {
		return func(c net.Conn) {
			for _, s := range what {
				io.WriteString(c, s)
			}
		}
	}
	slowly := func(times int, what string) func(net.Conn) {
		return func(c net.Conn) {
			io.WriteString(c, head)
			for range times {
				<-time.After(50 * time.Second)
				io.WriteString(c, what)
			}
		}
	}
	for name, c := range map[string]struct {
		serve func(net.Conn)
		o     openai.Options
		after time.Duration
		want  string
	}{
		"no connection":           {nil, openai.Options{}, 30 * time.Second, "error retry no connection within 30s"},
		"no header":               {say(), openai.Options{}, 90 * time.Second, "error retry no answer within 1m30s"},
		"no body":                 {say(head), openai.Options{}, 90 * time.Second, "error retry no answer within 1m30s"},
		"silence after a chunk":   {say(head, aChunk), openai.Options{}, 60 * time.Second, "text a\nerror retry nothing more came within 1m0s"},
		"silence within a line":   {say(head, "data: {"), openai.Options{}, 60 * time.Second, "error retry nothing more came within 1m0s"},
		"silence after the end":   {say(head, aChunk, finished), openai.Options{}, 5 * time.Second, "text a\nstop stop"},
		"open behind DONE":        {say(head, aChunk, "data: [DONE]\n\n"), openai.Options{}, 50 * time.Millisecond, "text a\nstop"},
		"comments keep it alive":  {slowly(3, ": ping\n\n"), openai.Options{}, 210 * time.Second, "error retry nothing more came within 1m0s"},
		"a ceiling for all of it": {slowly(5, ": ping\n\n"), openai.Options{Total: 5 * time.Minute}, 5 * time.Minute, "error retry no end of the reply within 5m0s"},
		"other times":             {say(head), openai.Options{FirstByte: time.Second}, time.Second, "error retry no answer within 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.o.BaseURL, c.o.HTTP = "http://pipe/v1", pipeClient(t, c.serve)
				p := provider(t, c.o)
				start := time.Now()
				got := estimate.ReplaceAllString(play(t.Context(), p, hello), "")
				if took := time.Since(start); got != c.want || took != c.after {
					t.Errorf("got %q after %v, want %q after %v", got, took, c.want, c.after)
				}
			})
		})
	}
}

// A caller that takes its time is not held against the server.
func TestSlowCallerIsNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pipeClient(t, func(c net.Conn) {
			io.WriteString(c, head+strings.Repeat(aChunk, 3)+finished+"data: [DONE]\n\n")
		})
		p := provider(t, openai.Options{BaseURL: "http://pipe/v1", HTTP: client})
		n := 0
		for _, err := range p.Stream(t.Context(), hello) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			<-time.After(time.Hour)
		}
		if want := 5; n != want { // three texts, usage, stop
			t.Errorf("%d chunks, want %d", n, want)
		}
	})
}
