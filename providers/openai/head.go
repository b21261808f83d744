package openai

import (
	"io"
	"strings"
)

// A headKeeper keeps the first bytes of what is read, to say what came if it makes no sense.
type headKeeper struct {
	src  io.Reader
	kept []byte
}

func (h *headKeeper) Read(p []byte) (int, error) {
	const enough = 512
	n, err := h.src.Read(p)
	if room := enough - len(h.kept); room > 0 {
		h.kept = append(h.kept, p[:min(n, room)]...)
	}
	return n, err
}

// stream reports whether what came begins as an event stream does.
func (h *headKeeper) stream() bool {
	head := strings.TrimLeft(strings.TrimPrefix(string(h.kept), "\ufeff"), space)
	for _, field := range []string{":", "data", "event", "id", "retry"} {
		if strings.HasPrefix(head, field) {
			return true
		}
	}
	return head == ""
}
