package jsonl

import (
	"context"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
	"github.com/dualagent/agent/internal/wire"
)

func (c *codec) newSession(ctx context.Context, req *request, p newSessionFields) (cancelledData, error) {
	return c.change(req, func(tell func(core.SessionInfo)) error {
		_, err := c.engine.NewSession(ctx, core.SessionOptions{Parent: p.ParentSession}, tell)
		return err
	})
}

func (c *codec) switchSession(ctx context.Context, req *request, p sessionPathFields) (cancelledData, error) {
	now := c.engine.State() // a model that is chosen behind this line stays
	return c.change(req, func(tell func(core.SessionInfo)) error {
		_, err := c.engine.Resume(ctx, core.ResumeOptions{Ref: p.SessionPath, Since: &now, Tell: tell})
		return err
	})
}

// change stops the turn that runs; the session is replaced when that has settled. The answer goes behind the end of the turn
// and ahead of session_started.
func (c *codec) change(req *request, replace func(tell func(core.SessionInfo)) error) (cancelledData, error) {
	c.engine.AbortAll()
	if steering, follow := c.engine.Queued(); len(steering)+len(follow) > 0 {
		c.engine.ClearQueues() // what comes behind this line is for the new session
	}
	err := c.engine.Do(func() {
		tell := func(core.SessionInfo) { c.out.Reply(reply{to: req, data: cancelledData{}}) }
		r, ok := c.carryOut(req, func() (any, error) {
			if err := replace(tell); err != nil {
				return nil, err
			}
			return nil, errLater
		})
		if ok {
			c.out.Reply(r)
		}
	})
	if err != nil {
		return cancelledData{}, err
	}
	return cancelledData{}, errLater
}

func isLineEnd(r rune) bool { return r == '\r' || r == '\n' }

func (c *codec) setSessionName(_ context.Context, _ *request, p nameFields) (nothing, error) {
	name := strings.TrimSpace(strings.Join(strings.FieldsFunc(p.Name, isLineEnd), " "))
	if name == "" {
		return nothing{}, failure("Session name cannot be empty")
	}
	return nothing{}, c.engine.Rename(name)
}

func (c *codec) getSessionStats(context.Context, *request, nothing) (any, error) {
	s := c.engine.Stats()
	d := statsBody{
		SessionID: s.Session.ID, TotalMessages: len(s.Messages), Cost: s.Usage.Cost.Total,
		Tokens: tokensData{
			Input: s.Usage.Input, Output: s.Usage.Output, CacheRead: s.Usage.CacheRead, CacheWrite: s.Usage.CacheWrite,
			Total: s.Usage.Total(),
		},
		ContextUsage: contextData{Tokens: s.Context.Used, ContextWindow: s.Context.Window},
	}
	if s.Context.Window > 0 {
		d.ContextUsage.Percent = new(float64(s.Context.Used) * 100 / float64(s.Context.Window))
	}
	for i := range s.Messages {
		switch m := &s.Messages[i]; m.Role {
		case core.RoleUser:
			d.UserMessages++
		case core.RoleAssistant:
			d.AssistantMessages++
			d.ToolCalls += len(m.ToolCalls())
		case core.RoleTool:
			d.ToolResults++
		}
	}
	if c.pi {
		return piStatsData{SessionFile: s.Session.Path, statsBody: d}, nil
	}
	return statsData{SessionFile: orNull(s.Session.Path), statsBody: d}, nil
}

// withEntries reads the session and answers with what use makes of its entries. The reads come one after the other: each holds a
// whole session.
func withEntries[D any](ctx context.Context, c *codec, req *request, use func(entries []core.Entry, leaf string) (D, error)) (D, error) {
	var none D
	_, err := c.later(req, func() (any, error) {
		c.reading.Lock()
		defer c.reading.Unlock()
		entries, leaf, err := c.engine.Entries(ctx)
		if err != nil {
			return nil, err
		}
		return use(entries, leaf)
	})
	return none, err
}

func (c *codec) getEntries(ctx context.Context, req *request, p sinceFields) (entriesData, error) {
	return withEntries(ctx, c, req, func(entries []core.Entry, leaf string) (entriesData, error) {
		entries, err := behind(entries, p.Since)
		if err != nil {
			return entriesData{}, err
		}
		d := entriesData{Entries: make([]wire.Raw, len(entries)), LeafID: orNull(leaf)}
		for i := range entries {
			if d.Entries[i], err = v3.EncodeEntry(entries[i]); err != nil {
				return entriesData{}, err
			}
			d.size += len(d.Entries[i])
		}
		return d, nil
	})
}

// behind returns the entries behind the one with an id; all of them without an id.
func behind(entries []core.Entry, since *string) ([]core.Entry, error) {
	if since == nil {
		return entries, nil
	}
	for i := range entries {
		if entries[i].ID == *since {
			return entries[i+1:], nil
		}
	}
	return nil, failure("Entry not found: " + *since)
}

func (c *codec) getForkMessages(ctx context.Context, req *request, _ nothing) (forkData, error) {
	return withEntries(ctx, c, req, func(entries []core.Entry, _ string) (forkData, error) {
		d := forkData{Messages: []forkMessage{}}
		for i := range entries {
			if m := entries[i].Message; m != nil && m.Role == core.RoleUser {
				d.Messages = append(d.Messages, forkMessage{EntryID: entries[i].ID, Text: m.Text()})
				d.size += m.Size()
			}
		}
		return d, nil
	})
}

// exportHTML reads the session as the commands with entries do, and waits for its turn as they do.
func (c *codec) exportHTML(ctx context.Context, req *request, p exportFields) (exportData, error) {
	_, err := c.later(req, func() (any, error) {
		c.reading.Lock()
		defer c.reading.Unlock()
		path, err := c.engine.Export(ctx, p.OutputPath)
		return exportData{path}, err
	})
	return exportData{}, err
}
