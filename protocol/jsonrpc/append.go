package jsonrpc

import (
	"fmt"
	"reflect"

	"github.com/creachadair/jrpc2"

	"github.com/dualagent/agent/core"
)

// Append implements protocol.Codec.
func (c *codec) Append(buf []byte, item any) ([]byte, error) {
	switch it := item.(type) {
	case reply:
		return c.appendReply(buf, it)
	case core.SessionStarted:
		if c.ready {
			return buf, nil
		}
		c.ready = true
		return c.appendNote(buf, "ready", Ready{Version: c.o.Version, Protocol: "jsonrpc", Capabilities: capabilities()})
	}
	switch it := item.(type) { // the rows of the table that are told most, without what the table costs
	case core.TextDelta:
		c.delta.Delta = it.Text
		return c.appendNote(buf, "message/delta", &c.delta)
	case core.ReasoningDelta:
		c.delta.Delta = it.Text
		return c.appendNote(buf, "reasoning/delta", &c.delta)
	}
	if call, ok := item.(core.ToolCalled); ok {
		if c.open != "" {
			c.calls = append(c.calls, call)
			return buf, nil
		}
		c.open = call.Call.ID
	}
	buf, err := c.appendRows(buf, item)
	if err != nil {
		return buf, err
	}
	switch e := item.(type) {
	case core.ApprovalRequested:
		c.asked.Store(uint64(e.ID))
	case core.ToolAnswered:
		return c.appendNextCall(buf, e)
	case core.TurnEnded:
		c.open, c.calls = "", nil
		req := e.Tag.(*request)
		c.leave(req)
		if req.id != nil {
			return c.appendReply(buf, answerTo(req, e))
		}
	}
	return buf, nil
}

// appendRows appends what the table of notifications makes of an event.
func (c *codec) appendRows(buf []byte, item any) ([]byte, error) {
	var err error
	for _, n := range rows[reflect.TypeOf(item)] {
		params := n.params(item)
		if params == nil {
			continue
		}
		if buf, err = c.appendNote(buf, n.method, params); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// appendNextCall tells the next of the calls that run side by side, when the one before has its result.
func (c *codec) appendNextCall(buf []byte, e core.ToolAnswered) ([]byte, error) {
	if e.Call.ID != c.open {
		return buf, nil // a call that was never looked at
	}
	c.open = ""
	if len(c.calls) == 0 {
		return buf, nil
	}
	next := c.calls[0]
	c.calls, c.open = c.calls[1:], next.Call.ID
	buf, err := c.appendRows(buf, next)
	if err != nil {
		return buf, err
	}
	return c.appendRows(buf, core.StateChanged{Turn: next.Turn, Phase: core.PhaseExecuting})
}

func (c *codec) appendNote(buf []byte, method string, params any) ([]byte, error) {
	buf = append(buf, `{"jsonrpc":"2.0","method":"`...)
	buf = append(buf, method...)
	buf = append(buf, `","params":`...)
	return c.appendLast(buf, params)
}

// appendLast appends v, the brace that closes the record, and LF.
func (c *codec) appendLast(buf []byte, v any) ([]byte, error) {
	buf, err := c.enc.Append(buf, v)
	if err != nil {
		return buf, fmt.Errorf("encode %T: %w", v, err)
	}
	buf[len(buf)-1] = '}'
	return append(buf, '\n'), nil
}

// appendReply appends an answer, or, if it is one of a batch, keeps it until all of them are there.
func (c *codec) appendReply(buf []byte, r reply) ([]byte, error) {
	group := r.to.batch
	if group == nil {
		return c.appendAnswer(buf, r)
	}
	sep := byte(',')
	if len(group.buf) == 0 {
		sep = '['
	}
	var err error
	if group.buf, err = c.appendAnswer(append(group.buf, sep), r); err != nil {
		return buf, err
	}
	group.buf = group.buf[:len(group.buf)-1]
	if group.owed--; group.owed > 0 {
		return buf, nil
	}
	buf = append(buf, group.buf...)
	return append(buf, "]\n"...), nil
}

func (c *codec) appendAnswer(buf []byte, r reply) ([]byte, error) {
	buf = append(buf, `{"jsonrpc":"2.0","id":`...)
	buf = append(buf, r.to.id...)
	if r.err == nil {
		buf = append(buf, `,"result":`...)
		done, err := c.appendLast(buf, r.result)
		if err == nil {
			return done, nil
		}
		// The client must get an answer; one that does not encode is a fault of ours.
		c.o.Log.Error("a result does not encode", "method", r.to.method, "error", err)
		r.err = jrpc2.Errorf(jrpc2.InternalError, "internal error: the result does not encode")
		buf = buf[:len(buf)-len(`,"result":`)]
	}
	buf = append(buf, `,"error":`...)
	return c.appendLast(buf, r.err)
}
