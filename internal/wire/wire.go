// Package wire is the only importer of a JSON package: everything else encodes and decodes through it.
//
// Input is decoded strictly (valid UTF-8, no duplicate names, names by case). Output is compact and valid UTF-8; it does
// not escape <, > and &, and does escape U+2028 and U+2029, which some line readers take for line ends.
package wire

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-json"
	"github.com/goccy/go-json/jsontext"
	jsonv2 "github.com/goccy/go-json/v2"
)

// Raw is JSON text that is passed on as it is. It is nil or valid.
type Raw = stdjson.RawMessage

// A SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int64 // bytes before the fault
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// MaxDepth is how deep arrays and objects may be nested in a text that CheckText passes.
const MaxDepth = 1000

// CheckText tells what forbids that data is decoded at all: bytes that are not UTF-8, or nesting beyond MaxDepth. It
// returns a *SyntaxError. It does not check that data is JSON.
func CheckText(data []byte) error {
	if !utf8.Valid(data) {
		return &SyntaxError{Offset: invalidAt(data), Reason: "invalid UTF-8"}
	}
	if bytes.Count(data, []byte{'['})+bytes.Count(data, []byte{'{'}) <= MaxDepth {
		return nil
	}
	return checkDepth(data, MaxDepth)
}

func invalidAt(data []byte) int64 {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return int64(i)
		}
		i += n
	}
	return int64(len(data))
}

func checkDepth(data []byte, limit int) error {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if depth++; depth > limit {
				return &SyntaxError{Offset: int64(i), Reason: "nested deeper than " + strconv.Itoa(limit)}
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

// Decode reads the one JSON value that data holds into v, a pointer. Unknown names are passed over; half of a surrogate
// pair in an escape becomes U+FFFD, since some encoders cut strings there. What v holds after an error is undefined.
func Decode(data []byte, v any) error {
	err := jsonv2.Unmarshal(data, v)
	if err != nil && utf8.Valid(data) && bytes.Contains(data, []byte(`\u`)) {
		err = jsonv2.Unmarshal(data, v, jsontext.AllowInvalidUTF8(true))
	}
	return translate(err)
}

// translate turns an error of the JSON package into one of this package.
func translate(err error) error {
	if err == nil {
		return nil
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return &SyntaxError{Offset: syntax.ByteOffset, Reason: reason(syntax.Err)}
	}
	var semantic *jsonv2.SemanticError
	if errors.As(err, &semantic) {
		return &TypeError{Offset: semantic.ByteOffset, Pointer: string(semantic.JSONPointer)}
	}
	return err
}

func reason(err error) string {
	if err == nil {
		return "invalid JSON"
	}
	return err.Error()
}

// A TypeError says which part of a JSON text does not fit the Go value that was to take it.
type TypeError struct {
	Offset  int64
	Pointer string // JSON Pointer (RFC 6901) of the part
}

func (e *TypeError) Error() string {
	if e.Pointer == "" {
		return "value of a wrong type"
	}
	return "value of a wrong type at " + e.Pointer
}

// An Encoder appends JSON to buffers. The zero Encoder is ready for use, by one goroutine at a time.
type Encoder struct {
	out sliceWriter
	enc *json.Encoder
}

type sliceWriter struct{ buf []byte }

func (w *sliceWriter) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	return len(p), nil
}

// Append appends v and a line feed to buf. After an error buf is returned as it was.
func (e *Encoder) Append(buf []byte, v any) ([]byte, error) {
	if e.enc == nil {
		e.enc = json.NewEncoder(&e.out)
		e.enc.SetEscapeHTML(false)
	}
	e.out.buf = buf
	err := e.enc.Encode(v)
	grown := e.out.buf
	e.out.buf = nil
	if err != nil {
		return grown[:len(buf)], err
	}
	if bytes.IndexByte(grown[len(buf):], lineSeparator[0]) >= 0 {
		grown = escapeSeparators(grown, len(buf))
	}
	return grown, nil
}

// lineSeparator is what U+2028 and U+2029 begin with in UTF-8; A8 or A9 follows.
const lineSeparator = "\xe2\x80"

// escapeSeparators escapes the line separators in buf[from:] that came in with a Raw. They can only be part of a string.
func escapeSeparators(buf []byte, from int) []byte {
	text := buf[from:]
	if !bytes.Contains(text, []byte("\u2028")) && !bytes.Contains(text, []byte("\u2029")) {
		return buf
	}
	text = bytes.ReplaceAll(text, []byte("\u2028"), []byte(`\u2028`))
	text = bytes.ReplaceAll(text, []byte("\u2029"), []byte(`\u2029`))
	return append(buf[:from], text...)
}

var encoders = sync.Pool{New: func() any { return new(Encoder) }}

// Encode returns v as JSON, without a line feed.
func Encode(v any) (Raw, error) {
	e := encoders.Get().(*Encoder)
	defer encoders.Put(e)
	buf, err := e.Append(nil, v)
	return bytes.TrimSuffix(buf, []byte{'\n'}), err
}

// Valid reports whether data is one JSON value.
func Valid(data []byte) bool { return json.Valid(data) }
