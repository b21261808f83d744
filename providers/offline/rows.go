package offline

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A row is a way to ask for something.
type row struct {
	// pattern is matched against a whole request, whatever the case. Words in capitals are what the row takes:
	// PATH, DIR and TEXT a quoted text or a word; PATHS several; REST all to the end; N a number.
	pattern string
	make    func(found) step
	open    bool // ends in a text that "and" does not end
	shell   bool // ends in a command that ";" does not end

	compiled *regexp.Regexp
}

// found are the words that a row has taken, by name, without their quotes.
type found map[string]string

const (
	inDir = `(?: (?:here|in (?:this|the(?: current)?|my) (?:directory|folder|project|workspace)|(?:in|under|of|from|inside|below)(?: the)?(?: directory| folder)? DIR(?: directory| folder)?))?`
	files = `(?: me)?(?: all)?(?: of)?(?: the)? (?:files|folders|directories|entries)`
)

// table holds the rows in the order in which they are tried.
var table = []row{
	{pattern: `(?:say|repeat|print|write) (?:the word )?TEXT N times`, make: func(f found) step { return step{said: again(f["TEXT"], f.n())} }},
	{pattern: `repeat N times:? REST`, make: func(f found) step { return step{said: again(f["REST"], f.n())} }},
	{pattern: `count(?: up)?(?: from (?:1|one))? to N`, make: func(f found) step { return step{said: count(f.n())} }},
	{pattern: `think(?: hard)?(?: (?:about|through|of|on))?(?: REST)?`, make: think, open: true},
	{pattern: `(?:write|create|make|save)(?: me)?(?: a| the)?(?: new)?(?: text)?(?: file)?(?: called| named)? PATH (?:saying|containing|that says|with(?: the)?(?: text| contents?| words?)?):? REST`, make: write, open: true},
	{pattern: `(?:write|put|save) TEXT (?:to|into|in)(?: the| a)?(?: file)? PATH`, make: write},
	{pattern: `(?:create|make|touch)(?: a| an| the)?(?: new| empty)*(?: file)(?: called| named)? PATH`, make: write},
	{pattern: `(?:append|add) TEXT to(?: the)?(?: end of)?(?: the)?(?: file)? PATH`, make: appendTo},
	{pattern: `(?:replace|change) TEXT (?:with|by|to|into) NEW in(?: the)?(?: file)? PATH`, make: replace},
	{pattern: `in(?: the)?(?: file)? PATH,? (?:replace|change) TEXT (?:with|by|to|into) NEW`, make: replace},
	{pattern: `(?:list|show|ls|display)` + files + inDir, make: list},
	{pattern: `list(?: me)?(?: the)? contents?` + inDir, make: list},
	{pattern: `(?:what|which) files (?:are|do we have|do you see|exist)(?: there)?` + inDir, make: list},
	{pattern: `what(?:'s| is) (?:here|in (?:this|the current) (?:directory|folder))`, make: list},
	{pattern: `(?:find|list|show|ls)(?: me)?(?: all)?(?: the)? GLOB(?: files)?` + inDir, make: findFiles},
	{pattern: `(?:ls|list)(?: (?:the )?(?:directory|folder))?(?: DIR)?`, make: list},
	{pattern: `find(?: all)?(?: the)? files (?:named|called|matching|like|with the name) TEXT` + inDir, make: findFiles},
	{pattern: `(?:search(?: for)?|look for|grep(?: for)?) TEXT in(?: the)?(?: file| directory| folder)? PATH`, make: search},
	{pattern: `grep(?: for)? TEXT PATH`, make: search},
	{pattern: `find (?:where )?QUOTED(?: is(?: used| defined)?)?(?: in (?:the )?(?:files|code))?`, make: search},
	{pattern: `where is TEXT(?: used| defined)?`, make: search},
	{pattern: `(?:search(?: for)?|look for|grep(?: for)?) REST`, make: search, open: true},
	{pattern: `(?:delete|remove|rm|clean up)(?: all)?(?: of)?(?: the| my)? (?:temp|tmp|temporary) files?` + inDir, make: deleteTemp},
	{pattern: `(?:delete|remove|rm)(?: the)?(?: files?)? PATHS`, make: remove},
	{pattern: `(?:run|execute|exec|bash|sh|shell)(?: the)?(?: shell)?(?: command| commands)?:? REST`, make: run, shell: true},
	{pattern: "`REST`", make: run},
	{pattern: `(?:read|show|open|cat|print|display|view|look at)(?: me)?(?: the)?(?: files?| contents? of)?(?: the)?(?: files?)? PATHS`, make: read},
	{pattern: `what(?:'s| is)(?: written)? in(?: the)?(?: file)? PATH`, make: read},
	{pattern: `(?:say|echo|answer|reply|print)(?: with)?:? REST`, make: func(f found) step { return step{said: words(f["REST"])} }, open: true},
	{pattern: `.*\bsummar(?:y|ize|ise)\b.*`, make: func(found) step { return step{said: words(summary)} }},
}

// words in capitals, in the order in which they are looked for.
var takes = strings.NewReplacer(
	"PATHS", `(?P<PATHS>`+word+`(?:(?:,? and |, ?| & )`+word+`| \S*[./]\S*[^\s,])*)`,
	"PATH", `(?P<PATH>`+word+`)`,
	"DIR", `(?P<DIR>`+word+`)`,
	"GLOB", "(?P<GLOB>[\"'`]?[^\\s\"'`]*[*?][^\\s\"'`]*[\"'`]?)",
	"QUOTED", "(?P<QUOTED>\"[^\"]+\"|'[^']+'|`[^`]+`)",
	"TEXT", `(?P<TEXT>`+phrase+`)`,
	"NEW", `(?P<NEW>`+phrase+`)`,
	"REST", `(?P<REST>.+)`,
	"N", `(?P<N>\d[\d,_]*)`,
	" ", `\s+`,
)

const (
	word   = "(?:\"[^\"]+\"|'[^']+'|`[^`]+`|\\S*[^\\s,])"
	phrase = "(?:\"[^\"]*\"|'[^']*'|`[^`]*`|.+?)"
)

// rows compiles the table when it is first needed, not at the start of the program.
var rows = sync.OnceValue(func() []row {
	out := append([]row(nil), table...)
	for i := range out {
		out[i].compiled = regexp.MustCompile(`(?is)^(?:` + takes.Replace(out[i].pattern) + `)$`)
	}
	return out
})

// match returns the first row that a request fits, or nil, and what the row takes of it.
func match(request string) (*row, found) {
	for i := range rows() {
		r := &rows()[i]
		groups := r.compiled.FindStringSubmatch(request)
		if groups == nil {
			continue
		}
		f := found{}
		for j, name := range r.compiled.SubexpNames() {
			if name != "" && groups[j] != "" {
				f[name] = unquote(groups[j])
				f["raw "+name] = groups[j]
			}
		}
		return r, f
	}
	return nil, nil
}

// n returns the number that was taken; one too long to be counted is very large.
func (f found) n() int {
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(f["N"]))
	if err != nil {
		return 1 << 62
	}
	return n
}

var pathIn = lazy(word)

// lazy compiles a pattern when it is first needed: a program that never asks this model does not pay for it.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// paths returns the parts of PATHS, or the one PATH.
func (f found) paths() []string {
	if f["PATH"] != "" {
		return []string{f["PATH"]}
	}
	var out []string
	for _, p := range pathIn().FindAllString(f["raw PATHS"], -1) {
		if p = strings.Trim(p, ","); p != "and" && p != "&" && p != "" {
			out = append(out, unquote(p))
		}
	}
	return out
}
