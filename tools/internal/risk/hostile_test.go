package risk

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
)

// hostile lists commands that do more than they seem to, by kinds.
var hostile = map[string][]string{
	"read differently by shell and parser": {
		"echo hi # \\\ntouch P", "echo hi \\\n; ls", "echo 'a\\\nb'", "echo \"${x:-'$(touch P)'}\"", "echo \"${x:-'`touch P`'}\"", "echo \"${x:-$'$(touch P)'}\"",
		"echo \"${x:-${y:-'$(touch P)'}}\"", "echo ${x:-\"$(touch P)\"}", "echo ${x:-'a'}", "echo \"${x#'$(touch P)'}\"", "echo ${x:-$y}",
		"cat <<EOF\n${x:-'$(touch P)'}\nEOF", "cat <<< \"${x:-'$(touch P)'}\"", "cat <<EOF\nE\\\nOF\ntouch P\nEOF", "cat <<\"E\\\"F\"\nx\nE\"F\ntouch P\nE\\\"F",
		"cat <<E\"O\"F\nEOF", "cat <<\"EOF\"\nEOF", "cat <<$'EOF'\nEOF", "cat <<E\\OF\nEOF", "cat <<-EOF\n\tx\n\tEOF", "cat <<'E F'\nE F",
		"cat <<EOF\n`touch P`\nEOF", "cat <<EOF\n\\$(touch P)\nEOF", "cat <<EOF\n$(ls)\nEOF", "cat <<EOF '\n'\nEOF", "cat <<EOF # x\nEOF", "echo $(cat <<EOF\nEOF\n)",
		"echo `echo \\`touch P\\``", "echo `echo '`touch P`'`", "echo `ls # `", "echo $'a'", "echo $\"a\"", "echo $(ls # )\n)", "echo $(case x in x) ls;; esac)",
		"echo $[1]", "echo $((1))", "echo @(a|$(touch P))", "ls\u00a0", "ls\u2028", "echo a\u200b", "ls &# x", "ls |# x\nls",
	},
	"builtins that evaluate": {
		"sleep 0 & wait -n -p 'a[$(touch P)]'", "for f in '-p a[$(touch P)]'; do wait $f; done", "wait $!", "printf 'x%n' PATH; ls", "printf %5n PATH", "printf \"$f\" PATH",
		"printf %*n 1 PATH", "printf '%(%F)T' x", "printf -- -v", "printf '%s%'", "test -v x", "[ -R x ]", "printf %hn x",
	},
	"programs in programs": {
		"sed 's/[/]/g;s/e;1e touch P;#/x/' f", "sed '/[/]/p' f", "sed 's/\\x26/x/' f", "sed -n p -e '1e touch P' f", "sed --posix p f", "sed p -e",
		"awk '{SYMTAB[\"ARGV\"][1]=\"/etc/passwd\"}' f", "gawk 'PROCINFO[\"x\"]=1'", "jq 'import \"/etc/x\" as x; x'", "jq 'include \"x\"; .' f", "jq -L sub . f",
		"jq -f sub/x f", "jq '\"x\"|modulemeta'", "file -z f", "file -m x f", "rg -z x", "rg --search-zip x", "rg -L x", "zcat f",
	},
	"go": {
		"go env --w GOFLAGS=-x", "go env --u GOFLAGS", "go env -w=true X=1", "go env GOFLAGS=x", "go doc -http", "go doc --http", "go doc x@v1", "go test ./...",
		"go run .", "go generate", "go fix -fixtool x", "go fix -fixtool=x", "go vet -vettool=x", "go fmt", "go tool x", "go work use", "go telemetry on",
		"go version -m x", "gofmt -w .", "gofmt -d sub", "gofmt sub",
	},
	"patterns that become options or output files": {
		"uniq u*.q", "xxd u*.q", "uniq ./u*.q", "sort *", "sed -n 1p *", "cat ?", "wc -l *.go", "uniq -- f -P", "uniq f -P", "xxd -- f -P", "xxd f -P", "xxd -ps f P", "xxd -r f P",
		"uniq -c f g", "uniq f -c", "sort -- * -o", "tail -n *", "grep x -*", "ls --c*", "git log *", "find *", "test -f *", "cut -d* f", "touch *", "cp * sub",
	},
	"patterns that match more than we know": {
		"cat out[!x]/S", "cat out[[:alpha:]]/S", "cat [a]/S", "echo [a-z]*", "cat ./s[u]b/*", "for f in a[b]; do ls; done", "echo ../*", "echo /etc/*",
		"printf %s /etc/p*", "for f in /proc/$PPID/fd/*; do echo POLLUTE >$f; done", "for f in /proc/self/fd/*; do echo $f; done", "for f in '/etc/*'; do echo $f; done",
		"echo $HOME/*", "echo \"$x\"*", "tr a /etc/*",
	},
	"options that follow links or lists": {
		"egrep -R x .", "fgrep -R x .", "grep -nR x .", "grep --dereference-recursive x .", "grep --deref x .", "grep -d recurse -R x .", "find -L . -name x", "find . -follow", "find -H .",
		"ls -RL", "ls -LR sub", "ls -H link", "ls --dereference", "du -aL", "du -D sub", "du --dereference", "tree -l", "strings @file", "strings -a @file", "diff -r sub sub2", "diff sub sub2",
		"diff --recursive a b", "diff file sub", "wc --files0-from=x", "du --files0-from=x", "sort --files0-from=x", "md5sum -c x", "md5sum --check x", "hexdump -f x y",
		"find . -files0-from x", "stat -L x", "tail --follow=name x", "sort --random-source=x y", "sort -T x y", "tree --fromfile x", "rg --pre=x y", "rg --hostname-bin=x y",
		"ls --unknown", "cat -Z", "grep --unknown x", "find . -unknown", "find . -name", "sort -k", "head -n",
	},
	"cd through links": {"cd inl/.. && cat ../S", "cd inl && cd .. && cat ../S", "cd inl && ls", "cd link", "cd sub/../inl", "cd ~", "cd sub; cd ../inl"},
	"links made or moved in the same command": {
		"cd sub && ln -s .. ../lk && echo x > ../lk/P", "ln -s sub lk && echo x > lk/P", "ln -s a b; ln -s b/c d", "cp -a sub2 cp2 && echo x > cp2/o/P", "cp -r sub2 cp2; cat cp2/x",
		"mv sub2 mv2; echo x > mv2/o/P", "mv sub2 mv2; cat mv2/file", "(sleep 1; cat lk/x) & ln -s a lk", "while true; do ln -s a b; done", "mv none x; cat x/y",
		"cp -rL sub2 cp2", "cp -RH sub2 cp2", "cp -L inl x", "cp --dereference -r sub2 x", "cp file sub2", "cp ./file sub2/", "cp -r sub2/. sub", "cp --target-directory=sub2 a", "cp s*b x",
		"ln -s a b > c",
	},
	"other programs' secrets": {"ps auxeww | rev", "ps e", "ps eww", "ps axe", "ps -o environ", "ps -E", "ps -o pid -e e", "ps auxe", "ps -eo pid,environ", "cat /proc/1/environ", "strings /proc/1/environ"},
	"git":                     {"git log --output=x", "git grep -O x", "git -c a=b log", "git --bare log", "git describe --dirty", "git describe --always --bro", "git tag -v v1", "git tag --verify v1", "git --literal-pathspecs status", "git archive HEAD", "git bisect run x"},
}

