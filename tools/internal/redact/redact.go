// Package redact takes secrets out of text.
package redact

import (
	"cmp"
	"slices"
	"strings"
)

// Mark stands where a secret was.
const Mark = "[REDACTED]"

// minValue is how long a known value must be to be looked for. A shorter one turns up in harmless text.
const minValue = 8

// maxHeld bounds how much of an unfinished secret a Stream holds back: more than the longest usual key.
const maxHeld = 16 << 10

// A pattern is the shape of a secret: a prefix and at least min characters of a class.
type pattern struct {
	prefix string
	min    int
	class  func(byte) bool
	// found, if it is set, says whether what the class matches is a secret, by that and what follows.
	found func(secret, after string) bool
	// keep: the prefix is no part of the secret, and may stand behind a letter.
	keep bool
}

var patterns = []pattern{
	{prefix: "sk-", min: 20, class: word},
	{prefix: "ghp_", min: 36, class: word},
	{prefix: "gho_", min: 36, class: word},
	{prefix: "ghu_", min: 36, class: word},
	{prefix: "ghs_", min: 36, class: word},
	{prefix: "ghr_", min: 36, class: word},
	{prefix: "github_pat_", min: 22, class: word},
	{prefix: "glpat-", min: 20, class: word},
	{prefix: "xox", min: 10, class: word},
	{prefix: "AKIA", min: 16, class: upper},
	{prefix: "ASIA", min: 16, class: upper},
	{prefix: "AIza", min: 35, class: word},
	{prefix: "Bearer ", min: 8, class: token},
	{prefix: "bearer ", min: 8, class: token},
	{prefix: "Basic ", min: 16, class: token, found: credentials},
	{prefix: "basic ", min: 16, class: token, found: credentials},
	{prefix: "uthorization: Basic ", min: 4, class: token, keep: true},
	{prefix: "eyJ", min: 20, class: dotted, found: webToken},
	{prefix: "://", min: 3, class: userInfo, found: password, keep: true},
}

func upper(c byte) bool  { return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
func alnum(c byte) bool  { return upper(c) || c >= 'a' && c <= 'z' }
func word(c byte) bool   { return alnum(c) || c == '_' || c == '-' }
func token(c byte) bool  { return word(c) || strings.IndexByte(".~+/=", c) >= 0 }
func dotted(c byte) bool { return word(c) || c == '.' }

// userInfo is what can stand between :// and @ in a URL.
func userInfo(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("/@?#\"'<>`\\", c) < 0 }

func password(secret, after string) bool {
	_, pass, ok := strings.Cut(secret, ":")
	return ok && pass != "" && strings.HasPrefix(after, "@")
}

// webToken: a JWT has three parts.
func webToken(secret, _ string) bool { return strings.Count(secret, ".") >= 2 }

// credentials: a word of one kind of letters follows Basic in prose.
func credentials(secret, _ string) bool {
	return strings.ContainsAny(secret[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=")
}

// A Redactor knows what secrets look like: keys of well-known shapes, and the values that it was given. It does not change
// and may be used by many goroutines at once.
type Redactor struct{ values []string }

// New returns a Redactor that also takes out these values. Values of fewer than 8 characters are left alone; of a value
// with several lines each line counts for itself.
func New(values ...string) *Redactor {
	r := &Redactor{}
	for _, v := range values {
		for line := range strings.FieldsFuncSeq(v, func(c rune) bool { return c == '\n' || c == '\r' }) {
			if line = strings.TrimSpace(line); len(line) >= minValue {
				r.values = append(r.values, line)
			}
		}
	}
	// Of two values that begin alike the longer one has to go first.
	slices.SortFunc(r.values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return r
}

// Text returns s without secrets.
func (r *Redactor) Text(s string) string {
	for _, v := range r.values {
		s = strings.ReplaceAll(s, v, Mark)
	}
	s = withoutKeys(s)
	for i := range patterns {
		if strings.Contains(s, patterns[i].prefix) {
			s = patterns[i].replace(s)
		}
	}
	return s
}

func (p *pattern) replace(s string) string {
	var out strings.Builder
	done := 0
	for at := 0; ; {
		i := strings.Index(s[at:], p.prefix)
		if i < 0 {
			break
		}
		start := at + i
		end := start + len(p.prefix)
		for end < len(s) && p.class(s[end]) {
			end++
		}
		at = start + len(p.prefix)
		if p.begins(s, start) && end-at >= p.min && (p.found == nil || p.found(s[at:end], s[end:])) {
			if p.keep {
				start = at
			}
			out.WriteString(s[done:start])
			out.WriteString(Mark)
			done, at = end, end
		}
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// begins reports whether the pattern's prefix can begin at s[i].
func (p *pattern) begins(s string, i int) bool { return p.keep || boundary(s, i) }

// inWord stands for a letter or digit that was shown before. Clean text has none of its own.
const inWord = "\x00"

// boundary reports whether a word can begin at s[i].
func boundary(s string, i int) bool { return i == 0 || !alnum(s[i-1]) && s[i-1] != inWord[0] }

// Stream returns a Stream for one text.
func (r *Redactor) Stream() *Stream { return &Stream{redactor: r} }

// A Stream takes secrets out of a text that comes in pieces. It holds back an end that may be the begin of a secret. One
// goroutine at a time uses it.
type Stream struct {
	redactor *Redactor
	last     string // inWord if that was the last byte that was shown, else empty
	held     string
}

// Next takes a piece and returns what can be shown by now.
func (s *Stream) Next(piece string) string {
	text := s.last + s.held + piece
	return s.show(text, max(len(s.last), s.redactor.unfinished(text)))
}

// Flush returns what was held back.
func (s *Stream) Flush() string {
	text := s.last + s.held
	return s.show(text, len(text))
}

// show returns what of text is new, up to cut, and holds back the rest.
func (s *Stream) show(text string, cut int) string {
	out := strings.TrimPrefix(s.redactor.Text(text[:cut]), s.last)
	s.held = strings.Clone(text[cut:])
	s.last = ""
	if !boundary(text, cut) {
		s.last = inWord
	}
	return out
}

// unfinished returns where in s a secret may begin that the next piece goes on with; len(s) if nowhere.
func (r *Redactor) unfinished(s string) int {
	cut := unfinishedKey(s)
	for i := range patterns {
		cut = min(cut, patterns[i].unfinished(s))
	}
	for _, v := range r.values {
		for n := min(len(v)-1, len(s)); n > 0; n-- {
			if strings.HasSuffix(s, v[:n]) {
				cut = min(cut, len(s)-n)
				break
			}
		}
	}
	for _, v := range r.values { // do not cut through a secret that is complete
		from := max(0, cut-len(v)+1)
		if i := strings.Index(s[from:], v); i >= 0 && from+i < cut {
			cut = from + i
		}
	}
	return cut
}

func (p *pattern) unfinished(s string) int {
	run := len(s)
	for run > 0 && len(s)-run < maxHeld && p.class(s[run-1]) {
		run--
	}
	for at := max(0, run-len(p.prefix)); ; at++ {
		i := strings.Index(s[at:], p.prefix)
		if i < 0 {
			break
		}
		if at += i; p.begins(s, at) {
			return at
		}
	}
	for n := min(len(p.prefix)-1, len(s)); n > 0; n-- {
		if strings.HasSuffix(s, p.prefix[:n]) && p.begins(s, len(s)-n) {
			return len(s) - n
		}
	}
	return len(s)
}
