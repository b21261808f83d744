package wire

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

type part struct {
	A string   `json:"a"`
	N float64  `json:"n"`
	L []part   `json:"l"`
	P *part    `json:"p"`
	S []string `json:"s"`
}

func TestDecodeLoose(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     part
	}{
		{"plain", `{"a":"x","n":1}`, part{A: "x", N: 1}},
		{"a repeated name", `{"a":"x","n":1,"a":"y"}`, part{A: "y", N: 1}},
		{"a repeated list", `{"l":[{"a":"x","n":5},{}],"l":[{"a":"y"}]}`, part{L: []part{{A: "y"}}}},
		{"a repeated unknown name", `{"z":1,"z":[],"a":"x"}`, part{A: "x"}},
		{"a wrong type", `{"n":"x","a":"y"}`, part{A: "y"}},
		{"a list in place of an object", `{"p":[1,{"a":"x"}],"a":"y"}`, part{A: "y"}},
		{"wrong types deep inside", `{"l":[{"a":"x"},{"a":"y","n":{}},{"p":{"n":[],"a":"z"}}]}`, part{L: []part{{A: "x"}, {A: "y"}, {P: &part{A: "z"}}}}},
		{"an object in place of a list", `{"l":{"a":"x"}}`, part{L: []part{{A: "x"}}}},
		{"an object in place of a list of strings", `{"s":{"a":"x"},"a":"y"}`, part{A: "y", S: []string{""}}},
		{"a scalar in a list", `{"l":[5,{"a":"x"}]}`, part{L: []part{{}, {A: "x"}}}},
		{"wrong twice under one name", `{"n":"x","n":"y","a":"z"}`, part{A: "z"}},
		{"names to be escaped", `{"p":{"p":{"a/~":1,"a":7}}}`, part{P: &part{P: &part{}}}},
		{"a line end in a string", "{\"a\":\"x\n\x01y\"}", part{A: "x\n\x01y"}},
		{"white space between", "{\n\t\"a\":\r\n\"x\"}", part{A: "x"}},
		{"no numbers", `{"n":NaN,"z":[-Infinity,Infinity,-1],"a":"NaN \"NaN"}`, part{A: `NaN "NaN`}},
		{"bytes that are not UTF-8", "{\"a\":\"x\xff\",\"a\":\"y\xff\"}", part{A: "y\ufffd"}},
		{"half a surrogate pair", `{"a":"\ud83d","n":"x"}`, part{A: "\ufffd"}},
	} {
		var got part
		err := DecodeLoose([]byte(c.in), &got)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: DecodeLoose(%q):\ngot  %+v, %v\nwant %+v", c.name, c.in, got, err, c.want)
		}
	}
}

func TestDecodeLooseRefuses(t *testing.T) {
	for _, in := range []string{"", "{", `{"a":"x"`, `{"a":}`, "oops", `{"a":1}{"a":2}`, `{"a":nan}`, "{\"a\":\"\\\n\"}"} {
		var v part
		var s *SyntaxError
		if err := DecodeLoose([]byte(in), &v); !errors.As(err, &s) {
			t.Errorf("DecodeLoose(%q): %v, want a syntax error", in, err)
		}
	}
	var v part
	var ty *TypeError
	if err := DecodeLoose([]byte(`{"l":[`+strings.Repeat("1,", 100)+`1]}`), &v); !errors.As(err, &ty) {
		t.Errorf("a hundred wrong types: %v, want a type error", err)
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", `{"a": [1, 2.50, 12345678901234567890, "x"]}`, `{"a": [1, 2.50, 12345678901234567890, "x"]}`},
		{"NUL", `{"a":"x\u0000y","n":1.50,"b\u0000":12345678901234567890}`, `{"a":"xy","n":1.50,"b":12345678901234567890}`},
		{"a backslash and u0000", `{"a":"\\u0000"}`, `{"a":"\\u0000"}`},
		{"half a surrogate pair", `{"a":"x\ud800","b":"\ud83d\ude00"}`, `{"a":"x` + "\ufffd" + `","b":"😀"}`},
		{"a repeated name", `{"a":1,"b":{"c":1,"c":{"d":[2]},"d":3},"a":[{}]}`, `{"a":1,"b":{"c":1,"d":3}}`},
		{"names the same without NUL", `{"a":1,"a\u0000":2}`, `{"a":1}`},
		{"a line end in a string", "{\"a\":\"x\ny\"}", `{"a":"x\u000ay"}`},
		{"deep enough", strings.Repeat("[", 10) + strings.Repeat("]", 10), strings.Repeat("[", 10) + strings.Repeat("]", 10)},
		{"too deep", strings.Repeat("[", 11) + strings.Repeat("]", 11), ""},
		{"no JSON", `{"a":`, ""},
		{"two values", `{"a":"\u0000"}{}`, ""},
		{"nothing", ``, ""},
	} {
		got, err := Plain([]byte(c.in), 10)
		if (err == nil) != (c.want != "") || string(got) != c.want {
			t.Errorf("%s: Plain(%s):\ngot  %s, %v\nwant %s", c.name, c.in, got, err, c.want)
		}
	}
}

// FuzzLoose holds what is mended against the strict decoder: what is plain decodes strictly, and what decodes strictly is
// decoded loosely to the same value.
func FuzzLoose(f *testing.F) {
	for _, s := range []string{
		`{"a":"x","a":"\ud800"}`, `{"n":"x","l":{"a":5}}`, "{\"a\":\"\n\"}", `{"n":NaN}`, `{"l":[1,{"p":[]}]}`, `{"a":"\u0000"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var strict, loose part
		if err := Decode(in, &strict); err == nil {
			if err := DecodeLoose(in, &loose); err != nil || !reflect.DeepEqual(strict, loose) {
				t.Errorf("%q: strictly %+v, loosely %+v, %v", in, strict, loose, err)
			}
		} else {
			DecodeLoose(in, &loose)
		}
		plain, err := Plain(in, 100)
		if err != nil {
			return
		}
		var v any
		if err := Decode(plain, &v); err != nil {
			t.Errorf("Plain(%q) = %q, which is refused: %v", in, plain, err)
		}
	})
}
