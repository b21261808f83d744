package kit

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// A binding is what "@bind:x" has met.
type binding struct {
	value any
	text  string // JSON, as it goes into a line to send
}

// A matcher compares records with expectations and remembers what they bind.
type matcher struct {
	bound map[string]binding
	keys  bool              // also compare the order of keys
	tools map[string]string // the target's names of the tools that have others in transcripts
	may   []string          // keys that may be missing
}

// record reports why got is not what want describes. Only a match binds anything.
func (m *matcher) record(want expectation, got record) error {
	try := *m
	try.bound = maps.Clone(m.bound)
	if try.bound == nil {
		try.bound = map[string]binding{}
	}
	if want.batch != got.batch {
		return fmt.Errorf("in an array that answers a batch: want %v, got %v", want.batch, got.batch)
	}
	if want.id != "" && !strings.HasPrefix(want.id, `"@`) && want.id != got.id && got.id != "" {
		return fmt.Errorf("id: want %s, got %s", want.id, got.id)
	}
	if err := try.value("", want.value, got.object); err != nil {
		return err
	}
	m.bound = try.bound
	return nil
}

func (m *matcher) value(path string, want, got any) error {
	switch w := want.(type) {
	case *object:
		if g, ok := got.(*object); ok {
			return m.object(path, w, g)
		}
	case []any:
		if g, ok := got.([]any); ok {
			return m.array(path, w, g)
		}
	case string:
		return m.str(path, w, got)
	case json.Number:
		if g, ok := got.(json.Number); ok && sameNumber(w, g) {
			return nil
		}
	default:
		if want == got {
			return nil
		}
	}
	return mismatch(path, want, got)
}

func mismatch(path string, want, got any) error {
	if path == "" {
		path = "record"
	}
	return fmt.Errorf("%s: want %s, got %s", strings.TrimPrefix(path, "."), encode(want), shorten(string(encode(got))))
}

// moreKey in an expected object allows keys that are not listed.
const moreKey = "@more"

func (m *matcher) object(path string, want, got *object) error {
	for _, k := range want.keys {
		if k == moreKey {
			continue
		}
		g, ok := got.vals[k]
		if !ok && m.mayLack(k, want.vals[k]) {
			continue
		}
		if !ok {
			return fmt.Errorf("%s: missing, want %s", strings.TrimPrefix(path+"."+k, "."), encode(want.vals[k]))
		}
		w := want.vals[k]
		if s, ok := w.(string); ok && m.tools[s] != "" && slices.Contains([]string{"name", "tool", "toolName"}, k) {
			w = m.tools[s]
		}
		if err := m.value(path+"."+k, w, g); err != nil {
			return err
		}
	}
	if _, more := want.vals[moreKey]; !more {
		for _, k := range got.keys {
			if _, ok := want.vals[k]; !ok {
				return fmt.Errorf("%s: not expected, got %s", strings.TrimPrefix(path+"."+k, "."), shorten(string(encode(got.vals[k]))))
			}
		}
	}
	if m.keys {
		return keyOrder(path, want, got)
	}
	return nil
}

// mayLack reports whether a key may be missing. It may not if it should have a certain value.
func (m *matcher) mayLack(key string, want any) bool {
	return slices.Contains(m.may, key) && (want == nil || want == "@any" || want == "@string")
}

// keyOrder compares the order of the keys that both have.
func keyOrder(path string, want, got *object) error {
	common := slices.Clone(got.keys)
	common = slices.DeleteFunc(common, func(k string) bool { _, ok := want.vals[k]; return !ok })
	listed := slices.DeleteFunc(slices.Clone(want.keys), func(k string) bool { _, ok := got.vals[k]; return !ok })
	if !slices.Equal(common, listed) {
		return fmt.Errorf("%s: want the keys in the order %v, got %v", strings.TrimPrefix(path+" keys", "."), listed, common)
	}
	return nil
}

func (m *matcher) array(path string, want, got []any) error {
	if len(want) > 0 && want[0] == "@some" {
		return m.some(path, want[1:], got)
	}
	if n := len(want); n > 0 && want[n-1] == "@rest" {
		want = want[:n-1]
		got = got[:min(len(got), len(want))]
	}
	if len(want) != len(got) {
		return fmt.Errorf("%s: want %d elements, got %d: %s", strings.TrimPrefix(path, "."), len(want), len(got), shorten(string(encode(got))))
	}
	for i := range want {
		if err := m.value(fmt.Sprintf("%s[%d]", path, i), want[i], got[i]); err != nil {
			return err
		}
	}
	return nil
}

// some matches if each element of want is what some element of got is.
func (m *matcher) some(path string, want, got []any) error {
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g any) bool { return m.value(path, w, g) == nil }) {
			return fmt.Errorf("%s: want an element %s, got %s", strings.TrimPrefix(path, "."), encode(w), shorten(string(encode(got))))
		}
	}
	return nil
}

func (m *matcher) str(path, want string, got any) error {
	ok := false
	switch name, arg, _ := strings.Cut(want, ":"); name {
	case "@any":
		ok = true
	case "@string":
		_, ok = got.(string)
	case "@number":
		_, ok = got.(json.Number)
	case "@bool":
		_, ok = got.(bool)
	case "@bind":
		ok = true
		m.bound[arg] = binding{got, string(encode(got))}
	case "@re":
		s, isString := got.(string)
		re, err := regexp.Compile(arg)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		ok = isString && re.MatchString(s)
	default:
		return m.literal(path, want, got)
	}
	if !ok {
		return mismatch(path, want, got)
	}
	return nil
}

// literal compares with a plain string, or with what a name is bound to.
func (m *matcher) literal(path, want string, got any) error {
	if name, ok := strings.CutPrefix(want, "@"); ok {
		if plain, ok := strings.CutPrefix(name, "@"); ok {
			want = "@" + plain
		} else {
			b, ok := m.bound[name]
			if !ok {
				return fmt.Errorf("%s: nothing has been bound to %s", path, want)
			}
			return m.value(path, quoteAt(b.value), got)
		}
	}
	if got != any(want) {
		return mismatch(path, want, got)
	}
	return nil
}

// quoteAt keeps a bound string that begins with @ from being taken for a wildcard.
func quoteAt(v any) any {
	if s, ok := v.(string); ok && strings.HasPrefix(s, "@") {
		return "@" + s
	}
	return v
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, _, err := big.ParseFloat(a.String(), 10, 256, big.ToNearestEven)
	if err != nil {
		return false
	}
	y, _, err := big.ParseFloat(b.String(), 10, 256, big.ToNearestEven)
	return err == nil && x.Cmp(y) == 0
}

var boundName = regexp.MustCompile(`"@(\w+)"`)

// fill puts the bound values into a line to send.
func (m *matcher) fill(line string) string {
	return boundName.ReplaceAllStringFunc(line, func(s string) string {
		if b, ok := m.bound[s[2:len(s)-1]]; ok {
			return b.text
		}
		return s
	})
}

// shorten cuts s to what fits into a message.
func shorten(s string) string {
	const limit = 2000
	if len(s) <= limit {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(s[:limit], ""), len(s))
}
