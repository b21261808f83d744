// Package risk finds out what a shell command may do, by parsing it. It knows what a limited number of commands do; whatever
// it does not know or cannot see through is destructive. It runs nothing.
package risk

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/dualagent/agent/core"
)

// The longest command that is looked at, in bytes, and how many statements.
const (
	maxCommand = 64 << 10
	maxSteps   = 1000
)

// A Place tells where paths lead to.
type Place struct {
	Dir string // where commands start; absolute, without symbolic links
	// Locate follows path from dir and says where it leads, and whether that is inside of what commands may read, or
	// write if write is set.
	Locate func(dir, path string, write bool) (abs string, inside bool)
}

// A Finding is what a command may do.
type Finding struct {
	Risk    core.Risk
	Outside []string // places outside that it names
}

var order = []core.Risk{core.RiskRead, core.RiskWrite, core.RiskNetwork, core.RiskDestructive}

func worse(a, b core.Risk) core.Risk {
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// Of returns what command may do when bash runs it at the place.
func Of(command string, p Place) (f Finding) {
	// The parser is not ours and sees what a model makes up; its failure must not be the end of the program.
	defer func() {
		if recover() != nil {
			f = Finding{Risk: core.RiskDestructive}
		}
	}()
	if len(command) > maxCommand || strings.ContainsFunc(command, odd) {
		return Finding{Risk: core.RiskDestructive}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(command), "")
	if err != nil {
		return Finding{Risk: core.RiskDestructive}
	}
	l := &look{place: p, dirs: []string{p.Dir}, finding: Finding{Risk: core.RiskRead}}
	if !sound(command, file) {
		l.destructive()
	}
	l.stmts(file.Stmts)
	if l.moves > 1 || l.moves > 0 && l.paths > l.movedPaths {
		l.destructive() // a path may have come to lead elsewhere when it is used
	}
	slices.Sort(l.finding.Outside)
	l.finding.Outside = slices.Compact(l.finding.Outside)
	return l.finding
}

// A look is one look at a command. dirs are the folders in which the statement at hand may run.
type look struct {
	place   Place
	dirs    []string
	finding Finding
	steps   int // statements looked at

	paths      int // looked at
	moves      int // commands that make links, or give those that are there another place
	movedPaths int // of those commands
}

func (l *look) raise(r core.Risk) { l.finding.Risk = worse(l.finding.Risk, r) }

func (l *look) destructive() { l.raise(core.RiskDestructive) }

func (l *look) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		l.stmt(s)
	}
}

func (l *look) stmt(s *syntax.Stmt) {
	if l.steps++; l.steps > maxSteps {
		l.destructive()
		return
	}
	if s.Coprocess || s.Disown {
		l.destructive()
	}
	for _, r := range s.Redirs {
		l.redirect(r)
	}
	if s.Cmd != nil {
		l.command(s.Cmd)
	}
}

func (l *look) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		l.call(c)
	case *syntax.BinaryCmd:
		l.binary(c)
	case *syntax.Block:
		l.stmts(c.Stmts)
	case *syntax.Subshell:
		l.stmts(c.Stmts)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			l.stmts(c.Cond)
			l.stmts(c.Then)
		}
	case *syntax.WhileClause:
		l.loop(c.Cond, c.Do)
	case *syntax.ForClause:
		l.forClause(c)
	case *syntax.CaseClause:
		l.caseClause(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			l.stmt(c.Stmt)
		}
	default: // functions, declarations, arithmetic and the like can change what later words mean
		l.destructive()
	}
}

// binary looks at statements that are joined. In a chain of && what follows a cd runs only where that leads to; after the
// chain, statements may run wherever one of it did.
func (l *look) binary(c *syntax.BinaryCmd) {
	if c.Op != syntax.AndStmt {
		l.stmt(c.X)
		l.stmt(c.Y)
		return
	}
	all := l.dirs
	for _, s := range chain(c) {
		before := len(l.dirs)
		l.stmt(s)
		if changesDir(s) && len(l.dirs) > before {
			l.dirs = l.dirs[before:]
		}
		for _, dir := range l.dirs {
			if !slices.Contains(all, dir) {
				all = append(all[:len(all):len(all)], dir)
			}
		}
	}
	l.dirs = all
}

// chain returns the statements of x && y && z.
func chain(c *syntax.BinaryCmd) []*syntax.Stmt {
	if x, ok := c.X.Cmd.(*syntax.BinaryCmd); ok && x.Op == syntax.AndStmt && !c.X.Negated && len(c.X.Redirs) == 0 {
		return append(chain(x), c.Y)
	}
	return []*syntax.Stmt{c.X, c.Y}
}

func changesDir(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(c.Args) > 0 && c.Args[0].Lit() == "cd" && !s.Negated && !s.Background
}

// loop looks at the body twice: a change of folder in it counts for the next round.
func (l *look) loop(cond, body []*syntax.Stmt) {
	for range 2 {
		l.stmts(cond)
		l.stmts(body)
	}
}

func (l *look) forClause(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select || !harmlessName(iter.Name.Value) {
		l.destructive()
		return
	}
	for _, w := range iter.Items {
		l.word(w)
		a := argOf(w)
		a.glob = strings.ContainsAny(a.text, "*?[") // quotes do not count where the variable is expanded without
		l.expands(a)
	}
	l.loop(nil, c.Do)
}

// harmlessName reports whether a variable of this name means nothing to the shell and to common programs.
func harmlessName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) && len(name) <= 12
}

func (l *look) caseClause(c *syntax.CaseClause) {
	l.word(c.Word)
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			l.word(p)
		}
		l.stmts(item.Stmts)
	}
}

// call looks at a simple command.
func (l *look) call(c *syntax.CallExpr) {
	for _, w := range c.Args {
		l.word(w)
	}
	if len(c.Assigns) > 0 || len(c.Args) == 0 {
		l.destructive()
		return
	}
	args := make([]arg, len(c.Args))
	for i, w := range c.Args {
		args[i] = argOf(w)
	}
	name := args[0]
	if !name.plain() {
		l.destructive()
		return
	}
	cmd, known := commands()[name.text]
	if !known {
		l.destructive()
		return
	}
	l.apply(cmd, args[1:])
}

// apply looks at what a known command makes of its arguments.
func (l *look) apply(cmd command, args []arg) {
	before, moves := l.paths, l.moves
	for _, a := range args {
		l.expands(a)
		if !cmd.anyWords && !a.fixed {
			l.destructive()
		}
	}
	w := words{all: args}
	if cmd.options != nil {
		var ok bool
		if w, ok = cmd.options.parse(args); !ok {
			l.destructive()
		}
	} else if !cmd.anyWords && slices.ContainsFunc(args, arg.mayBeFlag) {
		l.destructive()
	}
	risk := cmd.risk
	if cmd.check != nil {
		risk = cmd.check(l, w)
	}
	l.raise(risk)
	if !cmd.noPaths {
		for _, a := range args {
			l.anyPath(a, risk != core.RiskRead)
		}
	}
	if l.moves > moves {
		l.movedPaths += l.paths - before
	}
}

// anyPath looks at all that a command may take for a path in a word.
func (l *look) anyPath(a arg, write bool) {
	if !a.fixed {
		return
	}
	for _, p := range a.paths() {
		l.path(p, a.glob, write)
	}
}

// expands looks at the files whose names a word may become.
func (l *look) expands(a arg) {
	switch {
	case !a.glob:
	case !a.fixed:
		l.destructive()
	default:
		l.path(a.text, true, false)
	}
}
