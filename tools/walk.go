package tools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// maxIgnoreFile is how much of a .gitignore is read, in bytes.
const maxIgnoreFile = 1 << 20

// A walk goes through the files below a folder in the order of their names. It passes over .git and what .gitignore files
// exclude, and does not follow symbolic links. Folders that cannot be read are passed over.
type walk struct {
	root *os.Root
	// visit is called for each file and folder; name is below root.
	visit func(name string, d fs.DirEntry) error
}

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// from walks below dir.
func (w *walk) from(ctx context.Context, dir string) error {
	entries, err := readDir(w.root, dir)
	if err != nil {
		return err
	}
	err = w.folder(ctx, dir, entries, w.rulesFor(dir))
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (w *walk) folder(ctx context.Context, dir string, entries []fs.DirEntry, rules ruleList) error {
	rules = w.withRules(rules, dir)
	for _, d := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := path.Join(dir, d.Name())
		if d.Name() == ".git" || rules.match(split(name), d.IsDir()) {
			continue
		}
		if err := w.visit(name, d); err != nil {
			return err
		}
		if !d.IsDir() {
			continue
		}
		if below, err := readDir(w.root, name); err == nil {
			if err := w.folder(ctx, name, below, rules); err != nil {
				return err
			}
		}
	}
	return nil
}

// readDir returns what is in a folder, by name.
func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	info, err := root.Stat(dir) // opening something else may block
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

func split(name string) []string { return strings.Split(name, "/") }

// A ruleList is the patterns of .gitignore files, those that count most last.
type ruleList []gitignore.Pattern

// match reports whether a file or folder is ignored. Its parents are not looked at: a walk does not come to what is below an
// ignored folder.
func (l ruleList) match(parts []string, isDir bool) bool {
	for _, rule := range slices.Backward(l) {
		if m := rule.Match(parts, isDir); m != gitignore.NoMatch {
			return m == gitignore.Exclude
		}
	}
	return false
}

// rulesFor returns the rules that hold in dir, without its own. A folder that is asked for by name is looked at even if it, or
// one above it, is ignored: the rules that say so are left out.
func (w *walk) rulesFor(dir string) ruleList {
	rules := w.parse(nil, ".git/info/exclude", nil)
	if dir == "." {
		return rules
	}
	rules = w.withRules(rules, ".")
	parts := split(dir)
	for i := range parts {
		if rules.match(parts[:i+1], true) {
			return nil
		}
		if i+1 < len(parts) {
			rules = w.withRules(rules, strings.Join(parts[:i+1], "/"))
		}
	}
	return rules
}

// withRules returns rules and those of dir's own .gitignore.
func (w *walk) withRules(rules ruleList, dir string) ruleList {
	var domain []string
	if dir != "." {
		domain = split(dir)
	}
	return w.parse(rules, path.Join(dir, ".gitignore"), domain)
}

func (w *walk) parse(rules ruleList, name string, domain []string) ruleList {
	rules = rules[:len(rules):len(rules)]
	f, _, err := place{root: w.root, name: name}.open(context.Background())
	if err != nil {
		return rules
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, maxIgnoreFile)) // half of it is better than nothing
	for line := range bytes.Lines(data) {
		s := strings.TrimRight(string(line), "\r\n")
		if strings.TrimSpace(s) != "" && !strings.HasPrefix(s, "#") {
			rules = append(rules, gitignore.ParsePattern(s, domain))
		}
	}
	return rules
}

// A glob is a pattern for paths: with a slash it is matched against the path below the folder that is searched, else against
// the last part of it.
type glob string

func (g glob) valid() bool { return doublestar.ValidatePattern(string(g)) }

func (g glob) match(name string) bool {
	if !strings.Contains(string(g), "/") {
		return doublestar.MatchUnvalidated(string(g), path.Base(name))
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(string(g), "/"), name)
}

// below returns name, which is below dir, without dir.
func below(dir, name string) string {
	if dir == "." {
		return name
	}
	return strings.TrimPrefix(name, dir+"/")
}
