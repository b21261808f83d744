package tools

import "github.com/dualagent/agent/tools/internal/text"

// Details of results, as clients get them.
type (
	// truncation tells what was left out of a text.
	truncation struct {
		Content               string `json:"content"`
		Truncated             bool   `json:"truncated"`
		TruncatedBy           string `json:"truncatedBy,omitempty"` // lines, bytes
		TotalLines            int    `json:"totalLines"`
		TotalBytes            int    `json:"totalBytes"`
		OutputLines           int    `json:"outputLines"`
		OutputBytes           int    `json:"outputBytes"`
		LastLinePartial       bool   `json:"lastLinePartial"`
		FirstLineExceedsLimit bool   `json:"firstLineExceedsLimit"`
		MaxLines              int    `json:"maxLines"`
		MaxBytes              int    `json:"maxBytes"`
	}

	readDetails struct {
		Truncation *truncation `json:"truncation,omitempty"`
	}

	editDetails struct {
		Diff             string `json:"diff"`
		Patch            string `json:"patch"`
		FirstChangedLine int    `json:"firstChangedLine"`
	}

	bashDetails struct {
		Truncation     *truncation `json:"truncation,omitempty"`
		FullOutputPath string      `json:"fullOutputPath,omitempty"`
		DiskCapped     bool        `json:"diskCapped,omitempty"`
		ExitCode       *int        `json:"exitCode,omitempty"`
	}

	grepDetails struct {
		MatchLimitReached int         `json:"matchLimitReached,omitempty"`
		LinesTruncated    bool        `json:"linesTruncated,omitempty"`
		Truncation        *truncation `json:"truncation,omitempty"`
	}

	findDetails struct {
		ResultLimitReached int         `json:"resultLimitReached,omitempty"`
		Truncation         *truncation `json:"truncation,omitempty"`
	}

	lsDetails struct {
		EntryLimitReached int         `json:"entryLimitReached,omitempty"`
		Truncation        *truncation `json:"truncation,omitempty"`
	}
)

// truncationOf returns what was left out, nil if nothing was. Head tells that the begin of the text was kept.
func truncationOf(c text.Cut, head bool) *truncation {
	if !c.Truncated {
		return nil
	}
	by := "bytes"
	if c.ByLines {
		by = "lines"
	}
	return &truncation{
		Content:               c.Text,
		Truncated:             true,
		TruncatedBy:           by,
		TotalLines:            c.TotalLines,
		TotalBytes:            c.TotalBytes,
		OutputLines:           c.Lines,
		OutputBytes:           len(c.Text),
		LastLinePartial:       c.Partial,
		FirstLineExceedsLimit: c.Partial && head,
		MaxLines:              text.MaxLines,
		MaxBytes:              text.MaxBytes,
	}
}
