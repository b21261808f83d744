package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Fresh fails the test if the file is not what want says, or, if told to, writes it.
func Fresh(t *testing.T, file string, want []byte, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the code says: run make generate", file)
	}
}

// Close returns a schema as it is decoded from JSON that allows no members but those that it names. Objects that name none,
// and those that say themselves what they allow, stay as they are.
func Close(schema any) any {
	switch s := schema.(type) {
	case []any:
		closed := make([]any, len(s))
		for i, v := range s {
			closed[i] = Close(v)
		}
		return closed
	case map[string]any:
		closed := make(map[string]any, len(s)+1)
		for k, v := range s {
			closed[k] = Close(v)
		}
		_, object := s["properties"].(map[string]any)
		if _, says := s["additionalProperties"]; object && s["type"] == "object" && !says {
			closed["additionalProperties"] = false
		}
		return closed
	default:
		return schema
	}
}

// Resolve makes a validator of a schema as it is decoded from JSON. It fails if a reference leads nowhere.
func Resolve(schema any) (*jsonschema.Resolved, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
}

// Lookup returns what a JSON Pointer (RFC 6901) without escapes leads to, nil if it leads nowhere.
func Lookup(document any, pointer string) any {
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		object, ok := document.(map[string]any)
		if !ok {
			return nil
		}
		document = object[name]
	}
	return document
}
