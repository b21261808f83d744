package offline

import (
	"iter"
	"strings"
)

// A step is one request out of a user's message: something to say, or calls to make in one reply.
type step struct {
	asked   string
	thought string
	said    iter.Seq[string]
	actions []action
}

// planFor returns the steps that the messages ask for.
func planFor(asked []string) []step {
	var plan []step
	for _, text := range asked {
		for _, clause := range clauses(text) {
			plan = append(plan, stepFor(clause))
		}
	}
	return plan
}

var summaryWord = lazy(`(?i)\bsummar(?:y|ize|ise)\b`)

func asksForSummary(asked []string) bool { return summaryWord().MatchString(strings.Join(asked, "\n")) }

func stepFor(clause string) step {
	row, found := match(clause)
	if row == nil {
		return step{asked: clause, said: words(guide)}
	}
	s := row.make(found)
	s.asked = clause
	return s
}

var (
	// politeness is what people put around a request.
	politeness = lazy(`(?i)^(?:(?:please|now|ok|okay|hey|hi|so|first|next|finally|also|then|and|can you|could you|would you|will you|i want you to|i'd like you to|let's|kindly)[\s,:]+)+`)
	thanks     = lazy(`(?i)[\s,]+(?:please|for me|thanks|thank you)$`)
	stop       = lazy("([\\w)\"'`*/])[.?!]+$")
	// speech is a request whose last stop belongs to what it is about.
	speech = lazy(`(?i)^(?:say|write|echo|answer|reply|append|print|repeat)\b`)
	// between are the words that may part two requests; strong ones part them even behind a text that could go on.
	between = lazy(`(?i)[\s,;.]*\s(?:and\s+)?(?:then|after that|afterwards)[\s,]+|\s*;\s*|[.!?]?\s*\n\s*|[.!?]\s+|,?\s+and\s+(?:also\s+)?|,\s+`)
	strong  = lazy(`(?i)then|after|[.!?\n]`)
	// verbs begin a request.
	verbs = lazy(`(?i)^(?:read|show|open|cat|display|view|print|list|ls|run|execute|exec|write|create|make|save|put|append|add|replace|change|find|search|look for|grep|delete|remove|rm|say|echo|repeat|think|count|help)\b`)
)

// clauses parts a message into requests. Words that part them count only outside quotes, and only if what follows begins with
// a verb that we know.
func clauses(text string) []string {
	text = strings.TrimSpace(text)
	open := unquoted(text)
	start := 0
	var out []string
	for _, sep := range between().FindAllStringIndex(open, -1) {
		head, rest := text[start:sep[0]], text[sep[1]:]
		if strings.TrimSpace(head) == "" || !verbs().MatchString(politeness().ReplaceAllString(rest, "")) {
			continue
		}
		if by := open[sep[0]:sep[1]]; !strong().MatchString(by) {
			row, _ := match(tidy(head))
			if row == nil || row.open || row.shell && strings.ContainsAny(by, ";,") {
				continue
			}
		}
		out, start = append(out, tidy(head)), sep[1]
	}
	return append(out, tidy(text[start:]))
}

// tidy takes off what is not part of a request.
func tidy(clause string) string {
	clause = strings.TrimSpace(clause)
	clause = politeness().ReplaceAllString(clause, "")
	if !speech().MatchString(clause) {
		clause = stop().ReplaceAllString(clause, "$1")
	}
	return strings.TrimSpace(thanks().ReplaceAllString(clause, ""))
}

// unquoted returns text with all that is in quotes replaced, byte for byte.
func unquoted(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if !opensQuote(text, i) {
			continue
		}
		n := strings.IndexByte(text[i+1:], text[i])
		if n < 0 {
			continue
		}
		for end := i + 1 + n; i < end; i++ {
			b[i] = 'x'
		}
		b[i] = 'x'
	}
	return string(b)
}

// opensQuote tells quotes from apostrophes.
func opensQuote(text string, i int) bool {
	switch text[i] {
	case '"', '`':
		return true
	case '\'':
		return i == 0 || strings.IndexByte(" \t\n(", text[i-1]) >= 0
	default:
		return false
	}
}

// unquote takes the quotes off, if there are any.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == s[len(s)-1] && strings.IndexByte("\"'`", s[0]) >= 0 {
		return s[1 : len(s)-1]
	}
	return s
}
