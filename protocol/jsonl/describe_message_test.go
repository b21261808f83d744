package jsonl

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dualagent/agent/internal/schematest"
	"github.com/dualagent/agent/internal/v3"
)

// roles lists which members messages of a role have.
var roles = []struct{ role, name, members string }{
	{"user", "User", "content timestamp"},
	{"assistant", "Assistant", "content api provider model responseId? usage stopReason errorMessage? rawStopReason? durationMs? " +
		"thinkingLevel? timestamp"},
	{"toolResult", "ToolResult", "toolCallId toolName content details? isError durationMs? timestamp"},
	{"bashExecution", "BashExecution", "command output exitCode? cancelled truncated fullOutputPath? timestamp excludeFromContext?"},
}

// blocks lists which members blocks of a type have.
var blocks = []struct{ typ, name, members string }{
	{"text", "TextBlock", "text textSignature?"},
	{"thinking", "ThinkingBlock", "thinking thinkingSignature? redacted?"},
	{"image", "ImageBlock", "data mimeType"},
	{"toolCall", "ToolCallBlock", "id name arguments argumentsError? thoughtSignature?"},
}

// messages defines messages, their blocks, and entries.
func (d describer) messages() {
	left := map[string]bool{"type": true, "role": true, "summary": true} // members that no list has
	pick := func(t reflect.Type, members string) *jsonschema.Schema {
		all := d.Object(t)
		s := schematest.Pick(all, strings.Fields(members)...)
		for name := range all.Properties {
			if _, ok := left[name]; !ok {
				left[name] = false
			}
		}
		for name := range s.Properties {
			left[name] = true
		}
		return s
	}
	block := &jsonschema.Schema{}
	for _, b := range blocks {
		s := pick(reflect.TypeFor[v3.Block](), b.members)
		if b.typ == "toolCall" {
			d.Define("ToolCall", s)
		}
		block.OneOf = append(block.OneOf, d.Define(b.name, schematest.Tag("type", b.typ, s)))
	}
	d.Define("Block", block)
	message, known := &jsonschema.Schema{}, []string{}
	for _, r := range roles {
		s := pick(reflect.TypeFor[v3.Message](), r.members)
		if r.role != "user" {
			s.Description = "A message without its role, as some events of rpi have it."
			d.Define(r.name+"Body", s.CloneSchemas())
			s.Description = ""
		}
		message.OneOf = append(message.OneOf, d.Define(r.name+"Message", schematest.Tag("role", r.role, s)))
		known = append(known, r.role)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if !left[name] {
			panic(fmt.Sprintf("%s is a member of no message and no block", name))
		}
	}
	message.OneOf = append(message.OneOf, d.Define("OtherMessage", other("role", known,
		"What another program has written into the session: custom, branchSummary, compactionSummary and the like.")))
	d.Define("Message", message)
	d.entries()
}

// other describes an object whose tag has none of the known values. It may have any members.
func other(tag string, known []string, doc string) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Description: doc, Required: []string{tag}, AdditionalProperties: &jsonschema.Schema{},
		Properties: map[string]*jsonschema.Schema{tag: {Type: "string", Not: &jsonschema.Schema{Enum: schematest.Values(known...)}}},
	}
}

// entries defines the entries of sessions.
func (d describer) entries() {
	text := &jsonschema.Schema{Type: "string"}
	union, known := &jsonschema.Schema{}, []string{}
	for _, e := range []struct {
		typ, name string
		members   map[string]*jsonschema.Schema
	}{
		{"message", "MessageEntry", map[string]*jsonschema.Schema{"message": d.Ref("Message")}},
		{"model_change", "ModelChangeEntry", map[string]*jsonschema.Schema{"provider": text, "modelId": text}},
		{"thinking_level_change", "ThinkingLevelChangeEntry", map[string]*jsonschema.Schema{"thinkingLevel": text}},
		{"session_info", "SessionInfoEntry", map[string]*jsonschema.Schema{"name": text}},
	} {
		s := schematest.Pick(d.Object(reflect.TypeFor[v3.Frame]()), "id", "parentId", "timestamp")
		for _, name := range slices.Sorted(maps.Keys(e.members)) {
			s.Properties[name] = e.members[name].CloneSchemas()
			s.PropertyOrder, s.Required = append(s.PropertyOrder, name), append(s.Required, name)
		}
		union.OneOf = append(union.OneOf, d.Define(e.name, schematest.Tag("type", e.typ, s)))
		known = append(known, e.typ)
	}
	union.OneOf = append(union.OneOf, d.Define("OtherEntry", other("type", known, "What another program has written into the session.")))
	d.Define("Entry", union)
}

// update describes the records that message.go writes.
func (d describer) update() *jsonschema.Schema {
	var variants []*jsonschema.Schema
	for _, dialect := range []Dialect{RPI, Pi} {
		body := &jsonschema.Schema{
			Properties: map[string]*jsonschema.Schema{"message": partly(d.Ref("AssistantMessage"))},
			Required:   []string{"assistantMessageEvent"}, PropertyOrder: []string{"message"},
		}
		if dialect.differences().usage {
			body.Properties["usage"] = d.Of(reflect.TypeFor[v3.Usage]())
			body.PropertyOrder, body.Required = append(body.PropertyOrder, "usage"), append(body.Required, "usage")
		}
		body.Properties["assistantMessageEvent"] = d.Define("AssistantMessageEvent."+string(dialect), d.pieces(dialect.differences()))
		body.PropertyOrder = append(body.PropertyOrder, "assistantMessageEvent")
		variants = append(variants, inDialect(dialect, schematest.Tag("type", "message_update", body)))
	}
	s := variant(variants)
	s.Description = "A piece of the reply."
	return s
}

// partly marks what only --partials asks for.
func partly(s *jsonschema.Schema) *jsonschema.Schema {
	s.Description = "The reply so far, with --partials."
	return s
}

// pieces describes the updates of the blocks of a reply in a dialect.
func (d describer) pieces(dialect differences) *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	index, toolCall, partial := strings.Trim(dialect.index, `",:`), strings.Trim(dialect.toolCall, `",:`), "AssistantBody"
	call := "ToolCall"
	if dialect.pi {
		call, partial = "ToolCallBlock", "AssistantMessage"
	}
	union := &jsonschema.Schema{}
	add := func(typ string, names []string, members ...*jsonschema.Schema) {
		s := &jsonschema.Schema{
			Properties:    map[string]*jsonschema.Schema{index: {Type: "integer", Minimum: new(float64)}, "partial": partly(d.Ref(partial))},
			PropertyOrder: append([]string{index}, names...), Required: append([]string{index}, names...),
		}
		for i, name := range names {
			s.Properties[name] = members[i].CloneSchemas()
		}
		s.PropertyOrder = append(s.PropertyOrder, "partial")
		union.OneOf = append(union.OneOf, schematest.Tag("type", typ, s))
	}
	for _, kind := range []*blockKind{textBlock, thinkingBlock} {
		add(kind.start, nil)
		add(kind.delta, []string{"delta"}, text)
		add(kind.end, []string{"content"}, text)
	}
	add(toolCallBlock.start, []string{"id", "toolName"}, text, text)
	add(toolCallBlock.delta, []string{"delta"}, text)
	add(toolCallBlock.end, []string{toolCall}, d.Ref(call))
	return union
}
