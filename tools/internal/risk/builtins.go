package risk

import (
	"slices"
	"strings"

	"github.com/dualagent/agent/core"
)

func noArgs(args []arg) bool { return len(args) == 0 }

// plainTest: -v and -R evaluate array indices, which can run commands.
func plainTest(args []arg) bool {
	return !slices.ContainsFunc(args, func(a arg) bool { return a.text == "-v" || a.text == "-R" || strings.ContainsAny(a.text, "$`") })
}

// printfFormat is a format without %n, which sets a variable.
var printfFormat = lazy(`^(?:[^%]|%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[sdiouxXcbqeEfFgG])*$`)

// plainPrintf: -v sets a variable.
func plainPrintf(args []arg) bool {
	if len(args) > 0 && args[0].plain() && args[0].text == "--" {
		args = args[1:]
	}
	return len(args) > 0 && args[0].plain() && !strings.HasPrefix(args[0].text, "-") && printfFormat().MatchString(args[0].text)
}

// plainDate: what is neither a format nor an option with its value sets the clock.
func plainDate(args []arg) bool {
	o := options{"d:r:uRI", "date= reference= utc universal rfc-3339= iso-8601? rfc-email"}
	for i, a := range args {
		if strings.HasPrefix(a.text, "-I") { // its value is a part of the word
			args = slices.Delete(slices.Clone(args), i, i+1)
			break
		}
	}
	w, ok := o.parse(args)
	return ok && !slices.ContainsFunc(w.operands, func(a arg) bool { return !strings.HasPrefix(a.text, "+") })
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

// psColumn is a list of columns of ps. The environment of other programs is not among them.
var psColumn = lazy(`^(?:(?:pid|ppid|pgid|pgrp|sid|sess|stat|state|s|etime|etimes|lstart|time|comm|args|cmd|command|user|uid|tty|tt|pcpu|pmem|%cpu|%mem|rss|vsz|nlwp|ni|pri)=?,?)+$`)

// plainPs: an e that is not behind a dash shows the environment of other programs, with their keys.
func plainPs(args []arg) bool {
	for i := 0; i < len(args); i++ {
		flag := args[i].text
		switch {
		case slices.Contains([]string{"aux", "auxw", "auxww", "ax", "-e", "-f", "-ef", "-A", "-w", "-ww", "--no-headers", "--forest"}, flag):
			continue
		case !slices.Contains([]string{"-o", "-eo", "-p", "-u", "-C", "--sort"}, flag) || i+1 == len(args):
			return false
		}
		i++
		value := args[i].text
		if strings.HasSuffix(flag, "o") && !psColumn().MatchString(value) || strings.HasPrefix(value, "-") && flag != "--sort" {
			return false
		}
	}
	return true
}

func looksUp(args []arg) bool { return len(args) > 0 && (args[0].text == "-v" || args[0].text == "-V") }

func (l *look) cd(w words) core.Risk {
	if len(w.all) == 1 && w.all[0].plain() && w.all[0].text != "" && !strings.HasPrefix(w.all[0].text, "-") {
		l.changeDir(w.all[0].text)
		return core.RiskRead
	}
	return core.RiskDestructive
}
