package v3

import (
	"bytes"
	"errors"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

const (
	typeText     = "text"
	typeThinking = "thinking"
	typeImage    = "image"
	typeToolCall = "toolCall"
)

// FromContent returns the JSON form of blocks, which it shares memory with. It is never nil.
func FromContent(blocks []core.Block) Content {
	content := make(Content, 0, len(blocks))
	for i := range blocks {
		content = append(content, FromBlock(&blocks[i]))
	}
	return content
}

// FromBlock returns the JSON form of b, which it shares memory with.
func FromBlock(b *core.Block) Block {
	switch b.Kind {
	case core.BlockThinking:
		return Block{Type: typeThinking, Thinking: &b.Text, ThinkingSignature: b.Signature, Redacted: b.Redacted}
	case core.BlockImage:
		return Block{Type: typeImage, Data: &b.Image.Data, MimeType: &b.Image.MimeType}
	case core.BlockToolCall:
		return FromToolCall(b.Call)
	default:
		return Block{Type: typeText, Text: &b.Text, TextSignature: b.Signature}
	}
}

// FromToolCall returns the block of a call, which it shares memory with.
func FromToolCall(c *core.ToolCall) Block {
	args, problem := Arguments(c.Arguments)
	return Block{
		Type: typeToolCall, ID: &c.ID, Name: &c.Name,
		Arguments: args, ArgumentsError: problem, ThoughtSignature: c.Signature,
	}
}

// received stands between what is wrong with arguments and the arguments as the model wrote them. pi writes it too.
const received = "\n\nReceived arguments:\n"

// Arguments returns the arguments of a tool call as a JSON object. If text is not one, that is an empty object, and problem
// says what is wrong with text and quotes it.
func Arguments(text string) (object wire.Raw, problem string) {
	if text == "" {
		return wire.Raw("{}"), ""
	}
	object = wire.Raw(text)
	if err := checkObject(object); err != nil {
		return wire.Raw("{}"), err.Error() + received + text
	}
	return object, ""
}

// checkObject is as strict as the decoder that will read the object back.
func checkObject(data []byte) error {
	if err := wire.CheckText(data); err != nil {
		return err
	}
	var value wire.Raw
	if err := wire.Decode(data, &value); err != nil {
		return err
	}
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte{'{'}) {
		return errors.New("the arguments are not a JSON object")
	}
	return nil
}

// UnmarshalJSON takes a string or an array of blocks. It passes over blocks that are not well-formed, and never fails.
func (c *Content) UnmarshalJSON(data []byte) error {
	*c = nil
	if bytes.HasPrefix(data, []byte{'"'}) {
		var text string
		if wire.Decode(data, &text) == nil && text != "" {
			*c = Content{{Type: typeText, Text: &text}}
		}
		return nil
	}
	var blocks []Block
	if wire.Decode(data, &blocks) == nil {
		*c = blocks
		return nil
	}
	var parts []wire.Raw
	if wire.Decode(data, &parts) != nil {
		return nil
	}
	for _, part := range parts {
		var b Block
		if wire.Decode(part, &b) == nil {
			*c = append(*c, b)
		}
	}
	return nil
}

// core returns the blocks of known types.
func (c Content) core() []core.Block {
	if len(c) == 0 {
		return nil
	}
	blocks := make([]core.Block, 0, len(c))
	for i := range c {
		if b, ok := c[i].core(); ok {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func (b *Block) core() (core.Block, bool) {
	switch b.Type {
	case typeText:
		return core.Block{Kind: core.BlockText, Text: value(b.Text), Signature: b.TextSignature}, true
	case typeThinking:
		return core.Block{
			Kind: core.BlockThinking, Text: value(b.Thinking), Signature: b.ThinkingSignature, Redacted: b.Redacted,
		}, true
	case typeImage:
		return core.Block{Kind: core.BlockImage, Image: &core.Image{Data: value(b.Data), MimeType: value(b.MimeType)}}, true
	case typeToolCall:
		return core.Block{Kind: core.BlockToolCall, Call: &core.ToolCall{
			ID: value(b.ID), Name: value(b.Name), Arguments: b.arguments(), Signature: b.ThoughtSignature,
		}}, true
	default:
		return core.Block{}, false
	}
}

// arguments returns the text that the model wrote, as far as it is still known.
func (b *Block) arguments() string {
	if _, text, ok := strings.Cut(b.ArgumentsError, received); ok {
		return text
	}
	if string(b.Arguments) == "null" {
		return ""
	}
	return string(b.Arguments)
}

// value returns what p points to, or the zero value if p is nil.
func value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
