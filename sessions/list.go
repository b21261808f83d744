package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dualagent/agent/core"
)

// Latest returns the path of the session of cwd that was written last.
func (s *Store) Latest(ctx context.Context, cwd string) (string, error) {
	files, err := s.files(cwd)
	if err != nil {
		return "", fmt.Errorf("latest session: %w", err)
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if h, err := readHeader(f.path); err == nil && sameFolder(h.Cwd, cwd) {
			return f.path, nil
		}
	}
	return "", fmt.Errorf("latest session of %s: %w", cwd, core.ErrNoSession)
}

// List returns the sessions of cwd, the one written last first. Files that cannot be read are left out.
func (s *Store) List(ctx context.Context, cwd string) ([]core.SessionSummary, error) {
	files, err := s.files(cwd)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return summaries(ctx, files, func(cwdOf string) bool { return sameFolder(cwdOf, cwd) })
}

// All returns the sessions of all working directories, the one written last first. Files and folders that cannot be read are left
// out.
func (s *Store) All(ctx context.Context) ([]core.SessionSummary, error) {
	files, err := s.allFiles()
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return summaries(ctx, files, func(string) bool { return true })
}

// Summary describes the session at path.
func (s *Store) Summary(ctx context.Context, path string) (core.SessionSummary, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = core.ErrNoSession
	}
	var sum core.SessionSummary
	if err == nil {
		sum, err = summarize(ctx, candidate{path, info.Size(), info.ModTime()})
	}
	if err != nil {
		return core.SessionSummary{}, fmt.Errorf("read session %s: %w", path, bare(err))
	}
	return sum, nil
}

// IDs returns the ids of the sessions of all working directories, in no order. It reads less than All.
func (s *Store) IDs(ctx context.Context) ([]string, error) {
	files, err := s.allFiles()
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var ids []string
	for _, f := range files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if h, err := readHeader(f.path); err == nil {
			ids = append(ids, h.ID)
		}
	}
	return ids, nil
}

// summaries returns those of the files that are sessions of a wanted working directory.
func summaries(ctx context.Context, files []candidate, wanted func(cwd string) bool) ([]core.SessionSummary, error) {
	var list []core.SessionSummary
	for _, f := range files {
		summary, err := summarize(ctx, f)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && wanted(summary.Cwd) {
			list = append(list, summary)
		}
	}
	return list, nil
}

// A candidate is a file that may be a session.
type candidate struct {
	path     string
	size     int64
	modified time.Time
}

// files returns the files that may be sessions of cwd, the one written last first.
func (s *Store) files(cwd string) ([]candidate, error) {
	if s.discard {
		return nil, nil
	}
	files, err := filesIn(s.folder(cwd))
	newestFirst(files)
	return files, err
}

// allFiles returns the files that may be sessions of any working directory, the one written last first.
func (s *Store) allFiles() ([]candidate, error) {
	if s.discard || s.flat {
		return s.files("")
	}
	folders, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []candidate
	for _, f := range folders {
		if strings.HasPrefix(f.Name(), "--") {
			files, _ := filesIn(filepath.Join(s.dir, f.Name()))
			all = append(all, files...)
		}
	}
	newestFirst(all)
	return all, nil
}

// filesIn returns the files of a folder that may be sessions. There need not be a folder.
func filesIn(folder string) ([]candidate, error) {
	names, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var files []candidate
	for _, n := range names {
		path := filepath.Join(folder, n.Name())
		if !strings.HasSuffix(path, extension) || sidecar(n.Name()) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, candidate{path, info.Size(), info.ModTime()})
		}
	}
	return files, nil
}

func newestFirst(files []candidate) {
	slices.SortFunc(files, func(a, b candidate) int {
		return cmp.Or(b.modified.Compare(a.modified), strings.Compare(b.path, a.path))
	})
}

// sidecar reports whether name is that of a copy which rpi makes beside a session.
func sidecar(name string) bool {
	return strings.Contains(name, ".rewind-") || strings.Contains(name, ".snapcompact-")
}

// sameFolder reports whether a session that says it belongs to stored is one of cwd.
func sameFolder(stored, cwd string) bool {
	return stored == "" || filepath.Clean(stored) == filepath.Clean(cwd)
}

func readHeader(path string) (core.Header, error) {
	f, _, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return core.Header{}, err
	}
	defer f.Close()
	found, err := scanHeader(newLineReader(f))
	return found.header, err
}

func summarize(ctx context.Context, c candidate) (core.SessionSummary, error) {
	f, _, err := openRegular(c.path, os.O_RDONLY)
	if err != nil {
		return core.SessionSummary{}, err
	}
	defer f.Close()
	sum := core.SessionSummary{Path: c.path, Size: c.size, Modified: c.modified}
	found, err := scanFile(ctx, f, func(e core.Entry) bool {
		sum.Entries++
		switch e.Type {
		case core.EntryName:
			sum.Name = e.Name
		case core.EntryMessage:
			sum.Messages++
			if sum.First == "" && e.Message.Role == core.RoleUser {
				sum.First = firstWords(e.Message.Text())
			}
		}
		return true
	})
	sum.ID, sum.Cwd = found.header.ID, found.header.Cwd
	return sum, err
}

// firstWords returns the beginning of text on one line, at most 100 characters.
func firstWords(text string) string {
	const most = 100
	var b strings.Builder
	n := 0
	for word := range strings.FieldsSeq(text) {
		if n > 0 {
			b.WriteByte(' ')
			n++
		}
		for _, r := range word {
			if n == most {
				return strings.TrimRight(b.String(), " ")
			}
			b.WriteRune(r)
			n++
		}
	}
	return b.String()
}
