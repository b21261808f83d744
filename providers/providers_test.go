package providers_test

import (
	"testing"

	"github.com/dualagent/agent/providers"
)

func TestExternal(t *testing.T) {
	for url, want := range map[string]bool{
		"http://localhost:11434/v1":         false,
		"http://LOCALHOST/v1":               false,
		"http://localhost.:8080":            false,
		"http://127.0.0.1:8080/v1":          false,
		"http://127.9.9.9":                  false,
		"https://[::1]:8443/v1":             false,
		"http://[::ffff:127.0.0.1]/v1":      false,
		"https://api.openai.com/v1":         true,
		"http://192.168.1.5:8080/v1":        true,
		"http://10.0.0.1":                   true,
		"http://0.0.0.0:8080":               true,
		"http://localhost.example.com":      true,
		"http://127.0.0.1.example.com":      true,
		"http://localhost@example.com/v1":   true,
		"http://example.com/localhost":      true,
		"localhost:8080":                    true, // no URL of a server
		"unix:///run/model.sock":            true, // likewise
		"":                                  true,
		"http://[::1":                       true,
		"http://user:pass@127.0.0.1:80/v1/": false,
	} {
		if got := providers.External(url); got != want {
			t.Errorf("External(%q) = %v, want %v", url, got, want)
		}
	}
}

func TestOverflow(t *testing.T) {
	for _, c := range []struct {
		status int
		text   string
		want   bool
	}{
		{400, `{"error":{"code":"context_length_exceeded"}}`, true},
		{400, "This model's maximum context length is 8192 tokens", true},
		{400, "prompt is too long: 210000 tokens > 200000 maximum", true},
		{400, "the request exceeds the available context size, try increasing it", true},
		{400, "input length and `max_tokens` exceed context limit: 1 + 2 > 3", true},
		{422, "Too many tokens", true},
		{500, "the request exceeds the available context size", true},
		{413, "", true},
		{0, "Prompt is too long", true},
		{429, "Too many tokens per minute", false},
		{400, "max_tokens must be positive", false},
		{401, "prompt is too long", false},
	} {
		if got := providers.Overflow(c.status, c.text); got != c.want {
			t.Errorf("Overflow(%d, %q) = %v, want %v", c.status, c.text, got, c.want)
		}
	}
}

func TestRetryable(t *testing.T) {
	for status, want := range map[int]bool{
		408: true, 429: true, 500: true, 502: true, 503: true, 529: true,
		400: false, 401: false, 403: false, 404: false, 413: false, 422: false, 501: false, 0: false,
	} {
		if got := providers.Retryable(status); got != want {
			t.Errorf("Retryable(%d) = %v, want %v", status, got, want)
		}
	}
}
