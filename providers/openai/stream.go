package openai

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/providers/internal/sse"
)

const (
	// afterFinish is how long the usage may take, and the end of the stream, once the reply is complete.
	afterFinish = 5 * time.Second
	// afterDone is how long the end of the body may take behind [DONE]; if it comes, the connection can be used again.
	afterDone = 50 * time.Millisecond
	// maxBody is how much is read of an answer that is no stream.
	maxBody = 16 << 20
)

// Stream asks for the reply to r and yields it as it arrives. Errors are a *core.ProviderError or the cause of ctx's end.
func (p *Provider) Stream(ctx context.Context, r core.Request) iter.Seq2[core.Chunk, error] {
	return func(yield func(core.Chunk, error) bool) {
		err := p.stream(ctx, r, func(c core.Chunk) bool { return yield(c, nil) })
		if err != nil && !errors.Is(err, errLeft) {
			yield(core.Chunk{}, err)
		}
	}
}

func (p *Provider) stream(ctx context.Context, r core.Request, yield func(core.Chunk) bool) error {
	a, err := p.ask(ctx, r)
	if err != nil {
		return err
	}
	defer a.close()
	out := &reply{yield: yield}
	err = p.read(ctx, a, out)
	switch {
	case errors.Is(err, errLeft):
		return err
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil:
		err = p.finish(out)
	}
	if err == nil {
		if err = out.end(a.requestSize); err == nil {
			a.drain()
		}
		return err
	}
	return p.breakOff(a, out, err)
}

// finish gives out what was held back of a reply that the server has ended, and returns an error if it is not to be used.
func (p *Provider) finish(out *reply) error {
	if err := p.finishError(out.finish); err != nil {
		return err
	}
	if err := out.flush(); err != nil {
		return err
	}
	if out.empty() {
		return p.failure("empty response", nil)
	}
	return nil
}

// breakOff gives out what has come of a reply that failed, and returns why it failed.
func (p *Provider) breakOff(a *answer, out *reply, err error) error {
	if out.begun {
		if left := out.flush(); left != nil {
			return left
		}
		if left := out.putUsage(a.requestSize); left != nil {
			return left
		}
	}
	return err
}

// read takes chunks until the reply is complete or fails.
func (p *Provider) read(ctx context.Context, a *answer, out *reply) error {
	head := &headKeeper{src: a.body}
	body := bufio.NewReaderSize(head, 512)
	start, err := firstByte(body)
	switch {
	case err == io.EOF:
		return p.failure("empty response", nil)
	case err != nil:
		return p.readError(a, out, err)
	case start == '<':
		return p.noStream(body)
	case start == '{' || start == '[':
		return p.readWhole(a, body, out)
	}
	for ev, err := range sse.Read(body) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return p.readError(a, out, err)
		}
		done, err := p.readEvent(a, ev, out)
		if done || err != nil {
			return err
		}
	}
	switch {
	case out.finish != "":
		return nil
	case out.begun:
		return p.failure("the stream broke off before the reply was complete", nil)
	case !head.stream():
		return p.noStream(bytes.NewReader(head.kept))
	default:
		return p.failure("empty response", nil)
	}
}

// readEvent reports whether ev ends the stream.
func (p *Provider) readEvent(a *answer, ev sse.Event, out *reply) (done bool, err error) {
	data := strings.TrimSpace(ev.Data)
	switch {
	case data == "" || data == "null":
		return false, nil
	case strings.EqualFold(strings.Trim(data, `"`), "[DONE]"):
		return true, nil
	}
	c, err := a.decode(data)
	switch {
	case err == nil || ev.Type == "error":
	case out.finish != "":
		return false, nil // the reply is complete; half a usage does not matter
	default:
		return false, p.failure("cannot read "+excerpt(data, p.o.Key()), err)
	}
	if reported := p.reported(a, ev, c, err != nil); reported != nil {
		return false, reported
	}
	if err := out.add(c); err != nil {
		return false, err
	}
	if out.finish != "" {
		a.body.hurry(afterFinish)
	}
	return false, nil
}

// decode returns the chunk in data. It is valid until the next call.
func (a *answer) decode(data string) (*chunk, error) {
	if !utf8.ValidString(data) {
		data = strings.ToValidUTF8(data, "\ufffd")
	}
	a.buf = append(a.buf[:0], data...)
	clear(a.chunk.Choices)
	a.chunk = chunk{Choices: a.chunk.Choices[:0]}
	if wire.Decode(a.buf, &a.chunk) == nil {
		return &a.chunk, nil
	}
	a.chunk = chunk{}
	err := wire.DecodeLoose(a.buf, &a.chunk)
	return &a.chunk, err
}

// readError says why the answer could not be read on. Silence after the end of a reply does not matter.
func (p *Provider) readError(a *answer, out *reply, err error) error {
	if out.finish != "" {
		return nil
	}
	return p.sendError(a.ctx, err)
}

// readWhole takes an answer that is one JSON value: an error, or the whole reply of a server that does not stream.
func (p *Provider) readWhole(a *answer, body io.Reader, out *reply) error {
	data, err := io.ReadAll(io.LimitReader(body, maxBody))
	if err != nil {
		return p.readError(a, out, err)
	}
	done, err := p.readEvent(a, sse.Event{Data: string(unlisted(data))}, out)
	if err == nil && !done && out.finish == "" {
		return p.failure("no reply in "+excerpt(string(data), p.o.Key()), nil)
	}
	return err
}

// firstByte passes over a byte order mark and white space.
func firstByte(r *bufio.Reader) (byte, error) {
	const mark = "\ufeff"
	if b, err := r.Peek(1); err == nil && b[0] == mark[0] {
		if b, _ := r.Peek(len(mark)); string(b) == mark {
			r.Discard(len(mark))
		}
	}
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, r.UnreadByte()
		}
	}
}
