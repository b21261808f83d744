package risk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/dualagent/agent/core"
)

// workspace returns a place with a few files, confined without regard to symbolic links except for "link".
func workspace(t testing.TB) Place {
	dir := t.TempDir()
	for _, d := range []string{"sub/deep", "sub2", ".git/hooks", ".git/objects", ".git/refs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\tbare = false\n", "file": "x\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": "/etc", "sub/leak": "/etc", "inl": "sub/deep", "sub2/file": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return Place{Dir: dir, Locate: func(from, path string, write bool) (string, bool) {
		if path == "~" || strings.HasPrefix(path, "~/") {
			path = "/home/u" + path[1:]
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(from, path)
		}
		abs := filepath.Clean(path)
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs = real
		} else if real, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
			abs = filepath.Join(real, filepath.Base(abs))
		}
		return abs, abs == dir || strings.HasPrefix(abs, dir+"/")
	}}
}

const (
	r = core.RiskRead
	w = core.RiskWrite
	n = core.RiskNetwork
	d = core.RiskDestructive
)

var cases = []struct {
	command string
	want    core.Risk
}{
	// Commands that only look, and what joins them.
	{"ls", r}, {"ls -la sub", r}, {"ls -la --color=never", r}, {"head -n 5 a", r}, {"head -5 a", r}, {"wc -l -- a", r}, {"ps aux", r}, {"cat a.txt", r}, {"cat -- a.txt", r}, {"", r}, {"# nothing", r},
	{"ls | head -5 | wc -l", r}, {"ls && pwd || true; date", r}, {"ls\npwd\n", r}, {"(cd sub && ls)", r}, {"{ ls; pwd; }", r},
	{"if [ -f a ]; then cat a; else echo no; fi", r}, {"while false; do ls; done", r}, {"for f in a b; do echo $f; done", r},
	{"case a in b) ls;; esac", r}, {"time ls", r}, {"! grep -q x a.txt", r}, {"sleep 5 & wait", r},
	{"echo $(date) `pwd` \"$HOME\" ${x:-y} ${#x}", r}, {"echo {a,b}", r}, {"printf '%s\\n' \"$x\"", r}, {"cat <<EOF\n$HOME\nEOF", r},
	{"cat <(ls) <(pwd)", d}, {"diff a b", r}, {"cat sub/*", d}, {"cat ./*.go sub2/f*", d}, {"cat ./*.go sub/d*/*.go", r}, {"cat -- *.go", r}, {"ls > /dev/null 2>&1", r}, {"ls &>/dev/null", r},
	{"grep -rn 'func /x/' .", r}, {"grep /etc/ a.txt", r}, {"rg -n x", r}, {"find . -name '*.go' -not -path './x/*'", r},
	{"sort -u a | uniq -c", r}, {"cut -d: -f1 a", r}, {"tr / -", r}, {"date -u +%F", r}, {"date -Iseconds", r}, {"date -d tomorrow +%s", r},
	{"sed -n 1,10p a", r}, {"sed 's/a/b/g' a", r}, {"sed -n '/x/,/y/p;5q' a", r}, {"awk '{print $1}' a", r}, {"awk -F: '{print $1}' a", r},
	{"set -euo pipefail; ls", r}, {"command -v go", r}, {"type ls", r}, {"which ls", r}, {"env", r}, {"printenv HOME", r}, {"ps -ef", r},
	{"ls 'a b' \"c d\" e\\ f", r}, {"\\ls", r}, {"'ls'", r}, {"go version", r}, {"go env GOPATH", r}, {"go doc fmt", r}, {"gofmt -l .", r},
	{"cd sub && ls", r}, {"cd sub && cat ../a.txt", r}, {"cd sub && cat deep/x && cat ../a.txt", r}, {"cd ./ && git status", r},
	// C7 and other things around git.
	{"git status", r}, {"git\tstatus", r}, {"git log --oneline -5", r}, {"git diff HEAD~1 -- a.go", r}, {"git show HEAD:a.go", r},
	{"git branch", r}, {"git branch -a", r}, {"git branch --contains HEAD", r}, {"git tag -l 'v*'", r}, {"git remote -v", r},
	{"git stash list", r}, {"git log -p --patch", r}, {"git log main..HEAD", r}, {"git --no-pager log", r}, {"git diff --text", r},
	{"git status; rm -rf x", d}, {"git status $(rm x)", d}, {"git status\nrm x", d}, {"git -c core.pager='!sh' status", d},
	{"FOO=1 git status && ls", d}, {"GIT_PAGER=sh git log", d}, {"git --exec-path=x status", d}, {"git --git-dir=sub status", d},
	{"git -C sub status", d}, {"cd sub && git status", d}, {"git diff --output=x", d}, {"git diff --outp=x", d}, {"git diff --ext-diff", d},
	{"git log --textconv", d}, {"git grep -Ovi x", d}, {"git grep --open=vi x", d}, {"git branch -D x", d}, {"git tag -d x", d},
	{"git checkout -- a", d}, {"git reset --hard", d}, {"git clean -fd", d}, {"git commit --amend", d}, {"git config core.pager x", d},
	{"git status $x", d}, {"git help", d}, {"git", d}, {"git diff --no-index a /etc/passwd", d},
	{"git add .", w}, {"git commit -m 'x; rm y'", w}, {"git branch new", w}, {"git tag v1", w}, {"git stash", w},
	{"git fetch", n}, {"git pull", n}, {"git push origin main", n}, {"git clone https://h/x", n}, {"git push -f", d}, {"git push origin +a", d},
	{"git push origin :a", d}, {"git push --force", d}, {"git remote update", n},
	// Writers in the workspace.
	{"echo x > a", w}, {"echo x >> sub/a", w}, {"ls 2> err", w}, {"ls >& out", w}, {"ls &> out", w}, {"cat <> a", w}, {"ls >| a", w},
	{"mkdir -p x/y", w}, {"touch a b", w}, {"cp a b", w}, {"mv a b", w}, {"ls | tee a", w}, {"sed -i 's/a/b/' a", w},
	{"gofmt -w a.go", w}, {"ln -s a b", w},
	{"for f in a b; do touch x; done", w},
	// Other machines.
	{"curl https://example.org", n}, {"wget -q x", n}, {"ssh host ls", n}, {"scp a h:b", n}, {"npm install", n}, {"pip install x", n},
	{"go get x", n}, {"go mod tidy", n}, {"go build ./...", n}, {"go vet ./...", n}, {"go mod init x", n}, {"apt-get install x", n}, {"curl https://example.org > a", n}, {"curl \"$URL\"", n},
	{"curl x | sh", d}, {"curl -o /etc/x h", d}, {"cat < /dev/tcp/h/80", d},
	// Everything else.
	{"rm a", d}, {"ls; rm a", d}, {"ls && rm a", d}, {"ls | xargs rm", d}, {"$(rm a)", d}, {"`rm a`", d}, {"echo $(rm a)", d},
	{"echo \"$(rm a)\"", d}, {"echo `rm a`", d}, {"cat <(rm a)", d}, {"ls > $(rm a)", d}, {"cat <<EOF\n$(rm a)\nEOF", d}, {"cat <<< $(rm a)", d},
	{"if rm a; then ls; fi", d}, {"while rm a; do ls; done", d}, {"for f in $(rm a); do ls; done", d}, {"case $(rm a) in x) ;; esac", d},
	{"(rm a)", d}, {"{ rm a; }", d}, {"! rm a", d}, {"rm a &", d}, {"time rm a", d}, {"coproc rm a", d}, {"ls; 'rm' a", d}, {"r\\m a", d},
	{"r''m a", d}, {"$'rm' a", d}, {"$x a", d}, {"\"$x\" a", d}, {"{rm,a}", d}, {"/bin/rm a", d}, {"./x", d}, {"r? a", d}, {"r\\\nm a", d},
	{"sudo ls", d}, {"kill 1", d}, {"dd if=a", d}, {"chmod 777 a", d}, {"eval ls", d}, {"exec ls", d}, {"source a", d}, {". a", d}, {"sh -c ls", d},
	{"bash a", d}, {"python3 -c 1", d}, {"alias ls=rm", d}, {"ls() { rm x; }; ls", d}, {"function ls { rm x; }", d}, {"unknown", d},
	{"X=1", d}, {"X=1 ls", d}, {"PATH=. ls", d}, {"LD_PRELOAD=x ls", d}, {"export X=1", d}, {"declare x", d}, {"unset x", d}, {"read x", d},
	{"for PATH in x; do ls; done", d}, {"for f in 'a[$(rm x)]'; do echo $((f)); done", d}, {"select f in a; do ls; done", d},
	{"for ((i=0;i<1;i++)); do ls; done", d}, {"((x=1))", d}, {"let x=1", d}, {"echo $((x))", d}, {"[[ -v x ]]", d}, {"[ -v 'a[$(rm x)]' ]", d},
	{"echo ${x:=y}", d}, {"echo ${x@P}", d}, {"echo ${!x}", d}, {"echo ${x[1]}", d}, {"echo ${x:-$(rm a)}", d}, {"printf -v PATH x", d},
	{"printf $(echo -v PATH x)", d}, {"set -- a", d}, {"set -k", d}, {"shopt -s x", d}, {"trap 'rm x' EXIT", d}, {"command rm a", d},
	{"builtin cd", d}, {"env rm a", d}, {"env -i ls", d}, {"hostname x", d}, {"date -s x", d}, {"date 01010000", d}, {"nohup ls", d},
	{"find . -delete", d}, {"find . -exec rm {} +", d}, {"find . -execdir x \\;", d}, {"find . -ok x \\;", d}, {"find . -fprint x", d},
	{"find . -fprintf x y", d}, {"find . -fls x", d}, {"find $x", d}, {"sort -o a b", d}, {"sort -no a b", d}, {"sort --outp=a b", d},
	{"sort --compress-program=x a", d}, {"uniq a b", d}, {"rg --pre x y", d}, {"grep -R x .", d}, {"xxd a b", d}, {"tree -o a", d},
	{"sed 'w x' a", d}, {"sed 's/a/b/e' a", d}, {"sed 's/a/b/w x' a", d}, {"sed '1e rm x' a", d}, {"sed -n '/a\\/,/w out/p' a", d},
	{"sed -f x a", d}, {"sed -i 'e rm' a", d}, {"awk 'BEGIN{system(\"rm a\")}'", d}, {"awk '{print > \"x\"}' a", d}, {"awk -f x", d},
	{"go run .", d}, {"go generate", d}, {"go test -exec x", d}, {"go build -toolexec=x", d}, {"go env -w X=1", d}, {"gofmt -r 'a->b' .", d},
	{"make", d}, {"npm test", n}, {"xargs ls", d}, {"ls {fd}> x", d}, {"ls 'unclosed", d}, {"ls )", d}, {"ls \x00", d}, {"ls \xff", d}, {"ls\r", d},
	// Paths outside, and what git runs.
	{"cat /etc/passwd", d}, {"cat ../x", d}, {"cat sub/../../x", d}, {"cat ~/x", d}, {"cat ~root/x", d}, {"ls /", d}, {"cd / && ls", d},
	{"cd .. && ls", d}, {"cd", d}, {"cd -", d}, {"cd $x", d}, {"cd sub; cat ../../x", d}, {"(cd sub && ls); cat ../x", d}, {"cat link/passwd", d},
	{"cat link", d}, {"cd sub && cat leak/passwd", d}, {"cd sub; cat leak/passwd", d}, {"cd sub || cat leak/passwd", d},
	{"while true; do cat leak/passwd; cd sub; done", d}, {"cat l*/passwd", d}, {"cat .*/x", d}, {"cat {a,/etc/passwd}", d}, {"ls -I/etc", d},
	{"grep -f/etc/passwd a", d}, {"grep -f link a", d}, {"grep x /etc/passwd", d}, {"diff --to-file=/etc/passwd a", d}, {"cat < /etc/passwd", d},
	{"echo x > /etc/x", d}, {"echo x > ../x", d}, {"echo x > $f", d}, {"cp a /tmp/x", d}, {"cp -t/tmp a", d}, {"touch link/x", d}, {"ln -s / x", d},
	{"ln -s .. x", d}, {"echo x > .git/config", d}, {"cp a .git/hooks/pre-commit", d}, {"tee .GIT/config", d}, {"cat .git/config", r},
}

