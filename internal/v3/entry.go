package v3

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// EncodeEntry returns e as one line of JSON, without its line feed. An entry of a type that the engine does not write is
// its Raw, byte for byte.
func EncodeEntry(e core.Entry) ([]byte, error) {
	frame := Frame{Type: string(e.Type), ID: e.ID, Timestamp: FormatTime(e.Time)}
	if e.Parent != "" {
		frame.ParentID = &e.Parent
	}
	var line []byte
	var err error
	switch e.Type {
	case core.EntryMessage:
		line, err = encodeMessage(frame, e.Message)
	case core.EntryModel:
		line, err = wire.Encode(modelEntry{frame, e.Provider, e.Model})
	case core.EntryThinking:
		line, err = wire.Encode(thinkingEntry{frame, string(e.Thinking)})
	case core.EntryName:
		line, err = wire.Encode(nameEntry{frame, e.Name})
	case core.EntryEdit:
		if e.Raw != nil { // one that replaces the message, by another program
			line, err = oneLine(e.Raw)
			break
		}
		line, err = wire.Encode(editEntry{frame, e.Target, wire.Raw("null")})
	default:
		line, err = oneLine(e.Raw)
	}
	if err != nil {
		return nil, fmt.Errorf("entry %s of type %q: %w", e.ID, e.Type, err)
	}
	return line, nil
}

func encodeMessage(frame Frame, m *core.Message) ([]byte, error) {
	if m == nil {
		return nil, errors.New("it has no message")
	}
	j := FromMessage(m)
	return wire.Encode(messageEntry{frame, j.Value()})
}

// oneLine returns raw, without line feeds if it has any.
func oneLine(raw wire.Raw) ([]byte, error) {
	if bytes.IndexByte(raw, '\n') >= 0 {
		return wire.Encode(raw)
	}
	if !wire.Valid(raw) {
		return nil, errors.New("its Raw is not JSON")
	}
	return raw, nil
}

// DecodeEntry reads one line of a session file behind the header. The entry does not refer to line afterwards. An entry of a
// type that the engine does not write keeps its JSON in Raw, and so does a context_edit that replaces a message. DecodeEntry fails if line is not an entry, or if it is one of
// a type that the engine writes and does not say what it should.
func DecodeEntry(line []byte) (core.Entry, error) {
	var j anyEntry
	err := wire.Decode(line, &j)
	if err != nil {
		j, err = decodeFrame(line, err)
	}
	switch {
	case err != nil:
		return core.Entry{}, fmt.Errorf("entry: %w", err)
	case j.Type == "":
		return core.Entry{}, errors.New("entry: it has no type")
	case j.Type == typeSession:
		return core.Entry{}, errors.New("entry: this is the header of a session")
	}
	e := core.Entry{ID: j.ID, Parent: value(j.ParentID), Type: core.EntryType(j.Type), Time: parseTime(j.Timestamp)}
	switch e.Type {
	case core.EntryMessage:
		m, err := DecodeMessage(j.Message)
		if err != nil {
			return core.Entry{}, fmt.Errorf("entry %s: %w", e.ID, err)
		}
		e.Message = &m
	case core.EntryModel:
		e.Provider, e.Model = j.Provider, j.ModelID
	case core.EntryThinking:
		e.Thinking = core.ThinkingLevel(j.ThinkingLevel)
	case core.EntryName:
		e.Name = j.Name
	case core.EntryEdit:
		if string(j.Replacement) != "null" {
			e.Raw = append([]byte(nil), line...)
			break
		}
		e.Target = j.TargetID
	default:
		e.Raw = append([]byte(nil), line...)
	}
	// Nothing can follow an entry without an id.
	e.Side = e.Type == typeLabel || e.Type == "checkpoint" || e.ID == ""
	return e, nil
}

// decodeFrame reads of an entry with values of wrong types as much as it can. It returns err, which says what is wrong, if
// the entry's type is one that needs all its values.
func decodeFrame(line []byte, err error) (anyEntry, error) {
	var wrong *wire.TypeError
	if !errors.As(err, &wrong) {
		return anyEntry{}, err
	}
	var j anyEntry
	if wire.Decode(line, &j.Frame) != nil {
		var only struct {
			Type string `json:"type"`
		}
		if wire.Decode(line, &only) != nil {
			return anyEntry{}, err
		}
		j.Frame = Frame{Type: only.Type}
	}
	switch core.EntryType(j.Type) {
	case core.EntryMessage, core.EntryModel, core.EntryThinking, core.EntryName, core.EntryEdit:
		return anyEntry{}, err
	}
	return j, nil
}

const timeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime returns t as the time stamps of headers and entries are written.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// parseTime returns the zero time if s is not a time that FormatTime can write.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	t = t.UTC().Truncate(time.Millisecond)
	if err != nil || t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}
