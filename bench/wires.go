package main

import (
	"fmt"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/protocol"
	"github.com/dualagent/agent/protocol/jsonl"
	"github.com/dualagent/agent/protocol/jsonrpc"
)

// A wire is a protocol as far as measuring needs it: what to send, and what to look for in the answers. None of the marks
// may occur in the text of a reply.
type wire struct {
	name     string
	args     []string // make the program speak it
	open     func(core.EngineOptions) protocol.Open
	state    string // asks for the state; %d stands for the request's number
	answered string // a record that answers a state request well
	prompt   string // sends a message, %q
	abort    string
	delta    string // a record that carries text, between its two parts: the text comes right behind
	aborted  string // tells that a turn was aborted
	ended    string // the last record of a turn
}

var wires = []wire{
	{
		name: "JSON-RPC", args: []string{"--mode", "rpc"},
		open: func(e core.EngineOptions) protocol.Open {
			return jsonrpc.Open(jsonrpc.Options{Engine: e, Version: "bench"})
		},
		state:    `{"jsonrpc":"2.0","id":%d,"method":"getState"}`,
		answered: `"result":{"model":`,
		prompt:   `{"jsonrpc":"2.0","id":"p","method":"prompt","params":{"message":%q}}`,
		abort:    `{"jsonrpc":"2.0","id":"a","method":"abort"}`,
		delta:    `"method":"message/delta","params":{"delta":"`,
		aborted:  `"method":"agent/error"`,
		ended:    `"id":"p","result"`,
	},
	{
		name: "JSONL", args: []string{"rpc", "--jsonl"},
		open: func(e core.EngineOptions) protocol.Open {
			return jsonl.Open(jsonl.Options{Engine: e, Version: "bench"})
		},
		state:    `{"id":"%d","type":"get_state"}`,
		answered: `"command":"get_state","success":true`,
		prompt:   `{"id":"p","type":"prompt","message":%q}`,
		abort:    `{"id":"a","type":"abort"}`,
		delta:    `"type":"text_delta","content_index":0,"delta":"`,
		aborted:  `"type":"run_failed"`,
		ended:    `"type":"agent_settled"`,
	},
}

func (w wire) stateLine(i int) []byte        { return fmt.Appendf(nil, w.state+"\n", i) }
func (w wire) promptLine(text string) []byte { return fmt.Appendf(nil, w.prompt+"\n", text) }
func (w wire) abortLine() []byte             { return []byte(w.abort + "\n") }
