package risk

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/dualagent/agent/core"
)

// redirect looks at a redirection. What is sent nowhere, or to another output of the same command, changes nothing.
func (l *look) redirect(r *syntax.Redirect) {
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		l.destructive() // sets a variable
	}
	if r.Hdoc != nil {
		l.word(r.Hdoc)
	}
	if r.Word == nil {
		return
	}
	l.word(r.Word)
	target := argOf(r.Word)
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		if target.plain() && (target.text == "-" || isNumber(target.text)) {
			return
		}
	}
	if !target.plain() {
		l.destructive()
		return
	}
	reads := r.Op == syntax.RdrIn || r.Op == syntax.DplIn
	switch {
	case strings.HasPrefix(target.text, "/dev/tcp/"), strings.HasPrefix(target.text, "/dev/udp/"):
		l.raise(core.RiskNetwork)
	case slices.Contains([]string{"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}, target.text):
		return
	case !reads:
		l.raise(core.RiskWrite)
	}
	l.path(target.text, target.glob, !reads)
}
