package tools

import (
	"fmt"
	"math"
	"strings"

	"github.com/dualagent/agent/internal/wire"
)

// arguments are those of one call. The first that is missing or of a wrong type makes an error; see failed.
type arguments struct {
	fields map[string]wire.Raw
	err    error
}

// parseArguments reads a model's JSON. "" and null mean {}.
func parseArguments(text string) *arguments {
	a := &arguments{}
	if strings.TrimSpace(text) == "" {
		return a
	}
	err := wire.CheckText([]byte(text))
	if err == nil {
		err = wire.Decode([]byte(text), &a.fields)
	}
	if err != nil {
		a.fields = nil
		a.err = fmt.Errorf("the arguments are not a JSON object: %w", err)
	}
	return a
}

// fail notes what is wrong with the arguments, unless something is already.
func (a *arguments) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// decode reads an argument into v. It returns false if there is none, or none of that type.
func (a *arguments) decode(name, typ string, v any) bool {
	raw, ok := a.fields[name]
	if !ok || string(raw) == "null" {
		return false
	}
	if err := wire.Decode(raw, v); err != nil {
		a.fail("argument %q must be %s", name, typ)
		return false
	}
	return true
}

// text returns a string that has to be there.
func (a *arguments) text(name string) string {
	var s string
	if !a.decode(name, "a string", &s) {
		a.fail("missing required argument %q", name)
	}
	return s
}

// textOr returns a string, or def if there is none.
func (a *arguments) textOr(name, def string) string {
	s := def
	if !a.decode(name, "a string", &s) {
		return def
	}
	return s
}

// path returns a path that has to be there.
func (a *arguments) path(name string) string {
	s := a.text(name)
	a.checkPath(name, s)
	return s
}

// pathOr returns a path; none, or an empty one, means the workspace.
func (a *arguments) pathOr(name string) string {
	s := a.textOr(name, ".")
	if s == "" {
		s = "."
	}
	a.checkPath(name, s)
	return s
}

func (a *arguments) checkPath(name, s string) {
	switch {
	case s == "":
		a.fail("argument %q must not be empty", name)
	case strings.ContainsRune(s, 0):
		a.fail("argument %q must not contain a NUL", name)
	}
}

// number returns a number, or def if there is none.
func (a *arguments) number(name string, def float64) float64 {
	n := def
	if !a.decode(name, "a number", &n) {
		return def
	}
	return n
}

// count returns a whole number that is least or more, or def if there is none.
func (a *arguments) count(name string, least, def int) int {
	n := float64(def)
	if !a.decode(name, "a number", &n) {
		return def
	}
	if n != math.Trunc(n) || n < float64(least) {
		a.fail("argument %q must be a whole number of at least %d", name, least)
		return def
	}
	return int(min(n, math.MaxInt32))
}

// flag returns a boolean; none means false.
func (a *arguments) flag(name string) bool {
	var b bool
	a.decode(name, "true or false", &b)
	return b
}
