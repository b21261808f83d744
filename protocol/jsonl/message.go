package jsonl

import (
	"slices"
	"strconv"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
	"github.com/dualagent/agent/internal/wire"
)

// A blockKind is how a kind of block is called in the updates of a message.
type blockKind struct{ start, delta, end string }

var (
	textBlock     = &blockKind{"text_start", "text_delta", "text_end"}
	thinkingBlock = &blockKind{"thinking_start", "thinking_delta", "thinking_end"}
	toolCallBlock = &blockKind{"toolcall_start", "toolcall_delta", "toolcall_end"}
)

// A draft is the reply that is being streamed, as far as the client has been told of it.
type draft struct {
	blocks []block
	tells  bool   // the updates tell of usage
	usage  []byte // `,"usage":{…}`, or nothing

	message core.Message // without its content
}

// A block is zero until the client has been told of it.
type block struct {
	kind     *blockKind
	id, name string // of a tool call
	text     []byte // so far; only kept for partials
}

func (d *draft) init(usage bool) error {
	d.tells = usage
	return d.setUsage(core.Usage{})
}

func (d *draft) begin(m core.Message) error {
	d.message = m
	d.blocks = d.blocks[:0]
	return d.setUsage(m.Usage)
}

func (d *draft) setUsage(u core.Usage) error {
	if !d.tells {
		return nil
	}
	raw, err := wire.Encode(v3.FromUsage(u))
	d.usage = append(append(d.usage[:0], `,"usage":`...), raw...)
	return err
}

// at returns the block with that index; it is valid until the next call.
func (d *draft) at(i int) *block {
	for len(d.blocks) <= i {
		d.blocks = append(d.blocks, block{})
	}
	return &d.blocks[i]
}

// call notes what a tool call is called before its first piece.
func (d *draft) call(e core.ToolCallDelta) {
	b := d.at(e.Block)
	b.id, b.name = e.ID, e.Name
}

// partial returns the message so far.
func (d *draft) partial() v3.Message {
	m := d.message
	m.Content = nil
	for _, b := range d.blocks {
		switch b.kind {
		case textBlock:
			m.Content = append(m.Content, core.TextBlock(string(b.text)))
		case thinkingBlock:
			m.Content = append(m.Content, core.Block{Kind: core.BlockThinking, Text: string(b.text)})
		case toolCallBlock:
			// Half of an object is no object: the arguments stay empty until they are whole.
			args, _ := v3.Arguments(string(b.text))
			m.Content = append(m.Content, core.Block{
				Kind: core.BlockToolCall, Call: &core.ToolCall{ID: b.id, Name: b.name, Arguments: string(args)},
			})
		}
	}
	return v3.FromMessage(&m)
}

// appendDelta appends the update for a piece of a block, and before it, if it is the first one, that for the block's start.
func (c *codec) appendDelta(buf []byte, kind *blockKind, i int, text string) ([]byte, error) {
	b := c.draft.at(i)
	if b.kind == nil {
		b.kind = kind
		var err error
		if buf, err = c.appendStart(buf, b, i); err != nil {
			return buf, err
		}
	}
	if c.o.Partials {
		b.text = append(b.text, text...)
	}
	buf, err := c.openUpdate(buf, kind.delta, i)
	if err != nil {
		return buf, err
	}
	if buf, err = c.appendString(append(buf, `,"delta":`...), text); err != nil {
		return buf, err
	}
	return c.closeUpdate(buf)
}

func (c *codec) appendStart(buf []byte, b *block, i int) ([]byte, error) {
	buf, err := c.openUpdate(buf, b.kind.start, i)
	if err == nil && b.kind == toolCallBlock {
		if buf, err = c.appendString(append(buf, `,"id":`...), b.id); err == nil {
			buf, err = c.appendString(append(buf, `,"toolName":`...), b.name)
		}
	}
	if err != nil {
		return buf, err
	}
	return c.closeUpdate(buf)
}

// appendEnds appends the updates for the ends of all blocks that the client knows, in their order. Tool calls that were lost
// to an abort or a failure are not in the message and have no end.
func (c *codec) appendEnds(buf []byte, m core.Message) ([]byte, error) {
	if err := c.draft.setUsage(m.Usage); err != nil {
		return buf, err
	}
	whole := slices.ContainsFunc(m.Content, func(b core.Block) bool { return b.Kind == core.BlockToolCall })
	next := 0
	for i := range c.draft.blocks {
		kind := c.draft.blocks[i].kind
		if kind == toolCallBlock && !whole || next >= len(m.Content) {
			continue
		}
		content := &m.Content[next]
		next++
		if kind == nil {
			continue
		}
		var err error
		if buf, err = c.appendEnd(buf, kind, i, content); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

func (c *codec) appendEnd(buf []byte, kind *blockKind, i int, content *core.Block) ([]byte, error) {
	buf, err := c.openUpdate(buf, kind.end, i)
	if err != nil {
		return buf, err
	}
	if kind == toolCallBlock {
		call := v3.FromToolCall(content.Call)
		if !c.pi {
			call.Type = ""
		}
		buf, err = c.appendValue(append(buf, c.toolCall...), &call)
	} else {
		buf, err = c.appendString(append(buf, `,"content":`...), content.Text)
	}
	if err != nil {
		return buf, err
	}
	return c.closeUpdate(buf)
}

// openUpdate appends a message_update up to the index of its block; closeUpdate appends its end.
func (c *codec) openUpdate(buf []byte, event string, i int) ([]byte, error) {
	buf = append(buf, `{"type":"message_update"`...)
	if c.o.Partials {
		m := c.draft.partial()
		var err error
		if buf, err = c.appendValue(append(buf, `,"message":`...), m.Value()); err != nil {
			return buf, err
		}
	}
	buf = append(buf, c.draft.usage...)
	buf = append(buf, `,"assistantMessageEvent":{"type":"`...)
	buf = append(buf, event...)
	buf = append(buf, c.index...)
	return strconv.AppendInt(buf, int64(i), 10), nil
}

func (c *codec) closeUpdate(buf []byte) ([]byte, error) {
	if c.o.Partials {
		m := c.draft.partial()
		if !c.pi {
			m.Role = ""
		}
		var err error
		if buf, err = c.appendValue(append(buf, `,"partial":`...), m.Value()); err != nil {
			return buf, err
		}
	}
	return append(buf, "}}\n"...), nil
}
