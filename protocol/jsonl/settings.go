package jsonl

import (
	"context"
	"fmt"
	"slices"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
)

func (c *codec) setModel(_ context.Context, _ *request, p modelFields) (v3.Model, error) {
	// The two names are looked up as they are: joined, they could also be read as the id of some other provider's model.
	for _, provider := range c.host.Providers() {
		if provider.Name() != p.Provider {
			continue
		}
		if m, ok := provider.Lookup(p.ModelID); ok {
			c.engine.UseModel(m, "")
			return v3.FromModel(m), nil
		}
	}
	return v3.Model{}, failure("Model not found: " + p.Provider + "/" + p.ModelID)
}

// withModels calls use with the models on offer, and answers with what that returns: at once, or later if a server has to be
// asked.
func withModels[D any](ctx context.Context, c *codec, req *request, use func([]core.Model) D) (D, error) {
	if c.host.Local() {
		return use(c.host.KnownModels()), nil
	}
	var none D
	_, err := c.later(req, func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		var models []core.Model
		for _, p := range c.host.Ask(ctx) {
			models = append(models, p.Models...)
		}
		if current := c.engine.State().Model; !slices.ContainsFunc(models, func(m core.Model) bool { return m.String() == current.String() }) {
			models = append(models, current)
		}
		return use(models), nil
	})
	return none, err
}

func (c *codec) cycleModel(ctx context.Context, req *request, _ nothing) (*cycledData, error) {
	return withModels(ctx, c, req, c.useNext)
}

func (c *codec) useNext(models []core.Model) *cycledData {
	if len(models) <= 1 {
		return nil
	}
	current := c.engine.State().Model.String()
	at := slices.IndexFunc(models, func(m core.Model) bool { return m.String() == current })
	next := models[(at+1)%len(models)]
	c.engine.UseModel(next, "")
	return &cycledData{Model: v3.FromModel(next), ThinkingLevel: c.engine.State().Thinking}
}

func (c *codec) getAvailableModels(ctx context.Context, req *request, _ nothing) (modelsData, error) {
	return withModels(ctx, c, req, func(models []core.Model) modelsData {
		d := modelsData{Models: []v3.Model{}}
		for _, m := range models {
			d.Models = append(d.Models, v3.FromModel(m))
		}
		return d
	})
}

func (c *codec) setThinkingLevel(_ context.Context, _ *request, p levelFields) (any, error) {
	d := c.useLevel(core.ThinkingLevel(p.Level))
	if c.pi {
		return nothing{}, nil
	}
	return d, nil
}

// useLevel sets the thinking level and tells what became of it.
func (c *codec) useLevel(want core.ThinkingLevel) thinkingData {
	m := c.engine.State().Model
	d := thinkingData{Requested: want, Level: c.engine.SetThinking(want)}
	d.Clamped = d.Level != want
	switch {
	case !d.Clamped:
		d.Message = fmt.Sprintf("Thinking level: %s", d.Level)
	case m.Reasoning:
		d.Message = fmt.Sprintf("Thinking level %s unsupported by %s; using %s", want, m, d.Level)
	default:
		d.Message = fmt.Sprintf("Thinking level %s unsupported by %s (reasoning disabled); using %s", want, m, d.Level)
	}
	return d
}

func (c *codec) cycleThinkingLevel(context.Context, *request, nothing) (any, error) {
	s := c.engine.State()
	levels := s.Model.Levels()
	if len(levels) <= 1 {
		return nil, nil
	}
	d := c.useLevel(levels[(slices.Index(levels, s.Thinking)+1)%len(levels)])
	if c.pi {
		return levelBody{d.Level}, nil
	}
	return d, nil
}

func (c *codec) getAvailableThinkingLevels(context.Context, *request, nothing) (levelsData, error) {
	return levelsData{c.engine.State().Model.Levels()}, nil
}

func (c *codec) setSteeringMode(_ context.Context, _ *request, p modeFields) (nothing, error) {
	c.engine.SetSteeringMode(p.Mode == oneByOne)
	return nothing{}, nil
}

func (c *codec) setFollowUpMode(_ context.Context, _ *request, p modeFields) (nothing, error) {
	c.engine.SetFollowUpMode(p.Mode == oneByOne)
	return nothing{}, nil
}

func (c *codec) setAutoRetry(_ context.Context, _ *request, p enabledFields) (nothing, error) {
	c.engine.SetAutoRetry(p.Enabled)
	return nothing{}, nil
}
