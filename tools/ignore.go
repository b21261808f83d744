package tools

import (
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"strings"
)

// maxIgnoreFile is how much of a .gitignore is read, in bytes.
const maxIgnoreFile = 1 << 20

// A rule is one line of a .gitignore.
type rule struct {
	base     string // the folder of the file, absolute, with a slash at its end
	shows    bool   // it shows what others hide
	dirOnly  bool
	nameOnly bool // it is about the last part of paths, wherever they are below base
	pattern  wildmatch
}

// parseRule reads a line. It returns false if there is none in it.
func parseRule(line, base string) (r rule, ok bool) {
	line = trimSpaces(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	r.base = strings.TrimSuffix(base, "/") + "/"
	line, r.shows = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.nameOnly = !strings.Contains(line, "/")
	r.pattern = compileWildmatch(strings.TrimPrefix(line, "/"))
	return r, line != ""
}

// trimSpaces takes the spaces at the end away, but for one behind a backslash.
func trimSpaces(s string) string {
	end := len(s)
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == ' ':
			end = min(end, i)
			continue
		case s[i] == '\\':
			i++
		}
		end = len(s)
	}
	return s[:end]
}

func (r rule) match(abs string, isDir bool) bool {
	name, below := strings.CutPrefix(abs, r.base)
	if !below || r.dirOnly && !isDir {
		return false
	}
	if r.nameOnly {
		name = path.Base(name)
	}
	return r.pattern.match(name)
}

// A ruleList is the rules of .gitignore files, those that count most last.
type ruleList []rule

// match reports whether a file or folder, by its absolute path, is ignored. Its parents are not looked at: a walk does not come to
// what is below an ignored folder.
func (l ruleList) match(abs string, isDir bool) bool {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].match(abs, isDir) {
			return !l[i].shows
		}
	}
	return false
}

// An ignorer reads the rules of a repository.
type ignorer struct {
	all *os.Root // of the whole file system: a workspace may be a part of a repository
	top string   // where rules begin if there is no repository
}

// above returns the rules that hold in dir, which is absolute, without its own. A folder that is asked for by name is looked at even
// if it, or one above it, is ignored: the rules that say so are left out.
func (g ignorer) above(dir string) ruleList {
	top := g.repository(dir)
	rules := g.read(nil, path.Join(top, ".git/info/exclude"), top)
	for at := top; at != dir; {
		rules = g.with(rules, at)
		next, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(dir, at), "/"), "/")
		if at = path.Join(at, next); rules.match(at, true) {
			return nil
		}
	}
	return rules
}

// repository returns the folder of the repository that holds dir; without one, where rules begin all the same.
func (g ignorer) repository(dir string) string {
	for at := dir; ; at = path.Dir(at) {
		if _, err := g.all.Lstat(below("/", path.Join(at, ".git"))); err == nil {
			return at
		}
		if at == "/" {
			break
		}
	}
	if within(g.top, dir) {
		return g.top
	}
	return dir
}

// with returns rules and those of dir's own .gitignore.
func (g ignorer) with(rules ruleList, dir string) ruleList {
	return g.read(rules, path.Join(dir, ".gitignore"), dir)
}

// read adds the rules in a file. A symbolic link is none, as for git.
func (g ignorer) read(rules ruleList, file, base string) ruleList {
	rules = rules[:len(rules):len(rules)]
	p := newPlace(g.all, "/", file)
	if info, err := g.all.Lstat(p.name); err != nil || !info.Mode().IsRegular() {
		return rules
	}
	f, _, err := p.open(context.Background())
	if err != nil {
		return rules
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxIgnoreFile)) // half of it is better than nothing
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		if r, ok := parseRule(strings.TrimSuffix(string(line), "\n"), base); ok {
			rules = append(rules, r)
		}
	}
	return rules
}
