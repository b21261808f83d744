package risk

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dualagent/agent/core"
)

// gitReads lists the subcommands that only look.
var gitReads = strings.Fields("status log diff show rev-parse ls-files ls-tree blame annotate shortlog describe cat-file grep " +
	"rev-list merge-base name-rev diff-tree diff-index diff-files count-objects for-each-ref show-ref check-ignore version cherry")

// gitNetwork lists those that talk to other machines.
var gitNetwork = strings.Fields("fetch pull push clone ls-remote")

// gitRuns lists options that run programs, write files or look elsewhere.
var gitRuns = []string{"--output", "--ext-diff", "--textconv", "--filters", "--open-files-in-pager", "--exec", "--upload-pack", "--receive-pack",
	"--git-dir", "--work-tree", "--exec-path", "--config", "--config-env", "--template", "--separate-git-dir", "--no-index", "--contents",
	"--force", "--force-with-lease", "--mirror", "--prune", "--delete", "--recurse-submodules", "--interactive"}

// git: a repository's own configuration can name programs to run, so only the workspace's repository is trusted to be looked
// at: git finds a planted one in a folder below.
func (l *look) git(w words) core.Risk {
	args := w.all
	for len(args) > 0 && (args[0].text == "--no-pager" || args[0].text == "-P") {
		args = args[1:]
	}
	elsewhere := slices.ContainsFunc(l.dirs, func(dir string) bool { return dir != l.place.Dir })
	if elsewhere || len(args) == 0 || args[0].flag() {
		if len(args) == 1 && args[0].text == "--version" {
			return core.RiskRead
		}
		return core.RiskDestructive
	}
	name, rest := args[0].text, args[1:]
	if !slices.Contains([]string{"clone", "version"}, name) && !repository(l.place.Dir) && !(name == "init" && len(rest) == 0 && noRepository(l.place.Dir)) {
		return core.RiskDestructive
	}
	letters, long := "", gitRuns
	switch name {
	case "grep":
		letters = "O" // opens what it finds in a program
	case "tag":
		letters, long = "v", append([]string{"--verify"}, gitRuns...) // runs a program
	case "describe":
		long = append([]string{"--dirty", "--broken"}, gitRuns...) // write the index
	}
	if !noFlags(letters, long...)(exceptExact(rest, "--text")) {
		return core.RiskDestructive
	}
	switch {
	case slices.Contains(gitReads, name):
		return core.RiskRead
	case slices.Contains(gitNetwork, name):
		if name == "push" && slices.ContainsFunc(rest, pushForces) {
			return core.RiskDestructive
		}
		return core.RiskNetwork
	}
	risk := gitOther(name, rest)
	if risk == core.RiskWrite && name != "init" && hooked(l.place.Dir) {
		return core.RiskDestructive
	}
	return risk
}

// gitPrograms is how a configuration names programs to run, or other files and folders to work with.
var gitPrograms = lazy(`(?i)\[\s*include|(?:fsmonitor|hookspath|textconv|external|command|process|clean|smudge|program|driver|sshcommand|editor|` +
	`pager|askpass|helper|worktree|worktreeconfig|gitproxy|uploadpack|receivepack|vcs|attributesfile|excludesfile|partialclonefilter|promisor)[ \t]*=`)

// maxGitConfig is how long a configuration may be to be looked at, in bytes.
const maxGitConfig = 1 << 20

// repository reports whether git takes dir's own .git for the repository, and finds nothing to run there. Without one it would go
// on to the folder itself, and to those above.
func repository(dir string) bool {
	git := filepath.Join(dir, ".git")
	for _, name := range []string{"", "objects", "refs"} {
		if info, err := os.Lstat(filepath.Join(git, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	for _, name := range []string{"HEAD", "config"} {
		if info, err := os.Lstat(filepath.Join(git, name)); err != nil || !info.Mode().IsRegular() || info.Size() > maxGitConfig {
			return false
		}
	}
	if _, err := os.Lstat(filepath.Join(git, "commondir")); err == nil {
		return false
	}
	config, err := os.ReadFile(filepath.Join(git, "config"))
	return err == nil && !gitPrograms().Match(config) && !submodules(git)
}

// maxGitIndex is how long an index may be to be looked at, in bytes.
const maxGitIndex = 64 << 20

// submodules reports whether the index may hold other repositories: git runs itself in each of them, and that one obeys their
// configurations. Their mode is looked for anywhere in the index, whose entries need not be understood for that; what looks
// like one by accident asks for nothing worse than a question.
func submodules(git string) bool {
	if shared, err := filepath.Glob(filepath.Join(git, "sharedindex.*")); err != nil || len(shared) > 0 {
		return true
	}
	path := filepath.Join(git, "index")
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGitIndex {
		return true
	}
	index, err := os.ReadFile(path)
	return err != nil || bytes.Contains(index, []byte{0, 0, 0o160000 >> 8, 0})
}

func noRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return errors.Is(err, fs.ErrNotExist)
}

// hooked reports whether what changes the repository may run programs, which may be those of the workspace.
func hooked(dir string) bool {
	hooks, err := os.ReadDir(filepath.Join(dir, ".git/hooks"))
	return err != nil && !errors.Is(err, fs.ErrNotExist) ||
		slices.ContainsFunc(hooks, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".sample") })
}

