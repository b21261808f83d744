// Command demo shows one turn in each protocol, with the built-in model and in a project made for it.
//
//	demo bin/agent
//
// Each record is printed as it comes, cut to the width of the terminal. The exit code is 1 if a turn does not end well.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// timeLimit bounds the whole demo, which takes less than a second.
const timeLimit = 30 * time.Second

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: demo PROGRAM")
		os.Exit(2)
	}
	if err := run(os.Args[1], newScreen(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(program string, s screen) error {
	path, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), timeLimit, fmt.Errorf("not done after %v", timeLimit))
	defer cancel()
	for _, w := range wires {
		s.title(w.title, program, w.args)
		if err := converse(ctx, path, w, s); err != nil {
			return fmt.Errorf("%s: %w", w.title, err)
		}
		fmt.Fprintln(s.out)
	}
	fmt.Fprintf(s.out, "Both turns ended well. `make test` runs the tests; `%s --help` lists the flags.\n", program)
	fmt.Fprintln(s.out, "For a real model add --endpoint URL --model ID --api-key-env NAME; README.md has examples.")
	return nil
}
