package wire

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestEncodeKeepsLineReadersSafe(t *testing.T) {
	got, err := Encode(map[string]string{"a": "<b>&\u2028\u2029\u0085\x00\xff\n"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"a":"<b>&\u2028\u2029` + "\u0085" + `\u0000\ufffd\n"}`; string(got) != want {
		t.Errorf("Encode:\ngot  %s\nwant %s", got, want)
	}
}

func TestLineSeparatorsInRaw(t *testing.T) {
	got, err := Encode(map[string]Raw{"a": Raw("\"x\u2028y\u2029z\u2026\"")})
	if want := `{"a":"x\u2028y\u2029z` + "\u2026" + `"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	var e Encoder
	buf, err := e.Append([]byte("\u2028"), Raw("\"\u2029\""))
	if want := "\u2028\"\\u2029\"\n"; err != nil || string(buf) != want {
		t.Errorf("got %q, %v; want %q: what was there before is not ours", buf, err, want)
	}
}

func TestEncoderAppends(t *testing.T) {
	var e Encoder
	buf, err := e.Append([]byte("x"), 1)
	if err != nil || string(buf) != "x1\n" {
		t.Fatalf("Append: %q, %v", buf, err)
	}
	buf, err = e.Append(buf, func() {})
	if err == nil || string(buf) != "x1\n" {
		t.Errorf("Append of a value that does not encode: %q, %v; want the buffer as it was and an error", buf, err)
	}
	buf, err = e.Append(buf, Raw(`{"b": 2}`))
	if err != nil || string(buf) != "x1\n{\"b\":2}\n" {
		t.Errorf("Append after an error: %q, %v", buf, err)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	type target struct {
		A string `json:"a"`
	}
	for _, c := range []struct{ in, syntax, typ string }{
		{in: `{"a":"x"}`},
		{in: ` {"a":"x","unknown":[1]} `},
		{in: `{"a":"\ud83d"}`},
		{in: `{"a":"\ud83d\ude00"}`},
		{in: ``, syntax: "unexpected EOF at byte 0"},
		{in: `{oops`, syntax: "invalid character 'o' at start of value at byte 1"},
		{in: `{"a":"x"}{}`, syntax: "byte 9"},
		{in: `{"a":"x","a":"y"}`, syntax: "duplicate"},
		{in: "{\"a\":\"\xff\"}", syntax: "invalid UTF-8"},
		{in: "{\"a\":\"\xff\\u0041\"}", syntax: "invalid UTF-8"},
		{in: "{\"a\":\"\n\"}", syntax: "byte 6"},
		{in: "\ufeff{}", syntax: "byte 0"},
		{in: `{"a":5}`, typ: "/a"},
		{in: `[]`, typ: "wrong type"},
	} {
		var v target
		err := Decode([]byte(c.in), &v)
		var s *SyntaxError
		var ty *TypeError
		switch {
		case c.syntax != "":
			if !errors.As(err, &s) || !strings.Contains(err.Error(), c.syntax) {
				t.Errorf("Decode(%q): got %v, want a syntax error with %q", c.in, err, c.syntax)
			}
		case c.typ != "":
			if !errors.As(err, &ty) || !strings.Contains(err.Error(), c.typ) {
				t.Errorf("Decode(%q): got %v, want a type error with %q", c.in, err, c.typ)
			}
		case err != nil:
			t.Errorf("Decode(%q): %v", c.in, err)
		}
	}
	var v target
	if err := Decode([]byte(`{"a":"x\ud83dy"}`), &v); err != nil || v.A != "x\ufffdy" {
		t.Errorf("half a surrogate pair: got %q, %v; want U+FFFD in its place", v.A, err)
	}
}

func TestCheckText(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name, in, want string
	}{
		{"plain", `{"a":1}`, ""},
		{"deep enough", deep(MaxDepth), ""},
		{"too deep", deep(MaxDepth + 1), "nested deeper than 1000 at byte 1000"},
		{"never closed", strings.Repeat("[", 100_000), "nested deeper"},
		{"brackets in a string", `"` + strings.Repeat("[", 5000) + `"`, ""},
		{"brackets behind an escaped quote", `"\"` + strings.Repeat("[", 5000) + `"`, ""},
		{"flat but many", `[` + strings.Repeat("[],", 5000) + `[]]`, ""},
		{"not UTF-8", "abc\xff", "invalid UTF-8 at byte 3"},
	} {
		err := CheckText([]byte(c.in))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzAgainstStandard holds the JSON package against encoding/json: what both accept must be the same value.
func FuzzAgainstStandard(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,2.5e3,null,true,"x\u00e9\ud83d\ude00"]}`, `{"n":-}`, `"\u2028"`, `1e400`, `[[[]]]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var ours, std map[string]any
		if Decode(data, &ours) != nil {
			return
		}
		if err := json.Unmarshal(data, &std); err != nil {
			t.Fatalf("encoding/json refuses what we accept: %q: %v", data, err)
		}
		if !reflect.DeepEqual(ours, std) {
			t.Fatalf("%q: got %v, encoding/json says %v", data, ours, std)
		}
		back, err := Encode(ours)
		if err != nil {
			t.Fatal(err)
		}
		var again map[string]any
		if err := Decode(back, &again); err != nil || !reflect.DeepEqual(ours, again) {
			t.Fatalf("round trip of %q: %s, %v", data, back, err)
		}
	})
}
