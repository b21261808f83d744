package jsonl_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/dualagent/agent/internal/schematest"
	"github.com/dualagent/agent/protocol/jsonl"
)

func TestSchema(t *testing.T) {
	want, err := jsonl.Describe()
	if err != nil {
		t.Fatal(err)
	}
	schematest.Fresh(t, "schema.json", want, *update)
}

var reference = regexp.MustCompile(`"\$ref": "#([^"]*)"`)

func TestReferencesOfSchema(t *testing.T) {
	var doc any
	if err := json.Unmarshal(jsonl.Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range reference.FindAllSubmatch(jsonl.Schema(), -1) {
		used[string(m[1])] = true
	}
	for pointer := range used {
		if schematest.Lookup(doc, pointer) == nil {
			t.Errorf("%s leads nowhere", pointer)
		}
	}
	for name := range schematest.Lookup(doc, "/$defs").(map[string]any) {
		if !used["/$defs/"+name] {
			t.Errorf("nothing refers to %s", name)
		}
	}
}

// What the transcripts of the kit hardly say.
func TestSchemaTellsRightFromWrong(t *testing.T) {
	var doc any
	if err := json.Unmarshal(jsonl.Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	schema, err := schematest.Resolve(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{`{"type":"prompt","message":"hi"}`, true},
		{`{"id":7,"type":"prompt","message":"hi","images":[{"type":"image","data":"AA==","mimeType":"image/png"}]}`, true},
		{`{"id":null,"type":"prompt","message":"hi","streamingBehavior":null}`, true},
		{`{"type":"prompt","message":"hi","images":[{"type":"image","data":"AA=="}]}`, false},
		{`{"type":"prompt","message":"hi","images":null}`, false},
		{`{"type":"prompt","message":"hi","streamingBehavior":"shout"}`, false},
		{`{"id":true,"type":"abort"}`, false},
		{`{"type":"prompt"}`, false},
		{`{"type":"set_thinking_level","level":"max"}`, true},
		{`{"type":"set_thinking_level","level":"most"}`, false},
		{`{"type":"fly"}`, false},
		{`{"type":"agent_settled"}`, true},
		{`{"type":"agent_settled","aborted":true}`, true},
		{`{"type":"queue_update","steering":["a"],"followUp":[]}`, true},
		{`{"type":"queue_update","steering":[],"followUp":[]}`, true},
		{`{"type":"queue_update","steering":[7],"followUp":[]}`, false},
		{`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","content_index":0,"delta":"x"}}`, true},
		{`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"x"}}`, false},
		{`{"type":"message_start","message":{"role":"custom","anything":{}}}`, true},
		{`{"type":"message_start","message":{"role":"user"}}`, false},
		{`{"type":"response","command":"abort","success":true,"data":null}`, true},
		{`{"type":"response","command":"abort","success":true}`, true},
		{`{"type":"response","command":"queue_cancel","success":true,"data":{"cancelled":true}}`, false},
		{`{"type":"response","command":"extension_ui_response","success":true}`, false},
		{`{"id":"a","type":"response","command":"anything","success":false,"error":"why"}`, true},
		{`{"type":"response","command":"abort","success":false}`, false},
	} {
		var line any
		if err := json.Unmarshal([]byte(c.line), &line); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(line); (err == nil) != c.ok {
			t.Errorf("%s: got %v, want it to be valid: %v", c.line, err, c.ok)
		}
	}
}
