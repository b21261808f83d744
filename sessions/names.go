package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/dualagent/agent/core"
)

const extension = ".jsonl"

// folderName returns the name of the folder for the sessions of cwd: /home/u/app has --home-u-app--. Different directories may
// share a folder, so readers look at the header too.
func folderName(cwd string) string {
	const most = 200 // bytes; file systems allow 255
	name := strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(cwd, "/"))
	if len(name) > most {
		sum := sha256.Sum256([]byte(cwd))
		name = strings.ToValidUTF8(name[:most], "") + "-" + hex.EncodeToString(sum[:8])
	}
	return "--" + name + "--"
}

// fileName returns a name that sorts by time.
func fileName(h core.Header) string {
	stamp := h.Time.UTC().Format("2006-01-02T15-04-05.000Z")
	return strings.ReplaceAll(stamp, ".", "-") + "_" + h.ID + extension
}

// validID reports whether id can be part of a file's name without harm.
func validID(id string) bool {
	alphanumeric := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	if id == "" || len(id) > 128 || !alphanumeric(id[0]) || !alphanumeric(id[len(id)-1]) {
		return false
	}
	for i := range len(id) {
		if c := id[i]; !alphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}