// pushForces: + and : in a refspec overwrite and delete what others have.
func pushForces(a arg) bool {
	return hasFlag(a, "fd", nil) || strings.HasPrefix(a.text, "+") || strings.HasPrefix(a.text, ":")
}

// exceptExact returns args without these, which are options of their own and not abbreviations of others.
func exceptExact(args []arg, names ...string) []arg {
	return slices.DeleteFunc(slices.Clone(args), func(a arg) bool { return slices.Contains(names, a.text) })
}

// gitOther looks at subcommands that show or change something, depending on their arguments.
func gitOther(name string, args []arg) core.Risk {
	first := ""
	if len(args) > 0 {
		first = args[0].text
	}
	switch name {
	case "add", "mv", "init":
		return core.RiskWrite
	case "commit":
		if noFlags("", "--amend", "--no-verify", "--edit")(args) {
			return core.RiskWrite
		}
	case "branch":
		return gitList(args, "dDmMcCfu", "-a", "-r", "-v", "-vv", "--list", "--all", "--remotes", "--show-current", "--no-color")
	case "tag":
		return gitList(args, "dfsu", "-l", "--list", "-n")
	case "remote":
		if len(args) == 0 || len(args) == 1 && first == "-v" || first == "get-url" {
			return core.RiskRead
		}
		if first == "show" || first == "update" {
			return core.RiskNetwork
		}
	case "stash":
		if first == "list" || first == "show" {
			return core.RiskRead
		}
		if first == "" || first == "push" {
			return core.RiskWrite
		}
	case "reflog":
		if first == "" || first == "show" {
			return core.RiskRead
		}
	case "config":
		if slices.Contains([]string{"--get", "--get-all", "--get-regexp", "--list", "-l"}, first) {
			return core.RiskRead
		}
	case "worktree", "submodule":
		if first == "list" || first == "status" {
			return core.RiskRead
		}
	}
	return core.RiskDestructive
}

// gitList looks at a subcommand that lists if it is not given names, and else makes something. The letters are its options
// that take things away.
func gitList(args []arg, letters string, shows ...string) core.Risk {
	if !noFlags(letters, "--delete", "--move", "--copy", "--force", "--edit-description", "--unset-upstream", "--set-upstream-to")(exceptExact(args, shows...)) {
		return core.RiskDestructive
	}
	listing := len(args) == 0 || slices.ContainsFunc(args, func(a arg) bool {
		return a.text == shows[0] || slices.Contains([]string{"--list", "--contains", "--merged", "--no-merged", "--points-at"}, a.text)
	})
	if listing || !slices.ContainsFunc(args, func(a arg) bool { return !slices.Contains(shows, a.text) }) {
		return core.RiskRead
	}
	return core.RiskWrite
}

// noFlags returns a condition: none of these options is there. An abbreviation counts as the option, and so does one of the
// letters anywhere in a group of short options.
func noFlags(letters string, long ...string) func([]arg) bool {
	return func(args []arg) bool {
		return !slices.ContainsFunc(args, func(a arg) bool { return hasFlag(a, letters, long) })
	}
}

func hasFlag(a arg, letters string, long []string) bool {
	if !a.flag() {
		return false
	}
	if !strings.HasPrefix(a.text, "--") {
		return letters != "" && strings.ContainsAny(a.text[1:], letters)
	}
	name, _, _ := strings.Cut(a.text, "=")
	return len(name) > 2 && slices.ContainsFunc(long, func(s string) bool { return strings.HasPrefix(s, name) })
}
