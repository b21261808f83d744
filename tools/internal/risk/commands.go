package risk

import (
	"slices"
	"strings"

	"github.com/dualagent/agent/core"
)

// A command is what is known about a program or shell builtin.
type command struct {
	risk core.Risk
	// check, if it is set, says what the command does with these arguments.
	check func(l *look, args []arg) core.Risk
	// anyWords: arguments that are not known in advance cannot make it do anything else.
	anyWords bool
	// noPaths: no argument is a path.
	noPaths bool
}

// commands lists what is known. Options that are not looked at are harmless.
var commands = table(
	row{reads(), "ls cat head tail wc nl tac rev cut fold expand unexpand column paste join comm cmp diff stat du df " +
		"realpath readlink md5sum sha1sum sha256sum sha512sum b2sum cksum sum hexdump od strings jq tree file egrep fgrep zcat"},
	row{command{risk: core.RiskRead, noPaths: true}, "tr basename dirname which type uname whoami id groups nproc uptime free " +
		"arch tty locale printenv ps"},
	row{command{risk: core.RiskRead, noPaths: true, anyWords: true}, "echo : true false sleep pwd exit break continue wait"},
	row{command{risk: core.RiskRead, noPaths: true, anyWords: true, check: readIf(plainPrintf)}, "printf"},
	row{command{risk: core.RiskRead, check: readIf(plainTest)}, "test ["},
	row{command{risk: core.RiskRead, noPaths: true, check: readIf(noArgs)}, "env hostname"},
	row{command{risk: core.RiskRead, noPaths: true, check: readIf(plainDate)}, "date"},
	row{command{risk: core.RiskRead, noPaths: true, check: readIf(plainSet)}, "set"},
	row{command{risk: core.RiskRead, noPaths: true, check: readIf(looksUp)}, "command"},
	row{command{risk: core.RiskRead, noPaths: true, check: (*look).cd}, "cd"},
	row{command{risk: core.RiskRead, check: readIf(noFlags("L", "--pre", "--pre-glob", "--hostname-bin", "--search-zip", "--follow"))}, "rg"},
	row{command{risk: core.RiskRead, check: readIf(noFlags("oST", "--output", "--compress-program", "--files0-from"))}, "sort"},
	row{command{risk: core.RiskRead, check: readIf(atMost(1))}, "uniq"},
	row{command{risk: core.RiskRead, check: readIf(atMost(1))}, "xxd"},
	row{command{risk: core.RiskRead, check: readIf(plainFind)}, "find"},
	row{command{risk: core.RiskRead, noPaths: true, check: (*look).grep}, "grep"},
	row{command{noPaths: true, check: (*look).sed}, "sed"},
	row{command{noPaths: true, check: (*look).awk}, "awk gawk mawk"},
	row{command{check: (*look).git}, "git"},
	row{command{check: (*look).golang}, "go"},
	row{command{check: (*look).gofmt}, "gofmt"},
	row{command{risk: core.RiskWrite}, "mkdir touch cp mv tee ln"},
	row{command{risk: core.RiskNetwork, anyWords: true}, "curl wget ssh scp sftp rsync nc ncat netcat telnet ftp ping dig " +
		"nslookup host whois apt apt-get dnf yum apk brew pip pip3 uv npm pnpm yarn gem gh"},
)

// overrides take options of commands above that are not harmless.
var overrides = map[string]func(args []arg) bool{
	"file": noFlags("C", "--compile"),
	"tree": noFlags("oR", "--output"),
	"du":   noFlags("", "--files0-from"),
	"wc":   noFlags("", "--files0-from"),
}

type row struct {
	command
	names string
}

func table(rows ...row) map[string]command {
	t := map[string]command{}
	for _, r := range rows {
		for name := range strings.FieldsSeq(r.names) {
			c := r.command
			if ok := overrides[name]; ok != nil {
				c.check = readIf(ok)
			}
			t[name] = c
		}
	}
	return t
}

func reads() command { return command{risk: core.RiskRead} }

// readIf returns a check: read if ok says so, else destructive.
func readIf(ok func([]arg) bool) func(*look, []arg) core.Risk {
	return func(_ *look, args []arg) core.Risk {
		if ok(args) {
			return core.RiskRead
		}
		return core.RiskDestructive
	}
}

