package script

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dualagent/agent/internal/wire"
)

// words are what is left of a line. Each method takes something off its front.
type words struct{ rest string }

// next returns the next word, or "" at the end.
func (w *words) next() string {
	i := strings.IndexAny(w.rest, " \t")
	if i < 0 {
		i = len(w.rest)
	}
	word := w.rest[:i]
	w.rest = strings.TrimLeft(w.rest[i:], " \t")
	return word
}

func (w *words) number(n *int, least int) error {
	word := w.next()
	v, err := strconv.Atoi(word)
	if err != nil || v < least {
		return fmt.Errorf("want a number from %d, not %q", least, word)
	}
	*n = v
	return nil
}

func (w *words) duration(d *time.Duration) error {
	word := w.next()
	v, err := time.ParseDuration(word)
	if err != nil || v < 0 {
		return fmt.Errorf("want a time such as 20ms, not %q", word)
	}
	*d = v
	return nil
}

func (w *words) all(s *string, what string) error {
	if w.rest == "" {
		return fmt.Errorf("%s is missing", what)
	}
	*s, w.rest = w.rest, ""
	return nil
}

// text takes a string in double quotes.
func (w *words) text(s *string) error {
	n := quoted(w.rest)
	if n == 0 {
		return fmt.Errorf("want a string in double quotes, not %q", w.rest)
	}
	literal := w.rest[:n]
	w.rest = strings.TrimLeft(w.rest[n:], " \t")
	v, err := strconv.Unquote(literal)
	if err != nil && wire.Decode([]byte(literal), &v) != nil {
		return fmt.Errorf("%s has an escape that neither Go nor JSON knows", literal)
	}
	*s = v
	return nil
}

// quoted returns the length of the literal at the front of s, or 0 if there is none.
func quoted(s string) int {
	if s == "" || s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

func (w *words) end() error {
	if w.rest != "" {
		return fmt.Errorf("%q is too much", w.rest)
	}
	return nil
}
