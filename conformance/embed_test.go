package conformance_test

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/dualagent/agent/conformance"
	"github.com/dualagent/agent/conformance/kit"
)

// TestTargets checks that the targets can be read, and that what they are known to fail exists.
func TestTargets(t *testing.T) {
	transcripts, err := fs.Sub(conformance.Files, "transcripts")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range []kit.Protocol{kit.JSONRPC, kit.JSONL} {
		list, err := kit.Load(transcripts, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range list {
			names = append(names, string(p)+"/"+tr.Name)
			if tr.About == "" {
				t.Errorf("%s/%s does not say what it shows", p, tr.Name)
			}
		}
	}
	files, err := fs.Glob(conformance.Files, "targets/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("got targets %v, error %v", files, err)
	}
	for _, file := range files {
		target, err := kit.LoadTarget(conformance.Files, strings.TrimSuffix(path.Base(file), ".json"))
		if err != nil {
			t.Error(err)
		}
		for pattern, reason := range target.Known {
			found := slices.ContainsFunc(names, func(name string) bool { ok, _ := path.Match(pattern, name); return ok })
			if !found || reason == "" {
				t.Errorf("%s: known failure %q (%q) is no transcript or has no reason", file, pattern, reason)
			}
		}
	}
}
