package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dualagent/agent/core"
)

// Scripts of sed that only choose or change lines of what they print: they have no w, e or r. The parts do not hold escaped
// delimiters, so they end where sed ends them.
var (
	sedAddress = `(?:\d+|\$|/(?:[^/\\\n])+/)`
	sedCommand = `(?:` + sedAddress + `(?:,` + sedAddress + `)?)?(?:[pdq=]|s/(?:[^/\\\n]|\\[^/\n])*/(?:[^/\\\n]|\\[^/\n])*/[gpI0-9]*)`
	sedPlain   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + sedCommand + `(?:; ?` + sedCommand + `)*$`) })
)

// sed: -i changes files; a script can write and run anything.
func (l *look) sed(args []arg) core.Risk {
	risk, script, given := core.RiskRead, false, false
	var files []arg
	for _, a := range args {
		switch {
		case script || !given && !a.flag():
			if a.glob || !sedPlain().MatchString(a.text) {
				return core.RiskDestructive
			}
			script, given = false, true
		case !a.flag():
			files = append(files, a)
		case a.text == "-i" || strings.HasPrefix(a.text, "-i.") && !strings.Contains(a.text, "/") || a.text == "--in-place":
			risk = core.RiskWrite
		case a.text == "-e" || a.text == "-ne":
			script = true
		case !slices.Contains([]string{"-n", "-E", "-r", "-s", "-z", "-u", "--quiet", "--silent", "--regexp-extended"}, a.text):
			return core.RiskDestructive
		}
	}
	l.files(files, 0, risk == core.RiskWrite)
	return risk
}

// awk: a program can write, run and load anything.
func (l *look) awk(args []arg) core.Risk {
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
	for _, s := range []string{"|", ">", "<", "system", "getline", "@", "ARGV", "ENVIRON", "close", "fflush"} {
		if strings.Contains(args[0].text, s) {
			return core.RiskDestructive
		}
	}
	if slices.ContainsFunc(args[1:], arg.flag) {
		return core.RiskDestructive
	}
	l.files(args[1:], 0, false)
	return core.RiskRead
}

// goFlags are options of the go command that run other programs or change what is built with what.
var goFlags = []string{"exec", "toolexec", "vettool", "overlay", "ldflags", "gcflags", "asmflags", "gccgoflags", "C", "modfile", "pkgdir", "compiler"}

func (l *look) golang(args []arg) core.Risk {
	if len(args) == 0 {
		return core.RiskRead
	}
	for _, a := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(a.text, "-"), "=")
		if a.flag() && slices.Contains(goFlags, name) {
			return core.RiskDestructive
		}
	}
	rest := args[1:]
	switch args[0].text {
	case "version":
		if len(rest) == 0 {
			return core.RiskRead
		}
	case "env":
		if noFlags("wu")(rest) {
			return core.RiskRead
		}
	case "doc", "help":
		return core.RiskRead
	case "list", "vet", "build", "test", "fmt", "fix":
		return core.RiskWrite
	case "get", "install":
		return core.RiskNetwork
	case "mod":
		return goMod(rest)
	}
	return core.RiskDestructive
}

func goMod(args []arg) core.Risk {
	if len(args) == 0 {
		return core.RiskRead
	}
	switch args[0].text {
	case "init", "edit":
		return core.RiskWrite
	case "tidy", "download", "vendor", "verify", "graph", "why":
		return core.RiskNetwork
	}
	return core.RiskDestructive
}

// gofmt: -w changes files; -cpuprofile is its only other way to write.
func (l *look) gofmt(args []arg) core.Risk {
	risk := core.RiskRead
	for _, a := range args {
		switch {
		case !a.flag(), slices.Contains([]string{"-l", "-d", "-s", "-e"}, a.text):
		case a.text == "-w":
			risk = core.RiskWrite
		default:
			return core.RiskDestructive
		}
	}
	return risk
}
