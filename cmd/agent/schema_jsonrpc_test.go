package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dualagent/agent/internal/schematest"
	"github.com/dualagent/agent/protocol/jsonrpc"
)

// An openRPC is the document as far as lines are held against it.
type openRPC struct {
	Methods []struct {
		Name   string
		From   string `json:"x-from"`
		Params []struct {
			Name     string
			Required bool
			Schema   any
		}
		Result *struct{ Schema any }
		Errors []struct {
			Ref string `json:"$ref"`
		}
	}
	Components struct {
		Schemas map[string]any
		Errors  map[string]struct{ Code int }
	}
}

// A rule is what the document says about a method.
type rule struct {
	params, result *jsonschema.Resolved
	codes          []int
}

// rules reads the document. What the server sends must not have members that it does not name.
func rules(t *testing.T) (methods, notes map[string]rule) {
	var doc openRPC
	local := bytes.ReplaceAll(jsonrpc.Schema(), []byte("#/components/schemas/"), []byte("#/$defs/"))
	if err := json.Unmarshal(local, &doc); err != nil {
		t.Fatal(err)
	}
	methods, notes = map[string]rule{}, map[string]rule{}
	closed := schematest.Close(doc.Components.Schemas)
	for _, m := range doc.Methods {
		var r rule
		params := map[string]any{"type": "object", "$defs": doc.Components.Schemas}
		properties, required := map[string]any{}, []any{}
		for _, p := range m.Params {
			properties[p.Name] = p.Schema
			if p.Required {
				required = append(required, p.Name)
			}
		}
		params["properties"], params["required"] = properties, required
		if m.From == "server" {
			r.params = resolved(t, schematest.Close(params))
			notes[m.Name] = r
			continue
		}
		r.params = resolved(t, params)
		r.result = resolved(t, map[string]any{"$defs": closed, "allOf": []any{schematest.Close(m.Result.Schema)}})
		for _, e := range m.Errors {
			name := e.Ref[strings.LastIndexByte(e.Ref, '/')+1:]
			r.codes = append(r.codes, doc.Components.Errors[name].Code)
		}
		methods[m.Name] = r
	}
	return methods, notes
}

// A message is any line of JSON-RPC, as far as it is a single one.
type message struct {
	ID     json.RawMessage
	Method any
	Params any
	Result any
	Error  *struct{ Code int }
}

// flatten takes batches apart. What is not JSON is left out.
func flatten(lines [][]byte) (messages []message) {
	for _, line := range lines {
		var one message
		var many []message
		if json.Unmarshal(line, &one) == nil {
			messages = append(messages, one)
		} else if json.Unmarshal(line, &many) == nil {
			messages = append(messages, many...)
		}
	}
	return messages
}

// tolerated are params that the program takes though the document does not promise it.
func tolerated(m message) bool {
	params, object := m.Params.(map[string]any)
	if m.Method == "approvalResponse" && object {
		// What is not true does not approve, whatever it is.
		_, boolean := params["approved"].(bool)
		return !boolean
	}
	return !object // by position, or none
}

// jsonrpcJudge holds the params of what is sent and all that is told against openrpc.json.
func jsonrpcJudge(t *testing.T) judge {
	methods, notes := rules(t)
	return func(run traffic) (checked int, faults []string) {
		asked, refused := map[string]message{}, map[string]int{}
		sent := flatten(run.sent)
		for _, m := range sent {
			if _, again := asked[string(m.ID)]; !again && m.ID != nil && m.Method != nil {
				asked[string(m.ID)] = m
			}
		}
		for _, m := range flatten(run.told) {
			checked++
			if err := judgeTold(m, asked[string(m.ID)], methods, notes); err != nil {
				faults = append(faults, "told: "+err.Error())
			}
			if m.Error != nil {
				refused[string(m.ID)] = m.Error.Code
			}
		}
		for _, m := range sent {
			name, _ := m.Method.(string)
			r, known := methods[name]
			if _, no := refused[string(m.ID)]; no || !known || m.ID == nil || tolerated(m) {
				continue
			}
			checked++
			if err := r.params.Validate(m.Params); err != nil {
				faults = append(faults, fmt.Sprintf("sent: %s %v: %v", name, m.Params, err))
			}
		}
		return checked, faults
	}
}

// judgeTold judges a notification, or the answer to a request.
func judgeTold(m, request message, methods, notes map[string]rule) error {
	name, _ := request.Method.(string)
	r, known := methods[name]
	anyLine := []int{-32700, -32600, -32601}
	switch {
	case m.Method != nil:
		n, ok := notes[fmt.Sprint(m.Method)]
		if !ok {
			return fmt.Errorf("%v is not in the document", m.Method)
		}
		if err := n.params.Validate(m.Params); err != nil {
			return fmt.Errorf("%v %v: %w", m.Method, m.Params, err)
		}
	case m.Error != nil:
		if !slices.Contains(slices.Concat(anyLine, r.codes), m.Error.Code) {
			return fmt.Errorf("%s: error %d is not in the document", name, m.Error.Code)
		}
	case !known:
		return fmt.Errorf("%s: a result, but it is not in the document", name)
	default:
		if err := r.result.Validate(m.Result); err != nil {
			return fmt.Errorf("%s: %v: %w", name, m.Result, err)
		}
	}
	return nil
}
