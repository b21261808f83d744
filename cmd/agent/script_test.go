package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary serve as the program under each of its names.
func TestMain(m *testing.M) {
	// With the race detector every process would wait a second before it ends.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"agent": main, "rho": main, "rpi": main, "pi": main})
}

// TestScripts runs testdata/*.txtar: the program as people call it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("AGENT_HOME", filepath.Join(home, "agent"))
			return os.MkdirAll(home, 0o700)
		},
	})
}
