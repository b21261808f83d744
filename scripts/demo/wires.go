package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A wire is one of the two protocols, as far as the demo speaks it.
type wire struct {
	title string
	args  []string
	file  string // that the prompt has the agent write
	// prompt is the line that starts the turn.
	prompt string
	// hear looks at a record: what to answer, if anything, and whether the turn is over. An error says that it went wrong.
	hear func(record []byte) (answer string, over bool, err error)
}

var wires = []wire{
	{
		title: "JSON-RPC 2.0",
		args:  []string{"--mode", "rpc", "--ephemeral"},
		file:  "copy.txt",
		prompt: `{"jsonrpc":"2.0","id":1,"method":"prompt","params":` +
			`{"message":"read greeting.txt, then create copy.txt saying hello again"}}`,
		hear: hearJSONRPC,
	},
	{
		title:  "JSONL",
		args:   []string{"rpc", "--jsonl", "--ephemeral"},
		file:   "sum.txt",
		prompt: `{"type":"prompt","id":"1","message":"run ` + "`wc -w greeting.txt | tee sum.txt`" + `"}`,
		hear:   hearJSONL,
	},
}

// hearJSONRPC approves what the agent asks for. The turn is over with the answer to the prompt.
func hearJSONRPC(record []byte) (answer string, over bool, err error) {
	var r struct {
		ID     int             `json:"id"`
		Method string          `json:"method"`
		Error  json.RawMessage `json:"error"`
		Result struct {
			Reply *string `json:"reply"`
			Error *string `json:"error"`
		} `json:"result"`
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return "", false, err
	}
	switch {
	case r.Error != nil:
		return "", true, fmt.Errorf("request %d was refused: %s", r.ID, r.Error)
	case r.Method == "approval/request":
		return `{"jsonrpc":"2.0","id":2,"method":"approvalResponse","params":{"approved":true}}`, false, nil
	case r.ID != 1:
		return "", false, nil
	case r.Result.Error != nil:
		return "", true, fmt.Errorf("the turn failed: %s", *r.Result.Error)
	case r.Result.Reply == nil || *r.Result.Reply == "":
		return "", true, errors.New("the turn has no reply")
	default:
		return "", true, nil
	}
}

// hearJSONL has nothing to approve: in this protocol tools run unasked by default.
func hearJSONL(record []byte) (answer string, over bool, err error) {
	var r struct {
		Type    string `json:"type"`
		Success *bool  `json:"success"`
		Error   string `json:"error"`
	}
	if err := json.Unmarshal(record, &r); err != nil {
		return "", false, err
	}
	switch {
	case r.Type == "run_failed", r.Success != nil && !*r.Success:
		return "", true, fmt.Errorf("the turn failed: %s", r.Error)
	default:
		return "", r.Type == "agent_settled", nil
	}
}
