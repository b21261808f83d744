package sessions

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/dualagent/agent/internal/wire"
)

// self returns this process as an owner from now on.
func self() owner {
	host, _ := os.Hostname() // without it nobody can tell whether the owner lives, so it counts as alive
	return owner{
		PID:     os.Getpid(),
		Process: incarnation(os.Getpid()),
		Program: filepath.Base(os.Args[0]),
		Host:    host,
		Since:   time.Now().Format(time.RFC3339),
	}
}

// alive reports whether o still runs, or may: of a process on another host nobody knows.
func (o owner) alive() bool {
	if !o.here() || o.PID <= 0 {
		return true
	}
	if errors.Is(syscall.Kill(o.PID, 0), syscall.ESRCH) {
		return false
	}
	now := incarnation(o.PID)
	return now == "" || o.Process == "" || now == o.Process
}

// here reports whether o is a process of this host.
func (o owner) here() bool {
	host, err := os.Hostname()
	return err == nil && host == o.Host
}

// String returns o as errors name it, "agent (pid 123, since 20:15)". What the side file says may come from anybody, so it is
// not passed on to a terminal as it is.
func (o owner) String() string {
	where, since := "", ""
	if !o.here() {
		where = " on " + printable(o.Host)
	}
	if t, err := time.Parse(time.RFC3339, o.Since); err == nil {
		layout := "2006-01-02 15:04"
		if t = t.Local(); t.Format(time.DateOnly) == time.Now().Format(time.DateOnly) {
			layout = "15:04"
		}
		since = ", since " + t.Format(layout)
	}
	return fmt.Sprintf("%s (pid %d%s%s)", printable(o.Program), o.PID, where, since)
}

// printable returns at most 64 characters of s, without those that a terminal could obey.
func printable(s string) string {
	const most = 64
	kept := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s))
	return string(kept[:min(len(kept), most)])
}

// incarnation tells the process that has the pid now from others that had it or will have it; "" where that cannot be told.
func incarnation(pid int) string {
	const state, started = 0, 19 // fields of stat behind the name, which is in parentheses; proc_pid_stat(5)
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	boot, berr := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || berr != nil {
		return ""
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	switch {
	case len(fields) <= started:
		return ""
	case fields[state] == "Z" || fields[state] == "X":
		return "ended" // and its parent has not asked yet how
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[started]
}

// readOwner reads a side file. An empty one, which a crash can leave, gives the zero owner. It fails if the file is no side
// file of a session.
func readOwner(side string) (owner, error) {
	const most = 4 << 10 // bytes
	f, _, err := openRegular(side, os.O_RDONLY)
	if err != nil {
		return owner{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	var o owner
	if err != nil || len(text) == 0 {
		return o, err
	}
	if err := wire.Decode(text, &o); err != nil {
		return owner{}, err
	}
	if o.PID <= 0 || o.Program == "" {
		return owner{}, errors.New("it does not name an owner")
	}
	return o, nil
}

// writeOwner makes a side file that names this process. There must be nothing with that name, not even a link.
func writeOwner(side string) error {
	text, err := wire.Encode(self())
	if err != nil {
		return err
	}
	f, err := os.OpenFile(side, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(side))
	}
	return nil
}
