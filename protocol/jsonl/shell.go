package jsonl

import (
	"context"
	"fmt"

	"github.com/dualagent/agent/core"
)

// bash answers behind the records of its command.
func (c *codec) bash(_ context.Context, req *request, p bashFields) (any, error) {
	if c.underWay.Add(1) > maxUnderWay {
		c.underWay.Add(-1)
		return nil, fmt.Errorf("too many concurrent RPC commands (limit %d)", maxUnderWay)
	}
	run, err := c.engine.StartShell(core.ShellCommand{Command: p.Command, Exclude: p.ExcludeFromContext, Tag: req})
	if err != nil {
		c.underWay.Add(-1)
		return nil, err
	}
	c.out.Later(func() any {
		defer c.underWay.Add(-1)
		r, _ := c.carryOut(req, func() (any, error) {
			res, err := run()
			return c.bashData(res), err
		})
		return r
	})
	return nil, errLater
}

func (c *codec) bashData(run core.ShellRun) any {
	if c.pi {
		return piBashData{run.Output, run.ExitCode, run.Cancelled, run.Truncated, run.OutputPath}
	}
	return bashData{
		Output: run.Output, Stdout: run.Output, ExitCode: run.ExitCode,
		Cancelled: run.Cancelled, Truncated: run.Truncated, FullOutputPath: run.OutputPath,
	}
}

func (c *codec) abortBash(context.Context, *request, nothing) (nothing, error) {
	c.engine.AbortShell()
	return nothing{}, nil
}
