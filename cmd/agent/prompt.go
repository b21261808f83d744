package main

import (
	"strings"
)

// basePrompt is what a model is told of its job. The working directory stands at its end, so that the beginning is the same in
// every project.
const basePrompt = `You are a coding agent. You work in the user's project with the tools you are given.

- Look before you act: read files and search instead of guessing.
- Make the smallest change that does what was asked, in the style of the code around it.
- Check your work: build it and run its tests when there are any.
- A tool that fails tells you why. Read it, and try another way.
- Paths are relative to the working directory. Stay inside it unless the user asks otherwise.
- Answer in the user's language, shortly, and say what you changed and what you could not do.

Working directory: `

// prompt returns the system prompt.
func (s settings) prompt() string {
	text := s.system
	if text == "" {
		text = basePrompt + s.root
	}
	if s.appendToSystem != "" {
		text = strings.TrimRight(text, "\n") + "\n\n" + s.appendToSystem
	}
	return text
}
