package core

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"time"
)

// abortText is what a reply says that was ended by an abort.
const abortText = "Request was aborted"

// request makes one request to the model, streams the reply as events, and records it. With an error the reply holds what had
// come until then.
func (e *Engine) request(t *turn) (Message, error) {
	t.requests++
	w := &reply{engine: e, turn: t, started: time.Now()}
	w.message = Message{
		Role: RoleAssistant, Time: w.started, API: t.model.API, Provider: t.model.Provider, Model: t.model.ID,
		Stop: StopPending, Thinking: t.thinking,
	}
	err := e.host.o.Retry.explain(w.stream(e.requestFor(t)))
	m := w.end(err)
	t.usage = t.usage.Add(m.Usage)
	if err == nil {
		t.reply = m.Text()
	}
	t.messages = append(t.messages, m)
	if rerr := e.record(ReplyEnded{t.id, m}, Entry{Type: EntryMessage, Message: &m}); rerr != nil {
		return m, rerr
	}
	if err != nil && m.Usage.Total() == 0 {
		return m, err
	}
	e.mu.Lock()
	if n := m.Usage.Total(); n > 0 && err == nil {
		e.session.lastUsed, e.session.counted = n, len(e.session.messages)
	}
	usage := UsageUpdated{Turn: t.id, Step: t.step, Usage: m.Usage, Context: e.contextLocked()}
	e.mu.Unlock()
	e.bus.Publish(usage)
	return m, err
}

func (e *Engine) requestFor(t *turn) Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return Request{
		Model: t.model, System: e.host.o.System, Messages: valid(e.session.messages), Tools: e.host.Tools(),
		Thinking: t.thinking, SessionID: e.session.info.ID,
	}
}

// valid returns messages as a provider accepts them: without failed replies, and with a result for every call.
func valid(messages []Message) []Message {
	out := make([]Message, 0, len(messages))
	var open []ToolCall // calls that have no result yet
	settle := func() {
		for _, c := range open {
			out = append(out, resultMessage(c, ErrorResult("Operation aborted")))
		}
		open = nil
	}
	for _, m := range messages {
		switch {
		case failed(m):
			continue
		case m.Role == RoleTool:
			open = without(open, m.ToolCallID)
		default:
			settle()
			open = m.ToolCalls()
		}
		out = append(out, m)
	}
	settle()
	return out
}

func without(calls []ToolCall, id string) []ToolCall {
	for i, c := range calls {
		if c.ID == id {
			return append(calls[:i:i], calls[i+1:]...)
		}
	}
	return calls
}

// A reply takes the chunks of a stream, publishes them, and puts the message together.
type reply struct {
	engine  *Engine
	turn    *turn
	message Message
	started time.Time
	shown   bool // ReplyStarted is published
	stopped bool // the provider has said that the reply is complete
	text    []*strings.Builder
	calls   map[int]int // block of each tool call
}

// stream ranges over the provider's stream. A panic of the provider is an error.
func (w *reply) stream(r Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.engine.host.o.Log.Error("panic in a provider", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("provider %s: internal error: %v", r.Model.Provider, p)
		}
	}()
	p, ok := w.engine.provider(r.Model.Provider)
	if !ok {
		return fmt.Errorf("%w %q", ErrUnknownProvider, r.Model.Provider)
	}
	ctx := w.turn.ctx
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for c, err := range p.Stream(ctx, r) {
		if err != nil {
			return err
		}
		w.add(c)
		if err := w.engine.bus.Ready(ctx); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !w.stopped {
		return &ProviderError{Message: "the model's reply broke off", Retry: true}
	}
	return nil
}

func (e *Engine) provider(name string) (Provider, bool) {
	for _, p := range e.host.o.Providers {
		if p.Name() == name {
			return p, true
		}
	}
	return nil, false
}

