package openai_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/providers/internal/fakeserver"
	"github.com/dualagent/agent/providers/openai"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const fine = "OA{\"content\":\"a\"}\nFIN(stop)\nDONE"

// sent returns the body of the request that r makes.
func sent(t *testing.T, o openai.Options, r core.Request) []byte {
	t.Helper()
	s := fakeserver.New(t, fakeserver.AsWritten, fine)
	o.BaseURL = s.URL
	p := provider(t, o)
	if got := play(t.Context(), p, r); !strings.Contains(got, "stop") {
		t.Fatalf("request failed: %s", got)
	}
	return s.Requests()[0].Body
}

func assistant(blocks ...core.Block) core.Message {
	return core.Message{Role: core.RoleAssistant, API: openai.API, Provider: "test", Content: blocks}
}

func calls(c core.ToolCall) core.Block { return core.Block{Kind: core.BlockToolCall, Call: &c} }

func result(id string, blocks ...core.Block) core.Message {
	return core.Message{Role: core.RoleTool, ToolCallID: id, ToolName: "ls", Content: blocks}
}

func image(data string) core.Block {
	return core.Block{Kind: core.BlockImage, Image: &core.Image{Data: data, MimeType: "image/png"}}
}

var long = core.Request{
	System: "Be \x00brief\xff.",
	Model:  core.Model{ID: "m", Provider: "test", Reasoning: true, Images: true, MaxTokens: 1000},
	Tools: []core.ToolSpec{
		{Name: "ls", Description: "List <files>.", Parameters: []byte(`{"type":"object", "properties":{"path":{"type":"string"}}}`)},
		{Name: "now"},
	},
	Thinking: "medium",
	Messages: []core.Message{
		{Role: core.RoleUser, Content: []core.Block{core.TextBlock("what is here?"), core.TextBlock(" 那")}},
		assistant(
			core.Block{Kind: core.BlockThinking, Text: "I should look"},
			core.TextBlock("Let me see."),
			calls(core.ToolCall{ID: "a", Name: "ls", Arguments: ` {"path":"."}`, Signature: "sig"}),
			calls(core.ToolCall{ID: "b", Name: "ls", Arguments: `{"path":"`}),
			calls(core.ToolCall{ID: strings.Repeat("x", 80), Name: "ls"}),
		),
		result("a", core.TextBlock("file\x00"), image("aGk=")),
		result("b", image("eW8=")),
		result(strings.Repeat("x", 80)),
		assistant(core.Block{Kind: core.BlockThinking, Text: "hm"}), // nothing to say
		assistant(core.TextBlock("")),
		{Role: core.RoleUser}, // likewise
		{Role: core.RoleShell, Shell: &core.ShellRun{Command: "git status", Output: "clean\n"}},
		{Role: core.RoleShell, Shell: &core.ShellRun{Command: "env", Output: "secret", Exclude: true}},
		{Role: core.RoleCompactionSummary, Content: []core.Block{core.TextBlock("Before that, we talked.")}},
		{Role: core.RoleUser, Content: []core.Block{core.TextBlock("and this?"), image("aGk=")}},
	},
}

func TestRequestBody(t *testing.T) {
	plain := long
	plain.Model.Reasoning, plain.Model.Images, plain.Model.MaxTokens, plain.Tools, plain.System = false, false, 0, nil, ""
	off := hello
	off.Model.Reasoning, off.Thinking = true, core.ThinkingOff
	for name, c := range map[string]struct {
		o openai.Options
		r core.Request
	}{
		"everything":     {r: long},
		"echo reasoning": {o: openai.Options{EchoReasoning: true}, r: long},
		"plain model":    {r: plain},
		"thinking off":   {r: off},
	} {
		t.Run(name, func(t *testing.T) {
			got := append(bytes.ReplaceAll(sent(t, c.o, c.r), []byte(`{"role"`), []byte("\n{\"role\"")), '\n')
			file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".golden")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v\ngot:\n%s\nwant:\n%s", file, err, got, want)
			}
		})
	}
}

// Servers keep what they have computed for the head of a conversation; it must not change when the conversation goes on.
func TestRequestsShareTheirHead(t *testing.T) {
	first := sent(t, openai.Options{}, long)
	if again := sent(t, openai.Options{}, long); !bytes.Equal(first, again) {
		t.Errorf("the same request twice:\n%s\n%s", first, again)
	}
	more := long
	more.Messages = append(slices.Clone(long.Messages), assistant(core.TextBlock("a")), user("thanks"))
	head, _, _ := bytes.Cut(first, []byte(`],"tools"`))
	if longer := sent(t, openai.Options{}, more); !bytes.HasPrefix(longer, head) {
		t.Errorf("the head has changed:\n%s\n%s", head, longer)
	}
}

