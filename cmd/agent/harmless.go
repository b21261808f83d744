package main

import (
	"slices"
	"strings"
	"unicode"
)

// harmless returns text without what a terminal could obey, or what could make it look like another text: '?' stands for control
// and format characters. Line feeds and tabs stay.
func harmless(text string) string {
	const joiner, nonJoiner = '\u200d', '\u200c' // parts of scripts and emoji
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == joiner || r == nonJoiner || unicode.IsPrint(r):
			return r
		case unicode.Is(unicode.Zs, r):
			return ' '
		}
		return '?'
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// oneLine returns text harmless and on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(harmless(text)), " ") }

// cut returns text in at most so many columns, with a mark where it has been cut off.
func cut(text string, columns int) string {
	if width(text) <= columns {
		return text
	}
	at := 0
	for i, r := range text {
		if at += runeWidth(r); at > columns-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// cutFront does what cut does, at the other end.
func cutFront(text string, columns int) string {
	if width(text) <= columns {
		return text
	}
	runes, at := []rune(text), 0
	for i, r := range slices.Backward(runes) {
		if at += runeWidth(r); at > columns-1 {
			kept := runes[i+1:]
			for len(kept) > 0 && runeWidth(kept[0]) == 0 { // the mark of a character that is gone
				kept = kept[1:]
			}
			return "…" + string(kept)
		}
	}
	return text
}

// width returns how many columns a terminal takes for text.
func width(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

// wide are the characters that take two columns.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x231a, Hi: 0x231b, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
