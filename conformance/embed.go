// Package conformance holds the transcripts and the targets that package kit plays and tests.
package conformance

import "embed"

// Files has the folders transcripts, with one folder for each protocol, and targets.
//
//go:embed transcripts targets
var Files embed.FS
