package openai

import "strings"

// A tagSplitter tells the reasoning that some models put between <think> and </think> at the head of their text from the text
// itself. The tags may come in pieces. Further on in the text the tags mean nothing: there a model writes about them.
//
// If a server has put <think> into the prompt, </think> comes alone. What is ahead of it in the first piece is reasoning. If that
// has been given out as text already, only the tag is dropped, unless it is part of what is marked as code.
type tagSplitter struct {
	state tagState
	held  string // the end of what has come, which may be part of a tag
	seen  bool   // there was reasoning, or a tag that ends it
	shown bool   // there was text
	code  bool   // the text so far ends within backquotes
}

type tagState int

const (
	atHead tagState = iota
	inThought
	inText
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	// maxHeadSpace is how much white space at the head is held back for a tag to come.
	maxHeadSpace = 64
	space        = " \t\r\n"
)

// split takes the next piece of text and returns what of it is settled.
func (s *tagSplitter) split(piece string) (thought, text string) {
	if s.state == inText && (s.seen || s.held == "" && !strings.ContainsAny(piece, "<`")) {
		return "", piece
	}
	rest := s.held + piece
	s.held = ""
	for {
		switch s.state {
		case atHead:
			trimmed := strings.TrimLeft(rest, space)
			switch {
			case strings.HasPrefix(trimmed, thinkOpen):
				s.state, s.seen, rest = inThought, true, trimmed[len(thinkOpen):]
			case strings.HasPrefix(trimmed, thinkClose):
				s.seen, rest = true, trimmed[len(thinkClose):]
			case (strings.HasPrefix(thinkOpen, trimmed) || strings.HasPrefix(thinkClose, trimmed)) && len(rest) < maxHeadSpace:
				s.held = rest
				return thought, ""
			default:
				s.state = inText
			}
		case inThought:
			before, after, closed := strings.Cut(rest, thinkClose)
			if !closed {
				n := partOf(rest, thinkClose)
				s.held = rest[len(rest)-n:]
				return thought + rest[:len(rest)-n], ""
			}
			thought += before
			s.state, rest = atHead, after
		case inText:
			if s.seen { // models leave blank lines behind their reasoning
				return thought, strings.TrimLeft(rest, space)
			}
			before, after, closed := s.cutClose(rest)
			switch {
			case !closed:
				return thought, before
			case s.shown:
				return thought, before + after
			default:
				thought, rest, s.state = before, after, atHead
			}
		}
	}
}

// cutClose cuts text at the tag that ends reasoning, if it is there and not within backquotes, and holds back what may be part of one.
func (s *tagSplitter) cutClose(text string) (before, after string, closed bool) {
	for at := 0; at < len(text); at++ {
		n := strings.IndexAny(text[at:], "<`")
		if n < 0 {
			break
		}
		at += n
		switch {
		case text[at] == '`':
			s.code = !s.code
		case s.code:
		case strings.HasPrefix(text[at:], thinkClose):
			s.seen = true
			return text[:at], text[at+len(thinkClose):], true
		case strings.HasPrefix(thinkClose, text[at:]):
			s.held, text = text[at:], text[:at]
		}
	}
	s.shown = s.shown || text != ""
	return text, "", false
}

// flush returns what is still held back, at the end of the text.
func (s *tagSplitter) flush() (thought, text string) {
	held := s.held
	s.held = ""
	switch {
	case s.state == inThought:
		return held, ""
	case s.seen:
		return "", strings.TrimLeft(held, space)
	default:
		return "", held
	}
}

// partOf returns the length of the longest end of s that begins tag.
func partOf(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
