// Package jsonrpc speaks JSON-RPC 2.0 as the agent rho does: one object or batch a line, events as notifications.
//
// Requests are served one after the other, in line with the turns, but for those that must act at once: abort,
// approvalResponse, prompt with steer, and refusals. The answer to a prompt comes when its turn has ended. Of
// github.com/creachadair/jrpc2 it uses the error type, codes and version; see docs/ARCHITECTURE.md for why not its server.
package jsonrpc

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/creachadair/jrpc2"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/protocol"
)

// maxInFlight bounds the requests that wait for their answers.
const maxInFlight = 1000

// Options say how the protocol is spoken.
type Options struct {
	Engine  core.EngineOptions
	Version string       // of the program, told in ready
	Log     *slog.Logger // default: nothing is logged
}

// Open returns what protocol.Serve opens a codec with.
func Open(o Options) protocol.Open {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return func(ctx context.Context, h *core.Host, out *protocol.Outbox) (protocol.Codec, error) {
		c := &codec{o: o, host: h, out: out, inFlight: map[string]struct{}{}}
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
	o      Options
	host   *core.Host
	engine *core.Engine
	out    *protocol.Outbox

	// Of the writer's goroutine.
	enc   wire.Encoder
	delta Delta // what is being encoded: a pointer to it costs no allocation
	ready bool  // the greeting is written
	// Clients of this protocol expect a call's result right behind it. Calls that run side by side are told one after the other:
	// open is the one that has been told and has no result yet, calls are the others.
	open  string
	calls []core.ToolCalled

	// The last approval that has been asked for; the writer sets it. knew is what it was when the client began to send
	// the line in hand; the reader's.
	asked atomic.Uint64
	knew  core.ApprovalID

	mu       sync.Mutex
	inFlight map[string]struct{} // ids of requests without an answer; requests without an id do not count
}

// Handle implements protocol.Codec.
func (c *codec) Handle(ctx context.Context, line []byte) []any {
	requests, isBatch, err := parseLine(line)
	if err != nil {
		return []any{reply{to: &request{id: null}, err: err}}
	}
	var group *batch
	if isBatch {
		group = &batch{}
		for _, r := range requests {
			if r.id != nil {
				group.owed++
			}
		}
	}
	var replies []any
	for i := range requests {
		p := &requests[i]
		p.batch = group
		if r, ok := c.accept(ctx, p); ok && p.id != nil {
			replies = append(replies, r)
		}
	}
	return replies
}

// Arrived implements protocol.Arriver.
func (c *codec) Arrived() { c.knew = core.ApprovalID(c.asked.Load()) }

// Malformed implements protocol.Codec.
func (c *codec) Malformed(err error) []any {
	return []any{reply{to: &request{id: null}, err: parseError(err)}}
}

// Hangup implements protocol.Codec.
func (c *codec) Hangup() { c.engine.Hangup() }

// accept takes up one request; ok is false if its answer comes later.
func (c *codec) accept(ctx context.Context, p *parsed) (r reply, ok bool) {
	req := &p.request
	if p.err != nil {
		return reply{to: req, err: p.err}, true
	}
	m, known := methods[req.method]
	if !known {
		return reply{to: req, err: jrpc2.Errorf(jrpc2.MethodNotFound, "Method not found: %s", req.method)}, true
	}
	run, kind, err := m.prepare(c, req)
	if err != nil {
		return reply{to: req, err: wireError(err)}, true
	}
	if err := c.enter(req, kind); err != nil {
		return reply{to: req, err: err}, true
	}
	if r, ok := c.dispatch(ctx, req, run, kind); ok {
		c.leave(req)
		return r, true
	}
	return reply{}, false
}

// dispatch carries out a request, or puts it in line; ok is false if its answer comes later.
func (c *codec) dispatch(ctx context.Context, req *request, run func(context.Context) (any, error), k kind) (r reply, ok bool) {
	switch k {
	case now, asTurn:
		return c.run(ctx, req, run)
	case soon:
		c.out.Later(func() any {
			c.finish(c.run(ctx, req, run))
			return nil
		})
	default:
		queue := c.engine.Do
		if k == slow {
			queue = c.engine.Between
		}
		if err := queue(func() { c.finish(c.run(ctx, req, run)) }); err != nil {
			return reply{to: req, err: wireError(err)}, true
		}
	}
	return reply{}, false
}

// finish answers a request that had to wait.
func (c *codec) finish(r reply, ok bool) {
	if !ok {
		return
	}
	c.leave(r.to)
	if r.to.id != nil {
		c.out.Reply(r)
	}
}

// run carries out a request. A panic is an internal error.
func (c *codec) run(ctx context.Context, req *request, f func(context.Context) (any, error)) (r reply, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			c.o.Log.Error("panic in a method", "method", req.method, "panic", p, "stack", string(debug.Stack()))
			r, ok = reply{to: req, err: jrpc2.Errorf(jrpc2.InternalError, "internal error: %v", p)}, true
		}
	}()
	result, err := f(ctx)
	switch {
	case errors.Is(err, errLater):
		return reply{}, false
	case err != nil:
		return reply{to: req, err: wireError(err)}, true
	default:
		return reply{to: req, result: result}, true
	}
}

// enter notes that a request is in flight. What acts at once is never one too many: an abort has to work when it is needed most.
func (c *codec) enter(req *request, k kind) *jrpc2.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.inFlight) >= maxInFlight && k != now {
		return jrpc2.Errorf(codeOverloaded, "more than %d requests are waiting for their answers", maxInFlight)
	}
	id := string(req.id)
	if req.id == nil || id == "null" {
		return nil
	}
	if _, taken := c.inFlight[id]; taken {
		return invalidRequest("Invalid request: a request with id %s is in flight already", id)
	}
	c.inFlight[id] = struct{}{}
	return nil
}

// leave frees the id of a request that is answered.
func (c *codec) leave(req *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.inFlight, string(req.id))
}

// Size implements protocol.Sizer.
func (r reply) Size() int {
	n := 256
	switch res := r.result.(type) {
	case Messages:
		for _, m := range res.Messages {
			n += 128 + len(m.Content)
		}
	case PromptResult:
		if res.Reply != nil {
			n += len(*res.Reply)
		}
	case Sessions:
		n += 256 * len(res.Sessions)
	case Tools:
		n += 1024 * len(res.Tools)
	}
	return n
}
