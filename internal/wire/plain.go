package wire

import (
	"bytes"
	"errors"
	"strings"

	"github.com/goccy/go-json/jsontext"
)

// Plain returns data, one JSON value, such that any parser takes it: without NUL and halves of surrogate pairs, with each name
// once in an object (the first member counts), and without control characters within strings. What is so already is returned
// as it is. It fails if data is no JSON value, or one that is nested deeper than depth.
func Plain(data []byte, depth int) (Raw, error) {
	if err := checkDepth(data, depth); err != nil {
		return nil, err
	}
	data = mendText(data)
	if jsontext.Value(data).IsValid() && !bytes.Contains(data, []byte(`\u0000`)) {
		return data, nil
	}
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(data), loosely)
	enc := jsontext.NewEncoder(&out)
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, translate(err)
		}
		if token.Kind() == '"' {
			token = jsontext.String(strings.ReplaceAll(token.String(), "\x00", ""))
		}
		err = enc.WriteToken(token)
		if errors.Is(err, jsontext.ErrDuplicateName) {
			err = dec.SkipValue()
		}
		if err != nil {
			return nil, translate(err)
		}
		if dec.StackDepth() == 0 {
			break
		}
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return nil, &SyntaxError{Offset: dec.InputOffset(), Reason: "more than one value"}
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
