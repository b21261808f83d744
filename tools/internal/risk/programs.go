package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dualagent/agent/core"
)

// Scripts of sed that only choose or change lines of what they print: they have no w, e or r. The parts hold neither escaped
// delimiters nor brackets, inside of which a delimiter is none, so they end where sed ends them.
var (
	sedPart    = `(?:[^/\\\n\[]|\\[ntsSwWbB.*+?(){}|1-9&$^\\-])`
	sedAddress = `(?:\d+|\$|/` + sedPart + `+/)`
	sedCommand = `(?:` + sedAddress + `(?:,` + sedAddress + `)?)?(?:[pdq=]|s/` + sedPart + `*/` + sedPart + `*/[gpI0-9]*)`
	sedPlain   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + sedCommand + `(?:; ?` + sedCommand + `)*$`) })
)

// sed: -i changes files; a script can write and run anything.
func (l *look) sed(w words) core.Risk {
	isScript := func(a arg) bool { return a.text == "-e" || a.text == "-ne" }
	risk, next, given := core.RiskRead, false, slices.ContainsFunc(w.all, isScript)
	var files []arg
	for _, a := range w.all {
		switch {
		case next || !given && !a.flag():
			if a.glob || !sedPlain().MatchString(a.text) {
				return core.RiskDestructive
			}
			next, given = false, true
		case !a.flag():
			files = append(files, a)
		case a.text == "-i" || strings.HasPrefix(a.text, "-i.") && !a.glob && !strings.Contains(a.text, "/") || a.text == "--in-place":
			risk = core.RiskWrite
		case isScript(a):
			next = true
		case !slices.Contains([]string{"-n", "-E", "-r", "-s", "-z", "-u", "--quiet", "--silent", "--regexp-extended"}, a.text):
			return core.RiskDestructive
		}
	}
	if next {
		return core.RiskDestructive
	}
	for _, a := range files {
		l.anyPath(a, risk == core.RiskWrite)
	}
	return risk
}

// awk: a program can write, run and load anything.
func (l *look) awk(w words) core.Risk {
	args := w.all
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-F") {
		n := 1
		if args[0].text == "-F" {
			n = min(2, len(args))
		}
		args = args[n:]
	}
	if len(args) == 0 || args[0].flag() || args[0].glob {
		return core.RiskDestructive
	}
	for _, s := range []string{"|", ">", "<", "system", "getline", "@", "ARGV", "ENVIRON", "close", "fflush", "SYMTAB", "PROCINFO", "FUNCTAB", "\\\n"} {
		if strings.Contains(args[0].text, s) {
			return core.RiskDestructive
		}
	}
	if slices.ContainsFunc(args[1:], arg.flag) {
		return core.RiskDestructive
	}
	for _, a := range args[1:] {
		l.anyPath(a, false)
	}
	return core.RiskRead
}
