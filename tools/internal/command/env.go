package command

import (
	"slices"
	"strings"
)

// settings keep programs from asking and from showing things page by page.
var settings = []string{
	"PAGER=cat",
	"GIT_PAGER=cat",
	"TERM=dumb",
	"CI=1",
	"GIT_TERMINAL_PROMPT=0",
}

// shellState names variables that make a shell run, or find, something else than what the command says.
var shellState = []string{"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "OLDPWD", "GLOBIGNORE", "IFS", "PWD", "POSIXLY_CORRECT"}

// secretParts end, or stand inside, the names of variables that hold keys.
var (
	secretEnds  = []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_PASSPHRASE", "_CREDENTIALS", "_PAT"}
	secretParts = []string{"API_KEY", "APIKEY", "SECRET_", "ACCESS_KEY", "ACCESS_TOKEN", "PRIVATE_KEY", "AUTH_TOKEN"}
	secretNames = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "CREDENTIALS"}
)

// LooksSecret reports whether a variable of this name usually holds a key.
func LooksSecret(name string) bool {
	name = strings.ToUpper(name)
	ends := func(s string) bool { return strings.HasSuffix(name, s) }
	contains := func(s string) bool { return strings.Contains(name, s) }
	return slices.Contains(secretNames, name) || slices.ContainsFunc(secretEnds, ends) || slices.ContainsFunc(secretParts, contains)
}

// Environment returns the environment for commands in dir: env without the variables that drop names, and with settings that
// keep programs from asking.
func Environment(env []string, dir string, drop func(name string) bool) []string {
	out := make([]string, 0, len(env)+len(settings)+1)
	for _, v := range env {
		name, _, ok := strings.Cut(v, "=")
		if !ok || drop(name) || slices.Contains(shellState, name) || strings.HasPrefix(name, "BASH_FUNC_") || isSetting(name) {
			continue
		}
		out = append(out, v)
	}
	return append(append(out, settings...), "PWD="+dir)
}

func isSetting(name string) bool {
	return slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, name+"=") })
}
