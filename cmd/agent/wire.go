package main

// A sessionLine is a session as sessions list --json prints it.
type sessionLine struct {
	ID       string `json:"id"`
	Path     string `json:"path"`
	Cwd      string `json:"cwd"`
	Name     string `json:"name,omitempty"`
	First    string `json:"first,omitempty"` // the first words of the first user message
	Messages int    `json:"messages"`
	Entries  int    `json:"entries"`
	Size     int64  `json:"size"`            // bytes
	Modified string `json:"modified"`        // RFC 3339
	InUse    string `json:"inUse,omitempty"` // who has it open
}

// A foreignEntry is what can be told of an entry that the engine does not write. Members of another type are left out.
type foreignEntry struct {
	Type         string `json:"type"`
	CustomType   string `json:"customType"`
	Summary      string `json:"summary"`
	TokensBefore int    `json:"tokensBefore"`
	Label        string `json:"label"`
}