func TestHostile(t *testing.T) {
	p := workspace(t)
	for kind, commands := range hostile {
		for _, command := range commands {
			if got := Of(command, p); got.Risk != core.RiskDestructive {
				t.Errorf("%s: %q: got %s, want destructive", kind, command, got.Risk)
			}
		}
	}
}

// TestHarmless: what looks like the hostile commands and is not.
func TestHarmless(t *testing.T) {
	p := workspace(t)
	for command, want := range map[string]core.Risk{
		"ls # it's a comment": r, "ls; # a\n# b\npwd": r, "echo \"${x:-a/b} ${y%.go} $(pwd)\"": r, "echo `date +%F`": r, "cat > f <<'EOF'\n$(rm x) `y` \"${z:-'a'}\"\nEOF": w,
		"cat <<EOF | wc -l\n$HOME ${x}\nEOF": r, "grep '$(x)' file": r, "awk '{print $(NF)}' file": r, "grep \"x$\" file": r, "echo \"\\$(rm x)\"": r,
		"printf '%-5s %05.2f%%\\n' a 1": r, "printf -- '%s\\n' f*": r, "wait": r, "uniq -c": r, "uniq -c file": r, "xxd -l 16 file": r, "sort -t, -k2 file": r, "sort -t , -k 2n file": r,
		"grep -rn --include='*.go' x .": r, "grep -rn --include=*.go x sub": r, "grep -A3 -e x file": r, "rg -n -g '*.go' x sub": r, "find . -type f -name '*.go' ! -path './x*' -print": r,
		"find . \\( -name a -o -name b \\) -prune": r, "ls ./*.go": r, "cat sub/d*/*": r, "for f in ./*.go; do echo \"$f\"; done": r, "ps -eo pid,args": r, "ps -o sid=,pgid= -p 1": r,
		"diff file file": r, "diff -u a b": r, "cd sub/deep && ls": r, "cd sub/../sub2 && ls": r, "mkdir -p x && mv file x": w, "cp file x": w, "cp -r sub2 new": w, "cp file sub": w, "ln -s a b": w,
		"mv sub2 mv2": w, "mv sub/d* sub2": w, "sed 's/a\\.b/c/; s/x/y/g' file": r, "sed -n -e 1p -e 2p file": r, "go env GOPATH GOOS": r, "go doc -all fmt": r, "gofmt -l sub": r, "gofmt -d x.go": r, "git init": w,
		"jq -r '.a.b | length' file": r, "date -Iseconds -u": r,
	} {
		if got := Of(command, p); got.Risk != want {
			t.Errorf("%q: got %s, want %s", command, got.Risk, want)
		}
	}
}

