package v3

import (
	"errors"
	"fmt"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// Version is the version of the session format that is read and written.
const Version = 3

const typeSession = "session"

// ErrNotSession means that a line is not the header of a session.
var ErrNotSession = errors.New("it does not begin with the header of a session")

// EncodeHeader returns h as one line of JSON, without its line feed.
func EncodeHeader(h core.Header) ([]byte, error) {
	return wire.Encode(Header{
		Type: typeSession, Version: Version, ID: h.ID, Timestamp: FormatTime(h.Time), Cwd: h.Cwd, ParentSession: h.Parent,
	})
}

// DecodeHeader reads the first line of a session file. It fails with ErrNotSession, or says that the version is not ours.
func DecodeHeader(line []byte) (core.Header, error) {
	var kind struct {
		Type    string `json:"type"`
		Version *int   `json:"version"` // files of version 1 do not say so
	}
	if err := wire.Decode(line, &kind); err != nil || kind.Type != typeSession {
		return core.Header{}, ErrNotSession
	}
	version := 1
	if kind.Version != nil {
		version = *kind.Version
	}
	switch {
	case version > Version:
		return core.Header{}, fmt.Errorf("its format is version %d, newer than version %d, which this program reads", version, Version)
	case version < Version:
		return core.Header{}, fmt.Errorf("its format is version %d; this program reads version %d (pi rewrites older files when it opens them)", version, Version)
	}
	var j Header
	if err := wire.Decode(line, &j); err != nil {
		return core.Header{}, fmt.Errorf("its header is damaged: %w", err)
	}
	if j.ID == "" {
		return core.Header{}, errors.New("its header has no id")
	}
	return core.Header{ID: j.ID, Time: parseTime(j.Timestamp), Cwd: j.Cwd, Parent: j.ParentSession}, nil
}
