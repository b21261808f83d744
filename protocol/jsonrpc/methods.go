package jsonrpc

import (
	"context"
	"strings"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// askTimeout bounds how long providers are waited for when they are asked for their models.
const askTimeout = 5 * time.Second

// methodTable is the only list of methods.
var methodTable = []method{
	row("prompt", "Send a message; the result comes when its turn has ended. With steer, say it to the running turn at its next seam.",
		"prompt requires a non-empty 'message' param", inLine, (*codec).prompt),
	row("abort", "Cancel the turn that runs.", "", now, (*codec).abort),
	row("approvalResponse", "Answer an approval/request.", "", now, (*codec).approvalResponse),
	row("clear", "Forget the conversation.", "", inLine, (*codec).clear),
	row("newSession", "Start a new session with the same model, provider and tools.", "", inLine, (*codec).newSession),
	query("listSessions", "The sessions of the working directory, the one written last first.", slow, soon, (*codec).listSessions),
	row("resumeSession", "Go on in a stored session, named by path or id, with the same model, provider and tools.",
		noPath, slow, (*codec).resumeSession),
	query("getSessionStats", "Figures about the session: context, entries, tokens, and what it has cost.", inLine, now,
		(*codec).getSessionStats),
	query("getState", "Model, provider, working directory, number of messages.", inLine, now, (*codec).getState),
	query("getMessages", "The conversation on the active path.", inLine, now, (*codec).getMessages),
	row("setModel", "Switch to another model: an id, provider:id or provider/id.",
		"setModel requires a non-empty 'model' param", slow, (*codec).setModel),
	query("listModels", "The models on offer.", slow, soon, (*codec).listModels),
	query("listProviders", "The configured providers, and whether they answer.", slow, soon, (*codec).listProviders),
	row("shutdown", "Take no more requests, finish what was asked for, and exit.", "", now, (*codec).shutdown),
	query("listTools", "The tools with their schemas and risks.", inLine, now, (*codec).listTools),
}

// methods holds the table by name.
var methods = byName(methodTable)

func byName(table []method) map[string]method {
	m := make(map[string]method, len(table))
	for _, row := range table {
		m[row.name] = row
	}
	return m
}

func (c *codec) prompt(_ context.Context, req *request, p PromptParams) (PromptResult, error) {
	in := core.Input{Text: p.Message, Tag: req}
	for _, img := range p.Images {
		if img.Type != "image" || img.Data == "" {
			return PromptResult{}, invalidParams("prompt: images must be image blocks with data")
		}
		image := core.Image{Data: img.Data, MimeType: img.MimeType}
		if err := image.Check(); err != nil {
			return PromptResult{}, invalidParams("prompt: images: %v", err)
		}
		in.Images = append(in.Images, image)
	}
	if p.Steer {
		return PromptResult{}, c.engine.Steer(in)
	}
	if _, err := c.engine.Prompt(in); err != nil {
		return PromptResult{}, err
	}
	return PromptResult{}, errLater
}

func (c *codec) abort(context.Context, *request, Nothing) (Nothing, error) {
	c.engine.Abort()
	return Nothing{}, nil
}

func (c *codec) approvalResponse(_ context.Context, _ *request, p ApprovalParams) (Nothing, error) {
	var d core.Decision
	var id any
	// What does not decode stays false or empty: it does not approve.
	_ = wire.Decode(p.Approved, &d.Approved)
	var scope string
	if len(p.Scope) > 0 && (wire.Decode(p.Scope, &scope) != nil || scope != "once" && scope != "session") {
		return Nothing{}, invalidParams(`approvalResponse: 'scope' must be "once" or "session"`)
	}
	d.Session = scope == "session"
	if !d.Approved {
		_ = wire.Decode(p.Message, &d.Redirect)
	}
	if len(p.ID) > 0 && string(p.ID) != "null" {
		if wire.Decode(p.ID, &id) == nil {
			d.CallID, _ = id.(string)
		}
		if d.CallID == "" {
			return Nothing{}, invalidParams("approvalResponse: 'id' must be the id of an approval/request")
		}
	}
	return Nothing{}, c.engine.Answer(c.knew, d)
}

func (c *codec) shutdown(context.Context, *request, Nothing) (Nothing, error) {
	c.out.Quit()
	return Nothing{}, nil
}

func (c *codec) clear(context.Context, *request, Nothing) (Nothing, error) {
	return Nothing{}, c.engine.Clear()
}

func (c *codec) newSession(ctx context.Context, _ *request, _ Nothing) (Session, error) {
	info, err := c.engine.NewSession(ctx, core.SessionOptions{}, nil)
	return Session{SessionID: info.ID, Path: info.Path}, err
}

func (c *codec) getState(context.Context) (State, error) {
	s := c.engine.State()
	return State{Model: s.Model.ID, Provider: s.Model.Provider, Cwd: s.Session.Cwd, MessageCount: s.Messages + systemMessages(s)}, nil
}

// systemMessages counts the system prompt, which this protocol shows as a message.
func systemMessages(s core.State) int {
	if s.System == "" {
		return 0
	}
	return 1
}

func (c *codec) getMessages(context.Context) (Messages, error) {
	out := []Message{}
	if system := c.engine.State().System; system != "" {
		out = append(out, Message{Role: "system", Content: system})
	}
	for _, m := range c.engine.Messages() {
		out = append(out, message(m))
	}
	return Messages{out}, nil
}

func message(m core.Message) Message {
	switch m.Role {
	case core.RoleAssistant:
		calls := []CallText{}
		for _, call := range m.ToolCalls() {
			calls = append(calls, CallText{ID: call.ID, Name: call.Name, Arguments: arguments(call)})
		}
		return Message{Role: "assistant", Content: m.Text(), ToolCalls: &calls}
	case core.RoleTool:
		return Message{Role: "tool", ToolCallID: m.ToolCallID, Content: m.Text()}
	case core.RoleShell:
		return Message{Role: "user", Content: "$ " + m.Shell.Command + "\n" + m.Shell.Output}
	case core.RoleSystem:
		return Message{Role: "system", Content: m.Text()}
	default:
		return Message{Role: "user", Content: m.Text()}
	}
}

func (c *codec) setModel(ctx context.Context, _ *request, p SetModelParams) (SetModelResult, error) {
	if p.Model == "" {
		return SetModelResult{}, invalidParams("setModel requires a non-empty 'model' param")
	}
	m, level, err := core.FindModel(c.host.Providers(), core.ModelRef(p.Model))
	if err == nil && m.ID == p.Model && m.Name == "" {
		m, err = c.confirm(ctx, m)
	}
	if err != nil {
		return SetModelResult{}, modelError(p.Model, err)
	}
	c.engine.UseModel(m, level)
	use := c.engine.Context()
	return SetModelResult{
		Model: m.ID, Provider: m.Provider, ContextWindow: m.ContextWindow, EstimatedUsed: use.Used, UtilizationPercent: use.Percent,
	}, nil
}

// confirm looks for a bare id, which some provider takes on trust, in the lists of all of them.
func (c *codec) confirm(ctx context.Context, m core.Model) (core.Model, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	silent := false
	for _, p := range c.host.Ask(ctx) {
		for _, have := range p.Models {
			if have.ID == m.ID {
				return have, nil
			}
		}
		silent = silent || p.Err != nil
	}
	if silent {
		return m, nil // who does not list its models may still have it
	}
	return m, core.ErrUnknownModel
}

// splitRef splits a model reference into provider and model as far as it has both.
func splitRef(ref string) (provider, model string) {
	if i := strings.IndexAny(ref, "/:"); i >= 0 {
		return ref[:i], ref[i+1:]
	}
	return "", ref
}

func (c *codec) listModels(ctx context.Context) (Models, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	out := []Model{}
	for _, p := range c.host.Ask(ctx) {
		for _, m := range p.Models {
			out = append(out, Model{ID: m.ID, Provider: m.Provider})
		}
	}
	return Models{out}, nil
}

func (c *codec) listProviders(ctx context.Context) (Providers, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	active := c.engine.State().Model.Provider
	out := []Provider{}
	for _, p := range c.host.Ask(ctx) {
		out = append(out, Provider{Name: p.Name, IsExternal: p.External, Reachable: p.Err == nil, Active: p.Name == active})
	}
	return Providers{out}, nil
}

func (c *codec) listTools(context.Context) (Tools, error) {
	out := []Tool{}
	for _, t := range c.host.Tools() {
		out = append(out, Tool{Name: t.Name, Description: t.Description, Risk: string(t.Risk), Parameters: t.Parameters})
	}
	return Tools{out}, nil
}

// capabilities lists what this server can do beyond the original, for clients that look.
func capabilities() []string {
	return []string{"approvalIds", "approvalScope", "batch", "immediate", "images", "shutdown", "steer", "toolCallIds"}
}
