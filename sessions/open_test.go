package sessions_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/sessions"
)

// whole is a session of several kinds of entries.
var whole = headerLine + sayLine("u1", "", "one") +
	`{"type":"compaction","id":"c1","parentId":"u1","timestamp":"2026-08-14T09:00:00.007Z","summary":"ä {\"x\":[","tokensBefore":5}` + "\n" +
	sayLine("u2", "c1", "two ü") +
	`{"type":"session_info","id":"n1","parentId":"u2","timestamp":"2026-08-14T09:00:00.007Z","name":"tea"}` + "\n"

func TestTornAtEveryByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	s := sessions.Open(t.TempDir())
	all := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	from := len(headerLine) + len(sayLine("u1", "", "one"))
	for n := from; n <= len(whole); n++ {
		write(t, path, whole[:n])
		var want []string
		for at, i := len(headerLine), 1; i < len(all); i++ {
			at += len(strings.TrimSuffix(all[i], "\n"))
			if at <= n {
				want = append(want, []string{"", "u1", "c1", "u2", "n1"}[i])
			}
			at++
		}
		log, entries := reopen(t, s, path)
		if ids(entries) != strings.Join(want, " ") {
			t.Fatalf("cut to %d bytes: got %q, want %q", n, ids(entries), want)
		}
		ok(t, log.Append(say("z1", want[len(want)-1], "more")))
		ok(t, log.Append(say("z2", "z1", "and more")))
		ok(t, log.Close())
		keep := strings.Join(all[:len(want)+1], "")
		if got, want := read(t, path), strings.TrimSuffix(keep, "\n")+"\n"+sayLine("z1", want[len(want)-1], "more")+sayLine("z2", "z1", "and more"); got != want {
			t.Fatalf("cut to %d bytes, then appended: got\n%s\nwant\n%s", n, got, want)
		}
		entries = reread(t, s, path)
		if ids(entries) != strings.Join(append(want, "z1", "z2"), " ") {
			t.Fatalf("cut to %d bytes, opened again: got %q", n, ids(entries))
		}
	}
}

func TestEndsAndMiddles(t *testing.T) {
	nul := strings.Repeat("\x00", 5000)
	one, two, three := sayLine("u1", "", "one"), sayLine("u2", "u1", "two"), sayLine("u3", "u2", "three")
	bare := strings.TrimSuffix(two, "\n")
	for _, c := range []struct{ name, text, ids, after, notice string }{
		{"whole", headerLine + one + two, "u1 u2", headerLine + one + two, ""},
		{"no line feed", headerLine + one + bare, "u1 u2", headerLine + one + two, ""},
		{"only a header, no line feed", strings.TrimSuffix(headerLine, "\n"), "", headerLine, ""},
		{"zeros at the end", headerLine + one + nul, "u1", headerLine + one, "5000 bytes"},
		{"zeros behind a record", headerLine + one + bare + nul, "u1 u2", headerLine + one + two, "5000 bytes"},
		{"zeros in a record", headerLine + one + bare[:40] + nul, "u1", headerLine + one, "5040 bytes"},
		{"zeros before a record", headerLine + one + nul + two, "u1 u2", headerLine + one + nul + two, ""},
		{"zeros behind the header", strings.TrimSuffix(headerLine, "\n") + nul, "", headerLine, "5000 bytes"},
		{"a stray word at the end", headerLine + one + "true", "u1", headerLine + one, "4 bytes"},
		{"blank lines, CRLF", headerLine + "\n \r\n" + one + "\n" + bare + "\r\n", "u1 u2", headerLine + "\n \r\n" + one + "\n" + bare + "\r\n", ""},
		{"a bad line", headerLine + one + "{\"type\":\n" + sayLine("u2", "u1", "two"), "u1 u2", headerLine + one + "{\"type\":\n" + two, "cannot be read: 1"},
		{"a second header", headerLine + one + headerLine + two, "u1 u2", headerLine + one + headerLine + two, "cannot be read: 1"},
		{"a doubled line", headerLine + one + two + two + three, "u1 u2 u3", headerLine + one + two + two + three, "cannot be read: 1"},
		{"a bad line and a torn one", headerLine + one + "?\n" + bare[:9], "u1", headerLine + one + "?\n", "lost (9 bytes); lines passed over because they cannot be read: 1"},
	} {
		path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), c.text)
		var notices []string
		s := sessions.Open(t.TempDir())
		s.Notice = func(text string) { notices = append(notices, text) }
		log, entries := reopen(t, s, path)
		if ids(entries) != c.ids {
			t.Errorf("%s: got entries %q, want %q", c.name, ids(entries), c.ids)
		}
		notice := strings.Join(notices, "\n")
		if (c.notice == "") != (notice == "") || !strings.Contains(notice, c.notice) || strings.Contains(notice, "\n") {
			t.Errorf("%s: got notice %q, want %q", c.name, notice, c.notice)
		}
		ok(t, log.Append(say("z1", "u1", "more")))
		if got, want := read(t, path), c.after+sayLine("z1", "u1", "more"); got != want {
			t.Errorf("%s: after an append: got\n%q\nwant\n%q", c.name, got, want)
		}
		ok(t, log.Sync())
	}
}

