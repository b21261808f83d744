package tools_test

import (
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/tools"
)

// FuzzArguments: whatever a model sends, a call is assessed, and only sound arguments are more than a reading one.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `null`, `[]`, `{"path":"a"}`, `{"path":"../x","content":""}`, `{"path":"a","edits":"[{\"oldText\":\"x\",\"newText\":\"y\"}]"}`,
		`{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`, `{"command":"ls; rm x","timeout":1e308}`, `{"pattern":"(a|b)+","glob":"**/{a,b}"}`,
		`{"pattern":"x","limit":-0}`, `{"path":"~","limit":1e400}`, `{"path":"a/../../b","offset":2}`,
	} {
		f.Add(s)
	}
	b := newBench(f, tools.Options{})
	f.Fuzz(func(t *testing.T, arguments string) {
		for name, tool := range b.tools {
			got := tool.Assess(call(name, arguments))
			switch got.Risk {
			case core.RiskRead:
			case core.RiskWrite, core.RiskNetwork, core.RiskDestructive:
				if len(got.Touches) == 0 && !got.Unknown {
					t.Errorf("%s %q touches nothing and is %s", name, arguments, got.Risk)
				}
			default:
				t.Errorf("%s %q: risk %q", name, arguments, got.Risk)
			}
			if len(got.Outside) > 0 && name == "bash" && got.Risk != core.RiskDestructive {
				t.Errorf("bash %q goes to %q and is %s", arguments, got.Outside, got.Risk)
			}
		}
		for _, name := range []string{"grep", "find", "ls", "read"} { // those that change nothing
			b.t = t
			b.run(name, arguments)
		}
	})
}
