package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dualagent/agent/protocol/jsonl"
	"github.com/dualagent/agent/protocol/jsonrpc"
)

// schemas are the documents that describe the protocols, in the order in which people are told of them.
var schemas = []struct {
	name     string
	document func() []byte
}{
	{"openrpc", jsonrpc.Schema},
	{"jsonl", jsonl.Schema},
}

// schemaCommand describes the command that prints one of schemas.
func (p program) schemaCommand(mistake cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:         "schema",
		Usage:        "print what goes over the wire: openrpc (OpenRPC) or jsonl (JSON Schema)",
		ArgsUsage:    "openrpc|jsonl",
		Flags:        []cli.Flag{section("").yes("print what there is", "help", "h")},
		OnUsageError: mistake,
		HideHelp:     true,
		Action: func(c *cli.Context) error {
			if c.Bool("help") {
				return showHelp(c, "schema")
			}
			return printSchema(p.out, c.Args().Slice())
		},
	}
}

func printSchema(out io.Writer, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("schema takes one name: %s", schemaNames())}
	}
	for _, s := range schemas {
		if s.name == args[0] {
			_, err := out.Write(s.document())
			return err
		}
	}
	return usageError{fmt.Errorf("unknown schema %q: it is %s", args[0], schemaNames())}
}

func schemaNames() string {
	names := make([]string, len(schemas))
	for i, s := range schemas {
		names[i] = s.name
	}
	return strings.Join(names, " or ")
}
