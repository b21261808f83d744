package risk

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/dualagent/agent/core"
)

// search: the first word is a pattern, unless an option brings one.
func (l *look) search(w words) core.Risk {
	files := w.operands
	if !w.has("-e", "-f", "--regexp", "--file", "--files", "--type-list") && len(files) > 0 {
		files = files[1:]
	}
	for _, a := range slices.Concat(files, w.values) {
		l.anyPath(a, false)
	}
	for _, a := range w.all { // values in the words of their options
		if a.flag() {
			l.anyPath(a, false)
		}
	}
	return core.RiskRead
}

// onlyInput: a second file is written.
func (l *look) onlyInput(w words) core.Risk {
	if len(w.operands) > 1 || len(w.operands) == 1 && (w.operands[0].glob || w.operands[0].text != w.all[len(w.all)-1].text) {
		return core.RiskDestructive
	}
	return core.RiskRead
}

// plainXxd: a second file is written. xxd has options of several letters and takes them in front only.
func plainXxd(args []arg) bool {
	for len(args) > 0 && args[0].flag() {
		switch {
		case slices.Contains([]string{"-b", "-e", "-i", "-p", "-ps", "-u"}, args[0].text):
			args = args[1:]
		case slices.Contains([]string{"-c", "-g", "-l", "-s"}, args[0].text) && len(args) > 1 && isNumber(args[1].text):
			args = args[2:]
		default:
			return false
		}
	}
	return len(args) == 0 || len(args) == 1 && args[0].plain()
}

// stringsFiles: @file stands for the words in a file, which may be paths to anywhere.
func (l *look) stringsFiles(w words) core.Risk {
	if slices.ContainsFunc(w.all, func(a arg) bool { return strings.HasPrefix(a.text, "@") }) {
		return core.RiskDestructive
	}
	return core.RiskRead
}

// diff follows the links that it finds in folders.
func (l *look) diff(w words) core.Risk {
	if l.anyFolder(w.operands) {
		return core.RiskDestructive
	}
	return core.RiskRead
}

// jqModule is how a program of jq reads other files.
var jqModule = lazy(`import|include|modulemeta|get_search_list`)

func (l *look) jq(w words) core.Risk {
	if slices.ContainsFunc(w.all, func(a arg) bool { return jqModule().MatchString(a.text) }) {
		return core.RiskDestructive
	}
	return core.RiskRead
}

// findTests are what find may be told, with the number of words that belong to each.
var findTests = map[string]int{
	"-name": 1, "-iname": 1, "-path": 1, "-ipath": 1, "-wholename": 1, "-iwholename": 1, "-regex": 1, "-iregex": 1, "-regextype": 1, "-lname": 1,
	"-type": 1, "-maxdepth": 1, "-mindepth": 1, "-size": 1, "-mtime": 1, "-mmin": 1, "-atime": 1, "-amin": 1, "-ctime": 1, "-cmin": 1, "-newer": 1,
	"-newermt": 1, "-perm": 1, "-user": 1, "-group": 1, "-links": 1, "-inum": 1, "-printf": 1,
	"-not": 0, "-o": 0, "-or": 0, "-a": 0, "-and": 0, "-empty": 0, "-print": 0, "-print0": 0, "-prune": 0, "-quit": 0, "-true": 0, "-false": 0,
	"-xdev": 0, "-mount": 0, "-depth": 0, "-readable": 0, "-writable": 0, "-executable": 0, "-ls": 0, "-P": 0,
}

// plainFind: only what chooses files and shows their names.
func plainFind(args []arg) bool {
	for i := 0; i < len(args); i++ {
		if !args[i].flag() {
			continue
		}
		n, known := findTests[args[i].text]
		if i += n; !known || i >= len(args) {
			return false
		}
	}
	return true
}

// link makes a way to where no path has led before.
func (l *look) link(words) core.Risk {
	l.moves++
	return core.RiskWrite
}

// move gives links another place, where what they name may be something else. A file is no such link.
func (l *look) move(w words) core.Risk {
	for _, a := range w.operands[:max(0, len(w.operands)-1)] {
		for _, dir := range l.dirs {
			info, err := os.Lstat(path.Join(dir, a.text))
			if path.IsAbs(a.text) || a.glob || err != nil || !info.Mode().IsRegular() {
				l.moves++
				return core.RiskWrite
			}
		}
	}
	return core.RiskWrite
}

// copyFiles: a copy goes through the links that have its name in the folder it goes to.
func (l *look) copyFiles(w words) core.Risk {
	if len(w.operands) < 2 {
		return core.RiskWrite
	}
	from, to := w.operands[:len(w.operands)-1], w.operands[len(w.operands)-1]
	whole := w.has("-a", "-r", "-R", "-d", "-P", "--archive", "--recursive", "--no-dereference")
	if whole {
		l.moves++
	}
	if to.glob || slices.ContainsFunc(from, func(a arg) bool { return a.glob }) {
		return core.RiskDestructive
	}
	if !l.anyFolder([]arg{to}) {
		return core.RiskWrite
	}
	risk := core.RiskWrite
	for _, a := range from {
		target := to.text + "/" + path.Base(a.text)
		l.path(target, false, true)
		l.each(target, func(abs string) {
			if _, err := os.Lstat(abs); whole && err == nil {
				risk = core.RiskDestructive
			}
		})
	}
	return risk
}
