package risk

import (
	"regexp"
	"sync"
)

// lazy compiles a pattern when it is first needed: a program that is asked nothing does not pay for it at its start.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
