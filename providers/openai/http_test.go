package openai_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/providers/internal/fakeserver"
	"github.com/dualagent/agent/providers/openai"
)

const key = "sk-very-secret-key"

func withKey() string { return key + "\n" }

// The key goes to the server in one header, and is never part of an error, even if the server says it.
func TestKeyStaysSecret(t *testing.T) {
	quote := func(s string) string { return "> \"" + s + "\"" }
	for name, script := range map[string]string{
		"refusal":            "! status 401\n" + quote(`{\"error\":{\"message\":\"Incorrect API key provided: `+key+`\"}}`),
		"long refusal":       "! status 500\n" + quote(strings.Repeat("x", 190)+key),
		"error in a stream":  quote(`data: {\"error\":{\"message\":\"` + key + `\"}}\n\n`),
		"broken chunk":       quote(`data: ` + key + `\n\n`),
		"page":               quote(`<html>` + key),
		"no reply":           quote(`{\"key\":\"` + key + `\"}`),
		"unknown encoding":   "! header Content-Encoding: br",
		"a broken gzip body": "! header Content-Encoding: gzip\n" + quote(key),
	} {
		s := fakeserver.New(t, fakeserver.AsWritten, script)
		p := provider(t, openai.Options{BaseURL: s.URL + "/v1?api-key=" + key, Key: withKey, KeyEnv: "TEST_KEY"})
		var err error
		for _, err = range p.Stream(t.Context(), hello) {
		}
		if err == nil || strings.Contains(err.Error(), "sk-ver") {
			t.Errorf("%s: error %v; want one without the key", name, err)
		}
		if !strings.HasPrefix(err.Error(), "test (127.0.0.1:") {
			t.Errorf("%s: error %q does not begin with provider and host", name, err)
		}
		if got := s.Requests()[0]; got.Header.Get("Authorization") != "Bearer "+key || got.Path != "/v1/chat/completions?api-key="+key {
			t.Errorf("%s: %s with Authorization %q", name, got.Path, got.Header.Get("Authorization"))
		}
	}
	p := provider(t, openai.Options{BaseURL: "http://127.0.0.1:1/?api-key=" + key, Key: withKey}) // nobody listens there
	if got := play(t.Context(), p, hello); strings.Contains(got, key) || !strings.HasPrefix(got, "error retry connection failed") {
		t.Errorf("without a server: %s", got)
	}
}

func TestKeyFromEnvironment(t *testing.T) {
	s := fakeserver.New(t, fakeserver.AsWritten, "! status 401", "! status 401", fine)
	p := provider(t, openai.Options{BaseURL: s.URL, KeyEnv: "TEST_KEY"})
	t.Setenv("TEST_KEY", "")
	if got := play(t.Context(), p, hello); !strings.Contains(got, "set the API key in the environment variable TEST_KEY") {
		t.Errorf("without a key: %s", got)
	}
	t.Setenv("TEST_KEY", "k1")
	if got := play(t.Context(), p, hello); !strings.Contains(got, "check the API key in the environment variable TEST_KEY") {
		t.Errorf("with a wrong key: %s", got)
	}
	play(t.Context(), p, hello)
	for i, want := range []string{"", "Bearer k1", "Bearer k1"} {
		if got := s.Requests()[i].Header.Get("Authorization"); got != want {
			t.Errorf("request %d: Authorization %q, want %q", i, got, want)
		}
	}
}

// Neither the key nor the conversation goes to a server that was not asked for; on the same one a redirect is followed.
func TestRedirects(t *testing.T) {
	other := fakeserver.New(t, fakeserver.AsWritten, fine)
	for _, status := range []string{"301", "302", "303", "307", "308"} {
		s := fakeserver.New(t, fakeserver.AsWritten, "! status "+status+"\n! header Location: "+other.URL+"/chat/completions")
		p := provider(t, openai.Options{BaseURL: s.URL, Key: withKey})
		got := play(t.Context(), p, hello)
		if want := "error the server redirects to " + other.URL + "; if that is right, use it as the base URL"; got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
		s = fakeserver.New(t, fakeserver.AsWritten, "! status "+status+"\n! header Location: /v2?key=secret")
		got = play(t.Context(), provider(t, openai.Options{BaseURL: s.URL}), hello)
		want, requests := "error the server redirects again and again; check the base URL", 5
		if status < "304" { // these turn POST into GET
			want, requests = "error the server redirects to /v2 in a way that drops the request; if that is right, use it as the base URL", 1
		}
		if n := len(s.Requests()); got != want || n != requests {
			t.Errorf("%s on the same server: %d requests, %q; want %d, %q", status, n, got, requests, want)
		}
	}
	if n := len(other.Requests()); n > 0 {
		t.Errorf("the other server got %d requests", n)
	}
	s := fakeserver.New(t, fakeserver.AsWritten, "! status 308\n! header Location: /v2/chat/completions", fine)
	p := provider(t, openai.Options{BaseURL: s.URL, Key: withKey})
	if got := play(t.Context(), p, hello); !strings.HasSuffix(got, "stop stop") {
		t.Errorf("redirect on the same server: %s", got)
	}
	if r := s.Requests()[1]; r.Path != "/v2/chat/completions" || r.Header.Get("Authorization") == "" || len(r.Body) == 0 {
		t.Errorf("redirect on the same server: %s, Authorization %q, %d bytes", r.Path, r.Header.Get("Authorization"), len(r.Body))
	}
}

