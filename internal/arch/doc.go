// Package arch holds tests of what the compiler does not see: who imports whom, what has no place in the code, how long files
// and functions get, and whether the documents say what the program does.
package arch

//go:generate go test -run ^TestScriptPage$ . -update
