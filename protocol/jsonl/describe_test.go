package jsonl

import (
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/schematest"
)

const prefix = "#/$defs/"

const description = "One JSON object and one line feed per message: commands on standard input, responses and events on standard " +
	"output. A response has the command's name and its id, if it has one. What is marked with x-dialect is only in that one. " +
	"Members that this document does not name are passed over, by the server and, please, by clients."

// A describer makes the document. Its methods are in this file and in describe_message_test.go.
type describer struct{ *schematest.Reflector }

// Describe returns the JSON Schema of the protocol.
func Describe() ([]byte, error) {
	comments, err := schematest.ReadComments("../../internal/v3/wire.go", "wire.go")
	if err != nil {
		return nil, err
	}
	d := describer{&schematest.Reflector{
		Prefix: prefix, Enum: enumOf, ByHand: byHand(), Any: &jsonschema.Schema{Ref: prefix + "Message"}, Comments: comments,
		Defs: map[string]*jsonschema.Schema{},
	}}
	d.messages()
	doc := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "agent, JSONL", Description: description,
		OneOf: []*jsonschema.Schema{
			d.Define("Command", d.commands()), d.Define("Response", d.responses()), d.Define("Event", d.events()),
		},
		Defs: d.Defs,
	}
	if err := d.Problems(); err != nil {
		return nil, err
	}
	return schematest.Encode(doc)
}

func enumOf(t reflect.Type) []string {
	if e, ok := reflect.Zero(t).Interface().(enum); ok {
		return e.values()
	}
	switch t {
	case reflect.TypeFor[core.ThinkingLevel]():
		return level("").values()
	case reflect.TypeFor[core.Risk]():
		return []string{string(core.RiskRead), string(core.RiskWrite), string(core.RiskDestructive), string(core.RiskNetwork)}
	}
	return nil
}

// byHand holds what the types do not say.
func byHand() map[string]*jsonschema.Schema {
	text := func(values ...any) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Enum: values} }
	ref := func(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: prefix + name} }
	list := func(s *jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{Type: "array", Items: s} }
	object := &jsonschema.Schema{Type: "object"}
	exitCode := &jsonschema.Schema{Type: "integer", Description: "None, or null: a signal has ended the command."}
	return map[string]*jsonschema.Schema{
		"imageArg":            imageBlock(),
		"toolStartBody.args":  object,
		"toolUpdateBody.args": object,
		"entryBody.entry":     ref("Entry"),
		"treeNode.entry":      ref("Entry"),
		"entriesData.entries": list(ref("Entry")),
		// A client of rpi gets both without their roles.
		"turnEndBody.message":      {AnyOf: []*jsonschema.Schema{inDialect(Pi, ref("AssistantMessage")), inDialect(RPI, ref("AssistantBody"))}},
		"turnEndBody.toolResults":  list(&jsonschema.Schema{AnyOf: []*jsonschema.Schema{inDialect(Pi, ref("ToolResultMessage")), inDialect(RPI, ref("ToolResultBody"))}}),
		"agentEndBody.willRetry":   inDialect(Pi, &jsonschema.Schema{Type: "boolean"}),
		"toolEndBody.durationMs":   inDialect(Pi, &jsonschema.Schema{Type: "integer", Description: "Of calls that ran."}),
		"settledBody.aborted":      inDialect(Pi, &jsonschema.Schema{Type: "boolean"}),
		"shellOutputBody.id":       {Types: []string{"string", "number"}, Description: "That of the bash command."},
		"uiRequestBody.method":     text("confirm", "notify"),
		"uiRequestBody.notifyType": text("warning"),
		"uiResolvedBody.outcome":   text("cancelled"),
		"bashData.exitCode":        schematest.Nullable(exitCode.CloneSchemas()),
		"piBashData.exitCode":      exitCode,
		"dispositionData.disposition": text(
			"started", "queued", "handled"),
		"ToolResult.details":   {Description: "What the tool says for programs."},
		"ToolResult.terminate": inDialect(RPI, &jsonschema.Schema{Type: "boolean"}),
		"Model.headers":        {Types: []string{"object", "null"}},
		"Model.compat":         {Types: []string{"object", "null"}},
		"Message.exitCode":     exitCode.CloneSchemas(),
		"Message.details":      {Description: "What the tool says for programs."},
		"Message.stopReason":   text("pending", "stop", "length", "toolUse", "error", "aborted"),
		"Block.arguments":      object.CloneSchemas(),
	}
}

// inDialect marks a schema as that of one dialect.
func inDialect(d Dialect, s *jsonschema.Schema) *jsonschema.Schema {
	s.Extra = map[string]any{"x-dialect": string(d)}
	return s
}

// imageBlock describes an image as commands have it: with mimeType or mime_type.
func imageBlock() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	return &jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"type": {Const: jsonschema.Ptr[any](string(image))}, "data": text, "mimeType": text.CloneSchemas(), "mime_type": text.CloneSchemas(),
		},
		PropertyOrder: []string{"type", "data", "mimeType", "mime_type"},
		Required:      []string{"type", "data"},
		AnyOf:         []*jsonschema.Schema{{Required: []string{"mimeType"}}, {Required: []string{"mime_type"}}},
	}
}

// commands describes each command. Optional members may be null, but for lists.
func (d describer) commands() *jsonschema.Schema {
	union := &jsonschema.Schema{}
	for _, cmd := range commandTable {
		s := d.Object(cmd.fields)
		for name, member := range s.Properties {
			if !slices.Contains(s.Required, name) && member.Type != "array" {
				s.Properties[name] = schematest.Nullable(member)
			}
		}
		if _, ok := s.Properties["id"]; !ok {
			s = withID(s, "string", "number", "null")
		}
		s = schematest.Tag("type", cmd.name, s)
		s.Description = cmd.doc
		union.OneOf = append(union.OneOf, d.Define("Command."+cmd.name, s))
	}
	return union
}

