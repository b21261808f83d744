package jsonl

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/dualagent/agent/internal/wire"
)

// An invalidError says what is wrong with the fields of a command, in the words that clients of rpi know.
type invalidError struct{ problem string }

func (e *invalidError) Error() string { return "Invalid command: " + e.problem }

// An enum is a field that has a few values.
type enum interface{ values() []string }

// decode fills in v, a pointer to a struct of fields, from the members of an object. Members that v lacks are passed over.
// Optional fields may be null, except lists. It returns an *invalidError.
func decode(members map[string]wire.Raw, v any) error {
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		name, optional := fieldOf(s.Type().Field(i))
		raw, ok := members[name]
		field := s.Field(i)
		switch {
		case !ok && optional:
			continue
		case !ok:
			return &invalidError{fmt.Sprintf("missing field `%s`", name)}
		case optional && string(raw) == "null" && field.Kind() != reflect.Slice:
			continue
		}
		if problem := decodeValue(raw, field); problem != "" {
			return &invalidError{problem}
		}
	}
	return nil
}

// fieldOf returns the name of a field on the wire.
func fieldOf(f reflect.StructField) (name string, optional bool) {
	name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, rest == "omitempty"
}

// decodeValue decodes raw into v, or says what is wrong with it.
func decodeValue(raw wire.Raw, v reflect.Value) (problem string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeValue(raw, v.Elem())
	case reflect.Slice:
		return decodeList(raw, v)
	case reflect.Struct:
		var members map[string]wire.Raw
		if raw[0] != '{' || wire.Decode(raw, &members) != nil {
			return mismatch(raw, "a map")
		}
		if err := decode(members, v.Addr().Interface()); err != nil {
			return err.(*invalidError).problem
		}
		return ""
	}
	expected := "a boolean"
	if v.Kind() == reflect.String {
		expected = "a string"
	}
	// null is no error of the decoder.
	if string(raw) == "null" || wire.Decode(raw, v.Addr().Interface()) != nil {
		return mismatch(raw, expected)
	}
	if e, ok := v.Interface().(enum); ok {
		return checkEnum(v.String(), e.values())
	}
	return ""
}

func decodeList(raw wire.Raw, v reflect.Value) (problem string) {
	var elements []wire.Raw
	if raw[0] != '[' || wire.Decode(raw, &elements) != nil {
		return mismatch(raw, "a sequence")
	}
	v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
	for i, el := range elements {
		if problem := decodeValue(el, v.Index(i)); problem != "" {
			return problem
		}
	}
	return ""
}

func checkEnum(have string, values []string) (problem string) {
	quoted := make([]string, len(values))
	for i, v := range values {
		if v == have {
			return ""
		}
		quoted[i] = "`" + v + "`"
	}
	expected := "one of " + strings.Join(quoted, ", ")
	if len(quoted) == 2 {
		expected = strings.Join(quoted, " or ")
	}
	return fmt.Sprintf("unknown variant `%s`, expected %s", shorten(have), expected)
}

// checkID says what is wrong with an id. None and null are right.
func checkID(id wire.Raw) (problem string) {
	if len(id) == 0 {
		return ""
	}
	switch id[0] {
	case '{', '[', 't', 'f':
		return mismatch(id, "a string or a number")
	default:
		return ""
	}
}

// mismatch says that raw is of another type than the expected one.
func mismatch(raw wire.Raw, expected string) string {
	return fmt.Sprintf("invalid type: %s, expected %s", describe(raw), expected)
}

func describe(raw wire.Raw) string {
	switch raw[0] {
	case '{':
		return "map"
	case '[':
		return "sequence"
	case 't', 'f':
		return "boolean `" + string(raw) + "`"
	case 'n':
		return "null"
	case '"':
		return "string " + shorten(string(raw))
	}
	if strings.ContainsAny(string(raw), ".eE") {
		return "floating point `" + shorten(string(raw)) + "`"
	}
	return "integer `" + shorten(string(raw)) + "`"
}

// shorten keeps what is quoted in an error short.
func shorten(s string) string {
	const limit = 80
	if len(s) <= limit {
		return s
	}
	cut := limit
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
