package main

import "github.com/urfave/cli/v2"

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
	spanFlag struct {
		cli.DurationFlag
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
func (f *spanFlag) Names() []string   { return f.named }
func (f *listFlag) Names() []string   { return f.named }

func text(category, usage, name string, more ...string) cli.Flag {
	return &textFlag{cli.StringFlag{Name: name, Aliases: more, Category: category, Usage: usage}, names(name, more)}
}

func yes(category, usage, name string, more ...string) cli.Flag {
	return &yesFlag{cli.BoolFlag{Name: name, Aliases: more, Category: category, Usage: usage}, names(name, more)}
}

func number(category, usage, name string, more ...string) cli.Flag {
	return &numberFlag{cli.IntFlag{Name: name, Aliases: more, Category: category, Usage: usage}, names(name, more)}
}

func span(category, usage, name string, more ...string) cli.Flag {
	return &spanFlag{cli.DurationFlag{Name: name, Aliases: more, Category: category, Usage: usage}, names(name, more)}
}

func list(category, usage, name string, more ...string) cli.Flag {
	return &listFlag{cli.StringSliceFlag{Name: name, Aliases: more, Category: category, Usage: usage}, names(name, more)}
}

func names(name string, more []string) named { return append(named{name}, more...) }
