package openai

import (
	"cmp"
	"errors"
	"slices"

	"github.com/dualagent/agent/core"
)

// errLeft means that the caller of Stream has broken off.
var errLeft = errors.New("the caller takes no more")

// A reply turns the chunks of a server into those of the core.
type reply struct {
	yield  func(core.Chunk) bool
	id     string
	tags   tagSplitter
	calls  []call
	usage  core.Usage
	finish string // the server's finish_reason, once it has come
	begun  bool   // a chunk has come
	deltas bool   // a delta has said something
	plain  bool   // reasoning has come as text, so its details say the same
	size   int    // bytes of text, reasoning and arguments
}

// empty reports whether the server has ended the reply without saying anything.
func (r *reply) empty() bool {
	return r.size == 0 && len(r.calls) == 0 && stopReason(r.finish, false) != core.StopLength
}

// add takes one chunk.
func (r *reply) add(c *chunk) error {
	r.begun = true
	if r.id == "" && c.ID != "" {
		r.id = string(c.ID)
		if err := r.put(core.Chunk{Kind: core.ChunkInfo, ID: r.id}); err != nil {
			return err
		}
	}
	r.count(c.Usage)
	if c.XGroq != nil {
		r.count(c.XGroq.Usage)
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.Index > 0 {
			continue // an alternative that nobody has asked for
		}
		r.count(choice.Usage)
		d := &choice.Delta
		r.deltas = r.deltas || d.says()
		if choice.Message != nil && !r.deltas {
			d = choice.Message
		}
		if err := r.addDelta(d); err != nil {
			return err
		}
		if choice.FinishReason != "" && !serious(r.finish) {
			r.finish = string(choice.FinishReason)
		}
	}
	return nil
}

func (d *delta) says() bool {
	return d.Content != content{} || d.Refusal != "" || d.thought() != "" || len(d.ReasoningDetails) > 0 ||
		len(d.ToolCalls) > 0 || d.FunctionCall != nil
}

// thought returns the reasoning, which some servers send under two names.
func (d *delta) thought() text { return cmp.Or(d.ReasoningContent, d.Reasoning, d.Content.reasoning) }

func (r *reply) addDelta(d *delta) error {
	thought := string(d.thought())
	r.plain = r.plain || thought != ""
	if !r.plain {
		for _, t := range d.ReasoningDetails {
			thought += string(cmp.Or(t.Text, t.Summary))
		}
	}
	said := string(d.Content.text)
	if said != "" {
		tagged, text := r.tags.split(said)
		thought, said = thought+tagged, text
	}
	if err := r.putText(core.ChunkReasoning, thought); err != nil {
		return err
	}
	if err := r.putText(core.ChunkText, said+string(d.Refusal)); err != nil {
		return err
	}
	for i := range d.ToolCalls {
		if err := r.addCall(&d.ToolCalls[i]); err != nil {
			return err
		}
	}
	if f := d.FunctionCall; f != nil && *f != (callName{}) && !slices.ContainsFunc(r.calls, call.hasID) {
		only := number(0)
		return r.addCall(&callPart{Index: &only, Function: *f})
	}
	return nil
}

// count takes over what a usage says. Servers send it once, or the sum so far with each chunk, or zeros behind the real one:
// the last figure that is not zero counts.
func (r *reply) count(u *usage) {
	if u == nil || u.PromptTokens == 0 && u.CompletionTokens == 0 {
		return
	}
	if u.PromptTokens > 0 {
		read := int(max(u.PromptTokensDetails.CachedTokens, u.PromptCacheHit, u.CachedTokens))
		write := int(u.PromptTokensDetails.CacheWriteTokens)
		r.usage.CacheRead, r.usage.CacheWrite = read, write
		r.usage.Input = max(int(u.PromptTokens)-read-write, 0)
	}
	r.usage.Output = cmp.Or(int(u.CompletionTokens), r.usage.Output)
	r.usage.Reasoning = cmp.Or(int(u.CompletionTokensDetails.ReasoningTokens), r.usage.Reasoning)
}

// end completes the reply after the last chunk.
func (r *reply) end(requestSize int) error {
	if err := r.flush(); err != nil {
		return err
	}
	if err := r.putUsage(requestSize); err != nil {
		return err
	}
	return r.put(core.Chunk{Kind: core.ChunkStop, Stop: stopReason(r.finish, len(r.calls) > 0), Text: r.finish})
}

// flush gives out what was held back.
func (r *reply) flush() error {
	thought, text := r.tags.flush()
	if err := r.putText(core.ChunkReasoning, thought); err != nil {
		return err
	}
	if err := r.putText(core.ChunkText, text); err != nil {
		return err
	}
	return r.closeCalls()
}

// putUsage gives out what is known of the usage; what the server did not say is estimated from the size of the request and of
// what has come, in bytes.
func (r *reply) putUsage(requestSize int) error {
	const bytesPerToken = 4
	if r.usage.Total() == 0 {
		r.usage = core.Usage{
			Input: (requestSize + bytesPerToken - 1) / bytesPerToken, Output: (r.size + bytesPerToken - 1) / bytesPerToken,
			Estimated: true,
		}
	}
	return r.put(core.Chunk{Kind: core.ChunkUsage, Usage: r.usage})
}

func (r *reply) putText(kind core.ChunkKind, text string) error {
	if text == "" {
		return nil
	}
	if err := r.openCall(); err != nil {
		return err
	}
	r.size += len(text)
	return r.put(core.Chunk{Kind: kind, Text: text})
}

func (r *reply) put(c core.Chunk) error {
	if !r.yield(c) {
		return errLeft
	}
	return nil
}

// stops maps the finish reasons that servers use. What is not listed is a normal end.
var stops = map[string]core.StopReason{
	"length":            core.StopLength,
	"max_tokens":        core.StopLength,
	"model_length":      core.StopLength,
	"max_output_tokens": core.StopLength,
}

// serious reports whether a finish reason is one that no other one after it takes back.
func serious(finish string) bool {
	_, bad := failures[finish]
	_, known := stops[finish]
	return bad || known
}

// stopReason takes the calls' word over the server's: many say "stop" behind calls.
func stopReason(finish string, calls bool) core.StopReason {
	switch stop, ok := stops[finish]; {
	case ok:
		return stop
	case calls:
		return core.StopTools
	default:
		return core.StopEnd
	}
}
