package sessions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
)

// A Repair says what Store.Repair has found and done.
type Repair struct {
	Cut     int64 // bytes that were cut off the end: a torn line, or zeros
	Ended   bool  // the last line has got its line feed
	Skipped int   // lines that cannot be read; they stay
	Lines   []int // the numbers of the first of these, from 1
}

// Repair does for the session at path what Open does before it appends, and is through with it: the end of the file is whole and
// on stable storage. A sound file is not touched. It fails with ErrLocked if the session is open for writing.
func (s *Store) Repair(ctx context.Context, path string) (Repair, error) {
	done, err := s.repair(ctx, path)
	if err != nil {
		return Repair{}, fmt.Errorf("repair session %s: %w", path, bare(err))
	}
	return done, nil
}

func (s *Store) repair(ctx context.Context, path string) (done Repair, err error) {
	log, err := s.lockToChange(path)
	if err != nil {
		return Repair{}, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var t tree
	found, torn, err := log.mend(ctx, t.add)
	if err != nil {
		return Repair{}, err
	}
	if found.unended {
		if err := log.write([]byte{'\n'}); err != nil {
			return Repair{}, err
		}
	}
	return Repair{Cut: torn, Ended: found.unended, Skipped: found.skipped, Lines: found.where}, log.sync()
}

// Remove removes the session at path and the side file of its lock. It fails with ErrLocked if the session is open for writing,
// and does not remove what is no session.
func (s *Store) Remove(path string) error {
	if err := s.remove(path); err != nil {
		return fmt.Errorf("remove session %s: %w", path, bare(err))
	}
	return nil
}

func (s *Store) remove(path string) (err error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return errors.New("it is a symbolic link: remove the session that it leads to, or the link with rm")
	}
	log, err := s.lockToChange(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if _, err := scanHeader(newLineReader(log.f)); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func (s *Store) lockToChange(path string) (*file, error) {
	if s.discard {
		return nil, errors.New("this store keeps nothing")
	}
	return s.lockFile(path)
}

// User tells who has the session at path open for writing, such as "agent (pid 123, since 20:15)", as far as the side file of the
// lock knows; "" if it knows of nobody. It takes no lock.
func User(path string) string {
	o, err := readOwner(sidePath(path))
	if err != nil || o.PID == 0 || !o.alive() {
		return ""
	}
	return o.String()
}

// Encode writes a session to w in the format of its file.
func Encode(w io.Writer, h core.Header, entries []core.Entry) error {
	out := bufio.NewWriter(w)
	line, err := v3.EncodeHeader(h)
	if err != nil {
		return err
	}
	out.Write(append(line, '\n')) // the error is Flush's, too
	for i := range entries {
		if line, err = v3.EncodeEntry(entries[i]); err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}
