package openai

import (
	"crypto/rand"
	"strings"

	"github.com/dualagent/agent/core"
)

// A call is a tool call of the reply in hand.
type call struct {
	index     number // the server's; -1 if it sends none
	serverID  string // "" if it has sent none so far
	name      string
	signature string // not yet given out
	opened    bool   // its first piece was given out, with id and name
	args      arguments
}

// addCall takes a piece of a tool call. Which call it belongs to is told by index and id, both of which servers leave out,
// repeat, or use for several calls.
func (r *reply) addCall(p *callPart) error {
	n := r.find(p)
	if n < 0 {
		if err := r.openCall(); err != nil {
			return err
		}
		c := call{index: -1}
		if p.Index != nil {
			c.index = *p.Index
		}
		r.calls = append(r.calls, c)
		n = len(r.calls) - 1
	}
	c := &r.calls[n]
	if c.serverID == "" {
		c.serverID = string(p.ID)
	}
	if !c.opened && string(p.Function.Name) != c.name { // else it is repeated, or comes too late
		c.name += string(p.Function.Name)
	}
	if p.ExtraContent != nil {
		c.signature += string(p.ExtraContent.Google.ThoughtSignature)
	}
	piece := string(p.Function.Arguments)
	if piece == "" && !(c.opened && c.signature != "") {
		return nil // the name may go on
	}
	c.args.add(piece)
	r.size += len(piece)
	return r.putCall(n, piece)
}

// find returns the call that p is a piece of, or -1 if it is the first of a new one.
func (r *reply) find(p *callPart) int {
	if p.Index == nil && p.ID == "" {
		last := len(r.calls) - 1
		if last >= 0 && r.calls[last].startsAnew(p, true) {
			return -1
		}
		return last
	}
	for n := len(r.calls) - 1; n >= 0; n-- {
		c := &r.calls[n]
		switch {
		case p.Index != nil && c.index != *p.Index, p.Index == nil && c.serverID != string(p.ID):
		case p.ID == "":
			if c.startsAnew(p, false) {
				return -1
			}
			return n
		case c.serverID == "" || c.serverID == string(p.ID):
			return n
		}
	}
	if p.ID == "" && p.Function.Name == "" {
		return len(r.calls) - 1 // nothing but arguments begins no call
	}
	return -1
}

// startsAnew reports whether p, which has no id to tell by, begins another call behind c: c is complete and p names a tool.
// If alone, there is no index either, and even the same name with arguments begins another one.
func (c *call) startsAnew(p *callPart, alone bool) bool {
	name := string(p.Function.Name)
	if name == "" || !c.args.complete() {
		return false
	}
	return name != c.name || alone && p.Function.Arguments != ""
}

// openCall gives out the last call if it has no arguments so far: something else follows, so its name is complete.
func (r *reply) openCall() error {
	if n := len(r.calls) - 1; n >= 0 && !r.calls[n].opened {
		return r.putCall(n, "")
	}
	return nil
}

// putCall gives out a piece of a call's arguments.
func (r *reply) putCall(n int, piece string) error {
	c := &r.calls[n]
	out := core.Chunk{Kind: core.ChunkToolCall, Call: n, Text: piece, Signature: c.signature}
	c.signature = ""
	if !c.opened {
		c.opened = true
		out.ID, out.Name = c.serverID, c.name
		if out.ID == "" {
			out.ID = "call_" + strings.ToLower(rand.Text())
		}
	}
	return r.put(out)
}

// arguments tell whether the JSON object that comes in pieces is complete.
type arguments struct {
	depth             int
	begun             bool
	inString, escaped bool
}

func (a *arguments) add(piece string) {
	for i := range len(piece) {
		c := piece[i]
		switch {
		case a.escaped:
			a.escaped = false
		case a.inString && c == '\\':
			a.escaped = true
		case c == '"':
			a.inString = !a.inString
		case a.inString:
		case c == '{' || c == '[':
			a.depth++
			a.begun = true
		case c == '}' || c == ']':
			a.depth--
		}
	}
}

func (a *arguments) complete() bool { return a.begun && a.depth <= 0 && !a.inString }
