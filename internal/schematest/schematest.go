// Package schematest describes the wires in JSON Schema, by reflection over the types that are sent and read. Only tests use
// it: the documents that it makes are checked in, and the program has the documents.
package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dualagent/agent/internal/wire"
)

// A Reflector makes schemas of types. Structs become definitions, which others refer to. What types do not say is in ByHand;
// Problems tells of what is missing there. A Reflector is used by one goroutine.
type Reflector struct {
	Prefix   string                        // of references to definitions
	Enum     func(reflect.Type) []string   // the values of a type of strings; nil: it has no list of them
	ByHand   map[string]*jsonschema.Schema // by type and member as in "Tool.parameters", or by type as in "Tool"
	Any      *jsonschema.Schema            // of what is of type any; nil: that needs an entry in ByHand
	Comments Comments
	Defs     map[string]*jsonschema.Schema // the definitions so far

	used    map[string]bool // entries of ByHand
	missing []string
}

// Problems tells which members need an entry in ByHand, and which entries there have no member.
func (r *Reflector) Problems() error {
	var unused []string
	for _, key := range slices.Sorted(maps.Keys(r.ByHand)) {
		if !r.used[key] {
			unused = append(unused, key)
		}
	}
	if len(r.missing)+len(unused) == 0 {
		return nil
	}
	return fmt.Errorf("members to describe by hand: %v; described by hand, but not there: %v", r.missing, unused)
}

// Of returns the schema of values of type t. That of a struct is a reference.
func (r *Reflector) Of(t reflect.Type) *jsonschema.Schema { return r.of(t, t.String()) }

func (r *Reflector) of(t reflect.Type, where string) *jsonschema.Schema {
	if s := r.byHand(t.Name()); s != nil {
		return s
	}
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[wire.Raw](), kind == reflect.Interface && r.Any == nil:
		r.missing = append(r.missing, where)
		return new(jsonschema.Schema)
	case kind == reflect.Interface:
		return r.Any.CloneSchemas()
	case kind == reflect.Pointer:
		return r.of(t.Elem(), where)
	case kind == reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: r.of(t.Elem(), where)}
	case kind == reflect.Struct:
		return r.define(Title(t.Name()), func() *jsonschema.Schema { return r.Object(t) })
	case kind == reflect.String:
		return r.text(t)
	case kind == reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case kind == reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case t.ConvertibleTo(reflect.TypeFor[int]()):
		return &jsonschema.Schema{Type: "integer", Minimum: new(float64)} // the wires count; what may be negative is by hand
	}
	r.missing = append(r.missing, where)
	return new(jsonschema.Schema)
}

func (r *Reflector) byHand(key string) *jsonschema.Schema {
	s := r.ByHand[key]
	if s == nil {
		return nil
	}
	if r.used == nil {
		r.used = map[string]bool{}
	}
	r.used[key] = true
	return s.CloneSchemas()
}

func (r *Reflector) text(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	if r.Enum != nil {
		s.Enum = Values(r.Enum(t)...)
	}
	return s
}

// define adds a definition, unless there is one with this name, and returns a reference to it.
func (r *Reflector) define(name string, object func() *jsonschema.Schema) *jsonschema.Schema {
	if _, ok := r.Defs[name]; !ok {
		r.Defs[name] = nil
		r.Defs[name] = object()
	}
	return r.Ref(name)
}

// Define adds the definition of a name and returns a reference to it.
func (r *Reflector) Define(name string, s *jsonschema.Schema) *jsonschema.Schema {
	r.Defs[name] = s
	return r.Ref(name)
}

// Ref refers to a definition.
func (r *Reflector) Ref(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: r.Prefix + name}
}

// Object returns the schema of a struct itself. Members with omitempty or omitzero may be missing; other pointers may be null.
func (r *Reflector) Object(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Description: r.Comments[t.Name()], Properties: map[string]*jsonschema.Schema{}}
	r.members(s, t)
	return s
}

func (r *Reflector) members(s *jsonschema.Schema, t reflect.Type) {
	for f := range t.Fields() {
		switch {
		case f.Anonymous:
			r.members(s, f.Type)
			continue
		case !f.IsExported():
			continue
		}
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		m := r.byHand(t.Name() + "." + name)
		if m == nil {
			m = r.of(f.Type, t.Name()+"."+name)
			if f.Type.Kind() == reflect.Pointer && rest == "" {
				m = Nullable(m)
			}
		}
		if m.Description == "" {
			m.Description = r.Comments[t.Name()+"."+f.Name]
		}
		s.Properties[name] = m
		s.PropertyOrder = append(s.PropertyOrder, name)
		if rest == "" {
			s.Required = append(s.Required, name)
		}
	}
}

// Tag returns an object that begins with a member of a fixed value and goes on with the members of s.
func Tag(name, value string, s *jsonschema.Schema) *jsonschema.Schema {
	tagged := s.CloneSchemas()
	if tagged.Properties == nil {
		tagged.Properties = map[string]*jsonschema.Schema{}
	}
	tagged.Type = "object"
	tagged.Properties[name] = &jsonschema.Schema{Const: jsonschema.Ptr[any](value)}
	tagged.PropertyOrder = append([]string{name}, s.PropertyOrder...)
	tagged.Required = append([]string{name}, s.Required...)
	return tagged
}

// Pick returns an object with some members of s. Names that end in ? may be missing.
func Pick(s *jsonschema.Schema, names ...string) *jsonschema.Schema {
	picked := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, name := range names {
		name, optional := strings.CutSuffix(name, "?")
		picked.Properties[name] = s.Properties[name].CloneSchemas()
		picked.PropertyOrder = append(picked.PropertyOrder, name)
		if !optional {
			picked.Required = append(picked.Required, name)
		}
	}
	return picked
}

// Nullable returns a schema that null meets, too.
func Nullable(s *jsonschema.Schema) *jsonschema.Schema {
	null := &jsonschema.Schema{Type: "null"}
	switch {
	case s.Type == "":
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, null}}
	case s.Enum != nil:
		s.Enum = append(slices.Clip(s.Enum), nil)
	}
	s.Types, s.Type = []string{s.Type, "null"}, ""
	return s
}

// Values returns a list of strings as schemas hold it; nil if it is empty.
func Values[S ~string](list ...S) []any {
	var values []any
	for _, v := range list {
		values = append(values, string(v))
	}
	return values
}

// Title returns a name with a capital.
func Title(name string) string {
	first, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[n:]
}

// Encode returns a document as it is checked in.
func Encode(document any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(document)
	return buf.Bytes(), err
}
