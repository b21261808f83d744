package jsonrpc

import (
	"encoding/json"
	"flag"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/schematest"
)

var update = flag.Bool("update", false, "write openrpc.json anew")

// The parts of an OpenRPC document that ours has.
type (
	openRPC struct {
		OpenRPC string       `json:"openrpc"`
		Info    info         `json:"info"`
		Methods []methodDoc  `json:"methods"`
		Parts   componentDoc `json:"components"`
	}
	info struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	methodDoc struct {
		Name    string     `json:"name"`
		From    string     `json:"x-from,omitempty"`
		Summary string     `json:"summary"`
		Naming  string     `json:"paramStructure"`
		Params  []valueDoc `json:"params"`
		Result  *valueDoc  `json:"result,omitempty"` // none: it is a notification
		Errors  []refDoc   `json:"errors,omitempty"`
	}
	valueDoc struct {
		Name        string             `json:"name"`
		Description string             `json:"description,omitempty"`
		Required    bool               `json:"required,omitempty"`
		Schema      *jsonschema.Schema `json:"schema"`
	}
	refDoc struct {
		Ref string `json:"$ref"`
	}
	componentDoc struct {
		Schemas map[string]*jsonschema.Schema `json:"schemas"`
		Errors  map[string]errorDoc           `json:"errors"`
	}
	errorDoc struct {
		Code    jrpc2.Code `json:"code"`
		Message string     `json:"message"`
	}
)

const (
	schemaPrefix = "#/components/schemas/"
	errorPrefix  = "#/components/errors/"
)

const description = "One JSON object and one line feed per message, on standard input and output. Methods with x-from \"server\" " +
	"are notifications that the server sends. Any line may be answered with a ParseError, an InvalidRequest or a MethodNotFound. " +
	"Members that this document does not name are passed over, by the server and, please, by clients."

// errorDocs are the errors, with the beginnings of their messages or what they mean.
var errorDocs = map[string]errorDoc{
	"ParseError":     {jrpc2.ParseError, "Parse error: the line is not JSON, or too long"},
	"InvalidRequest": {jrpc2.InvalidRequest, "Invalid request: it is none of JSON-RPC 2.0, or its id is in flight"},
	"MethodNotFound": {jrpc2.MethodNotFound, "Method not found"},
	"InvalidParams":  {jrpc2.InvalidParams, "The params are invalid, or do not fit the state of the agent"},
	"InternalError":  {jrpc2.InternalError, "Internal error"},
	"Overloaded":     {codeOverloaded, "Too many requests wait"},
}

// byHand holds what the types do not say.
func byHand() map[string]*jsonschema.Schema {
	text := func(values ...any) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Enum: values} }
	maybe := func(description string) *jsonschema.Schema {
		s := schematest.Nullable(text())
		s.Description = description
		return s
	}
	one := func(value string) *jsonschema.Schema { return &jsonschema.Schema{Const: jsonschema.Ptr[any](value)} }
	risk := text(schematest.Values(core.RiskRead, core.RiskWrite, core.RiskDestructive, core.RiskNetwork)...)
	scope := text("once", "session")
	scope.Description = `"session": the same is allowed for the rest of the session.`
	return map[string]*jsonschema.Schema{
		"ApprovalParams.approved": {Type: "boolean"},
		"ApprovalParams.message":  maybe("Without approval: what the model should do instead."),
		"ApprovalParams.id":       maybe("The id of the approval/request that is answered; none or null: the one that waits."),
		"ApprovalParams.scope":    scope,
		"ApprovalRequest.risk":    risk,
		"Tool.risk":               risk,
		"Tool.parameters":         {Type: "object", Description: "A JSON Schema."},
		"Ready.protocol":          one("jsonrpc"),
		"Image.type":              one("image"),
		"StateChange.state": text(schematest.Values(
			core.PhaseThinking, core.PhaseExecuting, core.PhaseAwaiting, core.PhaseIdle)...),
		"AgentEnd.finishReason": text(schematest.Values(
			core.FinishStop, core.FinishLength, core.FinishMaxIterations, core.FinishEmpty)...),
		"Outcome.kind": text(schematest.Values(core.OutcomeSuccess, core.OutcomeError, core.OutcomeDenied)...),
		"Message.role": text("system", "user", "assistant", "tool"),
	}
}

