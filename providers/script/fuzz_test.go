package script_test

import (
	"strings"
	"testing"

	"github.com/dualagent/agent/providers/script"
)

// Parsing ends without a panic, and its errors name the place.
func FuzzParse(f *testing.F) {
	for _, c := range plays {
		f.Add(c.script)
	}
	f.Add("model a window 5\nsay \"\\ud83d\\ude00\"\ncall/2 ls {\"a\":1}\ngate $A/1\nwait 2ms\npanic \"x\"\nloop")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := script.Parse("name", []byte(text)); err != nil && !strings.HasPrefix(err.Error(), "name:") {
			t.Errorf("Parse(%q): %v", text, err)
		}
	})
}
