package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// A reader makes turns of a session's active path.
type reader struct {
	session core.SessionInfo
	path    []*core.Entry
	dropped map[string]bool // entries whose messages no longer count
	open    map[string]*call

	model                      string // used last
	messages, calls            int    // on the path
	usage                      core.Usage
	branched, branchedMessages int // beside the path
}

func newReader(t core.Transcript) *reader {
	r := &reader{session: t.Session, dropped: map[string]bool{}, open: map[string]*call{}}
	at := make(map[string]int, len(t.Entries))
	for i := range t.Entries {
		at[t.Entries[i].ID] = i
	}
	onPath := make([]bool, len(t.Entries))
	for id := t.Leaf; id != ""; {
		i, ok := at[id]
		if !ok || onPath[i] {
			break // a parent that is gone, or a circle
		}
		onPath[i] = true
		r.path = append(r.path, &t.Entries[i])
		id = t.Entries[i].Parent
	}
	slices.Reverse(r.path)
	for i := range t.Entries {
		e := &t.Entries[i]
		if e.Message != nil && e.Message.Role == core.RoleAssistant {
			r.usage = r.usage.Add(e.Message.Usage)
		}
		switch {
		case onPath[i] && e.Type == core.EntryEdit:
			r.dropped[e.Target] = true
		case !onPath[i] && !e.Side:
			r.branched++
			if e.Message != nil {
				r.branchedMessages++
			}
		}
	}
	return r
}

// turns returns what is on the path. The first turn may be empty.
func (r *reader) turns() []turn {
	turns := []turn{{ID: "start"}}
	for _, e := range r.path {
		if m := e.Message; m != nil && m.Role == core.RoleUser {
			n := len(turns)
			turns = append(turns, turn{ID: fmt.Sprintf("turn-%d", n), Name: turnName(m)})
		}
		if p, ok := r.part(e); ok {
			last := &turns[len(turns)-1]
			last.Parts = append(last.Parts, p)
		}
	}
	return turns
}

// turnName returns the first words of a message.
func turnName(m *core.Message) string {
	if name := firstLine(clean(m.Text()), 80); name != "" {
		return name
	}
	return "(no words)"
}

// part returns how an entry is shown; ok is false if it is shown as part of an earlier one.
func (r *reader) part(e *core.Entry) (p part, ok bool) {
	switch e.Type {
	case core.EntryMessage:
		return r.message(e)
	case core.EntryModel:
		r.model = e.Provider + "/" + e.Model
		return note(e, "Model: "+r.model), true
	case core.EntryThinking:
		return note(e, "Thinking level: "+string(e.Thinking)), true
	case core.EntryName:
		return note(e, "Name of the session: "+e.Name), true
	case core.EntryEdit:
		return note(e, "A message was taken out of the context, or changed there"), true
	default:
		return foreign(e), true
	}
}

// foreign shows an entry of a type that other programs write.
func foreign(e *core.Entry) part {
	var said struct {
		Summary any `json:"summary"`
	}
	// What cannot be read is shown by its type alone.
	if wire.Decode(e.Raw, &said) == nil {
		if text, ok := said.Summary.(string); ok && text != "" {
			return part{Kind: "summary", Label: strings.ReplaceAll(clean(string(e.Type)), "_", " "), Time: e.Time, Blocks: prose(text)}
		}
	}
	return note(e, "Entry of the type "+string(e.Type))
}

func (r *reader) message(e *core.Entry) (p part, ok bool) {
	m := e.Message
	if m == nil {
		return part{}, false
	}
	r.messages++
	p = part{Kind: "other", Label: clean(string(m.Role)), Time: e.Time, Dropped: r.dropped[e.ID]}
	switch m.Role {
	case core.RoleUser:
		p.Kind, p.Label, p.Blocks = "user", "You", spoken(m.Content)
	case core.RoleAssistant:
		p.Kind, p.Label, p.Blocks = "assistant", "Assistant", r.reply(m)
	case core.RoleTool:
		c := r.open[m.ToolCallID]
		if c == nil || c.Answered {
			p.Kind, p.Label = "tool", "Result"
			c = &call{Name: clean(m.ToolName)}
			p.Blocks = []block{{Kind: "call", Call: c}}
		} else {
			p = part{}
		}
		c.finish(m)
		return p, p.Kind != ""
	case core.RoleShell:
		p.Kind, p.Label, p.Blocks = "shell", "Your command", shell(m.Shell)
	case core.RoleBranchSummary, core.RoleCompactionSummary:
		p.Kind, p.Blocks = "summary", spoken(m.Content)
	default:
		p.Blocks = spoken(m.Content)
	}
	return p, true
}

// reply returns the blocks of an assistant's message, and remembers its calls until their results come.
func (r *reader) reply(m *core.Message) []block {
	clear(r.open)
	var blocks []block
	for i := range m.Content {
		b := &m.Content[i]
		switch {
		case b.Kind == core.BlockThinking && b.Redacted:
			blocks = append(blocks, block{Kind: "hint", Text: "Reasoning that the provider keeps to itself"})
		case b.Kind == core.BlockThinking && strings.TrimSpace(b.Text) != "":
			blocks = append(blocks, block{Kind: "thinking", Text: clean(b.Text)})
		case b.Kind == core.BlockToolCall && b.Call != nil:
			r.calls++
			c := newCall(b.Call)
			r.open[b.Call.ID] = c
			blocks = append(blocks, block{Kind: "call", Call: c})
		default:
			blocks = append(blocks, spoken(m.Content[i:i+1])...)
		}
	}
	switch m.Stop {
	case core.StopError, core.StopAborted:
		text := "Stopped"
		if m.Stop == core.StopError {
			text = "Failed"
		}
		if m.Error != "" {
			text += ": " + m.Error
		}
		blocks = append(blocks, block{Kind: "error", Text: clean(text)})
	case core.StopLength:
		blocks = append(blocks, block{Kind: "error", Text: "Cut off: the reply was as long as it may be"})
	}
	return blocks
}
