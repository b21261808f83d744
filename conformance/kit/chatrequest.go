package kit

import (
	"errors"
	"fmt"
	"slices"
)

// A chatRequest is what matters of a request for chat completions.
type chatRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role       string `json:"role"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
}

// check is as strict as the strictest provider: each tool call needs its result before anybody else speaks.
func (r *chatRequest) check() error {
	if !r.Stream {
		return errors.New(`the script can only be played with "stream":true`)
	}
	if len(r.Messages) == 0 {
		return errors.New("there are no messages")
	}
	var open []string // calls without a result
	for i, msg := range r.Messages {
		if msg.Role == "tool" {
			at := slices.Index(open, msg.ToolCallID)
			if at < 0 {
				return fmt.Errorf("message %d is a result of tool call %q, which the message before does not make", i+1, msg.ToolCallID)
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("message %d (%s) comes before the results of tool calls %q", i+1, msg.Role, open)
		}
		for _, c := range msg.ToolCalls {
			if c.ID == "" || c.Function.Name == "" {
				return fmt.Errorf("message %d has a tool call without id or name", i+1)
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the results of tool calls %q are missing", open)
	}
	return nil
}