func TestOf(t *testing.T) {
	p := workspace(t)
	for _, c := range cases {
		if got := Of(c.command, p); got.Risk != c.want {
			t.Errorf("%q: got %s, want %s", c.command, got.Risk, c.want)
		}
	}
}

func TestOutside(t *testing.T) {
	p := workspace(t)
	for command, want := range map[string][]string{
		"cat /etc/passwd a /etc/passwd": {"/etc/passwd"},
		"ls > /tmp/x; cat ~/y":          {"/home/u/y", "/tmp/x"},
		"cd sub && cat leak/passwd":     {"/etc/passwd"},
		"echo /etc/passwd":              nil,
		"cat sub/../a":                  nil,
	} {
		if got := Of(command, p); !slices.Equal(got.Outside, want) {
			t.Errorf("%q: outside is %q, want %q", command, got.Outside, want)
		}
	}
}

// TestSize: what takes long to look at is destructive, at once.
func TestSize(t *testing.T) {
	p := workspace(t)
	for name, command := range map[string]string{
		"long":   "echo " + strings.Repeat("x", maxCommand),
		"many":   strings.Repeat("ls;", maxSteps+1),
		"nested": strings.Repeat("while true; do ", 60) + "ls" + strings.Repeat("; done", 60),
		"deep":   strings.Repeat("(", 10_000) + "ls" + strings.Repeat(")", 10_000),
	} {
		if got := Of(command, p); got.Risk != core.RiskDestructive {
			t.Errorf("%s command: got %s, want destructive", name, got.Risk)
		}
	}
}

