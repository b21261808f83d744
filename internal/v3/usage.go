package v3

import (
	"math"

	"github.com/dualagent/agent/core"
)

// FromUsage returns the JSON form of u.
func FromUsage(u core.Usage) Usage {
	return Usage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		CacheWrite1h: u.CacheWrite1h, Reasoning: u.Reasoning, TotalTokens: u.Total(),
		Cost: Cost{
			Input: number(u.Cost.Input), Output: number(u.Cost.Output),
			CacheRead: number(u.Cost.CacheRead), CacheWrite: number(u.Cost.CacheWrite), Total: number(u.Cost.Total),
		},
		Estimated: u.Estimated,
	}
}

// number returns f, or 0 if JSON has no word for f.
func number(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

func (u *Usage) core() core.Usage {
	return core.Usage{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		CacheWrite1h: u.CacheWrite1h, Reasoning: u.Reasoning,
		Cost:      core.Cost(u.Cost),
		Estimated: u.Estimated,
	}
}

// FromToolResult returns the JSON form of r, which it shares memory with. Terminate is not set.
func FromToolResult(r *core.ToolResult) ToolResult {
	return ToolResult{Content: FromContent(r.Content), Details: details(r.Details)}
}
