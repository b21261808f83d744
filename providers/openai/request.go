package openai

import (
	"cmp"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// encode returns the body of the request for r. The same r gives the same bytes, and one more message leaves those before it as
// they were, so that prompt caches hold.
func encode(r core.Request, h habit, o *Options) ([]byte, error) {
	out := request{Model: clean(r.Model.ID), Messages: messages(r, h, o), Tools: tools(r.Tools), Stream: true}
	if !h.noStreamOptions {
		out.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if h.maxCompletionToken {
		out.MaxCompletionTokens = r.Model.MaxTokens
	} else {
		out.MaxTokens = r.Model.MaxTokens
	}
	if r.Model.Reasoning && !h.noReasoningEffort && r.Thinking != "" {
		if level := r.Model.Clamp(r.Thinking); level != core.ThinkingOff {
			out.ReasoningEffort = string(level)
		}
	}
	return wire.Encode(out)
}

func tools(specs []core.ToolSpec) []tool {
	var out []tool
	for _, s := range specs {
		parameters := wire.Raw(s.Parameters)
		if len(parameters) == 0 {
			parameters = wire.Raw(`{"type":"object","properties":{}}`)
		}
		out = append(out, tool{"function", toolFunction{clean(s.Name), clean(s.Description), parameters}})
	}
	return out
}

// A conversation gathers messages in the order that servers accept.
type conversation struct {
	o      *Options
	h      habit
	model  core.Model
	out    []message
	images []part // of the tool results at the end of out; they have to follow all of them
}

// messages returns the conversation as servers accept it.
func messages(r core.Request, h habit, o *Options) []message {
	c := &conversation{o: o, h: h, model: r.Model}
	c.model.Images = r.Model.Images && !h.noImages
	if r.System != "" {
		c.out = append(c.out, message{Role: "system", Content: clean(r.System)})
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		if m.Role == core.RoleTool {
			c.addResult(m)
			continue
		}
		c.settle()
		c.add(m)
	}
	c.settle()
	return c.out
}

// add adds a message that is no tool result. What has nothing to say is left out, since servers refuse it.
func (c *conversation) add(m *core.Message) {
	switch m.Role {
	case core.RoleAssistant:
		c.addAssistant(m)
	case core.RoleShell:
		if m.Shell != nil && !m.Shell.Exclude {
			c.addText("user", shellText(m.Shell))
		}
	case core.RoleUser:
		c.addUser(m)
	case core.RoleSystem:
		c.addText("system", m.Text())
	default: // of other programs
		c.addText("user", m.Text())
	}
}

func (c *conversation) addText(role, text string) {
	if text = clean(text); text != "" {
		c.out = append(c.out, message{Role: role, Content: text})
	}
}

func (c *conversation) addUser(m *core.Message) {
	parts, images := c.parts(m.Content)
	switch {
	case images:
		c.out = append(c.out, message{Role: "user", Content: parts})
	default:
		c.addText("user", joined(parts))
	}
}

// parts returns text and images, and whether there are images. A model that takes none is told that there was one.
func (c *conversation) parts(blocks []core.Block) (parts []part, images bool) {
	for _, b := range blocks {
		switch {
		case b.Kind == core.BlockImage && b.Image != nil && c.model.Images:
			url := "data:" + clean(b.Image.MimeType) + ";base64," + clean(b.Image.Data)
			parts, images = append(parts, part{Type: "image_url", ImageURL: &imageURL{url}}), true
		case b.Kind == core.BlockImage:
			parts = append(parts, part{Type: "text", Text: "\n(an image, which this model cannot see)"})
		case b.Kind == core.BlockText && b.Text != "":
			parts = append(parts, part{Type: "text", Text: clean(b.Text)})
		}
	}
	return parts, images
}

func joined(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func (c *conversation) addAssistant(m *core.Message) {
	out := message{Role: "assistant"}
	if text := clean(m.Text()); text != "" {
		out.Content = text
	}
	own := m.API == API && m.Provider == c.model.Provider
	for _, b := range m.Content {
		switch {
		case b.Kind == core.BlockThinking && own && c.o.EchoReasoning != c.h.otherReasoning:
			out.ReasoningContent += clean(b.Text)
		case b.Kind == core.BlockToolCall && b.Call != nil:
			out.ToolCalls = append(out.ToolCalls, c.call(b.Call, own))
		}
	}
	if out.Content != nil || len(out.ToolCalls) > 0 {
		c.out = append(c.out, out)
	}
}

// call returns a call as servers accept it. A signature goes back only to whom it came from.
func (c *conversation) call(t *core.ToolCall, own bool) toolCall {
	out := toolCall{ID: c.id(t.ID), Type: "function", Function: function{wireName(t.Name), wireArguments(t.Arguments)}}
	if t.Signature != "" && own {
		out.ExtraContent = &extraContent{}
		out.ExtraContent.Google.ThoughtSignature = text(clean(t.Signature))
	}
	return out
}

func (c *conversation) addResult(m *core.Message) {
	parts, images := c.parts(m.Content)
	text := joined(parts)
	if images {
		for _, p := range parts {
			if p.ImageURL != nil {
				c.images = append(c.images, p)
			}
		}
		text = cmp.Or(text, "(see the image below)")
	}
	c.out = append(c.out, message{Role: "tool", ToolCallID: c.id(m.ToolCallID), Content: cmp.Or(text, "(no output)")})
}

// settle adds the images of tool results, which only a user message may hold.
func (c *conversation) settle() {
	if len(c.images) > 0 {
		parts := append([]part{{Type: "text", Text: "Images of the tool results:"}}, c.images...)
		c.out = append(c.out, message{Role: "user", Content: parts})
		c.images = nil
	}
}

// shellText tells the model of a command that the user has run.
func shellText(s *core.ShellRun) string {
	return "Ran `" + s.Command + "`\n```\n" + strings.TrimSuffix(s.Output, "\n") + "\n```"
}
