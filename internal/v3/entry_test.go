package v3

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
)

var nine = time.Date(2026, 8, 14, 9, 0, 0, 7e6, time.UTC)

var entries = []struct {
	entry core.Entry
	json  string
}{
	{
		core.Entry{ID: "261f4d3d", Type: core.EntryModel, Time: nine, Provider: "p", Model: "m"},
		`{"type":"model_change","id":"261f4d3d","parentId":null,"timestamp":"2026-08-14T09:00:00.007Z","provider":"p","modelId":"m"}`,
	},
	{
		core.Entry{ID: "ffea614d", Parent: "261f4d3d", Type: core.EntryThinking, Time: nine, Thinking: "off"},
		`{"type":"thinking_level_change","id":"ffea614d","parentId":"261f4d3d","timestamp":"2026-08-14T09:00:00.007Z","thinkingLevel":"off"}`,
	},
	{
		core.Entry{ID: "a", Parent: "b", Type: core.EntryName, Time: nine, Name: "tea"},
		`{"type":"session_info","id":"a","parentId":"b","timestamp":"2026-08-14T09:00:00.007Z","name":"tea"}`,
	},
	{
		core.Entry{ID: "a", Type: core.EntryMessage, Message: &core.Message{
			Role: core.RoleUser, Time: noon, Content: []core.Block{core.TextBlock("hi")},
		}},
		`{"type":"message","id":"a","parentId":null,"timestamp":"0001-01-01T00:00:00.000Z",` +
			`"message":{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1786700000123}}`,
	},
	{
		core.Entry{ID: "a", Type: core.EntryMessage, Time: nine, Message: &core.Message{
			Role: core.RoleCustom, Raw: []byte(`{"role":"custom","content":[],"x":1}`),
		}},
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-08-14T09:00:00.007Z","message":{"role":"custom","content":[],"x":1}}`,
	},
	{
		core.Entry{ID: "a", Parent: "b", Type: core.EntryEdit, Time: nine, Target: "c"},
		`{"type":"context_edit","id":"a","parentId":"b","timestamp":"2026-08-14T09:00:00.007Z","targetId":"c","replacement":null}`,
	},
	foreign(core.Entry{ID: "a", Parent: "b", Type: core.EntryEdit, Time: nine},
		`{"type":"context_edit","id":"a","parentId":"b","timestamp":"2026-08-14T09:00:00.007Z","targetId":"c","replacement":{"role":"user"}}`),
	foreign(core.Entry{ID: "a", Parent: "b", Type: core.EntryEdit, Time: nine},
		`{"type":"context_edit","id":"a","parentId":"b","timestamp":"2026-08-14T09:00:00.007Z","targetId":"c"}`),
	foreign(core.Entry{ID: "a", Parent: "b", Type: "compaction", Time: nine},
		`{"type":"compaction","id":"a","parentId":"b", "timestamp":"2026-08-14T09:00:00.007Z","summary":"\u00e9 1.0e0"}`),
	foreign(core.Entry{ID: "a", Parent: "b", Type: "label", Time: nine, Side: true},
		`{"type":"label","id":"a","parentId":"b","timestamp":"2026-08-14T09:00:00.007Z","targetId":"b","label":"x"}`),
	foreign(core.Entry{ID: "a", Parent: "b", Type: "checkpoint", Time: nine, Side: true},
		`{"type":"checkpoint","id":"a","parentId":"b","timestamp":"2026-08-14T09:00:00.007Z","name":"x","targetId":"b"}`),
	foreign(core.Entry{ID: "a", Type: "custom", Time: nine},
		`{"type":"custom","id":"a","parentId":null,"timestamp":"2026-08-14T09:00:00.007Z","name":{"not":"a string"},"message":5}`),
	{
		core.Entry{Type: core.EntryName, Time: nine, Name: "x", Side: true},
		`{"type":"session_info","id":"","parentId":null,"timestamp":"2026-08-14T09:00:00.007Z","name":"x"}`,
	},
	foreign(core.Entry{Type: "odd", Side: true}, `{"type":"odd","id":17,"timestamp":{}}`),
	foreign(core.Entry{Type: "bare", Side: true}, `{ "type" : "bare" }`),
}

