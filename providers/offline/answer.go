package offline

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/providers/internal/estimate"
)

// A speaker streams one reply.
type speaker struct {
	ctx   context.Context // of Stream
	yield func(core.Chunk, error) bool
	calls int // of the conversation so far
	made  int // of this reply
	size  int // bytes of this reply
	said  bool
	left  bool // the caller has broken off, or ctx has ended
}

// answer reports on the last round, and goes on with the plan up to its next calls.
func (s *speaker) answer(r core.Request, at situation) {
	plan := planFor(at.asked)
	if len(r.Tools) == 0 && asksForSummary(at.asked) {
		plan = []step{{said: words(summary)}} // and not what the conversation to sum up says
	}
	if n := len(at.rounds); n > 0 {
		report, ok := at.rounds[n-1].report()
		s.say(words(report))
		plan = after(plan, n)
		if !ok {
			s.say(words(giveUp(plan)))
			plan = nil
		}
	}
	for _, step := range plan {
		s.think(step.thought)
		if step.said != nil {
			s.say(step.said)
		}
		if len(step.actions) > 0 && s.act(r.Tools, step.actions) {
			break // the rest has to wait for the results
		}
	}
	s.end(r)
}

// after returns what of the plan is left behind its n-th step with actions.
func after(plan []step, n int) []step {
	for i, step := range plan {
		if len(step.actions) > 0 {
			if n--; n == 0 {
				return plan[i+1:]
			}
		}
	}
	return nil
}

// giveUp says which steps are not taken.
func giveUp(rest []step) string {
	var names []string
	for _, step := range rest {
		names = append(names, "“"+step.asked+"”")
	}
	if len(names) == 0 {
		return ""
	}
	return "I stop here, and have not done " + strings.Join(names, " and ") + "."
}

// act calls the tools for the actions, in one reply. It reports whether it has called any.
func (s *speaker) act(tools []core.ToolSpec, actions []action) bool {
	for _, a := range actions {
		name, arguments, err := a.call(tools)
		if err != nil {
			s.say(words(err.Error()))
			continue
		}
		s.size += len(arguments)
		s.put(core.Chunk{
			Kind: core.ChunkToolCall, Call: s.made, ID: fmt.Sprintf("guide_%d", s.calls+s.made+1), Name: name, Text: arguments,
		})
		s.made++
	}
	return s.made > 0
}

func (s *speaker) end(r core.Request) {
	u := core.Usage{Input: estimate.Request(r), Output: estimate.Tokens(s.size), Estimated: true}
	s.put(core.Chunk{Kind: core.ChunkUsage, Usage: u})
	stop := core.Chunk{Kind: core.ChunkStop, Stop: core.StopEnd, Text: "stop"}
	if s.made > 0 {
		stop.Stop, stop.Text = core.StopTools, "tool_calls"
	}
	s.put(stop)
}

func (s *speaker) think(text string) {
	if text != "" {
		s.stream(core.ChunkReasoning, words(text))
	}
}

// say streams a paragraph.
func (s *speaker) say(words iter.Seq[string]) {
	first := true
	s.stream(core.ChunkText, func(yield func(string) bool) {
		for w := range words {
			if first && s.said {
				w = "\n\n" + w
			}
			first = false
			if !yield(w) {
				return
			}
		}
	})
	s.said = s.said || !first
}

// stream joins words to pieces of some twelve bytes.
func (s *speaker) stream(kind core.ChunkKind, words iter.Seq[string]) {
	const enough = 12
	var piece strings.Builder
	flush := func() bool {
		text := piece.String()
		piece.Reset()
		s.size += len(text)
		return s.put(core.Chunk{Kind: kind, Text: text})
	}
	for w := range words {
		piece.WriteString(w)
		if piece.Len() >= enough && !flush() {
			return
		}
	}
	if piece.Len() > 0 {
		flush()
	}
}

func (s *speaker) put(c core.Chunk) bool {
	if s.left || s.ctx.Err() != nil {
		return false
	}
	s.left = !s.yield(c, nil)
	return !s.left
}

// words cuts a text behind its spaces and line ends.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n := strings.IndexAny(text, " \n") + 1
			if n == 0 {
				n = len(text)
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}
