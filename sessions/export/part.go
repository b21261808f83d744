package export

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// A part is an entry as it is shown.
type part struct {
	Kind    string // a class of the style sheet; note: a line without a head
	Label   string
	Time    time.Time
	Dropped bool // the model does not see it any more
	Blocks  []block
}

// A block is a piece of a part. Kind says which of the fields count.
type block struct {
	Kind string // text, code, diff, output, thinking, image, call, hint, error

	Text  string
	Lang  string  // of code
	Runs  []run   // of a diff
	Image picture // of an image
	Call  *call
}

// A picture is an image that may be shown.
type picture struct {
	URL template.URL
	Alt string
}

// A call is a tool call with its result.
type call struct {
	Name, Brief    string
	Args           []argument
	Added, Removed int // lines, if it has changed a file
	Answered       bool
	Failed         bool
	Result         []block
	Images         []block
	Took           string
}

// An argument is one of a call; Long tells that its value needs lines of its own.
type argument struct {
	Name, Value string
	Long        bool
}

func note(e *core.Entry, text string) part {
	return part{Kind: "note", Label: clean(text), Time: e.Time}
}

// spoken returns text, with the code in it, and images.
func spoken(content []core.Block) []block {
	var blocks []block
	for i := range content {
		switch b := &content[i]; b.Kind {
		case core.BlockText:
			blocks = append(blocks, prose(b.Text)...)
		case core.BlockImage:
			blocks = append(blocks, image(b.Image))
		}
	}
	return blocks
}

// shown are the types of images that browsers show and that cannot hold a script.
var shown = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"}

// lineEnds are what base64 may have besides its alphabet.
var lineEnds = strings.NewReplacer("\r", "", "\n", "")

// image returns a picture, or a hint in its place if it is none that may be shown.
func image(img *core.Image) block {
	if img == nil {
		return block{Kind: "hint", Text: "Image without data"}
	}
	kilobytes := (base64.StdEncoding.DecodedLen(len(img.Data)) + 999) / 1000
	what := fmt.Sprintf("Image, %s, %d kB", clean(img.MimeType), kilobytes)
	if img.Check() != nil || !slices.Contains(shown, img.MimeType) {
		return block{Kind: "hint", Text: what + "; it cannot be shown here"}
	}
	data := lineEnds.Replace(img.Data)
	// Nothing in it can end the attribute or begin another URL: the type is one of the list, the data is base64.
	return block{Kind: "image", Image: picture{URL: template.URL("data:" + img.MimeType + ";base64," + data), Alt: what}}
}

func shell(s *core.ShellRun) []block {
	if s == nil {
		return nil
	}
	blocks := []block{{Kind: "code", Lang: "sh", Text: clean(s.Command)}}
	if s.Output != "" {
		blocks = append(blocks, block{Kind: "output", Text: clean(s.Output)})
	}
	switch {
	case s.Cancelled:
		blocks = append(blocks, block{Kind: "error", Text: "Stopped"})
	case s.ExitCode != nil && *s.ExitCode != 0:
		blocks = append(blocks, block{Kind: "error", Text: fmt.Sprintf("Exit code %d", *s.ExitCode)})
	}
	if s.Truncated {
		blocks = append(blocks, block{Kind: "hint", Text: "The output was longer"})
	}
	if s.Exclude {
		blocks = append(blocks, block{Kind: "hint", Text: "The model does not see this"})
	}
	return blocks
}

func newCall(c *core.ToolCall) *call {
	made := &call{Name: clean(c.Name)}
	var members map[string]wire.Raw
	if c.Arguments == "" {
		return made
	}
	if wire.Decode([]byte(c.Arguments), &members) != nil {
		made.Args = []argument{{Name: "arguments", Value: clean(c.Arguments), Long: true}}
		return made
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := string(members[name])
		var text string
		if wire.Decode(members[name], &text) == nil && strings.HasPrefix(value, `"`) {
			value = text
		}
		value = clean(value)
		made.Args = append(made.Args, argument{Name: clean(name), Value: value, Long: len(value) > 80 || strings.Contains(value, "\n")})
	}
	made.Brief = brief(made.Args)
	return made
}

// brief returns the argument that tells most about a call.
func brief(args []argument) string {
	for _, name := range []string{"command", "path", "file_path", "pattern", "query", "url"} {
		for _, a := range args {
			if a.Name == name {
				return firstLine(a.Value, 160)
			}
		}
	}
	if len(args) > 0 {
		return firstLine(args[0].Value, 160)
	}
	return ""
}

// finish adds the result.
func (c *call) finish(m *core.Message) {
	c.Answered, c.Failed = true, m.IsError
	if m.Took > 0 {
		c.Took = m.Took.Round(time.Millisecond).String()
	}
	if d := diffOf(m.Details); d != "" {
		b := changes(d)
		c.Added, c.Removed = count(b.Runs)
		c.Result = append(c.Result, b)
	}
	for i := range m.Content {
		switch b := &m.Content[i]; {
		case b.Kind == core.BlockText && b.Text != "":
			c.Result = append(c.Result, block{Kind: "output", Text: clean(b.Text)})
		case b.Kind == core.BlockImage:
			c.Images = append(c.Images, image(b.Image))
		}
	}
}

// diffOf returns the diff that the details of a result have, "" if they have none.
func diffOf(details any) string {
	if details == nil {
		return ""
	}
	raw, ok := details.(wire.Raw)
	if !ok {
		var err error
		if raw, err = wire.Encode(details); err != nil {
			return "" // nobody else gets to see them either
		}
	}
	var d struct {
		Diff string `json:"diff"`
	}
	if wire.Decode(raw, &d) != nil {
		return ""
	}
	return d.Diff
}
