package v3

import (
	"bytes"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

func TestMessageValueEncodesAsTheMessage(t *testing.T) {
	for _, m := range []core.Message{
		{Role: core.RoleUser, Time: time.UnixMilli(1), Content: []core.Block{core.TextBlock("a<b>")}},
		{Role: core.RoleCustom, Raw: []byte(`{"role":"odd","x":1}`)},
	} {
		j := FromMessage(&m)
		want, err := wire.Encode(j)
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.Encode(j.Value())
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("Value of %+v encodes to\n%s, %v; want\n%s", m, got, err, want)
		}
	}
}
