// Command conform plays the conformance transcripts against a server and reports what differs.
//
//	conform -protocol jsonl -target agent -- ./bin/agent rpc --jsonl
//
// What follows -- starts the server; without it, the target's own argv does. The exit code is 0 if all went as it was
// known to, 1 if not, 2 for wrong usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dualagent/agent/conformance"
	"github.com/dualagent/agent/conformance/kit"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// settings are the flags.
type settings struct {
	protocol string
	target   string
	model    string
	order    string
	run      string
	dir      string
	junit    string
	list     bool
	verbose  bool
	parallel int
	play     kit.Options
	argv     []string
}

func parseFlags(args []string, stderr io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("conform", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: conform [flags] [-- server argument ...]")
		f.PrintDefaults()
	}
	f.StringVar(&s.protocol, "protocol", "", "jsonrpc or jsonl; without it, both")
	f.StringVar(&s.target, "target", "agent", "what is known of the server: a file in targets, without .json")
	f.StringVar(&s.model, "model", "", "how the server gets its model: http or script (default: the target's)")
	f.StringVar(&s.order, "order", "", "strict or lanes (default: the target's)")
	f.StringVar(&s.run, "run", "", "play only the transcripts whose protocol/name matches this `regexp`")
	f.StringVar(&s.dir, "dir", "", "folder with transcripts and targets instead of the built-in ones")
	f.StringVar(&s.junit, "junit", "", "write JUnit XML to this `file`")
	f.BoolVar(&s.list, "list", false, "list the transcripts with what they show, and play none")
	f.BoolVar(&s.verbose, "v", false, "show every line that is sent and received, and what passed")
	f.IntVar(&s.parallel, "parallel", 4, "transcripts to play at the same time; 1 with -v")
	f.BoolVar(&s.play.Keys, "keys", false, "check the order of keys, too")
	f.DurationVar(&s.play.Timeout, "timeout", 10*time.Second, "how long to wait for one record")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	s.argv = f.Args()
	return s, nil
}

func run(args []string, stdout, stderr io.Writer) int {
	s, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	list, target, err := s.load()
	if err != nil {
		fmt.Fprintln(stderr, "conform:", err)
		return 2
	}
	if s.list {
		for _, tr := range list {
			fmt.Fprintf(stdout, "%s/%s\n\t%s\n", tr.Protocol, tr.Name, tr.About)
		}
		return 0
	}
	results := s.playAll(list, target, stdout)
	failed := slices.ContainsFunc(results, kit.Result.Unexpected)
	if err := s.report(target.Name, results, stdout); err != nil {
		fmt.Fprintln(stderr, "conform:", err)
		return 1
	}
	if failed {
		return 1
	}
	return 0
}

// load finds the transcripts and the target that the flags name.
func (s *settings) load() ([]*kit.Transcript, kit.Target, error) {
	var files fs.FS = conformance.Files
	if s.dir != "" {
		files = os.DirFS(s.dir)
	}
	target, protocols, err := s.loadTarget(files)
	if err != nil {
		return nil, target, err
	}
	list, err := s.loadTranscripts(files, protocols)
	return list, target, err
}

// loadTarget returns the target with what the flags change of it, and the protocols to test.
func (s *settings) loadTarget(files fs.FS) (kit.Target, []kit.Protocol, error) {
	target, err := kit.LoadTarget(files, s.target)
	if err != nil {
		return target, nil, err
	}
	if s.model != "" {
		target.Model = s.model
	}
	if s.order != "" {
		target.Order = kit.Order(s.order)
	}
	if err := target.Validate(); err != nil {
		return target, nil, err
	}
	protocols := []kit.Protocol{kit.JSONRPC, kit.JSONL}
	if s.protocol != "" {
		protocols = []kit.Protocol{kit.Protocol(s.protocol)}
	}
	if len(s.argv) > 0 {
		if len(protocols) != 1 {
			return target, nil, errors.New("-protocol says which protocol the command behind -- speaks")
		}
		if strings.ContainsRune(s.argv[0], filepath.Separator) { // the server runs in a folder of its own
			if s.argv[0], err = filepath.Abs(s.argv[0]); err != nil {
				return target, nil, err
			}
		}
		target.Argv = map[kit.Protocol][]string{protocols[0]: s.argv}
	}
	return target, protocols, nil
}

// loadTranscripts returns those that -run selects.
func (s *settings) loadTranscripts(files fs.FS, protocols []kit.Protocol) ([]*kit.Transcript, error) {
	only, err := regexp.Compile(s.run)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	transcripts, err := fs.Sub(files, "transcripts")
	if err != nil {
		return nil, err
	}
	var all []*kit.Transcript
	for _, p := range protocols {
		list, err := kit.Load(transcripts, p)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	all = slices.DeleteFunc(all, func(tr *kit.Transcript) bool {
		return !only.MatchString(string(tr.Protocol) + "/" + tr.Name)
	})
	if len(all) == 0 {
		return nil, fmt.Errorf("no transcript matches -run %q", s.run)
	}
	return all, nil
}

// playAll returns the results in the order of the transcripts and shows each as soon as it is there.
func (s *settings) playAll(list []*kit.Transcript, target kit.Target, out io.Writer) []kit.Result {
	if s.verbose {
		s.parallel, s.play.Trace = 1, out
	}
	results := make([]kit.Result, len(list))
	var mu sync.Mutex // guards out
	var workers sync.WaitGroup
	slots := make(chan struct{}, max(1, s.parallel))
	for i, tr := range list {
		slots <- struct{}{}
		workers.Go(func() {
			defer func() { <-slots }()
			results[i] = kit.Check(tr, target, s.play)
			mu.Lock()
			defer mu.Unlock()
			if s.verbose || results[i].Unexpected() {
				fmt.Fprintln(out, results[i])
			}
		})
	}
	workers.Wait()
	return results
}

// report writes the table, and the JUnit file if one is wanted.
func (s *settings) report(target string, results []kit.Result, out io.Writer) error {
	if err := kit.WriteTable(out, results); err != nil {
		return err
	}
	if s.junit == "" {
		return nil
	}
	f, err := os.Create(s.junit)
	if err != nil {
		return err
	}
	return errors.Join(kit.WriteJUnit(f, target, results), f.Close())
}
