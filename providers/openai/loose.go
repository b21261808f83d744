package openai

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/dualagent/agent/internal/wire"
)

// A text is a string on the wire. null is "", and what is no string is its JSON.
type text string

// UnmarshalJSON takes any JSON value.
func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || b[0] == 'n':
		*t = ""
	case b[0] != '"':
		*t = text(b)
	case bytes.IndexByte(b, '\\') < 0:
		*t = text(b[1 : len(b)-1])
	default:
		var s string
		if err := wire.Decode(b, &s); err != nil {
			return err
		}
		*t = text(s)
	}
	return nil
}

// A number is a count on the wire. A string of digits counts as one; all else, and what is negative, is 0.
type number int

// UnmarshalJSON takes any JSON value.
func (n *number) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || !(f > 0 && f < math.MaxInt32) {
		f = 0
	}
	*n = number(f)
	return nil
}

// content is the text of a message: a string, a part of one, or a list of either. Some parts are reasoning.
type content struct {
	text, reasoning text
}

// UnmarshalJSON takes any JSON value.
func (c *content) UnmarshalJSON(b []byte) error {
	*c = content{}
	if len(b) == 0 || b[0] != '[' && b[0] != '{' {
		return c.text.UnmarshalJSON(b)
	}
	if b[0] == '[' {
		var parts []content
		if err := wire.DecodeLoose(b, &parts); err != nil {
			return err
		}
		for _, p := range parts {
			c.text += p.text
			c.reasoning += p.reasoning
		}
		return nil
	}
	var part struct {
		Text     text     `json:"text"`
		Thinking *content `json:"thinking"` // Mistral: parts again
	}
	if err := wire.DecodeLoose(b, &part); err != nil {
		return err
	}
	c.text = part.Text
	if part.Thinking != nil {
		c.reasoning = part.Thinking.text
	}
	return nil
}