func foreign(e core.Entry, json string) struct {
	entry core.Entry
	json  string
} {
	e.Raw = []byte(json)
	return struct {
		entry core.Entry
		json  string
	}{e, json}
}

func TestEntries(t *testing.T) {
	for _, c := range entries {
		got, err := EncodeEntry(c.entry)
		if err != nil || string(got) != c.json {
			t.Errorf("EncodeEntry (%v):\ngot  %s\nwant %s", err, got, c.json)
		}
		line := []byte(c.json)
		back, err := DecodeEntry(line)
		clear(line)
		if err != nil || !reflect.DeepEqual(back, c.entry) {
			t.Errorf("DecodeEntry(%s): %v\ngot  %+v\nwant %+v", c.json, err, back, c.entry)
		}
	}
}

func TestDecodeEntryRefuses(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{``, "EOF"},
		{`{"type":"custom","id":"a"`, "EOF"},
		{`{"type":"custom","type":"x"}`, "duplicate"},
		{`[]`, "wrong type"},
		{`{"id":"a"}`, "no type"},
		{`{"type":5}`, "wrong type at /type"},
		{`{"type":"session","version":3,"id":"x"}`, "header"},
		{`{"type":"message","id":"a"}`, "entry a: message"},
		{`{"type":"message","id":"a","message":null}`, "no role"},
		{`{"type":"message","id":"a","message":"hi"}`, "wrong type"},
		{`{"type":"model_change","id":"a","provider":5}`, "wrong type at /provider"},
		{`{"type":"session_info","id":{}}`, "wrong type at /id"},
		{`{"type":"context_edit","id":"a","targetId":5,"replacement":null}`, "wrong type at /targetId"},
	} {
		e, err := DecodeEntry([]byte(c.line))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("DecodeEntry(%s): got %+v, %v; want an error with %q", c.line, e, err, c.want)
		}
	}
}

func TestEncodeEntryRefuses(t *testing.T) {
	for _, e := range []core.Entry{
		{ID: "a", Type: core.EntryMessage},
		{ID: "a", Type: core.EntryMessage, Message: &core.Message{Role: core.RoleCustom, Raw: []byte(`{`)}},
		{ID: "a", Type: "custom"},
		{ID: "a", Type: "custom", Raw: []byte(`{"type":`)},
		{ID: "a", Type: "custom", Raw: []byte("{}\n{}")},
	} {
		if line, err := EncodeEntry(e); err == nil || !strings.Contains(err.Error(), "entry a") {
			t.Errorf("EncodeEntry(%+v): got %s, %v; want an error that names the entry", e, line, err)
		}
	}
}

func TestRawOfSeveralLinesBecomesOne(t *testing.T) {
	got, err := EncodeEntry(core.Entry{Type: "custom", Raw: []byte("{\n \"type\": \"custom\"\n}")})
	if want := `{"type":"custom"}`; err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		in   string
		want time.Time
	}{
		{"2026-08-14T09:00:00.007Z", nine},
		{"2026-08-14T11:00:00.0079+02:00", nine},
		{"2026-08-14T09:00:00Z", nine.Truncate(time.Second)},
		{"9999-12-31T23:59:59-23:00", time.Time{}},
		{"yesterday", time.Time{}},
		{"", time.Time{}},
	} {
		if got := parseTime(c.in); !got.Equal(c.want) || got.Location() != time.UTC {
			t.Errorf("parseTime(%q): got %v, want %v", c.in, got, c.want)
		}
	}
	if got, want := FormatTime(nine.In(time.FixedZone("", 7200))), "2026-08-14T09:00:00.007Z"; got != want {
		t.Errorf("FormatTime: got %s, want %s", got, want)
	}
}

