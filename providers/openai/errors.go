package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/providers"
	"github.com/dualagent/agent/providers/internal/sse"
)

// failure returns an error after which the same request may succeed.
func (p *Provider) failure(what string, err error) *core.ProviderError {
	return &core.ProviderError{Message: p.where() + what, Retry: true, Err: err}
}

// where names provider and host, as the head of a message.
func (p *Provider) where() string { return p.o.Name + " (" + p.base.Host + "): " }

// sendError says why no answer came, or not all of it. ctx is that of the HTTP request.
func (p *Provider) sendError(ctx context.Context, err error) *core.ProviderError {
	var timeout *timeoutError
	var redirect *redirectError
	var long *sse.TooLongError
	switch {
	case errors.As(context.Cause(ctx), &timeout):
		return p.failure(timeout.Error(), nil)
	case errors.As(err, &redirect):
		return &core.ProviderError{Message: p.where() + redirect.Error()}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return p.failure("the stream broke off before the reply was complete", nil)
	case errors.As(err, &long):
		return &core.ProviderError{Message: p.where() + "the reply cannot be read", Err: err}
	}
	err = innermost(err)
	if said := redact(err.Error(), p.o.Key()); said != err.Error() {
		err = errors.New(said)
	}
	return p.failure("connection failed", err)
}

// noStream reports an answer that is a page for people.
func (p *Provider) noStream(body io.Reader) *core.ProviderError {
	const enough = 200
	head, _ := io.ReadAll(io.LimitReader(body, enough))
	return p.failure("the answer is no event stream but "+excerpt(string(head), p.o.Key()), nil)
}

// refused turns an answer with another status than 200 into an error, and returns its body as well. It closes a.
func (p *Provider) refused(ctx context.Context, a *answer) (said string, _ error) {
	defer a.close()
	const enough = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(a.body, enough)) // the status says enough if this fails
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	status := a.response.StatusCode
	what := errorBody{Message: text(body)}
	if c, err := decodeError(body); err == nil {
		what = c.said(what)
	}
	return string(body), p.serverError(a, status, what, string(body))
}

// reported returns the error that an event of a stream carries, or nil.
func (p *Provider) reported(a *answer, ev sse.Event, c *chunk, broken bool) error {
	switch {
	case broken:
		return p.serverError(a, 0, errorBody{Message: text(ev.Data)}, ev.Data)
	case ev.Type == "error", c.hasError(), len(c.Choices) == 0 && c.Usage == nil && c.Message != "":
		return p.serverError(a, 0, c.said(errorBody{Message: text(ev.Data)}), ev.Data)
	default:
		return nil
	}
}

// serverError makes an error of what a server said, whole being all of it. The status is 0 for an error within a reply.
func (p *Provider) serverError(a *answer, status int, said errorBody, whole string) *core.ProviderError {
	key := p.o.Key()
	head := "the server reports an error"
	if status != 0 {
		head = strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, http.StatusText(status)))
	} else if n, err := strconv.Atoi(string(said.Code)); err == nil && n >= 400 && n < 600 {
		status = n
	}
	if words := excerpt(string(said.Message), key); words != "" {
		head += ": " + words
	}
	e := &core.ProviderError{
		Message:    p.where() + head + p.advice(status, key),
		Status:     status,
		Retry:      (status == 0 || providers.Retryable(status)) && !said.permanent(),
		RetryAfter: retryAfter(a.response.Header, time.Now()),
		Overflow:   providers.Overflow(status, whole),
	}
	switch a.response.Header.Get("X-Should-Retry") { // the server knows best
	case "true":
		e.Retry = true
	case "false":
		e.Retry = false
	}
	e.Retry = e.Retry && !e.Overflow
	if status == http.StatusTooManyRequests && e.RetryAfter == 0 {
		e.RetryAfter = limitReset(a.response.Header)
	}
	return e
}

// advice says what may help.
func (p *Provider) advice(status int, key string) string {
	switch {
	case status == http.StatusNotFound:
		return " (check the name of the model and the base URL)"
	case status != http.StatusUnauthorized && status != http.StatusForbidden, p.o.KeyEnv == "":
		return ""
	case key == "":
		return " (set the API key in the environment variable " + p.o.KeyEnv + ")"
	default:
		return " (check the API key in the environment variable " + p.o.KeyEnv + ")"
	}
}

// failures are the finish reasons of replies that are not to be used.
var failures = map[string]struct {
	what  string
	retry bool
}{
	"content_filter":               {"the server's content filter stopped the reply", false},
	"error":                        {"the server stopped the reply because of an error", true},
	"network_error":                {"the server stopped the reply because of a network error", true},
	"insufficient_system_resource": {"the server stopped the reply for lack of resources", true},
}

// finishError returns an error if the server ended a reply for a bad reason.
func (p *Provider) finishError(reason string) error {
	f, bad := failures[reason]
	if !bad {
		return nil
	}
	return &core.ProviderError{Message: p.where() + f.what, Retry: f.retry}
}

// decodeError takes an error body.
func decodeError(body []byte) (*chunk, error) {
	var c chunk
	return &c, wire.DecodeLoose(unlisted(body), &c)
}

// unlisted returns the only member of a list, which some servers wrap their errors in, or else body.
func unlisted(body []byte) []byte {
	var list []wire.Raw
	if wire.DecodeLoose(body, &list) == nil && len(list) == 1 {
		return list[0]
	}
	return body
}

func (c *chunk) hasError() bool {
	switch string(c.Error) {
	case "", "null", "false", `""`, "{}":
		return false
	}
	return true
}

// said returns the error that c tells of, with the parts of or that it does not have.
func (c *chunk) said(or errorBody) errorBody {
	e := c.errorBody
	if c.hasError() {
		var inner errorBody
		if c.Error[0] != '{' {
			inner.Message.UnmarshalJSON(c.Error)
		} else if wire.DecodeLoose(c.Error, &inner) != nil {
			return or
		}
		e = errorBody{cmp.Or(inner.Message, e.Message), cmp.Or(inner.Code, e.Code), cmp.Or(inner.Type, e.Type)}
	}
	e.Message = cmp.Or(e.Message, or.Message)
	return e
}

// permanents are the codes and types of errors that the same request will meet again.
var permanents = []string{
	"invalid_request", "authentication", "permission", "not_found", "insufficient_quota", "billing", "invalid_api_key",
	"content_filter", "content_policy", "context_length",
}

func (e errorBody) permanent() bool {
	words := strings.ToLower(string(e.Code + " " + e.Type))
	return slices.ContainsFunc(permanents, func(p string) bool { return strings.Contains(words, p) })
}

// excerpt returns the head of what a server said, in one line and without the key.
func excerpt(s, key string) string {
	const limit = 200
	s = redact(s, key)
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\ufffd"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if len(s) <= limit {
		return s
	}
	cut := limit
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func redact(s, key string) string {
	if key == "" {
		return s
	}
	return strings.ReplaceAll(s, key, "[API key]")
}
