package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"

	"github.com/dualagent/agent/internal/wire"
)

// errLater says that the answer comes with the end of a turn.
var errLater = errors.New("the answer comes later")

// A kind says when a method is carried out.
type kind uint8

const (
	inLine kind = iota // when all that came before is done; quick
	slow               // likewise, but it may take time
	now                // on the reader, at once
	asTurn             // likewise; the engine puts it in line as a turn
	soon               // at once, on a goroutine of its own
)

// A method is a row of the table of methods.
type method struct {
	name string
	doc  string
	kind kind
	// immediate is the kind when the params hold "immediate":true; methods that change something have none other.
	immediate kind
	decode    func(params wire.Raw) (any, error)
	call      func(c *codec, ctx context.Context, req *request, params any) (any, error)
	params    reflect.Type
	result    reflect.Type
}

// row makes a row of the table. Params of type P are decoded before the method takes its place in the line, so that what is
// wrong with them is answered at once; invalid is that answer.
func row[P, R any](name, doc, invalid string, k kind, fn func(*codec, context.Context, *request, P) (R, error)) method {
	return method{
		name: name, doc: doc, kind: k, immediate: k,
		params: reflect.TypeFor[P](), result: reflect.TypeFor[R](),
		decode: func(raw wire.Raw) (any, error) { return decode[P](raw, invalid) },
		call: func(c *codec, ctx context.Context, req *request, params any) (any, error) {
			return fn(c, ctx, req, params.(P))
		},
	}
}

// query makes a row for a method that only reads: "immediate":true lets it overtake.
func query[R any](name, doc string, k, immediate kind, fn func(*codec, context.Context) (R, error)) method {
	m := row(name, doc, "", k, func(c *codec, ctx context.Context, _ *request, _ Nothing) (R, error) { return fn(c, ctx) })
	m.immediate = immediate
	return m
}

// prepare decodes the params of a request and decides when it is carried out.
func (m method) prepare(c *codec, req *request) (run func(context.Context) (any, error), k kind, err error) {
	params, err := m.decode(req.params)
	if err != nil {
		return nil, 0, err
	}
	k = m.kind
	if m.immediate != m.kind && wantsImmediate(req.params) {
		k = m.immediate
	}
	if p, ok := params.(PromptParams); ok {
		// A prompt is queued by the engine itself, in the place that its line has.
		if k = asTurn; p.Steer {
			k = now
		}
		if p.Message == "" {
			return nil, 0, invalidParams("prompt requires a non-empty 'message' param")
		}
	}
	return func(ctx context.Context) (any, error) { return m.call(c, ctx, req, params) }, k, nil
}

func wantsImmediate(params wire.Raw) bool {
	var p struct {
		Immediate bool `json:"immediate"`
	}
	return bytes.Contains(params, []byte("immediate")) && wire.Decode(params, &p) == nil && p.Immediate
}

// decode reads params into a P. Params by position are taken in the order of P's fields.
func decode[P any](raw wire.Raw, invalid string) (P, error) {
	var p P
	if reflect.TypeFor[P]().NumField() == 0 {
		return p, nil
	}
	if len(raw) > 0 && raw[0] == '[' {
		raw = byPosition(raw, reflect.TypeFor[P]())
	}
	if len(raw) == 0 || string(raw) == "null" {
		raw = wire.Raw("{}")
	}
	if err := wire.Decode(raw, &p); err != nil {
		if invalid == "" {
			invalid = "invalid params: " + err.Error()
		}
		return p, invalidParams("%s", invalid)
	}
	return p, nil
}

// byPosition turns an array of params into an object.
func byPosition(raw wire.Raw, t reflect.Type) wire.Raw {
	var values []wire.Raw
	if wire.Decode(raw, &values) != nil {
		return raw
	}
	obj := []byte{'{'}
	for i := range min(len(values), t.NumField()) {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if i > 0 {
			obj = append(obj, ',')
		}
		obj = append(append(append(obj, '"'), name...), `":`...)
		obj = append(obj, values[i]...)
	}
	return append(obj, '}')
}
