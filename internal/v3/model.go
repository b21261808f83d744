package v3

import (
	"cmp"

	"github.com/dualagent/agent/core"
)

// What clients are told of a model whose limits, in tokens, are not known: they divide by them.
const (
	assumedWindow    = 128_000
	assumedMaxTokens = 16_384
)

// FromModel returns the JSON form of m.
func FromModel(m core.Model) Model {
	j := Model{
		ID: m.ID, Name: m.Name, API: m.API, Provider: m.Provider, BaseURL: m.BaseURL, Reasoning: m.Reasoning,
		Input:         []string{"text"},
		ContextWindow: cmp.Or(m.ContextWindow, assumedWindow), MaxTokens: cmp.Or(m.MaxTokens, assumedMaxTokens),
		Cost: Prices{
			Input: number(m.Prices.Input), Output: number(m.Prices.Output),
			CacheRead: number(m.Prices.CacheRead), CacheWrite: number(m.Prices.CacheWrite), Tiers: []Price{},
		},
	}
	if j.Name == "" {
		j.Name = m.ID
	}
	if m.Images {
		j.Input = append(j.Input, "image")
	}
	if m.Reasoning && len(m.ThinkingLevels) > 0 {
		j.ThinkingLevelMap = thinkingMap(m.ThinkingLevels)
	}
	return j
}

func thinkingMap(levels []core.ThinkingLevel) *ThinkingMap {
	m := new(ThinkingMap)
	places := [...]**string{&m.Off, &m.Minimal, &m.Low, &m.Medium, &m.High, &m.XHigh, &m.Max}
	for i, level := range core.ThinkingLevels {
		for _, have := range levels {
			if have == level && i < len(places) {
				*places[i] = new(string(level))
			}
		}
	}
	return m
}
