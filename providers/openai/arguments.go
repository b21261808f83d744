package openai

import "hash/maphash"

// arguments tell whether the JSON object that comes in pieces is complete, and whether it comes again.
type arguments struct {
	depth             int
	begun             bool
	inString, escaped bool
	size              int
	sum               maphash.Hash
}

func (a *arguments) add(piece string) {
	a.size += len(piece)
	a.sum.WriteString(piece)
	for i := range len(piece) {
		c := piece[i]
		switch {
		case a.escaped:
			a.escaped = false
		case a.inString && c == '\\':
			a.escaped = true
		case c == '"':
			a.inString = !a.inString
		case a.inString:
		case c == '{' || c == '[':
			a.depth++
			a.begun = true
		case c == '}' || c == ']':
			a.depth--
		}
	}
}

func (a *arguments) complete() bool { return a.begun && a.depth <= 0 && !a.inString }

// repeatedBy reports whether the arguments are complete and piece is all of them once more.
func (a *arguments) repeatedBy(piece string) bool {
	return len(piece) == a.size && a.complete() && maphash.String(a.sum.Seed(), piece) == a.sum.Sum64()
}
