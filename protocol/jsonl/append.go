package jsonl

import (
	"fmt"
	"reflect"

	"github.com/dualagent/agent/core"
)

// Append implements protocol.Codec.
func (c *codec) Append(buf []byte, item any) ([]byte, error) {
	switch e := item.(type) {
	case reply:
		return c.appendReply(buf, e)
	case core.TextDelta:
		return c.appendDelta(buf, textBlock, e.Block, e.Text)
	case core.ReasoningDelta:
		return c.appendDelta(buf, thinkingBlock, e.Block, e.Text)
	case core.ToolCallDelta:
		c.draft.call(e)
		return c.appendDelta(buf, toolCallBlock, e.Block, e.Text)
	case core.ReplyStarted:
		if err := c.draft.begin(e.Message); err != nil {
			return buf, err
		}
	case core.ReplyEnded:
		var err error
		if buf, err = c.appendEnds(buf, e.Message); err != nil {
			return buf, err
		}
	}
	c.notice(item)
	for _, r := range rows[reflect.TypeOf(item)] {
		if r.only != "" && r.only != c.dialect {
			continue
		}
		body := r.body(c, item)
		if body == nil {
			continue
		}
		var err error
		if buf, err = c.appendRecord(buf, r.name, body); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// notice keeps what later records and commands depend on.
func (c *codec) notice(item any) {
	switch e := item.(type) {
	case core.TurnStarted:
		c.running.Store(true)
	case core.RetryScheduled:
		c.pausing.Store(uint64(e.Turn))
	case core.RetryEnded:
		if e.Err != nil && c.pi {
			c.failed = "" // auto_retry_end says it
		}
	case core.RetryStarted:
		c.pausing.Store(0)
	case core.ApprovalRequested:
		c.asking.Store(uint64(e.ID))
	case core.ApprovalResolved:
		c.asking.Store(0)
	case core.TurnEnded:
		c.failed = ""
		if e.Err != nil && !(c.pi && toldByReply(e)) {
			c.failed = problem(e.Err)
		}
	case core.Settled:
		c.pausing.Store(0)
		c.running.Store(false)
	case core.Notice:
		c.notices++
	}
}

// toldByReply reports whether the last message of a turn that failed says so. Clients of pi look for it there.
func toldByReply(e core.TurnEnded) bool {
	n := len(e.Messages)
	return n > 0 && e.Messages[n-1].Role == core.RoleAssistant && e.Messages[n-1].Error != ""
}

// appendRecord appends a record of a type with the members of body, a struct.
func (c *codec) appendRecord(buf []byte, name string, body any) ([]byte, error) {
	buf = append(buf, `{"type":"`...)
	buf = append(buf, name...)
	buf = append(buf, '"')
	at := len(buf)
	buf, err := c.appendValue(buf, body)
	if err != nil {
		return buf, err
	}
	if buf[at+1] == '}' {
		buf = append(buf[:at], '}') // a body without members
	} else {
		buf[at] = ','
	}
	return append(buf, '\n'), nil
}

// appendReply appends a response. The client must get one, even if its data do not encode.
func (c *codec) appendReply(buf []byte, r reply) ([]byte, error) {
	start := len(buf)
	buf, err := c.appendResponse(buf, r)
	if err == nil {
		return buf, nil
	}
	c.o.Log.Error("a response does not encode", "command", r.to.command, "error", err)
	return c.appendResponse(buf[:start], reply{to: r.to, problem: "internal error: the response does not encode"})
}

func (c *codec) appendResponse(buf []byte, r reply) ([]byte, error) {
	var err error
	buf = append(buf, '{')
	if r.to.id != nil {
		if buf, err = c.appendValue(append(buf, `"id":`...), r.to.id); err != nil {
			return buf, err
		}
		buf = append(buf, ',')
	}
	if buf, err = c.appendString(append(buf, `"type":"response","command":`...), r.to.command); err != nil {
		return buf, err
	}
	switch {
	case r.problem != "":
		buf, err = c.appendString(append(buf, `,"success":false,"error":`...), r.problem)
	case r.data != any(nothing{}):
		buf, err = c.appendValue(append(buf, `,"success":true,"data":`...), r.data)
	default:
		buf = append(append(buf, `,"success":true`...), c.noData...)
	}
	return append(buf, "}\n"...), err
}

func (c *codec) appendString(buf []byte, s string) ([]byte, error) {
	c.str = s
	return c.appendValue(buf, &c.str)
}

// appendValue appends v as JSON, without a line feed.
func (c *codec) appendValue(buf []byte, v any) ([]byte, error) {
	buf, err := c.enc.Append(buf, v)
	if err != nil {
		return buf, fmt.Errorf("encode %T: %w", v, err)
	}
	return buf[:len(buf)-1], nil
}
