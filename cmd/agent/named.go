package main

import (
	"slices"

	"github.com/urfave/cli/v2"
)

// The flag types of the library work out their names with a regular expression each time they are asked, which is some thousand
// times at a start. These keep them.
type (
	textFlag struct {
		cli.StringFlag
		named
	}
	yesFlag struct {
		cli.BoolFlag
		named
	}
	numberFlag struct {
		cli.IntFlag
		named
	}
	listFlag struct {
		cli.StringSliceFlag
		named
	}
	named []string
)

func (f *textFlag) Names() []string   { return f.named }
func (f *yesFlag) Names() []string    { return f.named }
func (f *numberFlag) Names() []string { return f.named }
func (f *listFlag) Names() []string   { return f.named }

// A number that is not given is unset, which is not the 0 that the library would print: the usage says what holds then.
func (f *numberFlag) GetDefaultText() string { return "" }
func (f *numberFlag) String() string         { return cli.FlagStringer(f) }

// A section makes the flags of one category of the help text. It is nameless unless help is printed: sorting flags by category
// takes the library longer than parsing them.
type section string

func (s section) text(usage, name string, more ...string) cli.Flag {
	return &textFlag{cli.StringFlag{Name: name, Aliases: more, Category: string(s), Usage: usage}, names(name, more)}
}

func (s section) yes(usage, name string, more ...string) cli.Flag {
	flag := cli.BoolFlag{Name: name, Aliases: more, Category: string(s), Usage: usage, DisableDefaultText: true}
	return &yesFlag{flag, names(name, more)}
}

func (s section) number(usage, name string, more ...string) cli.Flag {
	return &numberFlag{cli.IntFlag{Name: name, Aliases: more, Category: string(s), Usage: usage}, names(name, more)}
}

func (s section) list(usage, name string, more ...string) cli.Flag {
	return &listFlag{cli.StringSliceFlag{Name: name, Aliases: more, Category: string(s), Usage: usage}, names(name, more)}
}

func names(name string, more []string) named { return append(named{name}, more...) }

// asksForHelp reports whether arguments hold a flag that makes the program print help.
func asksForHelp(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "-h" || a == "--help" || a == "-help" })
}
