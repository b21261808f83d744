package openai

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// Models asks the server what it has and adds what is known of each. Known models that the server does not list come last. If
// the server does not answer, Models returns the known ones and a *core.ProviderError, or the cause of ctx's end.
func (p *Provider) Models(ctx context.Context) ([]core.Model, error) {
	list, err := p.list(ctx)
	if err != nil {
		return p.Known(), err
	}
	var models []core.Model
	listed := map[string]bool{}
	for _, entry := range list.Data {
		m, ok := p.Lookup(string(entry.ID))
		if !ok || listed[m.ID] {
			continue
		}
		listed[m.ID] = true
		m.Name = cmp.Or(m.Name, string(entry.Name), m.ID)
		if window := int(cmp.Or(entry.ContextLength, entry.ContextWindow, entry.MaxModelLen)); window > 0 && !p.knows(m.ID) {
			m.ContextWindow = window
		}
		models = append(models, m)
	}
	for _, m := range p.o.Models {
		if !listed[m.ID] {
			models = append(models, m)
		}
	}
	return models, nil
}

// knows reports whether the context window of a model is known rather than assumed.
func (p *Provider) knows(id string) bool {
	return slices.ContainsFunc(p.o.Models, func(m core.Model) bool { return m.ID == id && m.ContextWindow > 0 })
}

func (p *Provider) list(ctx context.Context) (modelList, error) {
	var list modelList
	a, err := p.send(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return list, err
	}
	if a.response.StatusCode != http.StatusOK {
		_, err := p.refused(ctx, a)
		return list, err
	}
	defer a.close()
	body, err := io.ReadAll(io.LimitReader(a.body, maxBody))
	switch {
	case ctx.Err() != nil:
		return list, context.Cause(ctx)
	case err != nil:
		return list, p.sendError(a.ctx, err)
	}
	if err := wire.DecodeLoose(body, &list); err != nil {
		return list, p.failure("cannot read the list of models", fmt.Errorf("%w: %s", err, excerpt(string(body), p.o.Key())))
	}
	return list, nil
}
