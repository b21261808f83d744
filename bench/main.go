// Command bench measures the program against the floors of the machine that it runs on, and prints which budgets are met. It
// builds the program itself, never fails on a time, and takes less than three minutes; it exits with 1 if something could not
// be measured at all. It needs Linux for what it reads in /proc.
//
//	go run ./bench                     all of it
//	go run ./bench -only events,abort  some of it
//	go run ./bench -agent PATH         a program that is built already
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// runLimit bounds the whole run. What is not measured by then is left out.
const runLimit = 175 * time.Second

// A section measures some budgets. What it has measured counts also if it then fails.
type section struct {
	name    string
	measure func(ctx context.Context, b *bench) ([]check, error)
}

var sections = []section{
	{"start", measureStart},
	{"events", measureEvents},
	{"roundtrip", measureRoundTrips},
	{"latency", measureLatency},
	{"stream", measureStream},
	{"abort", measureAbort},
}

// A bench is what the sections share.
type bench struct {
	calm
	dir   string // temporary
	self  string // this program, to play roles
	agent string // the program that is measured
	bare  string // a Go program that does nothing
	sdks  []string
}

func main() {
	if played, err := playRole(); played {
		exit(err)
	}
	only := flag.String("only", "", "measure only these `sections`, separated by commas: "+strings.Join(names(), ", "))
	agent := flag.String("agent", "", "measure the program at this `path` instead of building one")
	flag.Parse()
	exit(run(*only, *agent))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func names() []string {
	var all []string
	for _, s := range sections {
		all = append(all, s.name)
	}
	return all
}

func run(only, agent string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	b, err := prepare(ctx, agent)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	var checks []check
	failed := 0
	for _, s := range chosen {
		begun := time.Now()
		b.repeats = 0
		got, err := s.measure(ctx, b)
		checks = append(checks, got...)
		if err != nil {
			failed++
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", s.name, err)
		}
		fmt.Fprintf(os.Stderr, "bench: %s took %.1f s\n", s.name, time.Since(begun).Seconds())
	}
	printHead(os.Stdout, b.calm)
	printReport(os.Stdout, checks)
	if failed > 0 {
		return fmt.Errorf("%d of %d sections could not be measured", failed, len(chosen))
	}
	return nil
}

// choose returns the sections with these names, or all of them.
func choose(only string) ([]section, error) {
	if only == "" {
		return sections, nil
	}
	var chosen []section
	for name := range strings.SplitSeq(only, ",") {
		found := false
		for _, s := range sections {
			if s.name == name {
				chosen, found = append(chosen, s), true
			}
		}
		if !found {
			return nil, fmt.Errorf("-only: there is no section %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	return chosen, nil
}