// TestConversationGoesOnBehindABadLine: the entry behind a lost one would otherwise be cut off from all before.
func TestConversationGoesOnBehindABadLine(t *testing.T) {
	label := `{"type":"label","id":"l1","parentId":"u1","timestamp":"","targetId":"u1"}` + "\n"
	text := headerLine + sayLine("u1", "", "one") + label + "garbage\n" + sayLine("u3", "u2", "three") + sayLine("u4", "u1", "four")
	entries := reread(t, sessions.Open(t.TempDir()), write(t, filepath.Join(t.TempDir(), "a.jsonl"), text))
	var parents []string
	for _, e := range entries {
		parents = append(parents, e.ID+"<"+e.Parent)
	}
	if got, want := strings.Join(parents, " "), "u1< l1<u1 u3<u1 u4<u1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLongLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	s := sessions.Open(t.TempDir())
	long := strings.Repeat("word ", 1<<20)
	write(t, path, headerLine+sayLine("u1", "", long))
	log, entries := reopen(t, s, path)
	if len(entries) != 1 || entries[0].Message.Text() != long {
		t.Fatalf("a line of 5 MiB: got %d entries", len(entries))
	}
	ok(t, log.Append(say("u2", "u1", long)))
	ok(t, log.Close())

	// A line above the limit, made of zero bytes that take no space on disk.
	f := must[*os.File](t)(os.OpenFile(path, os.O_RDWR, 0))
	defer f.Close()
	size := must[os.FileInfo](t)(f.Stat()).Size() + 64<<20 + 1
	must[int](t)(f.WriteAt([]byte("\n"+sayLine("u3", "u2", "end")), size))
	log, entries = reopen(t, s, path)
	if ids(entries) != "u1 u2 u3" {
		t.Errorf("behind a line that is too long: got %q", ids(entries))
	}
	huge := say("u4", "u3", strings.Repeat("x", 64<<20))
	if err := log.Append(huge); err == nil || !strings.Contains(err.Error(), "u4 has") {
		t.Errorf("an entry that could not be read again: got %v, want an error", err)
	}
	ok(t, log.Close())
	ok(t, f.Truncate(size))
	if _, _, _, err := s.Open(t.Context(), "/", path); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a last line that is too long: got %v, want an error", err)
	}
	if got := must[os.FileInfo](t)(f.Stat()).Size(); got != size {
		t.Errorf("the file was cut to %d bytes", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	in := func(name, text string) string { return write(t, filepath.Join(dir, name), text) }
	pipe := filepath.Join(dir, "pipe.jsonl")
	ok(t, syscall.Mkfifo(pipe, 0o600))
	ok(t, os.Symlink(pipe, filepath.Join(dir, "link.jsonl")))
	for _, c := range []struct {
		ref, want string
		missing   bool
	}{
		{filepath.Join(dir, "none.jsonl"), "none.jsonl: no such session", true},
		{"none.jsonl", filepath.Join(dir, "none.jsonl"), true},
		{"no-such-id", `"no-such-id" in`, true},
		{"..", `".."`, true},
		{in("empty.jsonl", ""), "empty", true},
		{"", "empty", false},
		{"-c", "flag", false},
		{"-c.jsonl", "flag", false},
		{"a\x00.jsonl", "zero byte", false},
		{dir + "/", "folder", false},
		{pipe, "pipe", false},
		{filepath.Join(dir, "link.jsonl"), "pipe", false},
		{"/dev/null", "device", false},
		{filepath.Join(dir, "empty.jsonl", "x.jsonl"), "not a directory", false},
		{in("text.jsonl", "hello\nworld\n"), "header", false},
		{in("zeros.jsonl", strings.Repeat("\x00", 2<<20)), "header", false},
		{in("torn.jsonl", headerLine[:30]), "header", false},
		{in("entry.jsonl", sayLine("u1", "", "hi")), "header", false},
		{in("v1.jsonl", `{"type":"session","id":"x","cwd":"/"}`+"\n"), "version 1", false},
		{in("v2.jsonl", `{"type":"session","version":2,"id":"x","cwd":"/"}`+"\n"), "version 2", false},
		{in("v4.jsonl", `{"type":"session","version":4,"id":"x","cwd":"/"}`+"\n"), "newer", false},
	} {
		log, _, entries, err := sessions.Open(dir).Open(t.Context(), dir, c.ref)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, core.ErrNoSession) != c.missing {
			t.Errorf("Open(%q): got %v, %v, %v; want an error with %q, ErrNoSession %v", c.ref, log, entries, err, c.want, c.missing)
		}
	}
	if got := read(t, filepath.Join(dir, "text.jsonl")); got != "hello\nworld\n" {
		t.Errorf("a file that is no session was changed: %q", got)
	}
}

