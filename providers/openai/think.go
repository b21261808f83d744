package openai

import "strings"

// A tagSplitter tells the reasoning that some models put between <think> and </think> at the head of their text from the text
// itself. The tags may come in pieces. Further on in the text the tags mean nothing: there a model writes about them.
type tagSplitter struct {
	state tagState
	held  string // the end of what has come, which may be part of a tag
	seen  bool   // there was reasoning
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
)

// split takes the next piece of text and returns what of it is settled.
func (s *tagSplitter) split(piece string) (thought, text string) {
	if s.state == inText {
		return "", piece
	}
	rest := s.held + piece
	s.held = ""
	for {
		switch s.state {
		case atHead:
			trimmed := strings.TrimLeft(rest, " \t\r\n")
			switch {
			case strings.HasPrefix(trimmed, thinkOpen):
				s.state, s.seen, rest = inThought, true, trimmed[len(thinkOpen):]
			case strings.HasPrefix(thinkOpen, trimmed) && len(rest) < maxHeadSpace:
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
				rest = strings.TrimLeft(rest, " \t\r\n")
			}
			return thought, rest
		}
	}
}

// flush returns what is still held back, at the end of the text.
func (s *tagSplitter) flush() (thought, text string) {
	held := s.held
	s.held = ""
	switch {
	case s.state == inThought:
		return held, ""
	case s.seen:
		return "", strings.TrimLeft(held, " \t\r\n")
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
