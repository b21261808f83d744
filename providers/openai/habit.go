package openai

import (
	"net/http"
	"strings"
)

// A habit is what has been learnt of a model's server by being refused.
type habit struct {
	noStreamOptions    bool // does not know stream_options
	noReasoningEffort  bool // does not know reasoning_effort
	maxCompletionToken bool // wants max_completion_tokens in place of max_tokens
}

// learn returns h with what a refusal tells. If that is nothing, it returns h.
func (h habit) learn(status int, said string) habit {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return h
	}
	switch {
	case strings.Contains(said, "max_completion_tokens"):
		h.maxCompletionToken = true
	case strings.Contains(said, "stream_options"), strings.Contains(said, "include_usage"):
		h.noStreamOptions = true
	case strings.Contains(said, "reasoning_effort"):
		h.noReasoningEffort = true
	}
	return h
}

func (p *Provider) habit(model string) habit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.habits[model]
}

func (p *Provider) setHabit(model string, h habit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.habits[model] = h
}
