package main

import (
	"slices"
	"strings"
)

// withoutForeign leaves out flags that clients of rpi and pi pass and that ask for nothing here: to do without what this program
// does not have, or to stay off the network, where it does not go by itself. Flags that ask for something are not among
// them: who passes these gets an error, not less than was asked for.
func withoutForeign(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		name, _, inOne := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case slices.Contains(foreignSwitches, args[i]):
		case name == "--models": // the models to cycle through: rpi takes it and does nothing with it
			if !inOne {
				i++
			}
		default:
			out = append(out, args[i])
		}
	}
	return out
}

var foreignSwitches = []string{
	"--no-themes", "--no-extensions", "-ne", "--no-skills", "-ns", "--no-prompt-templates", "-np",
	"--no-context-files", "-nc", "--no-approve", "--offline", "--verbose",
}
