package risk

import (
	"slices"
	"strings"
)

// options are those that a program may be given without it doing more than it is listed for. Short ones are letters, with a colon
// behind those that take a value. Long ones are separated by spaces, with = behind those that take a value and ? behind those
// that may. What is not among them is not known to be harmless.
type options struct{ short, long string }

// words are the arguments of a command, told apart.
type words struct {
	all      []arg
	operands []arg
	flags    []string // -x or --long, without values
	values   []arg    // of options, where they are words of their own
}

func (w words) has(flags ...string) bool {
	return slices.ContainsFunc(w.flags, func(f string) bool { return slices.Contains(flags, f) })
}

// parse tells arguments apart as getopt does. It returns false if there is one about which that is not certain.
func (o options) parse(args []arg) (w words, ok bool) {
	w.all = args
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.plain() && a.text == "--":
			w.operands = append(w.operands, args[i+1:]...)
			return w, true
		case a.mayBeFlag():
			return w, false
		case !a.flag():
			w.operands = append(w.operands, a)
			continue
		}
		flags, wants, known := o.flag(a)
		if !known {
			return w, false
		}
		w.flags = append(w.flags, flags...)
		if !wants {
			continue
		}
		if i++; i == len(args) || !args[i].plain() || args[i].flag() {
			return w, false
		}
		w.values = append(w.values, args[i])
	}
	return w, true
}

// flag returns the options in one word, and whether the next word is a value of theirs.
func (o options) flag(a arg) (flags []string, wants, known bool) {
	if strings.HasPrefix(a.text, "--") {
		return o.longFlag(a)
	}
	if a.glob {
		return nil, false, false
	}
	for i := 1; i < len(a.text); i++ {
		at := strings.IndexByte(o.short, a.text[i])
		if at < 0 || a.text[i] == ':' {
			return nil, false, false
		}
		flags = append(flags, "-"+a.text[i:i+1])
		if strings.HasPrefix(o.short[at+1:], ":") {
			return flags, i+1 == len(a.text), true
		}
	}
	return flags, false, true
}

func (o options) longFlag(a arg) (flags []string, wants, known bool) {
	name, value, attached := strings.Cut(a.text, "=")
	if a.glob && (!attached || strings.ContainsAny(name, "*?[")) {
		return nil, false, false
	}
	for spec := range strings.FieldsSeq(o.long) {
		switch {
		case "--"+spec == name && !attached, "--"+spec == name+"?" && !a.glob, "--"+spec == name+"=" && attached && value != "":
			return []string{name}, false, true
		case "--"+spec == name+"=" && !attached:
			return []string{name}, true, true
		}
	}
	return nil, false, false
}
