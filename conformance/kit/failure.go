package kit

import (
	"fmt"
	"strings"
)

// A Failure tells how a run differs from its transcript. It is an error of several lines.
type Failure struct {
	File   string
	Line   int    // of the transcript; 0 if the failure belongs to no line
	Want   string // the expectation
	Why    string
	Since  []string // the records since the last match, the offending one last
	Stderr string   // its end
}

func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s", f.File, f.Line, f.Why)
	if f.Want != "" {
		fmt.Fprintf(&b, "\n  want: %s", f.Want)
	}
	if n := len(f.Since); n > 0 {
		fmt.Fprintf(&b, "\n  got:  %s", f.Since[n-1])
	}
	if n := len(f.Since); n > 1 {
		b.WriteString("\n  before it, since the last match:")
		for _, line := range f.Since[max(0, n-21) : n-1] {
			fmt.Fprintf(&b, "\n    %s", line)
		}
	}
	if s := strings.TrimSpace(f.Stderr); s != "" {
		fmt.Fprintf(&b, "\n  stderr: %s", strings.ReplaceAll(s, "\n", "\n    "))
	}
	return b.String()
}