// A server that does not know an optional member refuses the request. It is asked again without, and from then on.
func TestRefusedMembersAreLeftOut(t *testing.T) {
	r := long
	refuse := func(what string) string {
		return "! status 400\n> \"{\\\"error\\\":{\\\"message\\\":\\\"" + what + "\\\"}}\""
	}
	s := fakeserver.New(t, fakeserver.AsWritten,
		refuse("Unrecognized request argument supplied: stream_options"),
		refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
		refuse("'reasoning_effort' is not supported with this model"),
		fine)
	p := provider(t, openai.Options{BaseURL: s.URL})
	for range 2 {
		if got := play(t.Context(), p, r); !strings.HasSuffix(got, "stop stop") {
			t.Errorf("got %q, want a reply", got)
		}
	}
	var got []string
	for _, request := range s.Requests() {
		var members []string
		for _, m := range []string{"stream_options", "max_tokens", "max_completion_tokens", "reasoning_effort"} {
			if bytes.Contains(request.Body, []byte(`"`+m+`":`)) {
				members = append(members, m)
			}
		}
		got = append(got, strings.Join(members, " "))
	}
	want := []string{
		"stream_options max_tokens reasoning_effort", "max_tokens reasoning_effort", "max_completion_tokens reasoning_effort",
		"max_completion_tokens", "max_completion_tokens",
	}
	if !slices.Equal(got, want) {
		t.Errorf("optional members of the requests:\ngot  %q\nwant %q", got, want)
	}
}

// Images go to a model that nothing is known of, until its server says that it takes none.
func TestRefusedImages(t *testing.T) {
	r := hello
	r.Messages = append(slices.Clone(hello.Messages), core.Message{Role: core.RoleUser, Content: []core.Block{image("aGk=")}})
	for _, refusal := range []string{
		`! status 400|unknown variant 'image_url', expected 'text'`,
		`! status 404|No endpoints found that support image input`,
		`! status 500|image input is not supported - hint: you may need to provide the mmproj`,
		`! status 400|m is not a multimodal model`,
	} {
		status, said, _ := strings.Cut(refusal, "|")
		s := fakeserver.New(t, fakeserver.AsWritten, status+"\n> \""+said+"\"", fine)
		p := provider(t, openai.Options{BaseURL: s.URL})
		r.Model, _ = p.Lookup("m")
		for range 2 {
			if got := play(t.Context(), p, r); !strings.HasSuffix(got, "stop stop") {
				t.Errorf("%s: %s", said, got)
			}
		}
		for i, want := range []bool{true, false, false} {
			if got := bytes.Contains(s.Requests()[i].Body, []byte("aGk=")); got != want {
				t.Errorf("%s: image in request %d: %v, want %v", said, i, got, want)
			}
		}
	}
	for _, refusal := range []string{"! status 400|unsupported image format", "! status 400|image too large, supported are 8000 px", "! status 503|no images are supported today"} {
		status, said, _ := strings.Cut(refusal, "|")
		s := fakeserver.New(t, fakeserver.AsWritten, status+"\n> \""+said+"\"", fine)
		p := provider(t, openai.Options{BaseURL: s.URL})
		r.Model, _ = p.Lookup("m")
		if got := play(t.Context(), p, r); !strings.Contains(got, said) || len(s.Requests()) != 1 {
			t.Errorf("%s: %d requests, %s", said, len(s.Requests()), got)
		}
	}
}

// O72: what a server says of reasoning counts more than what was configured.
func TestReasoningAsTheServerWantsIt(t *testing.T) {
	for _, echo := range []bool{false, true} {
		s := fakeserver.New(t, fakeserver.AsWritten, "! status 400\n> \"reasoning_content must (not) be passed\"", fine)
		p := provider(t, openai.Options{BaseURL: s.URL, EchoReasoning: echo})
		if got := play(t.Context(), p, long); !strings.HasSuffix(got, "stop stop") {
			t.Errorf("echo %v: %s", echo, got)
		}
		for i, want := range []bool{echo, !echo} {
			if got := bytes.Contains(s.Requests()[i].Body, []byte("reasoning_content")); got != want {
				t.Errorf("echo %v: reasoning in request %d: %v, want %v", echo, i, got, want)
			}
		}
	}
}

// A server that refuses for the same reason again is not asked for ever.
func TestRefusalEnds(t *testing.T) {
	s := fakeserver.New(t, fakeserver.AsWritten, "! status 400\n> \"no stream_options\"")
	p := provider(t, openai.Options{BaseURL: s.URL})
	if got, want := play(t.Context(), p, hello), "error 400 HTTP 400 Bad Request: no stream_options"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}
