// Package providers holds what the sources of models in its folders share.
package providers

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// External reports whether what is sent to baseURL may leave this machine. Only localhost and loopback addresses stay; what
// cannot be understood counts as external.
func External(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return true
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "localhost" {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err != nil || !addr.Unmap().IsLoopback()
}

// Retryable reports whether a request that was answered with this HTTP status may succeed later.
func Retryable(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented:
		return false
	default:
		return status >= 500
	}
}

// overflows are the words of servers for a conversation that is too long for the model, in lower case.
var overflows = []string{
	"context_length_exceeded",
	"model_context_window_exceeded",
	"model_max_prompt_tokens_exceeded",
	"maximum context length",
	"maximum prompt length",
	"maximum number of tokens",
	"prompt is too long",
	"input is too long",
	"exceeds the available context size",
	"exceeds the context window",
	"context size has been exceeded",
	"context length exceeded",
	"context window exceeds",
	"exceed context limit",
	"input token count",
	"input length and `max_tokens` exceed",
	"reduce the length of the messages",
	"too many tokens",
}

// Overflow reports whether an error means that the conversation is too long for the model, going by the HTTP status (0 if
// there is none) and the words of the server.
func Overflow(status int, text string) bool {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return true
	case http.StatusTooManyRequests, http.StatusUnauthorized, http.StatusForbidden:
		return false // there "too many tokens" are tokens a minute
	}
	text = strings.ToLower(text)
	for _, words := range overflows {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
