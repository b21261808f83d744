package openai

import (
	"cmp"
	"errors"

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
	size   int    // bytes of text, reasoning and arguments
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
	for i := range c.Choices {
		choice := &c.Choices[i]
		r.count(choice.Usage)
		if i > 0 && choice.Index > 0 {
			continue // an alternative that nobody has asked for
		}
		d := &choice.Delta
		if choice.Message != nil {
			d = choice.Message
		}
		if err := r.addDelta(d); err != nil {
			return err
		}
		if choice.FinishReason != "" {
			r.finish = string(choice.FinishReason)
		}
	}
	return nil
}

func (r *reply) addDelta(d *delta) error {
	// Some servers say the same under both names.
	thought := string(cmp.Or(d.ReasoningContent, d.Reasoning, d.Content.reasoning))
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
	if f := d.FunctionCall; f != nil && *f != (callName{}) {
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
	return r.openCall()
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
