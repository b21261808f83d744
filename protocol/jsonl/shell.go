package jsonl

import (
	"context"
	"fmt"

	"github.com/dualagent/agent/core"
)

// bash answers behind the records of its command.
func (c *codec) bash(_ context.Context, req *request, p bashFields) (any, error) {
	if err := c.room(); err != nil {
		return nil, err
	}
	run, err := c.engine.StartShell(core.ShellCommand{Command: p.Command, Exclude: p.ExcludeFromContext, Tag: req})
	if err != nil {
		return nil, err
	}
	return c.later(req, func() (any, error) {
		res, err := run()
		return c.bashData(res), err
	})
}

// room fails if as many commands as may be are under way. Only the reader starts them, so there is still room afterwards.
func (c *codec) room() error {
	if c.underWay.Load() >= maxUnderWay {
		return fmt.Errorf("too many concurrent RPC commands (limit %d)", maxUnderWay)
	}
	return nil
}

// later carries out a command that takes time and answers it when it is done.
func (c *codec) later(req *request, f func() (any, error)) (any, error) {
	if err := c.room(); err != nil {
		return nil, err
	}
	c.underWay.Add(1)
	c.out.Later(func() any {
		defer c.underWay.Add(-1)
		r, _ := c.carryOut(req, f)
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