// withID puts an optional id before the members of s.
func withID(s *jsonschema.Schema, types ...string) *jsonschema.Schema {
	s.Properties["id"] = &jsonschema.Schema{Types: types}
	s.PropertyOrder = append([]string{"id"}, s.PropertyOrder...)
	return s
}

// dataOf lists the data of the commands whose table says any, by dialect.
var dataOf = map[string]map[Dialect]reflect.Type{
	"prompt":               said,
	"steer":                said,
	"follow_up":            said,
	"get_state":            {RPI: reflect.TypeFor[stateData](), Pi: reflect.TypeFor[piStateData]()},
	"get_session_stats":    {RPI: reflect.TypeFor[statsData](), Pi: reflect.TypeFor[piStatsData]()},
	"get_tree":             {RPI: reflect.TypeFor[activeTreeData](), Pi: reflect.TypeFor[treeData]()},
	"set_thinking_level":   {RPI: reflect.TypeFor[thinkingData](), Pi: reflect.TypeFor[nothing]()},
	"cycle_thinking_level": {RPI: reflect.TypeFor[*thinkingData](), Pi: reflect.TypeFor[*levelBody]()},
	"bash":                 {RPI: reflect.TypeFor[bashData](), Pi: reflect.TypeFor[piBashData]()},
}

var said = map[Dialect]reflect.Type{RPI: reflect.TypeFor[nothing](), Pi: reflect.TypeFor[dispositionData]()}

func (d describer) responses() *jsonschema.Schema {
	union := &jsonschema.Schema{}
	for _, cmd := range commandTable {
		if cmd.name == uiResponse {
			continue // only its failures are answered
		}
		var variants []*jsonschema.Schema
		for _, dialect := range []Dialect{RPI, Pi} {
			data := cmd.data
			if data == reflect.TypeFor[any]() {
				data = dataOf[cmd.name][dialect]
			}
			if s := d.success(cmd.name, data, dialect); data == cmd.data && data != reflect.TypeFor[nothing]() {
				variants = []*jsonschema.Schema{s}
			} else {
				variants = append(variants, inDialect(dialect, s))
			}
		}
		union.OneOf = append(union.OneOf, d.Define("Response."+cmd.name, variant(variants)))
	}
	failed := &jsonschema.Schema{
		Description: "A failure. The command of what cannot be read is parse, that of a start that fails initialize.",
		Properties: map[string]*jsonschema.Schema{
			"command": {Type: "string"}, "success": {Const: jsonschema.Ptr[any](false)}, "error": {Type: "string"},
		},
		PropertyOrder: []string{"command", "success", "error"},
		Required:      []string{"command", "success", "error"},
	}
	union.OneOf = append(union.OneOf, d.Define("Failure", withID(schematest.Tag("type", "response", failed), "string", "number")))
	return union
}

// variant is the one of a list, or any of them.
func variant(list []*jsonschema.Schema) *jsonschema.Schema {
	if len(list) == 1 {
		return list[0]
	}
	return &jsonschema.Schema{AnyOf: list}
}

func (d describer) success(name string, data reflect.Type, dialect Dialect) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Properties: map[string]*jsonschema.Schema{
			"command": {Const: jsonschema.Ptr[any](name)}, "success": {Const: jsonschema.Ptr[any](true)},
		},
		PropertyOrder: []string{"command", "success"},
		Required:      []string{"command", "success"},
	}
	switch {
	case data != reflect.TypeFor[nothing]():
		s.Properties["data"] = d.Of(data)
		if data.Kind() == reflect.Pointer {
			s.Properties["data"] = schematest.Nullable(s.Properties["data"])
		}
	case dialect == RPI:
		s.Properties["data"] = &jsonschema.Schema{Type: "null"}
	}
	if s.Properties["data"] != nil {
		s.PropertyOrder, s.Required = append(s.PropertyOrder, "data"), append(s.Required, "data")
	}
	return withID(schematest.Tag("type", "response", s), "string", "number")
}

// events describes each type of record once, with the bodies that it may have.
func (d describer) events() *jsonschema.Schema {
	union := &jsonschema.Schema{}
	var names []string
	for _, r := range records {
		if !slices.Contains(names, r.name) {
			names = append(names, r.name)
			union.OneOf = append(union.OneOf, d.Define("Event."+r.name, d.event(r.name)))
		}
	}
	union.OneOf = append(union.OneOf, d.Define("Event.message_update", d.update()))
	return union
}

// event describes the records of a type. Rows without a doc repeat a body of others.
func (d describer) event(name string) *jsonschema.Schema {
	var bodies []record
	var docs []string
	for _, r := range records {
		if r.name != name || r.doc == "" {
			continue
		}
		docs = append(docs, strings.TrimSuffix(r.doc, "."))
		if i := slices.IndexFunc(bodies, func(b record) bool { return b.typ == r.typ }); i < 0 {
			bodies = append(bodies, r)
		} else if bodies[i].only != r.only {
			bodies[i].only = ""
		}
	}
	var variants []*jsonschema.Schema
	for _, r := range bodies {
		body := d.Object(r.typ)
		if r.typ == reflect.TypeFor[messageBody]() && name == "bash_execution_end" {
			body.Properties["message"] = d.Ref("BashExecutionBody")
		}
		s := schematest.Tag("type", name, body)
		if r.only != "" {
			s = inDialect(r.only, s)
		}
		variants = append(variants, s)
	}
	s := variant(variants)
	s.Description = strings.Join(slices.Compact(docs), " / ") + "."
	return s
}
