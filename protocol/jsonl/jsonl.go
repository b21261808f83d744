// Package jsonl speaks the line protocol of the agents rpi and pi: commands with a type and an optional id, responses with
// that id, and events. Where the two differ, Options.Dialect decides; dialect.go lists the points.
//
// Commands are carried out as their lines come. Those that take time (bash, new_session) are answered when they are done and
// hold up nothing. A prompt is answered when it is accepted.
package jsonl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/protocol"
)

// askTimeout bounds how long servers are waited for when they are asked for their models.
const askTimeout = 5 * time.Second

// maxUnderWay bounds the commands that take time and are not answered yet.
const maxUnderWay = 64

// Options say how the protocol is spoken.
type Options struct {
	// Engine says how the engine behaves. SteerAtStart, OneAtATime and RetryVisible are what the protocol wants,
	// whatever they are here.
	Engine   core.EngineOptions
	Dialect  Dialect      // default: RPI
	Partials bool         // message_update repeats the whole message so far, for clients that cannot put it together
	Version  string       // of the program, told in get_state
	Log      *slog.Logger // default: nothing is logged
}

// Open returns what protocol.Serve opens a codec with.
func Open(o Options) protocol.Open {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Engine.SteerAtStart, o.Engine.OneAtATime, o.Engine.RetryVisible = true, true, true
	return func(ctx context.Context, h *core.Host, out *protocol.Outbox) (protocol.Codec, error) {
		c := &codec{o: o, host: h, out: out, differences: o.Dialect.differences()}
		if err := c.draft.init(c.usage); err != nil {
			return nil, err
		}
		engine, err := h.Open(ctx, o.Engine, out)
		if err != nil {
			return nil, err
		}
		c.engine = engine
		return c, nil
	}
}

// A codec speaks with one client.
type codec struct {
	o Options
	differences
	host   *core.Host
	engine *core.Engine
	out    *protocol.Outbox

	underWay atomic.Int32 // commands that take time
	reading  sync.Mutex   // held while the session is read for the client
	knew     bool         // running, when the client began to send the line in hand; the reader's

	// What the client has been told, as far as commands depend on it. The writer's goroutine sets it.
	running atomic.Bool   // an agent_start, and no agent_settled since
	pausing atomic.Uint64 // the turn with an auto_retry_start and nothing of the next attempt, or 0
	asking  atomic.Uint64 // the approval that is asked for, or 0

	// Of the writer's goroutine.
	enc     wire.Encoder
	str     string // what is being encoded: a pointer to it costs no allocation
	draft   draft
	failed  string // why the turn that has ended failed, until it has settled
	notices int    // so far
}

// A request is a line as far as its answer depends on it.
type request struct {
	id      wire.Raw // nil: none
	command string
}

// A reply is the response to a request. It is a failure if problem is not "".
type reply struct {
	to      *request
	data    any // nothing{}: none
	problem string
}

// Size implements protocol.Sizer.
func (r reply) Size() int {
	n := len(r.to.id) + len(r.to.command) + len(r.problem)
	if s, ok := r.data.(protocol.Sizer); ok {
		n += s.Size()
	}
	return n
}

// A refusal ends a prompt that was accepted and cannot be worked on.
type refusal struct{ problem string }

// Handle implements protocol.Codec.
func (c *codec) Handle(ctx context.Context, line []byte) []any {
	var members map[string]wire.Raw
	var syntax *wire.SyntaxError
	if err := wire.Decode(line, &members); errors.As(err, &syntax) {
		return c.Malformed(err)
	}
	req, name, problem := c.envelope(members)
	if problem != "" {
		return []any{reply{to: req, problem: problem}}
	}
	cmd, ok := commands[name]
	if !ok {
		return []any{reply{to: req, problem: "Unknown command: " + name}}
	}
	if r, ok := c.carryOut(req, func() (any, error) { return cmd.run(c, ctx, req, members) }); ok {
		return []any{r}
	}
	return nil
}

// Arrived implements protocol.Arriver: a client that has not been told of a turn when it sends a prompt cannot know that
// the agent is busy.
func (c *codec) Arrived() { c.knew = c.running.Load() }

// Malformed implements protocol.Codec.
func (c *codec) Malformed(err error) []any {
	problem := "Failed to parse command: " + err.Error()
	var long *protocol.TooLongError
	if errors.As(err, &long) {
		problem = "RPC " + err.Error()
	}
	return []any{reply{to: &request{command: parse}, problem: problem}}
}

// Hangup implements protocol.Codec.
func (c *codec) Hangup() { c.engine.Hangup() }

// parse is the command that failures name which have no other.
const parse = "parse"

// envelope reads what all commands have in common. A problem stands for the whole line.
func (c *codec) envelope(members map[string]wire.Raw) (req *request, name, problem string) {
	req = &request{}
	idFault := checkID(members["id"])
	if id := members["id"]; idFault == "" && id != nil && string(id) != "null" {
		req.id = id
	}
	if typ := members["type"]; len(typ) == 0 || wire.Decode(typ, &name) != nil || typ[0] != '"' {
		req.command = parse
		return req, "", "Failed to parse command: missing string field `type`"
	}
	req.command = name
	if idFault != "" {
		return req, name, "Invalid command: " + idFault
	}
	if id, ok := members["sessionId"]; ok && c.sessionID {
		var session string
		if id[0] != '"' || wire.Decode(id, &session) != nil {
			req.command = parse
			return req, name, "sessionId must be a string"
		}
		return req, name, fmt.Sprintf("sessionId is only supported on the Web control plane (unknown session %s)", session)
	}
	return req, name, ""
}

// errLater says that the answer to a command comes later, or never.
var errLater = errors.New("the answer comes later")

// carryOut runs f and makes a reply of its result; ok is false if there is none. A panic is a failure.
func (c *codec) carryOut(req *request, f func() (any, error)) (r reply, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			c.o.Log.Error("panic in a command", "command", req.command, "panic", p, "stack", string(debug.Stack()))
			r, ok = reply{to: req, problem: fmt.Sprintf("internal error: %v", p)}, true
		}
	}()
	data, err := f()
	switch {
	case errors.Is(err, errLater):
		return reply{}, false
	case err != nil:
		return reply{to: req, problem: problem(err)}, true
	default:
		return reply{to: req, data: data}, true
	}
}

// A failure is an error in the words that clients know.
type failure string

func (f failure) Error() string { return string(f) }

// problem words an error for clients. It is the only place that does so for errors of the core.
func problem(err error) string {
	switch {
	case errors.Is(err, core.ErrEmptyPrompt):
		return emptyPrompt
	case errors.Is(err, core.ErrShutdown):
		return abortText + ": the server is shutting down"
	case errors.Is(err, core.ErrAborted):
		return abortText
	default:
		return err.Error()
	}
}

// abortText is what clients of this protocol know an abort by.
const abortText = "Request was aborted"
