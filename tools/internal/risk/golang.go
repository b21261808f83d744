package risk

import (
	"slices"
	"strings"

	"github.com/dualagent/agent/core"
)

// goFlags are options of the go command that run other programs or change what is built with what.
var goFlags = []string{"exec", "toolexec", "vettool", "fixtool", "overlay", "ldflags", "gcflags", "asmflags", "gccgoflags", "C", "modfile", "pkgdir",
	"compiler"}

// Flags of the subcommands that only look, and variables.
var (
	goEnvFlags = []string{"json", "changed"}
	goDocFlags = []string{"all", "c", "cmd", "short", "src", "u"}
	goVariable = lazy(`^[A-Z0-9_]+$`)
)

// golang: whatever looks at packages may fetch modules, and each subcommand another version of Go that go.mod asks for. Those
// that count as reading rely on Offline. Tests and generators are programs of the project.
func (l *look) golang(w words) core.Risk {
	if len(w.all) == 0 {
		return core.RiskRead
	}
	var flags []string
	var rest []arg
	for _, a := range w.all[1:] {
		if !a.flag() {
			rest = append(rest, a)
			continue
		}
		name, _, _ := strings.Cut(strings.TrimLeft(a.text, "-"), "=")
		if slices.Contains(goFlags, name) {
			return core.RiskDestructive
		}
		flags = append(flags, name)
	}
	only := func(known []string) bool {
		return !slices.ContainsFunc(flags, func(f string) bool { return !slices.Contains(known, f) })
	}
	reads := false
	switch w.all[0].text {
	case "version":
		reads = len(w.all) == 1
	case "env":
		reads = only(goEnvFlags) && !slices.ContainsFunc(rest, func(a arg) bool { return !goVariable().MatchString(a.text) })
	case "doc":
		reads = only(goDocFlags) && !slices.ContainsFunc(rest, func(a arg) bool { return strings.Contains(a.text, "@") })
	case "help":
		reads = only(nil)
	case "list", "vet", "build", "get", "install":
		return core.RiskNetwork
	case "mod":
		if len(rest) == 0 || slices.Contains([]string{"init", "edit", "tidy", "download", "vendor", "verify", "graph", "why"}, rest[0].text) {
			return core.RiskNetwork
		}
	}
	if reads {
		return core.RiskRead
	}
	return core.RiskDestructive
}

// gofmt: -w changes files, and -d shows them, those too that a folder has links to. -cpuprofile is its only other way to write.
func (l *look) gofmt(w words) core.Risk {
	risk := core.RiskRead
	var files []arg
	opens := false
	for _, a := range w.all {
		switch {
		case !a.flag():
			files = append(files, a)
		case slices.Contains([]string{"-l", "-s", "-e"}, a.text):
		case a.text == "-d":
			opens = true
		case a.text == "-w":
			risk, opens = core.RiskWrite, true
		default:
			return core.RiskDestructive
		}
	}
	if (opens || len(w.all) == len(files)) && l.anyFolder(files) {
		return core.RiskDestructive
	}
	return risk
}

// Offline is the environment in which commands that count as reading have to run, behind that of other commands. In it go and git
// fetch nothing, and git does not bring its index up to date.
func Offline() []string {
	return []string{"GOTOOLCHAIN=local", "GOPROXY=off", "GONOPROXY=none", "GOVCS=*:off", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1"}
}
