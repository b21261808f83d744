package risk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The most folders in which a statement may run, and files that a pattern may stand for, before they are not followed
// any more.
const (
	maxDirs    = 8
	maxMatches = 200
)

// path looks at a word that a command may take for a path.
func (l *look) path(p string, glob, write bool) {
	if p == "" || p == "-" {
		return
	}
	l.paths++
	if strings.HasPrefix(p, "~") && p != "~" && !strings.HasPrefix(p, "~/") {
		l.destructive() // another user's folder, or a former one of the shell
		return
	}
	if write && slices.ContainsFunc(strings.Split(p, "/"), func(s string) bool { return strings.EqualFold(s, ".git") }) {
		l.destructive() // what git finds there it runs
	}
	for _, dir := range l.dirs {
		if glob {
			l.pattern(dir, p, write)
		} else {
			l.locate(dir, p, write)
		}
	}
}

func (l *look) locate(dir, p string, write bool) (abs string, inside bool) {
	abs, inside = l.place.Locate(dir, p, write)
	if !inside {
		l.finding.Outside = append(l.finding.Outside, abs)
		l.destructive()
	}
	return abs, inside
}

// pattern looks at all that a pattern may match now. A part such as .* may match the folder above, brackets match more than
// we know, and many levels take long to look at.
func (l *look) pattern(dir, p string, write bool) {
	if strings.Contains(p, "[") {
		l.destructive()
		return
	}
	p = strings.ReplaceAll(p, "?", "*") // shells do not agree on what one character is
	parts := strings.Split(p, "/")
	first := slices.IndexFunc(parts, func(s string) bool { return strings.Contains(s, "*") })
	if first < 0 {
		l.locate(dir, p, write)
		return
	}
	base := strings.Join(parts[:first], "/")
	if base == "" {
		base = "."
		if strings.HasPrefix(p, "/") {
			base = "/"
		}
	}
	start, inside := l.locate(dir, base, write)
	patterns := 0
	for _, s := range parts[first:] {
		if strings.Contains(s, "*") {
			patterns++
		}
		if s == ".." || strings.HasPrefix(s, ".") && strings.Contains(s, "*") || patterns > 2 {
			l.destructive()
			return
		}
	}
	if !inside {
		return
	}
	matches, err := filepath.Glob(filepath.Join(quoteMeta(start), strings.Join(parts[first:], "/")))
	if err != nil || len(matches) > maxMatches {
		l.destructive()
		return
	}
	for _, m := range matches {
		l.locate(dir, m, write)
	}
}

// quoteMeta returns a pattern that matches the path and nothing else.
func quoteMeta(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// changeDir looks at a cd: from now on statements may run in that folder, or still where they did. A shell that went through a
// link takes .. for the way back, others for the folder above, so it must not have.
func (l *look) changeDir(target string) {
	l.paths++
	before := l.dirs
	for _, dir := range before {
		abs, inside := l.locate(dir, target, false)
		written := target
		if !filepath.IsAbs(target) {
			written = filepath.Join(dir, target)
		}
		if filepath.Clean(written) != abs || strings.HasPrefix(target, "~") {
			l.destructive()
		}
		if inside && !slices.Contains(l.dirs[len(before):], abs) {
			l.dirs = append(l.dirs[:len(l.dirs):len(l.dirs)], abs)
		}
	}
	if len(l.dirs) > maxDirs {
		l.dirs = l.dirs[:maxDirs]
		l.destructive()
	}
}

// each calls f with every place where a path may lead to now.
func (l *look) each(path string, f func(abs string)) {
	for _, dir := range l.dirs {
		abs, _ := l.place.Locate(dir, path, false)
		f(abs)
	}
}

// anyFolder reports whether one of the paths may be a folder.
func (l *look) anyFolder(paths []arg) bool {
	found := false
	for _, a := range paths {
		l.each(a.text, func(abs string) {
			info, err := os.Stat(abs)
			found = found || a.glob || err == nil && info.IsDir()
		})
	}
	return found
}
