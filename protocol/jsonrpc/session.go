package jsonrpc

import (
	"context"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"github.com/dualagent/agent/core"
)

const noPath = "resumeSession requires a non-empty 'path' param"

func (c *codec) listSessions(ctx context.Context) (Sessions, error) {
	list, err := c.host.Sessions(ctx)
	if err != nil {
		return Sessions{}, err
	}
	list = withCurrent(list, c.engine.Stats())
	out := make([]StoredSession, len(list))
	for i, s := range list {
		out[i] = StoredSession{Path: s.Path, MtimeSecs: s.Modified.Unix(), SizeKb: s.Size / 1024, EntryCount: s.Entries}
	}
	return Sessions{out}, nil
}

// withCurrent adds the session in use to a list where it is missing because it has no message yet.
func withCurrent(list []core.SessionSummary, s core.Stats) []core.SessionSummary {
	path := s.Session.Path
	if path == "" || slices.ContainsFunc(list, func(have core.SessionSummary) bool { return have.Path == path }) {
		return list
	}
	at := slices.IndexFunc(list, func(have core.SessionSummary) bool { return !have.Modified.After(s.Session.Time) })
	if at < 0 {
		at = len(list)
	}
	return slices.Insert(list, at, core.SessionSummary{Path: path, Modified: s.Session.Time, Entries: s.Entries})
}

func (c *codec) resumeSession(ctx context.Context, _ *request, p ResumeParams) (ResumeResult, error) {
	if p.Path == "" {
		return ResumeResult{}, invalidParams(noPath)
	}
	info, err := c.engine.Resume(ctx, core.ResumeOptions{Ref: p.Path})
	if err != nil {
		why := strings.TrimLeft(strings.TrimPrefix(err.Error(), "open session"), ": ")
		return ResumeResult{}, jrpc2.Errorf(jrpc2.InternalError, "failed to open session: %s", why)
	}
	s := c.engine.Stats()
	return ResumeResult{Path: p.Path, Model: s.Model.ID, Cwd: info.Cwd, EntryCount: s.Entries}, nil
}

func (c *codec) getSessionStats(context.Context) (SessionStats, error) {
	s := c.engine.Stats()
	use := s.Context
	out := SessionStats{
		ContextWindow: use.Window, CompletionReserve: use.Reserve, EstimatedUsed: use.Used,
		EstimatedRemaining: max(0, use.Window-use.Reserve-use.Used), UtilizationPercent: use.Percent,
		MessageCount: len(s.Messages) + systemMessages(c.engine.State()), EntryCount: s.Entries, PathEntryCount: s.Path,
		APIUsage: APIUsage{
			TotalInputTokens: input(s.Usage), TotalOutputTokens: s.Usage.Output, TotalCachedTokens: s.Usage.CacheRead,
			TotalTokens: s.Usage.Total(), TotalCost: s.Usage.Cost.Total, RequestCount: s.Requests,
		},
	}
	for role, tokens := range s.Tokens {
		switch role {
		case core.RoleSystem:
			out.RoleTokens.System += tokens
		case core.RoleAssistant:
			out.RoleTokens.Assistant += tokens
		case core.RoleTool:
			out.RoleTokens.Tool += tokens
		default: // as getMessages shows them
			out.RoleTokens.User += tokens
		}
	}
	said := out.RoleTokens.User + out.RoleTokens.Assistant + out.RoleTokens.Tool
	out.ResolutionTokens.Full = out.RoleTokens.System + said
	out.PhaseTokens.Unclassified = said
	return out, nil
}
