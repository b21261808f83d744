package core

import (
	"fmt"
	"slices"
	"strings"
)

// A Model is one model of one provider.
type Model struct {
	ID             string
	Name           string // for people
	API            string // wire API, such as "openai-completions"
	Provider       string
	BaseURL        string
	Reasoning      bool
	ThinkingLevels []ThinkingLevel // the levels that it supports; nil: off to high if Reasoning, else only off
	Images         bool            // accepts images
	ContextWindow  int             // tokens
	MaxTokens      int             // tokens of one reply at most
	Prices         Prices
	External       bool // reached over a network outside this machine
}

// Prices are US dollars per million tokens.
type Prices struct {
	Input, Output, CacheRead, CacheWrite float64
}

// Cost returns what u costs at these prices.
func (p Prices) Cost(u Usage) Cost {
	const million = 1e6
	c := Cost{
		Input:      float64(u.Input) * p.Input / million,
		Output:     float64(u.Output) * p.Output / million,
		CacheRead:  float64(u.CacheRead) * p.CacheRead / million,
		CacheWrite: float64(u.CacheWrite) * p.CacheWrite / million,
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	return c
}

// A ThinkingLevel says how much a model should reason before it answers.
type ThinkingLevel string

// ThinkingLevels lists every level, lowest first.
var ThinkingLevels = []ThinkingLevel{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// ThinkingOff is the level at which a model does not reason.
const ThinkingOff ThinkingLevel = "off"

// Valid reports whether l is one of ThinkingLevels.
func (l ThinkingLevel) Valid() bool { return slices.Contains(ThinkingLevels, l) }

// Levels returns the thinking levels that the model supports, lowest first. It is never empty.
func (m Model) Levels() []ThinkingLevel {
	switch {
	case !m.Reasoning:
		return ThinkingLevels[:1]
	case len(m.ThinkingLevels) > 0:
		return m.ThinkingLevels
	default:
		return ThinkingLevels[:5]
	}
}

// Clamp returns the supported level that is nearest to l: upward if there is one, else downward.
func (m Model) Clamp(l ThinkingLevel) ThinkingLevel {
	want, levels := slices.Index(ThinkingLevels, l), m.Levels()
	for _, have := range levels {
		if slices.Index(ThinkingLevels, have) >= want {
			return have
		}
	}
	return levels[len(levels)-1]
}

// String returns the model's full name, provider/id.
func (m Model) String() string { return m.Provider + "/" + m.ID }

// A ModelRef names a model as people write it: "provider/model", "provider:model" or a bare model id, each with an
// optional ":level" behind it. Ids may themselves contain ":" and "/".
type ModelRef string

// FindModel resolves ref against providers without touching the network. A match of the whole string with a known
// model wins, so that ids with ":" or "/" in them work; then the string without a level at its end is tried, then the whole as
// an id that some provider takes on trust. The level is "" if ref names none. It fails with ErrUnknownModel or
// ErrUnknownProvider.
func FindModel(providers []Provider, ref ModelRef) (Model, ThinkingLevel, error) {
	s := string(ref)
	if m, ok := findModel(providers, s, false); ok {
		return m, "", nil
	}
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		if level := ThinkingLevel(s[i+1:]); level.Valid() {
			if m, ok := findModel(providers, s[:i], true); ok {
				return m, level, nil
			}
		}
	}
	if m, ok := findModel(providers, s, true); ok {
		return m, "", nil
	}
	if name, id, ok := cutProvider(s); ok && id != "" && !slices.ContainsFunc(providers, func(p Provider) bool { return p.Name() == name }) {
		return Model{}, "", fmt.Errorf("%w %q for model %q", ErrUnknownProvider, name, id)
	}
	return Model{}, "", fmt.Errorf("model %q: %w", s, ErrUnknownModel)
}

// findModel looks for s among the models that are known, as an id, provider/id or provider:id; with trust, then also as an id
// that a provider takes as it stands.
func findModel(providers []Provider, s string, trust bool) (Model, bool) {
	if m, ok := lookUpID(providers, s, false); ok {
		return m, true
	}
	if m, ok := lookUpFullName(providers, s, false); ok || !trust {
		return m, ok
	}
	if m, ok := lookUpFullName(providers, s, true); ok {
		return m, true
	}
	return lookUpID(providers, s, true)
}

func lookUpFullName(providers []Provider, s string, trust bool) (Model, bool) {
	for _, p := range providers {
		rest, ok := strings.CutPrefix(s, p.Name())
		if !ok || len(rest) < 2 || rest[0] != '/' && rest[0] != ':' {
			continue
		}
		if m, ok := lookUp(p, rest[1:], trust); ok {
			return m, true
		}
	}
	return Model{}, false
}

func lookUpID(providers []Provider, id string, trust bool) (Model, bool) {
	for _, p := range providers {
		if m, ok := lookUp(p, id, trust); ok {
			return m, true
		}
	}
	return Model{}, false
}

// lookUp asks a provider for a model, without trust only for one that it knows: of others it has no name.
func lookUp(p Provider, id string, trust bool) (Model, bool) {
	m, ok := p.Lookup(id)
	return m, ok && (trust || m.Name != "")
}

// cutProvider splits s at the first "/" or ":".
func cutProvider(s string) (provider, id string, ok bool) {
	i := strings.IndexAny(s, "/:")
	if i <= 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}
