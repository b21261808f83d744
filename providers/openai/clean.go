package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/dualagent/agent/internal/wire"
)

// What a model has written goes back to it with each request. Servers check it more strictly than models write, and one piece that
// they refuse would end the session: so all of it is made acceptable here.

// maxWord is how long names and ids may be, in bytes.
const maxWord = 64

// clean returns s as any server takes it: valid UTF-8 without NUL.
func clean(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\ufffd")
}

// wireName returns the name of a tool in a call: servers allow letters, digits, _ and -. The namespace that some models put before
// it is left out, as it is when the tool is looked up.
func wireName(name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "functions.")
	name = strings.Map(func(r rune) rune {
		if wordRune(r) || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name[:min(len(name), maxWord)])
	if name == "" {
		return "unnamed"
	}
	return name
}

func wordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// wireArguments returns the arguments of a call as an object that any parser takes, {} if they are none.
func wireArguments(arguments string) string {
	const depth = 100 // some parsers do not go far beyond
	arguments = strings.TrimSpace(clean(arguments))
	var inner string
	if strings.HasPrefix(arguments, `"`) && wire.Decode([]byte(arguments), &inner) == nil {
		arguments = strings.TrimSpace(clean(inner)) // encoded twice
	}
	if !strings.HasPrefix(arguments, "{") {
		return "{}"
	}
	plain, err := wire.Plain([]byte(arguments), depth)
	if err != nil {
		return "{}"
	}
	return string(plain)
}

// id returns a call's id as servers accept it: not empty and within maxWord, since other APIs' ids are longer; for some servers nine
// letters and digits.
func (c *conversation) id(id string) string {
	id = clean(id)
	const short = 9
	simple := len(id) == short && !strings.ContainsFunc(id, func(r rune) bool { return !wordRune(r) })
	if simple || !c.h.shortIDs && id != "" && len(id) <= maxWord {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	if c.h.shortIDs {
		return hex.EncodeToString(sum[:])[:short]
	}
	return "call_" + hex.EncodeToString(sum[:16])
}