// noFlags returns a condition: none of these options is there. An abbreviation counts as the option, and so does one of the
// letters anywhere in a group of short options.
func noFlags(letters string, long ...string) func([]arg) bool {
	return func(args []arg) bool {
		return !slices.ContainsFunc(args, func(a arg) bool { return hasFlag(a, letters, long) })
	}
}

func hasFlag(a arg, letters string, long []string) bool {
	if !a.flag() {
		return false
	}
	if !strings.HasPrefix(a.text, "--") {
		return letters != "" && strings.ContainsAny(a.text[1:], letters)
	}
	name, _, _ := strings.Cut(a.text, "=")
	return len(name) > 2 && slices.ContainsFunc(long, func(s string) bool { return strings.HasPrefix(s, name) })
}

func noArgs(args []arg) bool { return len(args) == 0 }

// atMost returns a condition: there are at most n words that are not options. What comes behind is an output file.
func atMost(n int) func([]arg) bool {
	return func(args []arg) bool {
		return len(args) <= n || len(slices.DeleteFunc(slices.Clone(args), arg.flag)) <= n
	}
}

// plainTest: -v and -R evaluate array indices, which can run commands.
func plainTest(args []arg) bool {
	return !slices.ContainsFunc(args, func(a arg) bool { return a.text == "-v" || a.text == "-R" || strings.ContainsAny(a.text, "$`") })
}

// plainPrintf: -v sets a variable.
func plainPrintf(args []arg) bool {
	return len(args) > 0 && args[0].fixed && (args[0].text == "--" || !strings.HasPrefix(args[0].text, "-"))
}

// plainDate: what is neither a format nor an option with its value sets the clock.
func plainDate(args []arg) bool {
	for i, a := range args {
		if hasFlag(a, "sf", []string{"--set", "--file"}) && !strings.HasPrefix(a.text, "-I") {
			return false
		}
		value := i > 0 && slices.Contains([]string{"-d", "-r", "--date", "--reference"}, args[i-1].text)
		if !a.flag() && !value && !strings.HasPrefix(a.text, "+") {
			return false
		}
	}
	return true
}

// plainSet: only what makes a script stop at errors, or show what it does.
func plainSet(args []arg) bool {
	for i, a := range args {
		option := i > 0 && strings.HasSuffix(args[i-1].text, "o") && a.text == "pipefail"
		flags, isFlag := strings.CutPrefix(a.text, "-")
		if !option && (!isFlag || flags == "" || strings.Trim(flags, "euxo") != "") {
			return false
		}
	}
	return len(args) > 0
}

func looksUp(args []arg) bool { return len(args) > 0 && (args[0].text == "-v" || args[0].text == "-V") }

func (l *look) cd(args []arg) core.Risk {
	if len(args) == 1 && args[0].plain() && args[0].text != "" && !strings.HasPrefix(args[0].text, "-") {
		l.changeDir(args[0].text)
		return core.RiskRead
	}
	return core.RiskDestructive
}

// files looks at the arguments that are not options, from the nth on, and at the values of options.
func (l *look) files(args []arg, n int, write bool) {
	for _, a := range args {
		if !a.flag() {
			if n--; n >= 0 {
				continue
			}
		}
		for _, p := range a.paths() {
			l.path(p, a.glob, write)
		}
	}
}

// grep: its first word is a pattern, unless an option brings one. -R follows links to anywhere.
func (l *look) grep(args []arg) core.Risk {
	if !noFlags("R", "--dereference-recursive")(args) {
		return core.RiskDestructive
	}
	patterns := 1
	if slices.ContainsFunc(args, func(a arg) bool { return hasFlag(a, "ef", []string{"--regexp", "--file"}) }) {
		patterns = 0
	}
	l.files(args, patterns, false)
	return core.RiskRead
}

func plainFind(args []arg) bool {
	return !slices.ContainsFunc(args, func(a arg) bool {
		for _, action := range []string{"-exec", "-ok", "-delete", "-fprint", "-fls", "-files0-from"} {
			if strings.HasPrefix(a.text, action) {
				return true
			}
		}
		return false
	})
}
