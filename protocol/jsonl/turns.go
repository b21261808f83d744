package jsonl

import (
	"context"
	"strings"

	"github.com/dualagent/agent/core"
)

// Why a message cannot be worked on.
const (
	emptyPrompt = "prompt must not be empty"
	badImages   = "images must contain only image content blocks"
)

// input makes an input of a message. The problem, if there is one, is not with the fields' types.
func input(text string, blocks []imageArg) (in core.Input, problem string, _ error) {
	in.Text = text
	for _, b := range blocks {
		switch {
		case b.Type != image:
			problem = badImages
		case b.Data == "":
			return in, "", &invalidError{"missing field `data`"}
		case b.MimeType+b.MimeType2 == "":
			return in, "", &invalidError{"missing field `mimeType`"}
		default:
			img := core.Image{Data: b.Data, MimeType: b.MimeType + b.MimeType2}
			if err := img.Check(); err != nil {
				return in, "", &invalidError{err.Error()}
			}
			in.Images = append(in.Images, img)
		}
	}
	if problem == "" && strings.TrimSpace(text) == "" && len(in.Images) == 0 {
		problem = emptyPrompt
	}
	return in, problem, nil
}

func (c *codec) prompt(_ context.Context, req *request, p promptFields) (any, error) {
	in, problem, err := input(p.Message, p.Images)
	switch {
	case err != nil:
		return nil, err
	case p.StreamingBehavior == "" && c.knew && c.engine.Listens():
		return nil, failure(c.busy)
	case problem != "" && p.StreamingBehavior != "" && c.engine.Listens():
		return nil, failure(problem)
	case problem != "":
		return c.reject(problem)
	}
	started := true
	if p.StreamingBehavior == "" {
		_, err = c.engine.Prompt(in)
	} else {
		started, err = c.engine.Join(in, p.StreamingBehavior == followUp)
	}
	switch {
	case err != nil:
		return nil, err
	case started:
		return c.disposition("started"), nil
	default:
		return c.disposition("queued"), nil
	}
}

// reject ends a prompt that cannot be worked on. Clients of rpi expect it to be accepted and to fail, in line with the turns.
func (c *codec) reject(problem string) (any, error) {
	if c.pi {
		return nil, failure(problem)
	}
	return nothing{}, c.engine.Do(func() { c.out.Reply(refusal{problem}) })
}

func (c *codec) enlist(in core.Input, problem string, how behavior) (any, error) {
	if problem != "" {
		return nil, failure(problem)
	}
	queue := c.engine.Steer
	if how == followUp {
		queue = c.engine.FollowUp
	}
	if err := queue(in); err != nil {
		return nil, err
	}
	return c.disposition("queued"), nil
}

// disposition is what became of a message.
func (c *codec) disposition(what string) any {
	if c.pi {
		return dispositionData{what}
	}
	return nothing{}
}

func (c *codec) steer(_ context.Context, _ *request, p messageFields) (any, error) {
	return c.say(p, steer)
}

func (c *codec) followUp(_ context.Context, _ *request, p messageFields) (any, error) {
	return c.say(p, followUp)
}

func (c *codec) say(p messageFields, how behavior) (any, error) {
	in, problem, err := input(p.Message, p.Images)
	if err != nil {
		return nil, err
	}
	return c.enlist(in, problem, how)
}

func (c *codec) abort(context.Context, *request, nothing) (nothing, error) {
	c.engine.Abort()
	if !c.pi {
		c.engine.AbortShell() // in pi that is left to abort_bash
	}
	return nothing{}, nil
}

func (c *codec) abortRetry(context.Context, *request, nothing) (nothing, error) {
	if turn := c.pausing.Load(); turn != 0 {
		c.engine.AbortTurn(core.TurnID(turn))
	}
	return nothing{}, nil
}

func (c *codec) queueList(context.Context, *request, nothing) (queueData, error) {
	steering, follow := c.engine.Queued()
	return queueData{queueTexts: *textsOf(steering, follow), Total: len(steering) + len(follow)}, nil
}

func (c *codec) queueCancel(context.Context, *request, nothing) (countData, error) {
	steering, follow := c.engine.ClearQueues()
	return countData{len(steering) + len(follow)}, nil
}

func (c *codec) clearQueue(context.Context, *request, nothing) (queueTexts, error) {
	return *textsOf(c.engine.ClearQueues()), nil
}
