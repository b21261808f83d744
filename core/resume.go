package core

import (
	"context"
	"fmt"
	"path/filepath"
)

// ResumeOptions say how a session is resumed. Only Ref must be set.
type ResumeOptions struct {
	Ref string // the session's path, or its id
	// Since, if it is not nil, says that the session's own model and thinking level are used from now on, as far as that
	// model is there, unless the client has chosen others since that state.
	Since *State
	// Tell is called when nothing can fail any more, and before SessionStarted is published. It must not call the engine.
	Tell func(SessionInfo)
}

// Resume replaces the session by a stored one, and fails like NewSession, and with ErrNoSession. The queues stay, and so do
// model and thinking level if Since does not say otherwise. If the session is in use here already, nothing changes, and Tell is
// all that is called.
func (e *Engine) Resume(ctx context.Context, o ResumeOptions) (SessionInfo, error) {
	if info := e.State().Session; info.named(e.host.o.Cwd, o.Ref) {
		if o.Tell != nil {
			o.Tell(info)
		}
		return info, nil
	}
	s, err := e.host.resumeSession(ctx, o.Ref)
	if err != nil {
		return SessionInfo{}, err
	}
	if o.Since == nil {
		return e.replaceSession(s, o.Tell, nil)
	}
	m, known := e.host.lookUp(s.provider, s.model)
	return e.replaceSession(s, o.Tell, func() {
		if e.model.String() != o.Since.Model.String() || e.thinking != o.Since.Thinking {
			return // chosen meanwhile, for this session
		}
		if s.model != "" && !known {
			e.bus.Publish(Notice{fmt.Sprintf("The session's model, %s/%s, is not available; %s is used on.", s.provider, s.model, e.model)})
		}
		e.restoreLocked(m, known, s.thinking)
	})
}

// restoreLocked uses a model, if it is known, and a level, if it is not "".
func (e *Engine) restoreLocked(m Model, known bool, level ThinkingLevel) {
	if known && m.String() != e.model.String() {
		e.useModelLocked(m, level)
		return
	}
	if level != "" && e.model.Clamp(level) != e.thinking {
		e.thinking = e.model.Clamp(level)
		e.bus.Publish(ThinkingChanged{e.thinking})
	}
}

// lookUp finds a model by its two names.
func (h *Host) lookUp(provider, id string) (Model, bool) {
	for _, p := range h.o.Providers {
		if p.Name() == provider {
			return p.Lookup(id)
		}
	}
	return Model{}, false
}

// named reports whether ref names the session, seen from cwd.
func (s SessionInfo) named(cwd, ref string) bool {
	if ref == "" || s.Path == "" {
		return false
	}
	if ref == s.ID || ref == s.Path || filepath.Clean(ref) == s.Path {
		return true
	}
	return filepath.Ext(ref) == filepath.Ext(s.Path) && !filepath.IsAbs(ref) && filepath.Join(cwd, ref) == s.Path
}
