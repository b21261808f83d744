package openai

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/dualagent/agent/core"
)

// An answer is what a server has answered with status 200.
type answer struct {
	ctx         context.Context // of the HTTP request
	watch       *watch
	response    *http.Response
	body        *watchedReader
	requestSize int
	chunk       chunk
	buf         []byte
}

// close ends the request. The body is not read to its end.
func (a *answer) close() {
	a.watch.stop()
	a.response.Body.Close()
}

// drain reads what is behind the reply, if it comes at once.
func (a *answer) drain() {
	const atMost = 64 << 10
	a.body.hurry(afterDone)
	io.CopyN(io.Discard, a.body, atMost)
}

// ask sends r. If the server refuses an optional member of the request, it is asked again without it, and henceforth.
func (p *Provider) ask(ctx context.Context, r core.Request) (*answer, error) {
	for h := p.habit(r.Model.ID); ; {
		body, err := encode(r, h, &p.o)
		if err != nil {
			return nil, p.failure("encode the request", err)
		}
		a, err := p.send(ctx, http.MethodPost, "/chat/completions", body)
		if err != nil {
			return nil, err
		}
		a.requestSize = len(body)
		if a.response.StatusCode == http.StatusOK {
			return a, nil
		}
		text, refusal := p.refused(ctx, a)
		learnt := h.learn(a.response.StatusCode, text)
		if learnt == h {
			return nil, refusal
		}
		h = learnt
		p.setHabit(r.Model.ID, h)
	}
}

// send makes an HTTP request. The caller closes the answer, whose status may be any.
func (p *Provider) send(ctx context.Context, method, path string, body []byte) (*answer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	u := *p.base
	u.Path += path
	watched, w := startWatch(ctx, &p.o)
	req, err := http.NewRequestWithContext(watched, method, u.String(), bytes.NewReader(body))
	if err != nil {
		w.stop()
		return nil, p.failure("make a request", innermost(err))
	}
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "agent")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key := p.o.Key(); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := p.client.Do(req)
	if err != nil {
		defer w.stop()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, p.sendError(watched, err)
	}
	a := &answer{ctx: watched, watch: w, response: response}
	a.body = w.reading(response.Body)
	if err := a.decompress(); err != nil {
		a.close()
		return nil, p.failure("the answer cannot be read", err)
	}
	return a, nil
}

// decompress undoes what the server did unasked.
func (a *answer) decompress() error {
	switch encoding := strings.ToLower(a.response.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return nil
	case "gzip", "x-gzip":
		a.body.src = &gunzip{src: a.body.src}
		return nil
	default:
		return fmt.Errorf("unknown Content-Encoding %q", excerpt(encoding, ""))
	}
}

// gunzip reads nothing before it is asked to.
type gunzip struct {
	src io.Reader
	z   *gzip.Reader
}

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.z == nil {
		if g.z, err = gzip.NewReader(g.src); err != nil {
			return 0, err
		}
	}
	return g.z.Read(p)
}

// checkRedirect keeps the key and the conversation from going to a server that was not asked for.
func checkRedirect(req *http.Request, via []*http.Request) error {
	const limit = 5
	first := via[0]
	switch {
	case req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme:
		return &redirectError{"to " + req.URL.Scheme + "://" + req.URL.Host + "; if that is right, use it as the base URL"}
	case req.Method != first.Method:
		return &redirectError{"to " + req.URL.Path + " in a way that drops the request; if that is right, use it as the base URL"}
	case len(via) >= limit:
		return &redirectError{"again and again; check the base URL"}
	default:
		return nil
	}
}

// A redirectError says that a server sent us where we do not go. The same request will meet it again.
type redirectError struct{ where string }

func (e *redirectError) Error() string { return "the server redirects " + e.where }

// innermost takes the URL, which may hold secrets, off an error of net/http.
func innermost(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
