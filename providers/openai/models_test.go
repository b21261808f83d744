package openai_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/providers/internal/fakeserver"
	"github.com/dualagent/agent/providers/openai"
)

var known = []core.Model{{ID: "big", Name: "Big", ContextWindow: 1000}, {ID: "old"}}

func TestLookup(t *testing.T) {
	p := provider(t, openai.Options{BaseURL: "http://127.0.0.1:1/v1", Models: known, External: true})
	for id, want := range map[string]core.Model{
		"big": {ID: "big", Name: "Big", ContextWindow: 1000},
		"old": {ID: "old", Name: "old"},
		"any": {ID: "any", ContextWindow: 128_000}, // no name: nothing is known of it
	} {
		want.API, want.Provider, want.BaseURL, want.External = openai.API, "test", "http://127.0.0.1:1/v1", true
		if got, ok := p.Lookup(id); !ok || !same(got, want) {
			t.Errorf("Lookup(%q) = %+v, %v; want %+v", id, got, ok, want)
		}
	}
	if m, ok := p.Lookup(""); ok {
		t.Errorf("Lookup of no id: %+v", m)
	}
	if m, _ := p.Lookup("any"); !m.Images {
		t.Error("a model that nothing is known of is not given images")
	}
	if m, _ := p.Lookup("big"); m.Images {
		t.Error("a model that is known to take no images is given them")
	}
	m, _, err := core.FindModel([]core.Provider{p}, "test/x/y:free")
	if err != nil || m.ID != "x/y:free" {
		t.Errorf("FindModel: %q, %v", m.ID, err)
	}
}

// Known and External need no server, and what they return is the caller's.
func TestKnown(t *testing.T) {
	p := provider(t, openai.Options{BaseURL: "http://127.0.0.1:1/v1", Models: known})
	for range 2 {
		models := p.Known()
		if len(models) != 2 || models[0].String() != "test/big" || models[1].String() != "test/old" || models[0].API != openai.API {
			t.Errorf("Known: %+v", models)
		}
		models[0].ID = "other"
	}
	if p.External() || !provider(t, openai.Options{BaseURL: "http://x", External: true}).External() {
		t.Error("External is not what was configured")
	}
}

func same(a, b core.Model) bool {
	return a.String() == b.String() && a.Name == b.Name && a.API == b.API && a.BaseURL == b.BaseURL && a.External == b.External && a.ContextWindow == b.ContextWindow
}

func TestModels(t *testing.T) {
	list := `> "{\"object\":\"list\",\"data\":[{\"id\":\"new\",\"context_length\":2000},{\"id\":\"big\",\"max_model_len\":5},{\"id\":\"new\"},{\"id\":null}]}"`
	s := fakeserver.New(t, fakeserver.AsWritten, list)
	p := provider(t, openai.Options{BaseURL: s.URL + "/v1/chat/completions", Models: known, Key: withKey})
	models, err := p.Models(t.Context())
	var got []string
	for _, m := range models {
		got = append(got, m.ID+" "+m.Name)
	}
	if want := []string{"new new", "big Big", "old old"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Models: %q, %v; want %q", got, err, want)
	}
	if models[0].ContextWindow != 2000 || models[1].ContextWindow != 1000 {
		t.Errorf("context windows %d and %d, want 2000 and 1000", models[0].ContextWindow, models[1].ContextWindow)
	}
	if r := s.Requests()[0]; r.Method != "GET" || r.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+key {
		t.Errorf("request: %s %s, Authorization %q", r.Method, r.Path, r.Header.Get("Authorization"))
	}
}

func TestModelsWithoutAnswer(t *testing.T) {
	for name, script := range map[string]string{
		"refusal": "! status 500", "garbage": `> "oh no"`, "reset": "! rst", "a page": `> "<html>"`,
	} {
		s := fakeserver.New(t, fakeserver.AsWritten, script)
		models, err := provider(t, openai.Options{BaseURL: s.URL, Models: known}).Models(t.Context())
		var pe *core.ProviderError
		if !errors.As(err, &pe) || len(models) != len(known) {
			t.Errorf("%s: %d models, %v; want the known ones and a ProviderError", name, len(models), err)
		}
	}
	s := fakeserver.New(t, fakeserver.AsWritten, "! hang")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := provider(t, openai.Options{BaseURL: s.URL}).Models(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}
