package jsonl

import (
	"context"
	"reflect"
)

// CommandFields returns the types of the fields of each command.
func CommandFields() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, cmd := range commandTable {
		m[cmd.name] = cmd.fields
	}
	return m
}

// AddPanic adds a command that panics, until remove is called.
func AddPanic(name string) (remove func()) {
	commands[name] = row(name, "", (*codec).panics)
	return func() { delete(commands, name) }
}

// AddUnencodable adds a command whose data are not JSON, until remove is called.
func AddUnencodable(name string) (remove func()) {
	commands[name] = row(name, "", (*codec).odd)
	return func() { delete(commands, name) }
}

func (c *codec) odd(context.Context, *request, nothing) (any, error) { return func() {}, nil }

func (c *codec) panics(context.Context, *request, nothing) (nothing, error) { panic("oops") }
