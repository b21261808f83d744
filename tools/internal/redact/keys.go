package redact

import "strings"

// Private keys in PEM have several lines: a begin that tells what it is, text in base64, and an end.
const (
	beginMark = "-----BEGIN "
	endMark   = "-----END "
	dashes    = "-----"
	maxLabel  = 40
)

// inKey reports whether c can stand in the body of a key: as it is, in JSON, or in a diff.
func inKey(c byte) bool { return alnum(c) || strings.IndexByte("+/=-\n\r\t :,\\", c) >= 0 }

// keyAt looks at s, which starts with beginMark. It returns how long the key is that begins there, 0 if there is none, and
// whether its end has come. A key whose begin is cut off counts as one.
func keyAt(s string) (n int, ended bool) {
	label, _, found := strings.Cut(s[len(beginMark):], dashes)
	if len(label) > maxLabel || strings.Trim(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -") != "" {
		return 0, false
	}
	if !found {
		return len(s), false
	}
	if !strings.Contains(label, "PRIVATE KEY") {
		return 0, false
	}
	n = len(beginMark) + len(label) + len(dashes)
	body := n
	for n < len(s) && inKey(s[n]) {
		n++
	}
	at := strings.Index(s[body:n], endMark)
	if at < 0 {
		return n, n < len(s)
	}
	at += body + len(endMark)
	if end := strings.Index(s[at:n], dashes); end >= 0 {
		return at + end + len(dashes), true
	}
	return n, n < len(s)
}

// withoutKeys returns s without private keys.
func withoutKeys(s string) string {
	if !strings.Contains(s, beginMark) {
		return s
	}
	var out strings.Builder
	for {
		i := strings.Index(s, beginMark)
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:i])
		n, _ := keyAt(s[i:])
		if n == 0 || !strings.Contains(s[i:i+n], "PRIVATE KEY") {
			out.WriteString(beginMark)
			n = len(beginMark)
		} else {
			out.WriteString(Mark)
		}
		s = s[i+n:]
	}
}

// unfinishedKey returns where in s a key may begin that the next piece goes on with; len(s) if nowhere.
func unfinishedKey(s string) int {
	at := max(0, len(s)-maxHeld)
	for {
		i := strings.Index(s[at:], beginMark)
		if i < 0 {
			break
		}
		at += i
		n, ended := keyAt(s[at:])
		if n > 0 && !ended {
			return at
		}
		at += max(n, len(beginMark))
	}
	for n := min(len(beginMark)-1, len(s)-at); n > 0; n-- { // the end of a key looks like the begin of another
		if strings.HasSuffix(s, beginMark[:n]) {
			return len(s) - n
		}
	}
	return len(s)
}

// Lines tells which lines of a text belong to a private key. The zero Lines is ready for use, by one goroutine at a time.
type Lines struct{ key bool }

// Secret takes the next line and reports whether it is one of a key, behind its first.
func (l *Lines) Secret(line string) bool {
	if l.key {
		if strings.Contains(line, endMark) {
			l.key = false
			return true
		}
		if strings.TrimFunc(line, func(r rune) bool { return r < 0x80 && inKey(byte(r)) }) == "" {
			return true
		}
	}
	l.key = false
	if i := strings.LastIndex(line, beginMark); i >= 0 {
		n, ended := keyAt(line[i:])
		l.key = n > 0 && !ended && strings.Contains(line[i:], "PRIVATE KEY")
	}
	return false
}