func TestOpenByID(t *testing.T) {
	base := t.TempDir()
	s := sessions.Open(base)
	for _, id := range []string{"abc1", "abc2", "abc", "xyz_1"} {
		h := header("/home/u/app")
		h.ID = id
		log, err := s.Create(t.Context(), h)
		ok(t, err)
		ok(t, log.Append(say("u1", "", id)))
		ok(t, log.Close())
	}
	write(t, filepath.Join(base, "--home-u-app--", "abc9.jsonl"), "junk")
	for _, c := range []struct{ ref, want, err string }{
		{"abc1", "abc1", ""},
		{"abc", "abc", ""},
		{"x", "xyz_1", ""},
		{"ab", "", "more than one"},
		{"abc9", "", "no such session"},
		{"zzz", "", "no such session"},
	} {
		log, h, _, err := s.Open(t.Context(), "/home/u/app", c.ref)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("Open(%s): got %+v, %v; want an error with %q", c.ref, h, err, c.err)
			}
			continue
		}
		ok(t, err)
		if h.ID != c.want || !strings.HasSuffix(log.Path(), "_"+c.want+".jsonl") {
			t.Errorf("Open(%s): got %s at %s, want %s", c.ref, h.ID, log.Path(), c.want)
		}
		ok(t, log.Close())
	}
	if _, _, _, err := s.Open(t.Context(), "/elsewhere", "abc1"); !errors.Is(err, core.ErrNoSession) {
		t.Errorf("from another working directory: got %v, want ErrNoSession", err)
	}
}

func TestOpenStopsWithItsContext(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), whole)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := sessions.Open(t.TempDir())
	if _, _, _, err := s.Open(ctx, "/", path); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: got %v", err)
	}
	if _, err := s.Create(ctx, header("/a")); !errors.Is(err, context.Canceled) {
		t.Errorf("Create: got %v", err)
	}
	if got := read(t, path); got != whole {
		t.Errorf("the file was changed:\n%s", got)
	}
}

