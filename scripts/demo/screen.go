package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// defaultWidth is how many characters of a record are shown where there is no terminal.
const defaultWidth = 160

// A screen shows a conversation.
type screen struct {
	out   io.Writer
	width int
	color bool
}

// newScreen returns a screen on f: with colors if that is a terminal and NO_COLOR is not set.
func newScreen(f *os.File) screen {
	s := screen{out: f, width: defaultWidth}
	if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil {
		s.color = os.Getenv("NO_COLOR") == ""
		if size.Col > 0 {
			s.width = int(size.Col)
		}
	}
	return s
}

func (s screen) title(title, program string, args []string) {
	fmt.Fprintf(s.out, "%s\n", s.paint("1", title+"   $ "+program+" "+strings.Join(args, " ")))
}

func (s screen) sent(line string)     { fmt.Fprintln(s.out, s.paint("36", s.cut("→ "+line))) }
func (s screen) received(line string) { fmt.Fprintln(s.out, s.cut("← "+line)) }

// cut shortens a line to the width.
func (s screen) cut(line string) string {
	if r := []rune(line); len(r) > s.width {
		return string(r[:s.width-1]) + "…"
	}
	return line
}

func (s screen) paint(code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
