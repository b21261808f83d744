//go:build unix

package kit_test

import (
	"testing"

	"github.com/dualagent/agent/conformance/kit"
)

// shell is a server that is a shell script. $1 and what follows are its arguments.
func shell(script string, args ...string) kit.Target {
	return kit.Target{
		Name:  "shell",
		Model: "script",
		Argv:  map[kit.Protocol][]string{kit.JSONL: {"sh", "-c", script, "sh"}},
		Args:  map[string][]string{"script": args},
		Env:   []string{"EXTRA={home}"},
	}
}

func TestProcess(t *testing.T) {
	tests := []struct{ name, script, play, wrong string }{
		{"input and output", `read x; echo "$x"`, "> {\"type\":\"a\"}\n< {\"type\":\"a\"}\n", ""},
		{"exit code", "exit 3", "! exit 3\n", ""},
		{"other exit code", "exit 3", "! exit 4\n", "want exit code 4, got 3"},
		{"a trapped signal", `trap 'exit 7' TERM; echo '{"type":"up"}'; while :; do read x; done`, "< {\"type\":\"up\"}\n! signal TERM\n! exit 7\n", ""},
		{"a deadly signal", `echo '{"type":"up"}'; read x`, "< {\"type\":\"up\"}\n! signal HUP\n! exit 129\n", ""},
		{"stderr", `echo oops >&2; echo '{"type":"b"}'`, "< {\"type\":\"a\"}\n", "stderr: oops"},
		{"no environment of ours", `test -z "$GOPATH$GOFLAGS$USER" && test -d "$EXTRA" && echo '{"type":"a"}'`, "< {\"type\":\"a\"}\n", ""},
		{"files", `test "$PWD" = "$1" && cat in/a > out && echo '{"type":"a"}'`, "< {\"type\":\"a\"}\n! wait-file out\n! file out \"text\\n\"\n", ""},
		{"file differs", "cp in/a out", "! exit 0\n! file out \"other\"\n", `out has "text\n"`},
		{"file missing", "exit 0", "! exit 0\n! file out \"other\"\n", "no such file"},
		{"a gate for a tool", `echo '{"type":"before"}'; cat $GATE/a; cat $GATE/a; echo '{"type":"after"}'`,
			"< {\"type\":\"before\"}\n! open a\n! open a\n< {\"type\":\"after\"}\n# $GATE/a\n", ""},
		{"flags and variables", `echo "{\"type\":\"$2\"}"; echo "{\"type\":\"$E\"}"`, "< {\"type\":\"-x$WORK\"}\n< {\"type\":\"e$WORK\"}\n", ""},
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := parse(t, kit.JSONL, "-- flags --\n-x$WORK\n-- env --\nE=e$WORK\n-- files/in/a --\ntext\n-- play --\n"+test.play)
			wantError(t, kit.Play(tr, shell(test.script, "{workspace}"), kit.Options{}), test.wrong)
		})
	}
}

func TestScriptFile(t *testing.T) {
	tr := parse(t, kit.JSONL, "-- model --\nmodel m1\ncall bash {\"command\":\"cat $WORK/x\"}\n-- play --\n"+
		"< {\"type\":\"m1\"}\n< {\"type\":\"start\",\"name\":\"bash\",\"text\":\"call run_command {'command':'cat $WORK/x'}\"}\n")
	target := shell(`echo "{\"type\":\"$1\"}"; echo "{\"type\":\"start\",\"name\":\"run_command\",\"text\":\"$(grep call "$2" | tr '"' "'")\"}"`, "{model}", "{script}")
	target.Tools = map[string]string{"bash": "run_command"}
	wantError(t, kit.Play(tr, target, kit.Options{}), "")
}

func TestStartFails(t *testing.T) {
	tr := parse(t, kit.JSONL, "-- play --\n# nothing\n")
	target := shell("")
	target.Argv[kit.JSONL] = []string{"./no-such-program"}
	wantError(t, kit.Play(tr, target, kit.Options{}), "start ./no-such-program")
	target.Argv = nil
	wantError(t, kit.Play(tr, target, kit.Options{}), "target shell has no argv for jsonl")
	target.Order = "any"
	wantError(t, kit.Play(tr, target, kit.Options{}), `unknown order "any"`)
}