func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		header core.Header
		json   string
	}{
		{
			core.Header{ID: "0198", Time: nine, Cwd: "/home/u/app"},
			`{"type":"session","version":3,"id":"0198","timestamp":"2026-08-14T09:00:00.007Z","cwd":"/home/u/app"}`,
		},
		{
			core.Header{ID: "0198", Time: nine, Cwd: "/", Parent: "/s/a.jsonl"},
			`{"type":"session","version":3,"id":"0198","timestamp":"2026-08-14T09:00:00.007Z","cwd":"/","parentSession":"/s/a.jsonl"}`,
		},
	} {
		got, err := EncodeHeader(c.header)
		if err != nil || string(got) != c.json {
			t.Errorf("EncodeHeader (%v):\ngot  %s\nwant %s", err, got, c.json)
		}
		if back, err := DecodeHeader([]byte(c.json)); err != nil || back != c.header {
			t.Errorf("DecodeHeader(%s):\ngot  %+v, %v\nwant %+v", c.json, back, err, c.header)
		}
	}
	rpi := `{"type":"session","version":3,"id":"0198","timestamp":"2026-08-14T09:00:00.007Z","cwd":"/","parentSession":null}`
	if h, err := DecodeHeader([]byte(rpi)); err != nil || h.Parent != "" || h.ID != "0198" {
		t.Errorf("DecodeHeader(%s): got %+v, %v", rpi, h, err)
	}
}

func TestDecodeHeaderRefuses(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{``, ErrNotSession.Error()},
		{`hello`, ErrNotSession.Error()},
		{`{"type":"message","id":"a"}`, ErrNotSession.Error()},
		{`{"type":"session","version":3`, ErrNotSession.Error()},
		{`{"type":"session","id":"x"}`, "version 1"},
		{`{"type":"session","version":2,"id":"x"}`, "version 2"},
		{`{"type":"session","version":4,"id":"x"}`, "newer"},
		{`{"type":"session","version":3}`, "no id"},
		{`{"type":"session","version":3,"id":"x","cwd":5}`, "damaged"},
	} {
		h, err := DecodeHeader([]byte(c.line))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("DecodeHeader(%s): got %+v, %v; want an error with %q", c.line, h, err, c.want)
		}
	}
	if _, err := DecodeHeader([]byte(`{}`)); !errors.Is(err, ErrNotSession) {
		t.Errorf("got %v, want ErrNotSession", err)
	}
}

// FuzzDecodeEntry holds that what was read and written once reads and writes the same ever after.
func FuzzDecodeEntry(f *testing.F) {
	for _, c := range entries {
		f.Add([]byte(c.json))
	}
	for _, c := range roundTrips {
		f.Add([]byte(`{"type":"message","id":"a","parentId":"b","timestamp":"2026-08-14T09:00:00.007Z","message":` + c.json + `}`))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		first, err := DecodeEntry(line)
		if err != nil || first.Raw != nil {
			return
		}
		once, err := EncodeEntry(first)
		if err != nil {
			t.Fatalf("%q was read as %+v but does not encode: %v", line, first, err)
		}
		second, err := DecodeEntry(once)
		if err != nil {
			t.Fatalf("%q was read and written as %s, which does not decode: %v", line, once, err)
		}
		twice, err := EncodeEntry(second)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q (%v):\nonce  %s\ntwice %s", line, err, once, twice)
		}
		third, err := DecodeEntry(twice)
		if err != nil || !reflect.DeepEqual(second, third) {
			t.Fatalf("%q (%v):\nonce  %+v\ntwice %+v", line, err, second, third)
		}
	})
}

func BenchmarkEncodeEntry(b *testing.B) {
	e := entries[3].entry
	b.ReportAllocs()
	for b.Loop() {
		if _, err := EncodeEntry(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeEntry(b *testing.B) {
	line := []byte(entries[3].json)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeEntry(line); err != nil {
			b.Fatal(err)
		}
	}
}
