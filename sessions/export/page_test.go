package export_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/sessions/export"
)

var update = flag.Bool("update", false, "write testdata anew")

// A builder makes transcripts. Each entry follows the one before; a second passes between them.
type builder struct{ core.Transcript }

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (b *builder) add(e core.Entry) (id string) {
	n := len(b.Entries)
	e.ID, e.Parent = string(rune('a'+n)), b.Leaf
	if n >= 26 {
		e.ID = strings.Repeat("z", n-25)
	}
	e.Time = began.Add(time.Duration(n) * time.Second)
	if !e.Side {
		b.Leaf = e.ID
	}
	b.Entries = append(b.Entries, e)
	return e.ID
}

func (b *builder) say(role core.Role, blocks ...core.Block) string {
	return b.add(message(core.Message{Role: role, Content: blocks}))
}

func message(m core.Message) core.Entry { return core.Entry{Type: core.EntryMessage, Message: &m} }

func toolCall(id, name, args string) core.Block {
	return core.Block{Kind: core.BlockToolCall, Call: &core.ToolCall{ID: id, Name: name, Arguments: args}}
}

// pixel is a picture of one point.
const pixel = "R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="

func picture(mime, data string) core.Block {
	return core.Block{Kind: core.BlockImage, Image: &core.Image{MimeType: mime, Data: data}}
}

// everything has each kind of part and block.
func everything() core.Transcript {
	b := &builder{core.Transcript{Session: core.SessionInfo{ID: "0198", Path: "/s/x.jsonl", Cwd: "/work", Time: began}}}
	b.add(core.Entry{Type: core.EntryModel, Provider: "p", Model: "m"})
	root := b.add(core.Entry{Type: core.EntryThinking, Thinking: "high"})
	b.say(core.RoleUser, core.TextBlock("the other branch"))
	b.say(core.RoleAssistant, core.TextBlock("the other answer"))
	b.add(core.Entry{Type: core.EntryName, Name: "elsewhere"})
	b.Leaf = root
	b.say(core.RoleUser, core.TextBlock("Change <b>a</b>\nand look:"), picture("image/gif", pixel))
	b.add(message(core.Message{
		Role: core.RoleAssistant, Stop: core.StopTools, Usage: core.Usage{Input: 10, Output: 5, Cost: core.Cost{Total: 0.25}},
		Content: []core.Block{
			{Kind: core.BlockThinking, Text: "hm"}, {Kind: core.BlockThinking, Redacted: true},
			core.TextBlock("I will.\n\n```diff\n@@ -1 +1 @@\n-a\n+b\n```\nand\n~~~go\nx := `y`\n~~~\n"),
			toolCall("1", "edit", `{"path":"a.txt","n":[1, 2],"text":"two\nlines"}`), toolCall("2", "bash", `{broken`), toolCall("3", "ls", ""),
		},
	}))
	b.add(message(core.Message{
		Role: core.RoleTool, ToolCallID: "2", ToolName: "bash", IsError: true, Took: 1500 * time.Millisecond,
		Content: []core.Block{core.TextBlock("no \x1b[31mJSON"), picture("image/svg+xml", pixel), picture("image/gif", pixel)},
	}))
	b.add(message(core.Message{
		Role: core.RoleTool, ToolCallID: "1", ToolName: "edit", Content: []core.Block{core.TextBlock("done")},
		Details: wire.Raw(`{"diff":" 1 same\n-2 old\n+2 new\n+3 newer\n"}`),
	}))
	b.add(message(core.Message{Role: core.RoleTool, ToolCallID: "9", ToolName: "lost", Content: []core.Block{core.TextBlock("whose?")}}))
	gone := b.add(message(core.Message{Role: core.RoleAssistant, Stop: core.StopError, Error: "HTTP 500"}))
	b.add(core.Entry{Type: core.EntryEdit, Target: gone})
	b.add(message(core.Message{Role: core.RoleAssistant, Stop: core.StopLength, Content: []core.Block{core.TextBlock("```\nnot closed")}}))
	code := 2
	b.add(message(core.Message{Role: core.RoleShell, Shell: &core.ShellRun{
		Command: "false", Output: "out", ExitCode: &code, Truncated: true, Exclude: true,
	}}))
	b.add(core.Entry{Type: "label", Side: true, Raw: []byte(`{"type":"label"}`)})
	b.add(core.Entry{Type: "branch_summary", Raw: []byte(`{"type":"branch_summary","summary":"so far"}`)})
	b.add(core.Entry{Type: "custom", Raw: []byte(`{"type":"custom","summary":7}`)})
	b.say(core.RoleCompactionSummary, core.TextBlock("in short"))
	b.say(core.RoleCustom, core.TextBlock("from an extension"))
	b.say(core.RoleUser, picture("image/png", "not base64"))
	return b.Transcript
}

