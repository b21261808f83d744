package kit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// An object is a JSON object that remembers the order of its keys. The other JSON values are the usual Go ones, with
// json.Number for numbers.
type object struct {
	keys []string
	vals map[string]any
}

// str returns the string at key, or "".
func (o *object) str(key string) string {
	s, _ := o.vals[key].(string)
	return s
}

// obj returns the object at key; nil is not an error, since nil objects have no keys either.
func (o *object) obj(key string) *object {
	v, _ := o.vals[key].(*object)
	if v == nil {
		return &object{}
	}
	return v
}

// with returns a copy of o in which key, which it has, is v.
func (o *object) with(key string, v any) *object {
	c := &object{keys: o.keys, vals: make(map[string]any, len(o.vals))}
	for k, old := range o.vals {
		c.vals[k] = old
	}
	c.vals[key] = v
	return c
}

// MarshalJSON writes the keys in their order.
func (o *object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(k))
		b.WriteByte(':')
		b.Write(encode(o.vals[k]))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode returns v as compact JSON without HTML escapes.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Appendf(nil, "%q", err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// decode parses text, which must be one JSON value without duplicate keys.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := decodeValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func decodeValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return decodeObject(d)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}

func decodeObject(d *json.Decoder) (*object, error) {
	o := &object{vals: map[string]any{}}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key := t.(string) // the decoder lets nothing else pass
		if slices.Contains(o.keys, key) {
			return nil, fmt.Errorf("key %q occurs twice", key)
		}
		v, err := decodeValue(d)
		if err != nil {
			return nil, err
		}
		o.keys = append(o.keys, key)
		o.vals[key] = v
	}
	_, err := d.Token()
	return o, err
}

// A record is one object of the server's output.
type record struct {
	*object
	text []byte // the line that it came in
	id   string // the bytes of its id, "" if it has none

	batch bool // part of an array
}

// parseRecords reads one line of output. It yields several records only for an array, the answer to a batch.
func parseRecords(line []byte) ([]record, error) {
	switch {
	case !utf8.Valid(line):
		return nil, errors.New("the line is not valid UTF-8")
	case bytes.ContainsAny(line, "\r\x1b"):
		return nil, errors.New("the line has a CR or ESC byte")
	}
	v, err := decode(line)
	if err != nil {
		return nil, fmt.Errorf("the line is not JSON: %w", err)
	}
	switch v := v.(type) {
	case *object:
		return []record{{object: v, text: line, id: rawID(line)}}, nil
	case []any:
		return parseBatch(line)
	}
	return nil, errors.New("the line is JSON, but not an object")
}

func parseBatch(line []byte) ([]record, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(line, &parts); err != nil || len(parts) == 0 {
		return nil, errors.New("the line is an empty array")
	}
	var recs []record
	for _, part := range parts {
		v, err := decode(part)
		if err != nil {
			return nil, err
		}
		o, ok := v.(*object)
		if !ok {
			return nil, errors.New("the line is an array of other things than objects")
		}
		recs = append(recs, record{object: o, text: line, id: rawID(part), batch: true})
	}
	return recs, nil
}

// rawID returns the bytes of the id of the object in text.
func rawID(text []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return ""
	}
	return string(members["id"])
}