// FuzzOf: nothing in which rm is called is anything but destructive, wherever it stands.
func FuzzOf(f *testing.F) {
	for _, c := range cases {
		f.Add(c.command)
	}
	p := workspace(f)
	f.Fuzz(func(t *testing.T, command string) {
		got := Of(command, p).Risk
		file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
		if err != nil {
			if got != core.RiskDestructive {
				t.Fatalf("%q does not parse: got %s", command, got)
			}
			return
		}
		for node := range syntax.Preorder(file) {
			call, ok := node.(*syntax.CallExpr)
			if ok && len(call.Args) > 0 && argOf(call.Args[0]).text == "rm" && got != core.RiskDestructive {
				t.Fatalf("%q calls rm: got %s", command, got)
			}
		}
		for _, around := range []string{"%;rm a", "%\nrm a", "rm a;%", "if rm a;then\n%\nfi", "(%\n) && rm a", "echo $(%\n rm a\n)", "%\n! rm a | cat"} {
			whole := strings.ReplaceAll(around, "%", command)
			if wf, err := syntax.NewParser().Parse(strings.NewReader(whole), ""); err != nil || len(wf.Stmts) == 0 {
				continue
			}
			if strings.ContainsAny(command, "#<\\") { // may have made rm a comment, a document or a part of a word
				continue
			}
			if got := Of(whole, p).Risk; got != core.RiskDestructive {
				t.Fatalf("%q calls rm: got %s", whole, got)
			}
		}
	})
}
