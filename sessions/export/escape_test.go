package export_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// attack has text wherever a session can have any.
func attack(text string) core.Transcript {
	quoted, err := wire.Encode(text)
	if err != nil {
		quoted = wire.Raw(`""`)
	}
	b := &builder{core.Transcript{Session: core.SessionInfo{ID: text, Path: text, Name: text, Cwd: text}}}
	b.add(core.Entry{Type: core.EntryModel, Provider: text, Model: text})
	b.add(core.Entry{Type: core.EntryThinking, Thinking: core.ThinkingLevel(text)})
	b.add(core.Entry{Type: core.EntryName, Name: text})
	b.add(core.Entry{Type: core.EntryType(text), Raw: []byte(`{"summary":` + string(quoted) + `}`)})
	b.add(core.Entry{Type: core.EntryType(text), Raw: []byte(text)})
	b.say(core.RoleUser, core.TextBlock(text), picture("image/"+text, pixel), picture(text, text), picture("image/gif", text))
	b.add(message(core.Message{
		Role: core.RoleAssistant, Stop: core.StopError, Error: text, Content: []core.Block{
			{Kind: core.BlockThinking, Text: text}, core.TextBlock("```" + text + "\n" + text + "\n```\n```diff\n+" + text + "\n"),
			toolCall("1", text, text), toolCall("2", "x", `{"path":`+string(quoted)+`,`+string(quoted)+`:[`+string(quoted)+`]}`),
		},
	}))
	b.add(message(core.Message{
		Role: core.RoleTool, ToolCallID: "1", Content: []core.Block{core.TextBlock(text), picture("image/png", text)},
		Details: wire.Raw(`{"diff":` + string(quoted) + `}`),
	}))
	b.add(message(core.Message{Role: core.RoleTool, ToolCallID: text, ToolName: text, Details: wire.Raw(text)}))
	b.add(message(core.Message{Role: core.RoleShell, Shell: &core.ShellRun{Command: text, Output: text}}))
	b.say(core.Role(text), core.TextBlock(text))
	return b.Transcript
}

var (
	tag       = regexp.MustCompile(`<(/?[a-z0-9]+)((?: [a-z-]+(?:="[^"<>]*")?)*)>`)
	attribute = regexp.MustCompile(` ([a-z-]+)(?:="([^"]*)")?`)
	address   = regexp.MustCompile(`^(?:#turn-[0-9]+|data:image/(?:gif|png);base64,[A-Za-z0-9+/=]*)$`)

	elements = strings.Fields(`html head meta title body input header label span output div nav ol li a main h1 h2 small dl dt dd p section
		article time figure figcaption pre code details summary b ins del img`)
	attributes = strings.Fields(`lang charset http-equiv content name id aria-label type for class dir hidden placeholder autocomplete
		datetime src alt href loading decoding open`)
)

// checkMarkup holds that all markup of a page is the template's: each tag is one of its elements with its attributes, and there is
// no < or > beside them.
func checkMarkup(t *testing.T, page string) (text string) {
	t.Helper()
	rest := strings.TrimPrefix(bare(page), "<!DOCTYPE html>")
	for _, m := range tag.FindAllStringSubmatch(rest, -1) {
		if !slices.Contains(elements, strings.TrimPrefix(m[1], "/")) {
			t.Errorf("element %s", m[0])
		}
		for _, a := range attribute.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(attributes, a[1]) {
				t.Errorf("attribute %s in %s", a[1], m[0])
			}
			if value := html.UnescapeString(a[2]); (a[1] == "src" || a[1] == "href") && !address.MatchString(value) {
				t.Errorf("address %s", value)
			}
		}
	}
	rest = tag.ReplaceAllString(rest, "")
	if i := strings.IndexAny(rest, "<>"); i >= 0 {
		t.Errorf("markup that is not the template's: %q", rest[max(0, i-40):min(len(rest), i+40)])
	}
	return html.UnescapeString(rest)
}

func FuzzEscaping(f *testing.F) {
	for _, text := range []string{
		"", "plain", "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "' onmouseover='alert(1)", "</pre></details></style>",
		"<!--", "]]>", "{{.}}", "javascript:alert(1)", "data:text/html,<b>", "gif\" onload=\"x", "&lt;script&gt;", "\x00\x1b[31m\xff",
		"```\n</script>", "~~~ <b>\n", "+<del>\n-<ins>\n@@", pixel, "0000\r\n", "\u2028\u202e<b>", "`${1}`", "+ADw-script+AD4-",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		page := write(t, attack(text))
		if !utf8.ValidString(page) {
			t.Error("the page is not UTF-8")
		}
		seen := checkMarkup(t, page)
		// What is no control character is there as it was, apart from references that the text has itself.
		if plain := string([]rune(text)); regexp.MustCompile(`^[\pL\pN\pP\pS ]+$`).MatchString(plain) && !strings.Contains(seen, plain) {
			t.Errorf("%q is not in the page", plain)
		}
	})
}

func TestMarkupOfAnOrdinaryPage(t *testing.T) { checkMarkup(t, write(t, everything())) }