func write(t testing.TB, tr core.Transcript) string {
	t.Helper()
	var page bytes.Buffer
	if err := export.Write(&page, tr); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

var (
	styles  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	policy  = regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`)
)

// bare returns a page without its style, script and policy.
func bare(page string) string {
	page = styles.ReplaceAllString(page, "")
	page = scripts.ReplaceAllString(page, "")
	return policy.ReplaceAllString(page, `http-equiv="Content-Security-Policy" content=""`)
}

func TestPage(t *testing.T) {
	got := bare(write(t, everything()))
	golden := filepath.Join("testdata", "everything.html")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the page differs from %s; -update writes it anew (-want +got):\n%s", golden, diff)
	}
}

// The policy allows the style and the script that are in the page, and nothing else but pictures in it.
func TestPolicy(t *testing.T) {
	page := write(t, everything())
	hash := func(re *regexp.Regexp) string {
		all := re.FindAllStringSubmatch(page, -1)
		if len(all) != 1 {
			t.Fatalf("%s fits %d times, want once", re, len(all))
		}
		sum := sha256.Sum256([]byte(all[0][1]))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; img-src data:; style-src " + hash(styles) + "; script-src " + hash(scripts) +
		"; base-uri 'none'; form-action 'none'"
	m := policy.FindStringSubmatch(page)
	if m == nil {
		t.Fatal("the page has no policy")
	}
	if got := html.UnescapeString(m[1]); got != want {
		t.Errorf("policy: got\n%s\nwant\n%s", got, want)
	}
	for _, outside := range []string{"http:", "https:", "url(", "@import", "<link", "fetch(", "import("} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %q in it", outside)
		}
	}
}

func TestEmptySession(t *testing.T) {
	page := write(t, core.Transcript{Session: core.SessionInfo{ID: "0198"}})
	for _, want := range []string{"<title>Session 0198</title>", "Nothing has been said yet."} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, bare(page))
		}
	}
}

func TestTitleIsTheName(t *testing.T) {
	tr := everything()
	tr.Session.Name = " a <name> "
	if page := write(t, tr); !strings.Contains(page, "<title>a &lt;name&gt;</title>") {
		t.Errorf("the name is not the title:\n%s", bare(page))
	}
}

// A path that comes back to itself, or begins nowhere, is shown as far as it goes.
func TestBrokenPaths(t *testing.T) {
	first := message(core.Message{Role: core.RoleUser, Content: []core.Block{core.TextBlock("first")}})
	second := message(core.Message{Role: core.RoleUser, Content: []core.Block{core.TextBlock("second")}})
	for name, parent := range map[string]string{"circle": "2", "gone": "7"} {
		first.ID, first.Parent, second.ID, second.Parent = "1", parent, "2", "1"
		page := write(t, core.Transcript{Entries: []core.Entry{first, second}, Leaf: "2"})
		if n := strings.Count(page, "<article"); n != 2 {
			t.Errorf("%s: %d messages, want 2", name, n)
		}
	}
}