// add takes over a chunk and publishes it.
func (w *reply) add(c Chunk) {
	w.show()
	t := w.turn.id
	switch c.Kind {
	case ChunkText, ChunkReasoning:
		kind := BlockText
		if c.Kind == ChunkReasoning {
			kind = BlockThinking
		}
		i := w.block(kind)
		if c.Signature != "" {
			w.message.Content[i].Signature += c.Signature
		}
		if c.Text == "" {
			return
		}
		w.text[i].WriteString(c.Text)
		if kind == BlockText {
			w.engine.bus.Publish(TextDelta{t, i, c.Text})
		} else {
			w.engine.bus.Publish(ReasoningDelta{t, i, c.Text})
		}
	case ChunkToolCall:
		i := w.call(c)
		call := w.message.Content[i].Call
		w.text[i].WriteString(c.Text)
		w.engine.bus.Publish(ToolCallDelta{Turn: t, Block: i, ID: call.ID, Name: call.Name, Text: c.Text})
	case ChunkUsage:
		w.message.Usage = c.Usage
	case ChunkStop:
		w.stopped = true
		w.message.Stop, w.message.RawStop = c.Stop, c.Text
	case ChunkInfo:
		w.message.ResponseID = c.ID
	}
}

func (w *reply) show() {
	if !w.shown {
		w.shown = true
		w.engine.bus.Publish(ReplyStarted{w.turn.id, w.message})
	}
}

// block returns the index of the last block if it is of that kind, else of a new one.
func (w *reply) block(kind BlockKind) int {
	if n := len(w.message.Content); n > 0 && w.message.Content[n-1].Kind == kind {
		return n - 1
	}
	return w.open(Block{Kind: kind})
}

func (w *reply) open(b Block) int {
	w.message.Content = append(w.message.Content, b)
	w.text = append(w.text, new(strings.Builder))
	return len(w.message.Content) - 1
}

// call returns the block of the tool call that c is a piece of. Ids that are empty or taken are replaced: results are told
// apart by them.
func (w *reply) call(c Chunk) int {
	i, ok := w.calls[c.Call]
	if !ok {
		if w.calls == nil {
			w.calls = map[int]int{}
		}
		id := c.ID
		if id == "" || w.taken(id) {
			id = freshCallID()
		}
		i = w.open(Block{Kind: BlockToolCall, Call: &ToolCall{ID: id, Name: c.Name}})
		w.calls[c.Call] = i
	}
	if c.Signature != "" {
		w.message.Content[i].Call.Signature += c.Signature
	}
	return i
}

func (w *reply) taken(id string) bool {
	for _, b := range w.message.Content {
		if b.Call != nil && b.Call.ID == id {
			return true
		}
	}
	return false
}

func freshCallID() string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	b := []byte("p00000000")
	for i := 1; i < len(b); i++ {
		b[i] = digits[rand.IntN(len(digits))]
	}
	return string(b)
}

// end completes the message. What an abort or a failure leaves behind keeps its text, and loses its calls: nobody knows
// whether they are whole.
func (w *reply) end(err error) Message {
	w.show()
	m := w.message
	var content []Block
	for i, b := range m.Content {
		if b.Kind == BlockToolCall {
			if err != nil {
				continue
			}
			call := *b.Call
			call.Arguments = w.text[i].String()
			b.Call = &call
		} else {
			b.Text = w.text[i].String()
		}
		content = append(content, b)
	}
	m.Content, m.Took = content, time.Since(w.started)
	m.Usage.Cost = cost(m.Usage, w.turn.model)
	switch {
	case err == nil && len(m.ToolCalls()) > 0 && m.Stop != StopLength:
		m.Stop = StopTools
	case err == nil && m.Stop == StopTools:
		m.Stop = StopEnd
	case err == nil:
	case w.turn.ctx.Err() != nil:
		m.Stop, m.Error = StopAborted, abortText
	default:
		m.Stop, m.Error = StopError, err.Error()
	}
	return m
}

// cost prices a usage, unless the provider has done so.
func cost(u Usage, m Model) Cost {
	if u.Cost.Total > 0 {
		return u.Cost
	}
	return m.Prices.Cost(u)
}