// O58: Retry-After may be a date.
func TestRetryAfterDate(t *testing.T) {
	at := time.Now().Add(time.Minute).UTC()
	s := fakeserver.New(t, fakeserver.AsWritten, "! status 503\n! header Retry-After: "+at.Format(http.TimeFormat))
	var err error
	for _, err = range provider(t, openai.Options{BaseURL: s.URL}).Stream(t.Context(), hello) {
	}
	var p *core.ProviderError
	if !errors.As(err, &p) || p.RetryAfter > time.Minute || p.RetryAfter < time.Minute-30*time.Second {
		t.Errorf("error %v, want one that asks to wait until %v", err, at)
	}
}

func TestBaseURL(t *testing.T) {
	for base, want := range map[string]string{
		"":                                     "/chat/completions",
		"/":                                    "/chat/completions",
		"/v1":                                  "/v1/chat/completions",
		"/v1/":                                 "/v1/chat/completions",
		"/v1/chat/completions":                 "/v1/chat/completions",
		"/v1/chat/completions/":                "/v1/chat/completions",
		"/deployments/x?api-version=2024-10":   "/deployments/x/chat/completions?api-version=2024-10",
		"/x/chat/completions?api-version=2024": "/x/chat/completions?api-version=2024",
	} {
		s := fakeserver.New(t, fakeserver.AsWritten, fine)
		play(t.Context(), provider(t, openai.Options{BaseURL: s.URL + base}), hello)
		if got := s.Requests()[0].Path; got != want {
			t.Errorf("base URL ending in %q: %s, want %s", base, got, want)
		}
	}
	for _, base := range []string{"", "localhost:8080", "api.example.com/v1", "ftp://x/v1", "http://", "://" + key, "http://[" + key} {
		if _, err := openai.New(openai.Options{BaseURL: base}); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("New with base URL %q: %v; want an error without it", base, err)
		}
	}
}

// One connection serves a conversation, also behind failures.
func TestConnectionIsReused(t *testing.T) {
	s := fakeserver.New(t, fakeserver.AsWritten, fine, "! status 429\n> \"slow down\"", "OA{\"content\":\"a\"}\nFIN(stop)", fine)
	var opened atomic.Int32
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		opened.Add(1)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	p := provider(t, openai.Options{BaseURL: s.URL, HTTP: &http.Client{Transport: transport}})
	for range 4 {
		play(t.Context(), p, hello)
	}
	if opened.Load() != 1 || len(s.Requests()) != 4 {
		t.Errorf("%d connections for %d requests, want 1 for 4", opened.Load(), len(s.Requests()))
	}
}

// What a server compresses unasked is decompressed; we do not ask, since compressors hold back what should stream.
func TestGzip(t *testing.T) {
	zipped := gzipped(t, `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\n\n")
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("Accept-Encoding %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(zipped)
	}))
	t.Cleanup(h.Close)
	got := estimate.ReplaceAllString(play(t.Context(), provider(t, openai.Options{BaseURL: h.URL}), hello), "")
	if want := "text a\nstop stop"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A reset in the middle is a failure that may be retried, whatever had come.
func TestReset(t *testing.T) {
	s := fakeserver.New(t, fakeserver.AsWritten, "OA{\"content\":\"Hel\"}\n! gate\n! rst")
	var text string
	var err error
	for c, e := range provider(t, openai.Options{BaseURL: s.URL}).Stream(t.Context(), hello) {
		if c.Kind == core.ChunkText && e == nil {
			text += c.Text
			s.Open()
		}
		err = e
	}
	var p *core.ProviderError
	if text != "Hel" || !errors.As(err, &p) || !p.Retry {
		t.Errorf("got %q and %v, want Hel and an error that may be retried", text, err)
	}
}

// Each script holds the client in another phase. When the context ends, Stream returns its cause and the server sees the
// connection go.
func TestCancel(t *testing.T) {
	stop := errors.New("stop it")
	for name, script := range map[string]string{
		"before the header":     "! hang",
		"before the first byte": "! flush\n! hang",
		"after a chunk":         "OA{\"content\":\"a\"}\n! hang",
		"within a line":         "> \"data: {\\\"choi\"\n! hang",
		"behind the finish":     "OA{\"content\":\"a\"}\nFIN(stop)\n! hang",
		"within a refusal":      "! status 500\n> \"x\"\n! hang",
		"within a page":         "> \"<html>\"\n! hang",
	} {
		t.Run(name, func(t *testing.T) {
			s := fakeserver.New(t, fakeserver.AsWritten, script)
			p := provider(t, openai.Options{BaseURL: s.URL})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var at time.Time
			timer := time.AfterFunc(30*time.Millisecond, func() { at = time.Now(); cancel(stop) })
			defer timer.Stop()
			var last error
			for _, last = range p.Stream(ctx, hello) {
			}
			if took := time.Since(at); !errors.Is(last, stop) || took > 100*time.Millisecond {
				t.Errorf("error %v after %v, want %v within 100ms", last, took, stop)
			}
			if took := (<-s.Left()).Sub(at); took > 100*time.Millisecond {
				t.Errorf("the server saw the client leave after %v", took)
			}
		})
	}
}

// Breaking off closes the connection, and so does the end of the context while the caller holds a chunk.
func TestLeave(t *testing.T) {
	s := fakeserver.New(t, fakeserver.AsWritten, "OA{\"content\":\"a\"}\nOA{\"content\":\"b\"}\n! hang")
	p := provider(t, openai.Options{BaseURL: s.URL})
	for range p.Stream(t.Context(), hello) {
		break
	}
	<-s.Left()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var err error
	for c, e := range p.Stream(ctx, hello) {
		if err = e; e == nil && c.Text == "a" {
			cancel()
			<-s.Left()
		} else if c.Text == "b" {
			t.Error("a chunk came after the end of the context")
		}
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	for _, err := range p.Stream(ctx, hello) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}
