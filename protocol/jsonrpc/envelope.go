package jsonrpc

import (
	"bytes"
	"errors"

	"github.com/creachadair/jrpc2"

	"github.com/dualagent/agent/internal/wire"
)

// null is the id of an answer to what had no usable id.
var null = wire.Raw("null")

// A request is one call or notification of the client.
type request struct {
	id     wire.Raw // nil: a notification, which gets no answer
	method string
	params wire.Raw
	batch  *batch // the batch that it came in, or nil
}

// A batch collects the answers to the requests of one array. The writer's goroutine alone uses what is collected.
type batch struct {
	owed int // answers that are to come
	buf  []byte
}

// A reply is the answer to a request.
type reply struct {
	to     *request
	result any
	err    *jrpc2.Error
}

// envelope is a request as it comes. The members are raw so that each fault gets its own answer.
type envelope struct {
	JSONRPC wire.Raw `json:"jsonrpc"`
	ID      wire.Raw `json:"id"`
	Method  wire.Raw `json:"method"`
	Params  wire.Raw `json:"params"`
}

// parseLine splits a line into requests. An error stands for the whole line.
func parseLine(line []byte) (requests []parsed, isBatch bool, err *jrpc2.Error) {
	line = bytes.TrimLeft(line, " \t\r")
	switch {
	case len(line) > 0 && line[0] == '[':
		var elements []wire.Raw
		if err := wire.Decode(line, &elements); err != nil {
			return nil, false, parseError(err)
		}
		if len(elements) == 0 {
			return nil, false, invalidRequest("Invalid request: empty batch")
		}
		for _, el := range elements {
			requests = append(requests, parse(el))
		}
		return requests, true, nil
	default:
		p := parse(line)
		if p.err != nil && p.err.Code == jrpc2.ParseError {
			return nil, false, p.err
		}
		return []parsed{p}, false, nil
	}
}

// A parsed is a request, or what is wrong with it: then only its id is set, null if it has no usable one.
type parsed struct {
	request
	err *jrpc2.Error
}

func parse(text []byte) parsed {
	p := parsed{request: request{id: null}}
	var env envelope
	if err := wire.Decode(text, &env); err != nil {
		var syntax *wire.SyntaxError
		if errors.As(err, &syntax) {
			p.err = parseError(err)
		} else {
			p.err = invalidRequest("Invalid request: not an object")
		}
		return p
	}
	if !legalID(env.ID) {
		p.err = invalidRequest("Invalid request: the id is neither a string nor a number nor null")
		return p
	}
	if env.ID != nil {
		p.id = env.ID
	}
	var version, method string
	switch {
	case wire.Decode(env.JSONRPC, &version) != nil || version != jrpc2.Version:
		p.err = invalidRequest("Invalid JSON-RPC version")
	case wire.Decode(env.Method, &method) != nil || method == "":
		p.err = invalidRequest("Missing method field")
	case !structured(env.Params):
		p.err = invalidRequest("Invalid request: params is neither an object nor an array")
	default:
		p.request = request{id: env.ID, method: method, params: env.Params}
	}
	return p
}

func legalID(id wire.Raw) bool {
	if len(id) == 0 {
		return true
	}
	switch id[0] {
	case '{', '[', 't', 'f':
		return false
	default:
		return true
	}
}

func structured(params wire.Raw) bool {
	return len(params) == 0 || params[0] == '{' || params[0] == '[' || string(params) == "null"
}