func describe(t *testing.T) []byte {
	t.Helper()
	comments, err := schematest.ReadComments("wire.go")
	if err != nil {
		t.Fatal(err)
	}
	r := &schematest.Reflector{Prefix: schemaPrefix, ByHand: byHand(), Comments: comments, Defs: map[string]*jsonschema.Schema{}}
	doc := openRPC{
		OpenRPC: "1.3.1",
		Info:    info{Title: "agent", Version: "1.0.0", Description: description},
		Parts:   componentDoc{Schemas: r.Defs, Errors: errorDocs},
	}
	for _, m := range methodTable {
		doc.Methods = append(doc.Methods, describeMethod(r, m))
	}
	doc.Methods = append(doc.Methods, describeNotes(r)...)
	if err := r.Problems(); err != nil {
		t.Fatal(err)
	}
	text, err := schematest.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func describeMethod(r *schematest.Reflector, m method) methodDoc {
	// Params may also come by position, but names are what stays when params are added.
	d := methodDoc{Name: m.name, Summary: m.doc, Naming: "by-name", Params: params(r, m.params)}
	if m.immediate != m.kind {
		d.Params = append(d.Params, valueDoc{
			Name: "immediate", Description: "Answer at once, ahead of what waits and while a turn runs.",
			Schema: &jsonschema.Schema{Type: "boolean"},
		})
	}
	d.Result = &valueDoc{Name: "result", Schema: r.Of(m.result)}
	names := []string{"InvalidRequest", "InternalError"}
	if m.params.NumField() > 0 {
		names = append(names, "InvalidParams")
	}
	if m.kind != now {
		names = append(names, "Overloaded")
	}
	for _, name := range names {
		d.Errors = append(d.Errors, refDoc{errorPrefix + name})
	}
	return d
}

// params describes the members of a struct, one by one, as OpenRPC wants it.
func params(r *schematest.Reflector, t reflect.Type) []valueDoc {
	s := r.Object(t)
	list := []valueDoc{}
	for _, name := range s.PropertyOrder {
		v := valueDoc{Name: name, Schema: s.Properties[name], Required: slices.Contains(s.Required, name)}
		v.Description, v.Schema.Description = v.Schema.Description, ""
		list = append(list, v)
	}
	return list
}

// describeNotes describes each notification once: those with more than one row say the same there, with another cause.
func describeNotes(r *schematest.Reflector) []methodDoc {
	var list []methodDoc
	for _, n := range notes {
		if slices.ContainsFunc(list, func(d methodDoc) bool { return d.Name == n.method }) {
			continue
		}
		list = append(list, methodDoc{Name: n.method, From: "server", Summary: n.doc, Naming: "by-name", Params: params(r, n.typ)})
	}
	return list
}

func TestOpenRPC(t *testing.T) {
	schematest.Fresh(t, "openrpc.json", describe(t), *update)
}

func decoded(t *testing.T) (doc map[string]any) {
	t.Helper()
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

var reference = regexp.MustCompile(`"\$ref": "#([^"]*)"`)

func TestReferencesOfOpenRPC(t *testing.T) {
	doc := decoded(t)
	found := reference.FindAllSubmatch(Schema(), -1)
	if len(found) == 0 {
		t.Fatal("there are no references")
	}
	used := map[string]bool{}
	for _, m := range found {
		used[string(m[1])] = true
	}
	for pointer := range used {
		if schematest.Lookup(doc, pointer) == nil {
			t.Errorf("%s leads nowhere", pointer)
		}
	}
	for name := range schematest.Lookup(doc, "/components/schemas").(map[string]any) {
		if !used["/components/schemas/"+name] {
			t.Errorf("nothing refers to the schema %s", name)
		}
	}
}

// What OpenRPC demands of a document and the types above do not.
func TestOpenRPCIsWellFormed(t *testing.T) {
	var doc openRPC
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range doc.Methods {
		switch {
		case seen[m.Name]:
			t.Errorf("%s: described twice", m.Name)
		case m.Summary == "":
			t.Errorf("%s: no summary", m.Name)
		case m.From == "" && m.Result == nil, m.From != "" && m.Result != nil:
			t.Errorf("%s: from %q with result %v", m.Name, m.From, m.Result)
		}
		seen[m.Name] = true
		optional := ""
		for _, p := range m.Params {
			if p.Required && optional != "" {
				t.Errorf("%s: %s is required, but behind %s, which is not", m.Name, p.Name, optional)
			}
			if !p.Required {
				optional = p.Name
			}
		}
	}
	for _, m := range methodTable {
		if !seen[m.name] {
			t.Errorf("%s is not described", m.name)
		}
	}
	codes := map[jrpc2.Code]bool{}
	for _, name := range slices.Sorted(maps.Keys(doc.Parts.Errors)) {
		e := doc.Parts.Errors[name]
		if codes[e.Code] || e.Code >= 0 || strings.TrimSpace(e.Message) == "" {
			t.Errorf("%s: bad error %+v", name, e)
		}
		codes[e.Code] = true
	}
}
