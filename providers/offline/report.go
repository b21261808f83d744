package offline

import (
	"fmt"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

const guide = `I am the built-in offline guide: no network, no key, and only a few plain requests that I understand. For example:

- list the files here · find *.go · search for TODO in src
- read go.mod · read README.md and LICENSE
- run ` + "`go version`" + `
- write notes.txt saying hello · replace hello with goodbye in notes.txt
- delete the temp files
- say hello · count to 100 · think about it

Requests can be joined: "read go.mod and then run go version".

To talk to a real model, start the program with --model provider/id and the provider's API key in the environment, or with --endpoint URL for any OpenAI-compatible server, on this machine or elsewhere (--api-key-env NAME says where its key is).`

const summary = "This is the offline guide, which cannot sum up a conversation in its own words. The requests so far were carried out one by one, with the results that the tools gave."

// report says what came of a round. It reports false if something went wrong, so that no more should be done.
func (r round) report() (text string, ok bool) {
	ok = true
	var parts []string
	for _, c := range r.calls {
		result := r.results[c.ID]
		if result == nil {
			continue
		}
		ok = ok && !result.IsError
		parts = append(parts, reportOn(c, result))
	}
	return strings.Join(parts, "\n\n"), ok
}

// denied matches the results of calls that the user has not allowed; "permission denied" is what a system says.
var denied = lazy(`(?i)\b(?:denied|declined|not (?:been )?(?:approved|allowed|permitted)|skipped|rejected)\b`)

func reportOn(c core.ToolCall, result *core.Message) string {
	what, text := describe(c), strings.TrimRight(result.Text(), " \t\r\n")
	if !result.IsError {
		return success(c, text)
	}
	reason, _, _ := strings.Cut(text, "\n")
	if denied().MatchString(strings.ReplaceAll(strings.ToLower(text), "permission denied", "")) {
		return "I was not allowed to " + what + ": " + reason
	}
	if jobOf(c.Name) == runs {
		return "I ran " + subject(c) + ", but it failed:\n" + quote(text, 10)
	}
	return "I could not " + what + ": " + reason
}

// describe says what a call does, as in "I could not …".
func describe(c core.ToolCall) string {
	verb := map[job]string{
		reads: "read", lists: "list", runs: "run", writes: "write", edits: "change", finds: "find", greps: "search for",
	}[jobOf(c.Name)]
	if verb == "" {
		return "use " + c.Name
	}
	return verb + " " + subject(c)
}

// subject returns what a call is about.
func subject(c core.ToolCall) string {
	var arguments map[string]any
	if c.Arguments != "" && wire.Decode([]byte(c.Arguments), &arguments) != nil {
		return "it"
	}
	for _, name := range []string{"command", "cmd", "pattern", "query", "path", "file_path", "file", "dir"} {
		if s, ok := arguments[name].(string); ok {
			return "`" + s + "`"
		}
	}
	return "the current folder"
}

func success(c core.ToolCall, text string) string {
	what, n := subject(c), lines(text)
	nothing := text == "" || strings.HasPrefix(text, "No ") || strings.HasPrefix(text, "(")
	switch jobOf(c.Name) {
	case reads:
		if text == "" {
			return what + " is empty."
		}
		return fmt.Sprintf("%s has %s. It begins:\n%s", what, counted(n, "line"), quote(text, 5))
	case lists:
		if nothing {
			return "There is nothing in " + what + "."
		}
		return fmt.Sprintf("There %s %s in %s: %s.", either(n, "is", "are"), counted(n, "entry"), what, enumerate(text))
	case finds:
		if nothing {
			return "No files match " + what + "."
		}
		return fmt.Sprintf("%s %s %s: %s.", counted(n, "file"), either(n, "matches", "match"), what, enumerate(text))
	case greps:
		if nothing {
			return "Nothing matches " + what + "."
		}
		return fmt.Sprintf("I found %s with %s:\n%s", counted(n, "line"), what, quote(text, 5))
	case writes:
		return "I have written " + what + "."
	case edits:
		return "I have changed " + what + "."
	}
	if nothing && lines(text) <= 1 {
		return "I ran " + what + "; it printed nothing."
	}
	return "I ran " + what + ". It printed:\n" + quote(text, 10)
}

// either picks the form that goes with a number.
func either(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func lines(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(text, "\n") + 1
}

func counted(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(what, "y"))
	default:
		return fmt.Sprintf("%d %ss", n, what)
	}
}

// quote shows the first lines of a text.
func quote(text string, most int) string {
	all := strings.SplitN(text, "\n", most+1)
	if len(all) > most {
		all[most] = "…"
	}
	return "```\n" + strings.Join(all, "\n") + "\n```"
}

// enumerate lists the first lines of a text in a sentence.
func enumerate(text string) string {
	const most = 10
	all := strings.SplitN(text, "\n", most+1)
	if len(all) > most {
		all[most] = "…"
	}
	return strings.Join(all, ", ")
}
