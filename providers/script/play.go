package script

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/providers"
	"github.com/dualagent/agent/providers/internal/estimate"
)

// errLeft means that the caller of Stream has broken off.
var errLeft = errors.New("the caller takes no more")

// A player plays one reply.
type player struct {
	ctx       context.Context // of Stream
	yield     func(core.Chunk, error) bool
	firstCall int // its number
	calls     int
	pieces    int
	usage     *core.Usage
	stop      string
	left      bool
}

func (p *player) play(reply []step, r core.Request) error {
	for _, s := range reply {
		if err := p.step(s); err != nil {
			return err
		}
	}
	if p.usage == nil {
		p.usage = &core.Usage{Input: estimate.Request(r), Output: p.pieces, Estimated: true}
		if err := p.put(core.Chunk{Kind: core.ChunkUsage, Usage: *p.usage}); err != nil {
			return err
		}
	}
	stop := core.StopReason(p.stop)
	switch {
	case stop == "" && p.calls > 0:
		stop = core.StopTools
	case stop == "":
		stop = core.StopEnd
	}
	return p.put(core.Chunk{Kind: core.ChunkStop, Stop: stop, Text: string(stop)})
}

func (p *player) step(s step) error {
	switch s.kind {
	case say:
		return p.pieceOf(core.ChunkText, s.text, s.n)
	case think:
		return p.pieceOf(core.ChunkReasoning, s.text, 1)
	case call:
		return p.call(s)
	case usage:
		p.usage = &core.Usage{Input: s.in, Output: s.out}
		return p.put(core.Chunk{Kind: core.ChunkUsage, Usage: *p.usage})
	case wait:
		return sleep(p.ctx, s.wait)
	case gate:
		return waitGate(p.ctx, s.text)
	case fail:
		return &core.ProviderError{
			Message: fmt.Sprintf("script: HTTP %d: %s", s.n, s.text), Status: s.n, RetryAfter: s.wait,
			Retry: s.n == 429 || s.n >= 500, Overflow: providers.Overflow(s.n, s.text),
		}
	case cut:
		return &core.ProviderError{Message: "script: the stream broke off before the reply was complete", Retry: true}
	case panics:
		panic(s.text)
	case stop:
		p.stop = s.text
	}
	return nil
}

func (p *player) pieceOf(kind core.ChunkKind, text string, times int) error {
	for range times {
		p.pieces++
		if err := p.put(core.Chunk{Kind: kind, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) call(s step) error {
	c := core.Chunk{Kind: core.ChunkToolCall, Call: p.calls, ID: callID(p.firstCall + p.calls), Name: s.name}
	p.calls++
	n := max(min(s.n, len(s.text)), 1)
	for i := range n {
		c.Text = s.text[boundary(s.text, i*len(s.text)/n):boundary(s.text, (i+1)*len(s.text)/n)]
		if c.Text == "" && s.text != "" {
			continue
		}
		p.pieces++
		if err := p.put(c); err != nil {
			return err
		}
		c.ID, c.Name = "", ""
	}
	return nil
}

// boundary moves i back to where a character of s begins.
func boundary(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

func (p *player) put(c core.Chunk) error {
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	if !p.yield(c, nil) {
		p.left = true
		return errLeft
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

const callPrefix = "call_"

func callID(n int) string { return callPrefix + strconv.Itoa(n) }

// lastCall returns the greatest number of a call in messages that has an id of ours; 0 if there is none.
func lastCall(messages []core.Message) int {
	last := 0
	for i := range messages {
		for _, b := range messages[i].Content {
			if b.Call == nil {
				continue
			}
			if digits, ok := strings.CutPrefix(b.Call.ID, callPrefix); ok {
				if n, err := strconv.Atoi(digits); err == nil {
					last = max(last, n)
				}
			}
		}
	}
	return last
}
