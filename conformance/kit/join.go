package kit

import "strings"

// A Protocol is the language of a server.
type Protocol string

// The protocols that transcripts exist for.
const (
	JSONRPC Protocol = "jsonrpc"
	JSONL   Protocol = "jsonl"
)

// kind returns the name of what a record reports: the method or the type. Responses of JSON-RPC have none.
func (p Protocol) kind(o *object) string {
	if p == JSONRPC {
		return o.str("method")
	}
	return o.str("type")
}

// isReply reports whether the record answers a line of ours.
func (p Protocol) isReply(o *object) bool {
	if p == JSONRPC {
		return o.str("method") == ""
	}
	return o.str("type") == "response"
}

// ignored lists what transcripts pass over unless they say otherwise.
func (p Protocol) ignored() []string {
	if p == JSONRPC {
		return []string{"ready"}
	}
	return []string{"session_started", "entry_appended", "tool_execution_update", "queue_update"}
}

// A piece is a part of a text that a server may cut as it likes.
type piece struct {
	of   string // what it is a piece of
	at   string // which one of these
	text string
}

// piece returns the piece that o carries.
func (p Protocol) piece(o *object) (piece, bool) {
	switch kind := p.kind(o); {
	case kind == "message/delta" || kind == "reasoning/delta":
		text, ok := o.obj("params").vals["delta"].(string)
		return piece{of: kind, text: text}, ok
	case kind == "message_update":
		ev := o.obj("assistantMessageEvent")
		text, ok := ev.vals["delta"].(string)
		at := ev.vals["content_index"]
		if at == nil {
			at = ev.vals["contentIndex"]
		}
		return piece{of: ev.str("type"), at: string(encode(at)), text: text}, ok
	}
	return piece{}, false
}

// join returns the record that says what first and then second say, if both are pieces of the same text.
func (p Protocol) join(first, second record) (record, bool) {
	a, ok := p.piece(first.object)
	if !ok {
		return record{}, false
	}
	b, ok := p.piece(second.object)
	if !ok || a.of != b.of || a.at != b.at {
		return record{}, false
	}
	second.object = p.withText(second.object, a.text+b.text)
	second.text = encode(second.object)
	return second, true
}

// withText returns a copy of a piece with another text.
func (p Protocol) withText(o *object, text string) *object {
	in := "params"
	if p == JSONL {
		in = "assistantMessageEvent"
	}
	return o.with(in, o.obj(in).with("delta", text))
}

// wantsMore reports whether got may become what want describes if more of the same text follows it.
func (p Protocol) wantsMore(want, got *object) bool {
	w, ok := p.piece(want)
	if !ok {
		return false
	}
	g, ok := p.piece(got)
	if !ok || w.of != g.of {
		return false
	}
	if strings.HasPrefix(w.text, "@re:") {
		return true
	}
	return len(g.text) < len(w.text) && strings.HasPrefix(w.text, g.text)
}

// takesAll reports whether want describes a text of any length, so that all of it has to be taken at once.
func (p Protocol) takesAll(want *object) bool {
	w, ok := p.piece(want)
	return ok && strings.HasPrefix(w.text, "@") && !strings.HasPrefix(w.text, "@@")
}
