package export

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/dualagent/agent/core"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

//go:embed page.tmpl
var layout string

// pageTemplate and policy are the same for all pages. They are put together when the first one is written:
// a program that writes none does not pay for them.
var (
	pageTemplate = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("page").Funcs(template.FuncMap{"clock": clock, "stamp": stamp}).Parse(layout))
	})
	policy = sync.OnceValue(func() string {
		return "default-src 'none'; img-src data:; style-src " + hash(style) + "; script-src " + hash(script) +
			"; base-uri 'none'; form-action 'none'"
	})
)

// hash names an inline style or script in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// A page is what the template shows.
type page struct {
	Policy        string
	Style, Script template.HTML // elements; our own text, nothing of a session

	Title     string
	Facts     []fact
	Turns     []turn
	Elsewhere string // about other branches
}

// A fact is a line of the page's head.
type fact struct{ Name, Value string }

// A turn is what follows from one message of the user. The first one has what comes before any, and no name.
type turn struct {
	ID    string
	Name  string
	Parts []part
}

// Write writes the page of a session. It makes many small writes; errors are those of w.
func Write(w io.Writer, t core.Transcript) error {
	r := newReader(t)
	p := page{
		Policy: policy(),
		Style:  template.HTML("<style>" + style + "</style>"),
		Script: template.HTML("<script>" + script + "</script>"),
		Turns:  r.turns(), Facts: r.facts(), Elsewhere: r.elsewhere(),
	}
	p.Title = r.title(p.Turns)
	return pageTemplate().Execute(w, p)
}

// title returns the session's name, else what the user has said first.
func (r *reader) title(turns []turn) string {
	if name := strings.TrimSpace(r.session.Name); name != "" {
		return clean(name)
	}
	if len(turns) > 1 && turns[1].Name != "" {
		return turns[1].Name
	}
	return "Session " + r.session.ID
}

func (r *reader) facts() []fact {
	var facts []fact
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, fact{name, clean(value)})
		}
	}
	add("Started", stamp(r.session.Time))
	add("Folder", r.session.Cwd)
	add("Model", r.model)
	add("Length", fmt.Sprintf("%s, %s", plural(r.messages, "message"), plural(r.calls, "tool call")))
	if n := r.usage.Total(); n > 0 {
		add("Tokens", fmt.Sprintf("%d in, %d out", n-r.usage.Output, r.usage.Output))
	}
	if c := r.usage.Cost.Total; c > 0 {
		add("Cost", fmt.Sprintf("$%.4f", c))
	}
	add("Session", r.session.ID)
	return facts
}

func (r *reader) elsewhere() string {
	if r.branched == 0 {
		return ""
	}
	be := "are"
	if r.branched == 1 {
		be = "is"
	}
	return fmt.Sprintf("%s of other branches, with %s, %s not shown.",
		counted(r.branched, "entry", "entries"), plural(r.branchedMessages, "message"), be)
}

func plural(n int, word string) string { return counted(n, word, word+"s") }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// stamp returns a time for people, "" if there is none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// clock returns a time as the attribute datetime wants it.
func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }
