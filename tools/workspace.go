package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dualagent/agent/tools/internal/command"
)

// A workspace is the folder in which tools work. All files are opened through an os.Root, so a symbolic link that someone
// puts in place between the check and the use does not lead out of it.
type workspace struct {
	dir   string   // absolute, without symbolic links
	root  *os.Root // of dir
	all   *os.Root // of the whole file system, for approved calls
	spool *command.Spool
}

func openWorkspace(dir string, spool *command.Spool) (*workspace, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("%q is not an absolute path", dir)
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	all, err := os.OpenRoot("/")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &workspace{dir: dir, root: root, all: all, spool: spool}, nil
}

func (w *workspace) close() error { return errors.Join(w.root.Close(), w.all.Close()) }

// A use is what a path is wanted for.
type use uint8

const (
	toRead use = iota
	toWrite
)

// errOutside means that a path leads out of the workspace, to where the user has not approved.
var errOutside = errors.New("the path is outside the workspace")

// A place is where a path leads to.
type place struct {
	root *os.Root
	dir  string // of root
	name string // below root, without symbolic links
}

// abs returns the absolute path of a name below the root.
func (p place) abs(name string) string { return path.Join(p.dir, name) }

// locate follows path from dir. Inside says that the workspace holds the place, or that it is a kept output to be read.
func (w *workspace) locate(dir, path string, u use) (t target, inside bool, err error) {
	t, err = follow(expand(dir, path))
	inside = within(w.dir, t.abs)
	if _, kept := w.spool.Root(); u == toRead && kept != "" && within(kept, t.abs) {
		inside = true
	}
	return t, inside, err
}

// place returns where path leads to. Outside the workspace that is an error unless outside is set.
func (w *workspace) place(path string, u use, outside bool) (place, error) {
	t, inside, err := w.locate(w.dir, path, u)
	if err != nil {
		return place{}, err
	}
	switch root, kept := w.spool.Root(); {
	case !inside && !outside:
		return place{}, errOutside
	case u == toWrite && t.dangling:
		return place{}, errors.New("it is a symbolic link to a file that does not exist")
	case within(w.dir, t.abs):
		return newPlace(w.root, w.dir, t.abs), nil
	case inside:
		return newPlace(root, kept, t.abs), nil
	default:
		return newPlace(w.all, "/", t.abs), nil
	}
}

func newPlace(root *os.Root, dir, abs string) place {
	name := strings.TrimPrefix(strings.TrimPrefix(abs, dir), "/")
	if name == "" {
		name = "."
	}
	return place{root: root, dir: dir, name: name}
}

// shown returns abs as a model should see it: relative to the workspace if it is inside.
func (w *workspace) shown(abs string) string {
	if within(w.dir, abs) && abs != w.dir {
		return strings.TrimPrefix(strings.TrimPrefix(abs, w.dir), "/")
	}
	return abs
}

// within reports whether abs is dir or below it.
func within(dir, abs string) bool {
	return abs == dir || strings.HasPrefix(abs, strings.TrimSuffix(dir, "/")+"/")
}

// expand makes path absolute. It keeps .. as it is: behind a symbolic link it means another folder than it seems to.
func expand(dir, path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			return home + path[1:]
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return dir + "/" + path
}

// A target is the end of a path.
type target struct {
	abs      string // without symbolic links
	dangling bool   // the way there goes through a symbolic link to something that does not exist
}

// follow follows an absolute path through symbolic links, as the system does. What does not exist is taken as written.
func follow(path string) (target, error) {
	var t target
	todo := strings.Split(path, "/")
	at := "/"
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		link, err := os.Readlink(next)
		if err != nil { // no link, or nothing there
			at = next
			continue
		}
		if links++; links > 40 {
			return target{abs: next}, syscall.ELOOP
		}
		if _, err := os.Stat(next); errors.Is(err, fs.ErrNotExist) {
			t.dangling = true
		}
		if filepath.IsAbs(link) {
			at = "/"
		}
		todo = append(strings.Split(link, "/"), todo...)
	}
	t.abs = at
	return t, nil
}

// open opens a file for reading. It refuses what is not a regular file, without waiting for anything: a pipe may have nobody
// at its other end, and a device may have no end. When ctx ends, reads that would block fail.
func (p place) open(ctx context.Context) (*file, fs.FileInfo, error) {
	info, err := p.root.Stat(p.name)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(info); err != nil {
		return nil, nil, err
	}
	f, err := p.root.OpenFile(p.name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil {
		err = regular(info) // it may have been replaced since
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) }) // most files cannot block, and have none
	return &file{f, stop}, info, nil
}

// A file is open for reading, as long as a context lasts.
type file struct {
	*os.File
	stop func() bool
}

func (f *file) Close() error {
	f.stop()
	return f.File.Close()
}

// regular returns an error that says what a file is, if it is not a regular one.
func regular(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return syscall.EISDIR
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("it is a named pipe, not a file")
	case mode&fs.ModeSocket != 0:
		return errors.New("it is a socket, not a file")
	case mode&fs.ModeDevice != 0:
		return errors.New("it is a device, not a file")
	default:
		return errors.New("it is not a regular file")
	}
}

// reason says what is wrong with a path in words for the model.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.EISDIR):
		return "EISDIR: it is a directory; use ls to see what is in it"
	case errors.Is(err, syscall.ENOTDIR):
		return "ENOTDIR: it is not a directory"
	case errors.Is(err, syscall.ELOOP):
		return "too many symbolic links"
	case errors.Is(err, syscall.ENOSPC):
		return "no space left on the disk"
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
