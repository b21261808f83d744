package tools

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
)

// A walk goes through the files below a folder in the order of their names. It passes over .git and what .gitignore files
// exclude, and does not follow symbolic links. Folders that cannot be read are passed over.
type walk struct {
	root *os.Root
	dir  string // of root, absolute
	ignorer
	// visit is called for each file and folder; name is below root.
	visit func(name string, d fs.DirEntry) error
}

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// walk returns a walk below the root of a place.
func (w *workspace) walk(p place, visit func(name string, d fs.DirEntry) error) walk {
	return walk{root: p.root, dir: p.dir, ignorer: w.ignorer(), visit: visit}
}

func (w *workspace) ignorer() ignorer { return ignorer{all: w.all, top: w.dir} }

// from walks below dir.
func (w *walk) from(ctx context.Context, dir string) error {
	entries, err := readDir(w.root, dir)
	if err != nil {
		return err
	}
	err = w.folder(ctx, dir, entries, w.above(path.Join(w.dir, dir)))
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (w *walk) folder(ctx context.Context, dir string, entries []fs.DirEntry, rules ruleList) error {
	rules = w.with(rules, path.Join(w.dir, dir))
	for _, d := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := path.Join(dir, d.Name())
		if d.Name() == ".git" || rules.match(path.Join(w.dir, name), d.IsDir()) {
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
	return strings.TrimPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}
