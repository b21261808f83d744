package openai

import (
	"crypto/rand"
	"slices"
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
	held      string // arguments that may turn out to stand in for the real ones; not yet given out
	args      arguments
}

// standIn is what some servers send ahead of a call's arguments, without meaning it.
const standIn = "{}"

// hasID reports whether the call is one of those that have taken the place of function_call.
func (c call) hasID() bool { return c.serverID != "" }

// addCall takes a piece of a tool call.
func (r *reply) addCall(p *callPart) error {
	n := r.find(p)
	if n < 0 {
		if p.ID == "" && p.Function == (callName{}) {
			return nil
		}
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
	piece, ok := c.add(string(p.Function.Arguments))
	if !ok && !(c.opened && c.signature != "") {
		return nil // the name may go on
	}
	return r.putCall(n, piece)
}

// add adds a piece of the arguments, and returns what of it is to be given out; false if nothing has come.
func (c *call) add(piece string) (out string, ok bool) {
	switch {
	case piece == "", c.args.repeatedBy(piece):
		return "", false
	case c.held != "" && begins(piece):
		c.held, c.args = "", arguments{}
	case c.held != "" && !blank(piece):
		out, c.held = c.held, ""
	}
	first := c.args.size == 0
	c.args.add(piece)
	if first && piece == standIn {
		c.held = standIn
		return "", true
	}
	return out + piece, true
}

// find returns the call that p is a piece of, or -1 if it is the first of a new one. That is told by index, id and name, all of
// which servers leave out, repeat, or use for several calls.
func (r *reply) find(p *callPart) int {
	if n := r.withID(p); n >= 0 {
		if r.calls[n].repeatsID(p) {
			return -1
		}
		return n
	}
	if n := r.latest(p); n >= 0 && r.calls[n].continuedBy(p) {
		return n
	}
	return -1
}

// withID returns the call that has p's id and, if p names a tool and has an index, its index too; else -1.
func (r *reply) withID(p *callPart) int {
	if p.ID == "" {
		return -1
	}
	found := -1
	for n := range r.calls {
		c := &r.calls[n]
		here := p.Index == nil || c.index == *p.Index
		if c.serverID == string(p.ID) && (here || found < 0 && p.Function.Name == "") {
			found = n
		}
	}
	return found
}

// latest returns the last call that has p's index; the last of all if p has none, or cannot begin a call; else -1.
func (r *reply) latest(p *callPart) int {
	last := len(r.calls) - 1
	if p.Index == nil {
		return last
	}
	for n := last; n >= 0; n-- {
		if r.calls[n].index == *p.Index {
			return n
		}
	}
	if last >= 0 && p.Function.Name == "" && (p.ID == "" || !blank(string(p.Function.Arguments)) && !r.calls[last].args.complete()) {
		return last
	}
	return -1
}

// repeatsID reports whether p, which has the id of c, begins another call all the same.
func (c *call) repeatsID(p *callPart) bool {
	piece := string(p.Function.Arguments)
	return p.Function.Name != "" && c.held == "" && c.args.complete() && begins(piece) && !c.args.repeatedBy(piece)
}

// continuedBy reports whether p goes on with c, given that it is at c's place and not by c's id. Some servers send another id with
// each piece, some the name, and some give all calls one place.
func (c *call) continuedBy(p *callPart) bool {
	name, piece := string(p.Function.Name), string(p.Function.Arguments)
	complete := c.args.complete()
	switch {
	case p.ID != "" && c.serverID != "" && complete:
		return name == "" && blank(piece)
	case p.ID != "" && c.serverID != "":
		return name == "" || c.args.begun && !blank(piece) && !begins(piece)
	case name == "" || !complete:
		return true
	case name != c.name:
		return false
	default:
		alone := p.Index == nil && p.ID == ""
		return blank(piece) || !alone && (c.held != "" || c.args.repeatedBy(piece))
	}
}

// blank reports whether a piece of arguments says nothing.
func blank(piece string) bool { return strings.TrimSpace(piece) == "" }

// begins reports whether a piece of arguments may be the first.
func begins(piece string) bool { return strings.HasPrefix(strings.TrimLeft(piece, " \t\r\n"), "{") }

// openCall gives out the last call if it has no arguments so far: something else follows, so its name is complete.
func (r *reply) openCall() error {
	if n := len(r.calls) - 1; n >= 0 && !r.calls[n].opened {
		return r.putCall(n, "")
	}
	return nil
}

// closeCalls gives out what was held back of the calls.
func (r *reply) closeCalls() error {
	if err := r.openCall(); err != nil {
		return err
	}
	for n := range r.calls {
		c := &r.calls[n]
		if c.held == "" {
			continue
		}
		held := c.held
		c.held = ""
		if err := r.putCall(n, held); err != nil {
			return err
		}
	}
	return nil
}

// putCall gives out a piece of a call's arguments.
func (r *reply) putCall(n int, piece string) error {
	c := &r.calls[n]
	out := core.Chunk{Kind: core.ChunkToolCall, Call: n, Text: piece, Signature: c.signature}
	c.signature = ""
	r.size += len(piece)
	if !c.opened {
		c.opened = true
		out.ID, out.Name = c.serverID, c.name
		taken := slices.ContainsFunc(r.calls[:n], func(other call) bool { return other.serverID == c.serverID })
		if out.ID == "" || taken {
			out.ID = "call_" + strings.ToLower(rand.Text())
		}
	}
	return r.put(out)
}
