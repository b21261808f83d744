// Package export makes a page of a session that people read: one HTML file that needs nothing but a browser, neither a network nor
// JavaScript. A small script adds the search box.
//
// What a session says is text, whatever it looks like: html/template escapes it, and the page's policy lets no script, style, picture
// or request pass but those that are part of the page itself.
//
// The page is written piece by piece, and its size grows as the session does. The package starts no goroutines.
package export