// TestRepository: git is not asked about a repository that is not the workspace's own, or whose configuration runs programs.
func TestRepository(t *testing.T) {
	for name, change := range map[string]func(git string) error{
		"none":       os.RemoveAll,
		"no HEAD":    func(git string) error { return os.Remove(filepath.Join(git, "HEAD")) },
		"no objects": func(git string) error { return os.Remove(filepath.Join(git, "objects")) },
		"a file":     func(git string) error { os.RemoveAll(git); return os.WriteFile(git, []byte("gitdir: sub\n"), 0o644) },
		"a link":     func(git string) error { os.Rename(git, git+"2"); return os.Symlink(".git2", git) },
		"shared": func(git string) error {
			return os.WriteFile(filepath.Join(git, "commondir"), []byte("../sub\n"), 0o644)
		},
		"fsmonitor":             config("[core]\n\tFSMonitor = ./x\n"),
		"in one line":           config("[core] fsmonitor=./x\n"),
		"hooks":                 config("[core]\nhooksPath\t= .husky\n"),
		"textconv":              config("[diff \"x\"]\ntextconv = x\n"),
		"included":              config("[include]\npath = ../x\n"),
		"included if":           config("[ includeIf \"x\"]\npath = ../x\n"),
		"other worktree":        config("[core]\nworktree = /\n"),
		"a submodule":           addSubmodule,
		"a split index":         func(git string) error { return os.WriteFile(filepath.Join(git, "sharedindex.0"), nil, 0o644) },
		"a folder for an index": func(git string) error { return os.Mkdir(filepath.Join(git, "index"), 0o755) },
	} {
		p := workspace(t)
		git := filepath.Join(p.Dir, ".git")
		if got := Of("git status", p); got.Risk != core.RiskRead {
			t.Fatalf("%s: before: got %s, want read", name, got.Risk)
		}
		if err := change(git); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"git status", "git add ."} {
			if got := Of(command, p); got.Risk != core.RiskDestructive {
				t.Errorf("%s: %s: got %s, want destructive", name, command, got.Risk)
			}
		}
	}
	p := workspace(t)
	hook := filepath.Join(p.Dir, ".git/hooks/pre-commit")
	for _, c := range []struct {
		name string
		want core.Risk
	}{{hook + ".sample", w}, {hook, d}} {
		if err := os.WriteFile(c.name, nil, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"git commit -m x", "git add .", "git branch q", "git tag q", "git stash", "git mv file f1"} {
			if got := Of(command, p); got.Risk != c.want {
				t.Errorf("%s with hook %s: got %s, want %s", command, filepath.Base(c.name), got.Risk, c.want)
			}
		}
	}
	if err := os.RemoveAll(filepath.Join(p.Dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if got := Of("git init", p); got.Risk != w {
		t.Errorf("git init in a new folder: got %s, want write", got.Risk)
	}
}

func config(text string) func(git string) error {
	return func(git string) error { return os.WriteFile(filepath.Join(git, "config"), []byte(text), 0o644) }
}

// TestShellAgrees makes up texts and runs those that count as reading. None of them may come to what stands in quotes, comments
// and documents.
func TestShellAgrees(t *testing.T) {
	p := workspace(t)
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		"touch P", "; touch P", "\ntouch P\n", "$(touch P)", "`touch P`", "'", "'", "\"", "\"", "\\", "\\\n", "\n", "#", " #", " ", " ", ";", "|", "&", "&&", "!", "(", ")", "{ ", "}", "$(", "`",
		"<<E", "<<'E'", "<<-E", "\nE\n", "E", "<<<", "<(", ">(", "${x:-", "${x#", "${x}", "$x", "$'", "$\"", "$((", "))", "((", "$[", "]", "[[ ", "]]", "@(", "?(", "case x in ", "x)", "esac", ";;",
		"if ", "then ", "fi", "do ", "done", "for f in ", "time ", "echo ", "echo ", "cat ", "printf ", "wait ", "%n", "=", "~", "2>&1", "|&", "{a,b}", "true", "\t",
	}
	reading := 0
	for range 200_000 {
		var text strings.Builder
		text.WriteString([]string{"", "echo "}[r.IntN(2)])
		for range 2 + r.IntN(12) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		command := text.String()
		if !strings.Contains(command, "touch P") || Of(command, p).Risk != core.RiskRead {
			continue
		}
		reading++
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", "--", command)
		cmd.Dir = p.Dir
		_ = cmd.Run() // most of them are mistakes
		cancel()
		if err := os.Remove(filepath.Join(p.Dir, "P")); err == nil {
			t.Errorf("%q counts as reading, and has made a file", command)
		}
	}
	if reading < 300 {
		t.Errorf("only %d texts count as reading", reading)
	}
}

// addSubmodule makes git itself write an index with a file and another repository in it.
func addSubmodule(git string) error {
	script := `set -e
		git init -q r; cd r; echo a > f; mkdir d; git -C d init -q; echo b > d/f
		git -C d -c user.name=a -c user.email=a@b add f; git -C d -c user.name=a -c user.email=a@b commit -qm x
		git add f; cp .git/index ../plain; git -c advice.addEmbeddedRepo=false add d; cp .git/index ../index`
	dir, err := os.MkdirTemp("", "submodule")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	for _, c := range []struct {
		name string
		want bool
	}{{"plain", false}, {"index", true}} {
		if err := os.Rename(filepath.Join(dir, c.name), filepath.Join(git, "index")); err != nil {
			return err
		}
		if got := submodules(git); got != c.want {
			return fmt.Errorf("submodules in index %s: %t, want %t", c.name, got, c.want)
		}
	}
	return nil
}
