//go:build unix

package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// terminal reports whether v, a stream, is a terminal, and how many columns it has: 0 if it does not know.
func terminal(v any) (columns int, is bool) {
	f, ok := v.(*os.File)
	if !ok {
		return 0, false
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}

// columns returns how wide a text for people may be; 0 if it does not go to a terminal.
func (p program) columns() int {
	const usual = 80
	n, is := terminal(p.out)
	switch {
	case !is:
		return 0
	case n > 0:
		return n
	}
	if n, err := strconv.Atoi(p.env("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return usual
}