// files holds sessions as pi and rpi write them.
var files = map[string]string{
	"pi": `{"type":"session","version":3,"id":"fixed-id-1","timestamp":"2026-11-30T18:26:30.948Z","cwd":"/home/u/app"}
{"type":"model_change","id":"52abc315","parentId":null,"timestamp":"2026-11-30T18:26:31.019Z","provider":"fake","modelId":"fake-1"}
{"type":"thinking_level_change","id":"aa4cd842","parentId":"52abc315","timestamp":"2026-11-30T18:26:31.019Z","thinkingLevel":"off"}
{"type":"message","id":"00000001","parentId":"aa4cd842","timestamp":"2026-11-30T18:26:31.028Z","message":{"role":"system","content":"","sections":{"preamble":"You are…"},"timestamp":1796063191028,"toolsAdded":[{"name":"bash","description":"d","parameters":{}}]}}
{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-11-30T18:26:31.028Z","message":{"role":"user","content":[{"type":"text","text":"alpha"}],"timestamp":1796063191028}}
{"type":"message","id":"00000003","parentId":"00000002","timestamp":"2026-11-30T18:26:31.044Z","message":{"role":"assistant","content":[{"type":"text","text":"I will run it."},{"type":"toolCall","id":"call_1","name":"bash","arguments":{"command":"echo one"}}],"api":"openai-completions","provider":"fake","model":"fake-1","usage":{"input":1382,"output":5,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":1387,"cost":{"input":0.001382,"output":9.999999999999999e-06,"cacheRead":0,"cacheWrite":0,"total":0.001392,"totalFromProvider":false}},"stopReason":"toolUse","timestamp":1796063191044,"responseId":"r1","rawStopReason":"tool_calls","durationMs":39,"thinkingLevel":"off"}}
{"type":"message","id":"00000004","parentId":"00000003","timestamp":"2026-11-30T18:26:31.060Z","message":{"role":"toolResult","toolCallId":"call_1","toolName":"bash","content":[{"type":"text","text":"one\n"}],"structuredContent":{"exit_code":0},"isError":false,"durationMs":10,"timestamp":1796063191060}}
{"type":"usage","id":"00000005","parentId":"00000004","timestamp":"2026-11-30T18:26:31.061Z","kind":"title","provider":"fake","model":"fake-1","usage":{"input":1}}
{"type":"context_edit","id":"00000006","parentId":"00000005","timestamp":"2026-11-30T18:26:31.062Z","targetId":"00000003","replacement":null}
{"type":"label","id":"00000007","parentId":"00000006","timestamp":"2026-11-30T18:26:31.063Z","targetId":"00000002","label":"here"}
{"type":"session_info","id":"00000008","parentId":"00000006","timestamp":"2026-11-30T18:26:31.064Z"}
`,
	"rpi": `{"type":"session","version":3,"id":"0198","timestamp":"2026-08-14T09:00:00.000Z","cwd":"/home/u/app","parentSession":null}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-08-14T09:00:00.000Z","message":{"role":"user","content":"plain","timestamp":1786698000000}}
{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-08-14T09:00:00.000Z","message":{"role":"custom","customType":"Loop a","content":"again","display":true,"timestamp":1786698000000}}
{"type":"compaction","id":"00000003","parentId":"00000002","timestamp":"2026-08-14T09:00:00.000Z","summary":"s","firstKeptEntryId":"00000001","tokensBefore":9,"retainedTail":[{"role":"user","content":[]}]}
{"type":"todo_snapshot","id":"00000004","parentId":"00000003","timestamp":"2026-08-14T09:00:00.000Z","state":{"phases":[],"storage":"session"}}
{"type":"checkpoint","id":"00000005","parentId":"00000004","timestamp":"2026-08-14T09:00:00.000Z","name":"c","targetId":"00000001"}
{"type":"custom","id":"00000006","parentId":"00000004","timestamp":"2026-08-14T09:00:00.000Z","customType":"pi.goal.event","data":{"version":1, "event":{ }}}
{"type":"branch_summary","id":"00000007","parentId":"00000006","timestamp":"2026-08-14T09:00:00.000Z","fromId":"00000001","summary":"s"}
{"type":"custom_message","id":"00000008","parentId":"00000007","timestamp":"2026-08-14T09:00:00.000Z","customType":"x","content":"y","display":false}
{"type":"from_the_future","id":"00000009","parentId":"00000008","timestamp":"2026-08-14T09:00:00.000Z","message":"\u00e9 1.0"}
`,
}

