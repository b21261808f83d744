package openai

import (
	"net/http"
	"slices"
	"strings"
)

// A habit is what has been learnt of a model's server by being refused.
type habit struct {
	noStreamOptions    bool // does not know stream_options
	noReasoningEffort  bool // does not know reasoning_effort
	maxCompletionToken bool // wants max_completion_tokens in place of max_tokens
	noImages           bool // does not take images
	shortIDs           bool // takes no ids of calls but short and simple ones
	otherReasoning     bool // wants reasoning back, or refuses it, contrary to Options.EchoReasoning
}

// learn returns h with what a refusal tells. If that is nothing, it returns h.
func (h habit) learn(status int, said string) habit {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
	case http.StatusNotFound, http.StatusUnsupportedMediaType, http.StatusInternalServerError:
		h.noImages = h.noImages || refusesImages(said)
		return h
	default:
		return h
	}
	switch {
	case refusesImages(said):
		h.noImages = true
	case strings.Contains(said, "length of 9"), strings.Contains(said, "^[a-zA-Z0-9_-]+$"):
		h.shortIDs = true
	case strings.Contains(said, "reasoning_content"):
		h.otherReasoning = true
	case strings.Contains(said, "max_completion_tokens"):
		h.maxCompletionToken = true
	case strings.Contains(said, "stream_options"), strings.Contains(said, "include_usage"):
		h.noStreamOptions = true
	case strings.Contains(said, "reasoning_effort"):
		h.noReasoningEffort = true
	}
	return h
}

// refusesImages tells the refusal of any image from that of one that is broken or too large.
func refusesImages(said string) bool {
	said = strings.ToLower(said)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) })
	}
	return has("image", "multimodal", "vision") && has("support", "unknown variant", "not a multimodal", "mmproj") &&
		!has("format", "too large", "mime", "image/")
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
