package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dualagent/agent/core"
)

// assessPath says what a call does that reads or changes the file at one path. With broken arguments it does nothing but
// say so, which is as harmless as reading.
func (s *Set) assessPath(a *arguments, path string, u use) core.Assessment {
	if a.err != nil {
		return core.Assessment{Risk: core.RiskRead}
	}
	t, inside, err := s.space.locate(s.space.dir, path, u)
	as := core.Assessment{Risk: core.RiskRead, Touches: []string{t.abs}}
	if u == toWrite {
		as.Risk = core.RiskWrite
	}
	if !inside {
		as.Outside = []string{t.abs}
	}
	if err != nil || u == toWrite && inGit(t.abs) {
		as.Risk = core.RiskDestructive
	}
	return as
}

// inGit reports whether a file belongs to the insides of a repository, where git finds programs to run.
func inGit(abs string) bool {
	return slices.ContainsFunc(strings.Split(abs, "/"), func(s string) bool { return strings.EqualFold(s, ".git") })
}

// failure returns a result that says why something cannot be done with a path.
func failure(verb, path string, err error) core.ToolResult {
	return core.ErrorResult(fmt.Sprintf("cannot %s %s: %s", verb, path, reason(err)))
}

// invalid returns a result that says what is wrong with the arguments.
func (a *arguments) invalid() core.ToolResult { return core.ErrorResult(a.err.Error()) }

const abortedText = "Operation aborted"

// aborted returns the result of a call that was stopped, with what it has so far.
func aborted(soFar string) core.ToolResult {
	if soFar == "" {
		return core.ErrorResult(abortedText)
	}
	return core.ErrorResult(soFar + "\n\n" + abortedText)
}