func TestFilesOfOtherPrograms(t *testing.T) {
	for name, text := range files {
		path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), text)
		s := sessions.Open(t.TempDir())
		s.Notice = func(text string) { t.Errorf("%s: notice: %s", name, text) }
		log, entries := reopen(t, s, path)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:]
		if len(entries) != len(lines) {
			t.Fatalf("%s: got %d entries, want %d", name, len(entries), len(lines))
		}
		for i, e := range entries {
			if e.Raw != nil && string(e.Raw) != lines[i] {
				t.Errorf("%s: got %s, want the same as in the file: %s", name, e.Raw, lines[i])
			}
			if side := e.Type == "label" || e.Type == "checkpoint"; e.Side != side || e.ID == "" || e.Time.IsZero() {
				t.Errorf("%s: got %+v", name, e)
			}
		}
		ok(t, log.Append(say("z", entries[len(entries)-1].ID, "more")))
		if got, want := read(t, path), text+sayLine("z", entries[len(entries)-1].ID, "more"); got != want {
			t.Errorf("%s: after an append: got\n%s\nwant\n%s", name, got, want)
		}

		// Copied entry by entry, as a clone does it, the session is the same again.
		other, err := s.CreateAt(t.Context(), path+".copy", header("/home/u/app"))
		ok(t, err)
		ok(t, other.Append(entries...))
		ok(t, other.Close())
		if copied := reread(t, s, other.Path()); !reflect.DeepEqual(copied, entries) {
			t.Errorf("%s: copied: got\n%+v\nwant\n%+v", name, copied, entries)
		}
	}
}

func TestMessagesOfPi(t *testing.T) {
	entries := reread(t, sessions.Open(t.TempDir()), write(t, filepath.Join(t.TempDir(), "a.jsonl"), files["pi"]))
	reply, result := entries[4].Message, entries[5].Message
	if calls := reply.ToolCalls(); reply.Stop != core.StopTools || len(calls) != 1 || calls[0].Arguments != `{"command":"echo one"}` || reply.Usage.Input != 1382 {
		t.Errorf("reply: %+v", reply)
	}
	if result.Role != core.RoleTool || result.ToolCallID != "call_1" || result.Text() != "one\n" {
		t.Errorf("tool result: %+v", result)
	}
	if entries[2].Message.Role != core.RoleSystem || entries[0].Model != "fake-1" || entries[1].Thinking != "off" {
		t.Errorf("got %+v", entries[:3])
	}
}

// FuzzOpen holds that whatever follows the header, the session opens, takes an entry, and has lost none when it opens again.
func FuzzOpen(f *testing.F) {
	for _, text := range files {
		f.Add(text[strings.IndexByte(text, '\n')+1:])
	}
	f.Add(sayLine("u1", "", "hi") + "\x00\x00")
	f.Add(`{"type":"x"}`)
	f.Fuzz(func(t *testing.T, rest string) {
		path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), headerLine+rest)
		s := sessions.Open(t.TempDir())
		log, before := reopen(t, s, path)
		ok(t, log.Append(say("\u2028z", "", "more")))
		ok(t, log.Close())
		after := reread(t, s, path)
		if len(after) == 0 || !reflect.DeepEqual(after[:len(after)-1], before) && len(before) > 0 || after[len(after)-1].ID != "\u2028z" {
			t.Fatalf("%q:\nbefore %+v\nafter  %+v", rest, before, after)
		}
	})
}
