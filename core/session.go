package core

import "time"

// A SessionInfo tells which session an engine works in.
type SessionInfo struct {
	ID      string
	Path    string // "" if nothing is kept
	Name    string // "" until it gets one
	Cwd     string
	Parent  string // path of the session that it came from, or ""
	Time    time.Time
	Entries int
}
