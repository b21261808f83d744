// Package estimate guesses how many tokens models would count that do not run on a real one.
package estimate

import "github.com/dualagent/agent/core"

// Tokens estimates the tokens of n bytes of text or code: a fourth, rounded up.
func Tokens(n int) int {
	const bytesPerToken = 4
	return (n + bytesPerToken - 1) / bytesPerToken
}

// Request estimates the tokens of a request from the bytes of all that a model would read.
func Request(r core.Request) int {
	n := len(r.System)
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	for i := range r.Messages {
		n += message(&r.Messages[i])
	}
	return Tokens(n)
}

func message(m *core.Message) int {
	n := 0
	for _, b := range m.Content {
		n += len(b.Text)
		if b.Image != nil {
			n += len(b.Image.Data)
		}
		if b.Call != nil {
			n += len(b.Call.Name) + len(b.Call.Arguments)
		}
	}
	if m.Shell != nil && !m.Shell.Exclude {
		n += len(m.Shell.Command) + len(m.Shell.Output)
	}
	return n
}
