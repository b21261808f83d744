package jsonl

import "github.com/dualagent/agent/internal/wire"

// StartFailure returns the record that tells a client why the server could not start; nil in pi's dialect, which tells it on
// stderr only.
func StartFailure(d Dialect, err error) []byte {
	if d.differences().pi {
		return nil
	}
	text, eerr := wire.Encode(err.Error())
	if eerr != nil {
		text = wire.Raw(`"could not start"`)
	}
	record := []byte(`{"type":"response","command":"initialize","success":false,"error":`)
	return append(append(record, text...), "}\n"...)
}
