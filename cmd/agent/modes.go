package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/protocol"
	"github.com/dualagent/agent/protocol/jsonl"
	"github.com/dualagent/agent/protocol/jsonrpc"
)

// A mode is a protocol that the program speaks. This file is the only list of them.
type mode struct {
	name     string
	approval core.ApprovalMode // default
	maxSteps int               // default; 0: no limit
	open     func(s settings, e core.EngineOptions) protocol.Open
	// failure, if set, is the record that tells the client why the program could not start.
	failure func(s settings, err error) []byte
}

var (
	jsonrpcMode = mode{
		name: "jsonrpc", approval: core.ApproveReads, maxSteps: 32,
		open: func(s settings, e core.EngineOptions) protocol.Open {
			return jsonrpc.Open(jsonrpc.Options{Engine: e, Version: version(), Log: s.log})
		},
	}
	jsonlMode = mode{
		name: "jsonl", approval: core.ApproveAll,
		open: func(s settings, e core.EngineOptions) protocol.Open {
			return jsonl.Open(jsonl.Options{Engine: e, Dialect: s.dialect, Partials: s.partials, Version: version(), Log: s.log})
		},
		failure: func(s settings, err error) []byte { return jsonl.StartFailure(s.dialect, err) },
	}
)

// A call is how the program was called, as far as it decides about the protocol.
type call struct {
	name    string // of the program
	command string // "rpc" or ""
	mode    string // --mode
	jsonl   bool   // --jsonl
	dialect string // --dialect
}

// chosen is the protocol that a call asks for.
type chosen struct {
	mode    mode
	auto    bool // the first line decides
	dialect jsonl.Dialect
}

// choose decides which protocol a call asks for. "rpc" means the one whose clients know the program by its name.
func choose(c call) (chosen, error) {
	family := filepath.Base(c.name)
	ch := chosen{dialect: jsonl.RPI}
	if family == "pi" {
		ch.dialect = jsonl.Pi
	}
	switch d := jsonl.Dialect(c.dialect); {
	case !d.Valid():
		return ch, fmt.Errorf("unknown dialect %q: it is rpi or pi", c.dialect)
	case d != "":
		ch.dialect = d
	}
	name := c.mode
	switch {
	case c.jsonl && name != "" && name != "jsonl":
		return ch, fmt.Errorf("--jsonl contradicts --mode %s", name)
	case c.jsonl:
		name = "jsonl"
	case name == "" && (c.command == "rpc" || family == "rho"):
		name = "rpc"
	}
	switch {
	case name == "jsonl", name == "rpc" && (family == "rpi" || family == "pi"):
		ch.mode = jsonlMode
	case name == "rpc":
		ch.mode = jsonrpcMode
	case name == "auto":
		ch.auto = true
	case name == "":
		return ch, errors.New("say which protocol to speak: --mode rpc (JSON-RPC), --mode jsonl, or --mode auto")
	default:
		return ch, fmt.Errorf("unknown mode %q: it is rpc, jsonl or auto", name)
	}
	if c.dialect != "" && ch.mode.name == "jsonrpc" {
		return ch, errors.New("--dialect is for JSONL only")
	}
	return ch, nil
}

// sniff decides by the first line that is not blank, and returns the whole input. A line that tells nothing is JSONL's to
// refuse. At the end of ctx it returns the cause; the read that it waits for cannot be interrupted and is left behind.
func sniff(ctx context.Context, in io.Reader, limit int) (m mode, all io.Reader, err error) {
	if limit == 0 {
		limit = protocol.DefaultMaxFrame
	}
	read := make(chan struct{})
	var found mode
	var rest io.Reader
	var rerr error
	go func() {
		defer close(read)
		found, rest, rerr = firstLine(in, limit)
	}()
	select {
	case <-read:
		return found, rest, rerr
	case <-ctx.Done():
		return mode{}, nil, context.Cause(ctx)
	}
}

func firstLine(in io.Reader, limit int) (mode, io.Reader, error) {
	r := bufio.NewReaderSize(in, 64<<10)
	var seen bytes.Buffer
	for {
		part, err := r.ReadSlice('\n')
		seen.Write(part)
		line := bytes.TrimSpace(bytes.TrimPrefix(seen.Bytes(), []byte("\ufeff")))
		whole := err == nil || errors.Is(err, io.EOF) || seen.Len() > limit
		switch {
		case whole && len(line) > 0:
			m := speaks(line)
			// What came with the line stays with it: commands in one write are carried out together.
			more, _ := r.Peek(r.Buffered())
			seen.Write(more)
			_, _ = r.Discard(len(more))
			return m, io.MultiReader(bytes.NewReader(seen.Bytes()), r), nil
		case err == nil:
			seen.Reset() // a blank line
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return mode{}, nil, io.EOF
		default:
			return mode{}, nil, err
		}
	}
}

// speaks tells the protocol of a line.
func speaks(line []byte) mode {
	var head struct {
		JSONRPC wire.Raw `json:"jsonrpc"`
		Type    wire.Raw `json:"type"`
	}
	if line[0] == '[' || wire.Decode(line, &head) == nil && head.JSONRPC != nil && head.Type == nil {
		return jsonrpcMode
	}
	return jsonlMode
}
