package jsonl

import _ "embed"

//go:generate go test -run ^TestSchema$ . -update

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema of the lines of the protocol: commands, responses and events of both dialects. What only one
// of them has is marked with x-dialect. It is made from the tables of commands and records; the caller must not change it.
func Schema() []byte { return schema }
