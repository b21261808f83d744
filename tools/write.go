package tools

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/dualagent/agent/core"
)

type writeTool struct{ *Set }

func (writeTool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: "write",
		Description: "Write a file. Makes it if it does not exist, with the folders that it needs, and replaces it if it does. " +
			"To change a part of a file use edit.",
		Parameters: []byte(`{"type":"object","properties":{` +
			`"path":{"type":"string","description":"Path of the file, relative to the workspace or absolute"},` +
			`"content":{"type":"string","description":"The whole new content"}},"required":["path","content"]}`),
		Risk: core.RiskWrite,
	}
}

func (writeTool) arguments(call core.ToolCall) (path, content string, a *arguments) {
	a = parseArguments(call.Arguments)
	path = a.path("path")
	a.namesFile("path", path)
	return path, a.text("content"), a
}

func (t writeTool) Assess(call core.ToolCall) core.Assessment {
	path, _, a := t.arguments(call)
	return t.assessPath(a, path, toWrite)
}

func (t writeTool) Run(ctx context.Context, inv core.Invocation) (core.ToolResult, error) {
	path, content, a := t.arguments(inv.ToolCall)
	if a.err != nil {
		return a.invalid(), nil
	}
	if ctx.Err() != nil {
		return aborted(""), nil
	}
	p, err := t.space.place(path, toWrite, inv.Outside)
	if err == nil {
		err = p.replace([]byte(content))
	}
	if err != nil {
		return failure("write", path, err), nil
	}
	return core.TextResult(fmt.Sprintf("Successfully wrote %d bytes to %s", len(content), path)), nil
}

// namesFile notes that a path can only be that of a folder.
func (a *arguments) namesFile(name, path string) {
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "", ".", "..":
		a.fail("argument %q must name a file; %q is a folder", name, path)
	}
}

// replace gives a file new content, all or nothing. A file that exists keeps its mode and, where that is allowed, its owner. One
// that has several names keeps them, at the price that a crash may leave it half written.
func (p place) replace(content []byte) error {
	old, err := p.root.Stat(p.name)
	switch {
	case err == nil:
		if err := regular(old); err != nil {
			return err
		}
		if old.Mode()&0o200 == 0 {
			return fmt.Errorf("it is read-only (mode %04o)", old.Mode().Perm())
		}
		if sys, ok := old.Sys().(*syscall.Stat_t); ok && sys.Nlink > 1 {
			return p.overwrite(content, old)
		}
	case errors.Is(err, fs.ErrNotExist):
		if err := p.root.MkdirAll(path.Dir(p.name), 0o777); err != nil {
			return err
		}
	default:
		return err
	}
	temp := path.Join(path.Dir(p.name), ".agent-"+rand.Text()+".tmp")
	if err := p.fill(temp, content, old); err != nil {
		return errors.Join(err, ignoreMissing(p.root.Remove(temp)))
	}
	return nil
}

// fill writes a new file and puts it in the place of the old one, if there is one.
func (p place) fill(temp string, content []byte, old fs.FileInfo) error {
	f, err := p.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if old != nil {
		if sys, ok := old.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(int(sys.Uid), int(sys.Gid)) // only the superuser can give files away
		}
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		_, err = f.Write(content)
	}
	err = errors.Join(err, keepSpecial(f, old))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return p.root.Rename(temp, p.name)
}

// overwrite writes into the file itself.
func (p place) overwrite(content []byte, old fs.FileInfo) error {
	f, err := p.root.OpenFile(p.name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Truncate(int64(len(content)))
	}
	return errors.Join(err, keepSpecial(f, old), f.Close())
}

// keepSpecial gives a file the bits of its mode that a change of owner or content has taken away. Not everybody may do that.
func keepSpecial(f *os.File, old fs.FileInfo) error {
	const special = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	if old == nil || old.Mode()&special == 0 {
		return nil
	}
	return f.Chmod(old.Mode() & (fs.ModePerm | special))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
