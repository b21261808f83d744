package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dualagent/agent/core"
)

// In returns the exporter that takes relative paths from workspace. It returns the path that it was given, as it was given; without
// one it writes SESSION.html beside the file SESSION.jsonl. A file that is there already is replaced when the new one is complete,
// unless it is the session's own or no regular file. A new file is readable by its owner only, as sessions are.
func In(workspace string) core.Exporter {
	return func(ctx context.Context, t core.Transcript, path string) (string, error) {
		session := t.Session.Path
		switch {
		case path != "":
		case session == "":
			return "", errors.New("export session: it has no file, so there is no place beside it; say where to write")
		default:
			path = strings.TrimSuffix(session, filepath.Ext(session)) + ".html"
			// A session that nothing was said in has no folder yet.
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return "", fmt.Errorf("export session: make the folder: %w", err)
			}
		}
		at := path
		if !filepath.IsAbs(at) {
			at = filepath.Join(workspace, at)
		}
		if err := replace(ctx, t, at); err != nil {
			return "", fmt.Errorf("export session to %s: %w", path, err)
		}
		return path, nil
	}
}

// replace writes the page beside path and then puts it there.
func replace(ctx context.Context, t core.Transcript, path string) error {
	path, mode, err := target(path, t.Session.Path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return bare(err)
	}
	err = writePage(ctx, f, t)
	if err == nil {
		err = f.Chmod(mode)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(bare(err), os.Remove(f.Name()))
	}
	return nil
}

func writePage(ctx context.Context, f io.Writer, t core.Transcript) error {
	w := bufio.NewWriterSize(attended{ctx, f}, 64<<10)
	if err := Write(w, t); err != nil {
		return err
	}
	return w.Flush()
}

// attended is a writer that fails when its context has ended.
type attended struct {
	ctx context.Context
	io.Writer
}

func (w attended) Write(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

// target returns the file that path leads to, and the permissions that it is to have. It refuses what must not be replaced.
func target(path, session string) (string, fs.FileMode, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return "", 0, errors.New("it is a link to a file that is not there")
		}
		if sameName(path, session) {
			return "", 0, errOwn
		}
		return path, 0o600, nil
	}
	if err != nil {
		return "", 0, bare(err)
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return "", 0, bare(err)
	}
	if own, err := os.Stat(session); err == nil && os.SameFile(info, own) {
		return "", 0, errOwn
	}
	if !info.Mode().IsRegular() {
		return "", 0, errors.New("there is something else than a regular file; choose another name")
	}
	return resolved, info.Mode().Perm(), nil
}

var errOwn = errors.New("this is the session's own file; choose another name")

// sameName reports whether two paths, neither of which need exist, name the same file.
func sameName(a, b string) bool {
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	inA, errA := os.Stat(filepath.Dir(a))
	inB, errB := os.Stat(filepath.Dir(b))
	if errA != nil || errB != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(inA, inB)
}

// bare returns err without the operation and path that package os puts in front.
func bare(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
