package v3

import (
	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

const typeLabel = "label"

// Label returns what an entry of another program labels, and with what: "" takes the label away. It reports false if e is no
// label.
func Label(e core.Entry) (target, label string, ok bool) {
	var j labelEntry
	if e.Type != typeLabel || wire.Decode(e.Raw, &j) != nil || j.TargetID == "" {
		return "", "", false
	}
	return j.TargetID, j.Label, true
}
