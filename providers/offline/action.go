package offline

import (
	"fmt"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// A job is a kind of action.
type job string

const (
	reads   job = "read files"
	lists   job = "list folders"
	runs    job = "run commands"
	writes  job = "write files"
	edits   job = "edit files"
	finds   job = "find files"
	greps   job = "search in files"
	nothing job = ""
)

// toolNames are the tools that do a job, as far as we know them.
var toolNames = map[job][]string{
	reads:  {"read", "read_file"},
	lists:  {"ls", "list", "list_dir", "list_files"},
	runs:   {"bash", "shell", "run_command"},
	writes: {"write", "write_file"},
	edits:  {"edit", "edit_file"},
	finds:  {"find", "glob"},
	greps:  {"grep", "search"},
}

func jobOf(tool string) job {
	for job, names := range toolNames {
		for _, name := range names {
			if name == tool {
				return job
			}
		}
	}
	return nothing
}

// An action is one thing to do with a tool. Which fields matter depends on the job.
type action struct {
	job      job
	path     string
	text     string // to write
	old, new string // of an edit
	pattern  string // to look for
	command  string
}

// call returns the call of one of tools that carries a out. If there is no tool for it, a shell may do.
func (a action) call(tools []core.ToolSpec) (name, arguments string, err error) {
	spec, ok := find(tools, a.job)
	wanted := a.job
	if !ok {
		if command := a.shell(); command != "" {
			a = action{job: runs, command: command}
			spec, ok = find(tools, runs)
		}
	}
	if !ok {
		return "", "", noTool(wanted)
	}
	raw, err := wire.Encode(a.arguments(properties(spec.Parameters)))
	return spec.Name, string(raw), err
}

func find(tools []core.ToolSpec, j job) (core.ToolSpec, bool) {
	for _, name := range toolNames[j] {
		for _, t := range tools {
			if t.Name == name {
				return t, true
			}
		}
	}
	return core.ToolSpec{}, false
}

// shell returns the command that does the same, or "" if there is none worth having.
func (a action) shell() string {
	switch a.job {
	case reads:
		return "cat -- " + shellWord(a.path)
	case lists:
		return "ls -a -- " + shellWord(orHere(a.path))
	case finds:
		return "find " + shellWord(orHere(a.path)) + " -name '" + strings.ReplaceAll(a.pattern, "'", `'\''`) + "'"
	case greps:
		return "grep -rnF -e " + shellWord(a.pattern) + " -- " + shellWord(orHere(a.path))
	default:
		return ""
	}
}

func orHere(path string) string {
	if path == "" {
		return "."
	}
	return path
}

var plainWord = lazy(`^[\w./*?~+=:@%,-]+$`)

// shellWord quotes s for a shell unless that makes no difference or would stop a pattern from matching.
func shellWord(s string) string {
	if plainWord().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// properties returns the names in a schema and, below those that are lists of objects, the names in these.
func properties(schema []byte) map[string]property {
	var s property
	if wire.Decode(schema, &s) != nil {
		return nil
	}
	return s.Properties
}

type property struct {
	Properties map[string]property `json:"properties"`
	Items      *property           `json:"items"`
}

// arguments names the values as the tool does.
func (a action) arguments(known map[string]property) map[string]any {
	out := map[string]any{}
	set := func(value string, names ...string) {
		if value != "" {
			out[pick(known, names...)] = value
		}
	}
	set(a.path, "path", "file_path", "file", "dir", "directory")
	set(a.command, "command", "cmd")
	set(a.pattern, "pattern", "query", "glob")
	switch a.job {
	case writes:
		out[pick(known, "content", "text", "contents")] = a.text
	case greps:
		if _, ok := known["literal"]; ok {
			out["literal"] = true
		}
	case edits:
		target := out
		if list, ok := known["edits"]; ok {
			if list.Items != nil {
				known = list.Items.Properties
			}
			target = map[string]any{}
			out["edits"] = []any{target}
		}
		target[pick(known, "oldText", "old_text", "old_string", "old")] = a.old
		target[pick(known, "newText", "new_text", "new_string", "new")] = a.new
	}
	return out
}

// pick returns the first name that is known, or else the first.
func pick(known map[string]property, names ...string) string {
	for _, name := range names {
		if _, ok := known[name]; ok {
			return name
		}
	}
	return names[0]
}

// noTool is what the model answers when it would need a tool that it has not got.
type noTool job

func (n noTool) Error() string { return fmt.Sprintf("I have no tool to %s here.", string(n)) }
