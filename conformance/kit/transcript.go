package kit

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Transcript is one conversation with a server, together with what its model says.
type Transcript struct {
	Protocol Protocol
	Name     string // path without the protocol's folder and the extension, such as "steer/mid-tool"
	File     string // path as it is shown in messages
	About    string // the comment on top

	flags, env []string
	files      map[string]string
	ignore     []string // nil: the protocol's usual ones
	model      section
	play       section
	gates      []string // names of the gates that it mentions
}

// Point is the part of the protocol that the transcript belongs to: its folder.
func (t *Transcript) Point() string { return path.Dir(t.Name) }

// Load reads the transcripts below the folder of the protocol in fsys, in the order of their names.
func Load(fsys fs.FS, p Protocol) ([]*Transcript, error) {
	var list []*Transcript
	err := fs.WalkDir(fsys, string(p), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".txtar" {
			return err
		}
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return err
		}
		t, err := Parse(p, file, data)
		list = append(list, t)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load %s transcripts: %w", p, err)
	}
	return list, nil
}

var gateName = regexp.MustCompile(`\$GATE/(\w+)`)

// Parse reads one transcript. Its text is checked as far as possible without a run.
func Parse(p Protocol, file string, data []byte) (*Transcript, error) {
	a := parseArchive(data)
	name := strings.TrimPrefix(strings.TrimSuffix(file, ".txtar"), string(p)+"/")
	t := &Transcript{Protocol: p, Name: name, File: file, About: strings.TrimSpace(a.comment), files: map[string]string{}}
	for _, s := range a.sections {
		if err := t.add(s); err != nil {
			return nil, err
		}
	}
	if t.play.text == "" {
		return nil, fmt.Errorf("%s: there is no section %q", file, "play")
	}
	for _, m := range gateName.FindAllStringSubmatch(t.model.text+t.play.text, -1) {
		if !slices.Contains(t.gates, m[1]) {
			t.gates = append(t.gates, m[1])
		}
	}
	if _, err := ParseScript(t.model.text); err != nil {
		return nil, atLine(file, t.model.line, err)
	}
	if _, err := parsePlay(t.play, p, strings.NewReplacer()); err != nil {
		return nil, atLine(file, 0, err)
	}
	return t, nil
}

func (t *Transcript) add(s section) error {
	lines := strings.FieldsFunc(s.text, func(r rune) bool { return r == '\n' })
	file, isFile := strings.CutPrefix(s.name, "files/")
	switch {
	case isFile && fs.ValidPath(file):
		t.files[file] = s.text
	case s.name == "flags":
		t.flags = lines
	case s.name == "env":
		t.env = lines
	case s.name == "ignore":
		t.ignore = append([]string{}, lines...)
	case s.name == "model":
		t.model = s
	case s.name == "play":
		t.play = s
	default:
		return fmt.Errorf("%s:%d: there is no section called %q; use flags, env, files/NAME, ignore, model, play", t.File, s.line-1, s.name)
	}
	return nil
}

// A lineError is an error in a line of a transcript or a script, counted from 1.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e *lineError) Unwrap() error { return e.err }

// atLine turns the line of a lineError, which counts from the line first of the file, into a place in the file.
func atLine(file string, first int, err error) error {
	var le *lineError
	if !errors.As(err, &le) {
		return fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Errorf("%s:%d: %w", file, max(first-1, 0)+le.line, le.err)
}
