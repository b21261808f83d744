package wire

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/goccy/go-json/jsontext"
	jsonv2 "github.com/goccy/go-json/v2"
)

// DecodeLoose is Decode for what careless programs have written. What Decode refuses is read again so that as much as
// possible of it counts: of a repeated name the last member; strings with control characters or bytes that are not UTF-8; an
// object in place of a list as a list of one. A value of another wrong type counts as null, and so do NaN and Infinity. As with Decode, v is
// a zero value, or what data is to add to.
func DecodeLoose[T any](data []byte, v *T) error {
	err := Decode(data, v)
	if err == nil {
		return nil
	}
	const limit = 16 // values of a wrong type
	data = mendText(data)
	for range limit {
		*v = *new(T)
		err = jsonv2.Unmarshal(data, v, loosely)
		var semantic *jsonv2.SemanticError
		if !errors.As(err, &semantic) {
			break
		}
		mended, ok := mend(data, semantic.JSONPointer)
		if !ok {
			break
		}
		data = mended
	}
	return translate(err)
}

var loosely = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// mendText escapes control characters within strings and replaces what is no JSON number by null. It returns data itself if
// there is nothing to mend.
func mendText(data []byte) []byte {
	var out []byte
	inString, done := false, 0
	for i := 0; i < len(data); i++ {
		mend, n := "", 1
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString && c < ' ':
			const hex = "0123456789abcdef"
			mend = `\u00` + string(hex[c>>4]) + string(hex[c&15])
		case !inString && (c == 'N' || c == 'I' || c == '-'):
			mend, n = noNumber(data[i:])
		}
		if mend != "" {
			out = append(append(out, data[done:i]...), mend...)
			done = i + n
			i = done - 1
		}
	}
	if out == nil {
		return data
	}
	return append(out, data[done:]...)
}

func noNumber(data []byte) (mend string, n int) {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(data, []byte(word)) {
			return "null", len(word)
		}
	}
	return "", 0
}

// A mender copies data to out up to done, with what target points to replaced.
type mender struct {
	data   []byte
	target jsontext.Pointer
	dec    *jsontext.Decoder
	out    []byte
	done   int64
}

// mend returns data with the value that does not fit replaced; false if it is not found.
func mend(data []byte, target jsontext.Pointer) ([]byte, bool) {
	m := mender{data: data, target: target, dec: jsontext.NewDecoder(bytes.NewReader(data), loosely)}
	if err := m.walk(""); err != nil || m.done == 0 {
		return nil, false
	}
	return append(m.out, data[m.done:]...), true
}

// walk goes through the value that comes next. A name may be repeated, so that at points to several.
func (m *mender) walk(at jsontext.Pointer) error {
	switch {
	case at == m.target:
		return m.replace()
	case !at.Contains(m.target):
		return m.dec.SkipValue()
	}
	opening, err := m.dec.ReadToken()
	if err != nil {
		return err
	}
	kind := opening.Kind()
	if kind != '{' && kind != '[' {
		return nil
	}
	for i := 0; m.dec.PeekKind() != '}' && m.dec.PeekKind() != ']'; i++ {
		step := strconv.Itoa(i)
		if kind == '{' {
			name, err := m.dec.ReadToken()
			if err != nil {
				return err
			}
			step = name.String()
		}
		if err := m.walk(at.AppendToken(step)); err != nil {
			return err
		}
	}
	_, err = m.dec.ReadToken()
	return err
}

// replace makes a list of an object, and null of all else. An object fits wherever no list is wanted.
func (m *mender) replace() error {
	value, err := m.dec.ReadValue()
	if err != nil {
		return err
	}
	end := m.dec.InputOffset()
	m.out = append(m.out, m.data[m.done:end-int64(len(value))]...)
	m.done = end
	if value.Kind() == '{' {
		m.out = append(append(append(m.out, '['), value...), ']')
	} else {
		m.out = append(m.out, "null"...)
	}
	return nil
}
