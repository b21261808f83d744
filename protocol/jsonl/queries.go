package jsonl

import (
	"context"
	"slices"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
)

func (c *codec) getState(context.Context, *request, nothing) (any, error) {
	s := c.engine.State()
	head := stateHead{
		Model: v3.FromModel(s.Model), ThinkingLevel: s.Thinking, IsStreaming: s.Busy,
		SteeringMode: modeOf(s.SteeringOneAtATime), FollowUpMode: modeOf(s.FollowUpOneAtATime),
	}
	if c.pi {
		return piStateData{
			stateHead: head, SessionFile: s.Session.Path, SessionID: s.Session.ID, SessionName: s.Session.Name,
			MessageCount: s.Messages, PendingMessageCount: s.Pending, Version: c.o.Version,
		}, nil
	}
	return stateData{
		stateHead: head, SessionFile: orNull(s.Session.Path), SessionID: s.Session.ID, SessionName: orNull(s.Session.Name),
		Cwd: s.Session.Cwd, MessageCount: s.Messages, PendingMessageCount: s.Pending, TodoPhases: []nothing{},
		RuntimeSettings: runtimeSettings{head.SteeringMode, head.FollowUpMode, s.AutoRetry}, Version: c.o.Version,
	}, nil
}

func modeOf(oneAtATime bool) queueMode {
	if oneAtATime {
		return oneByOne
	}
	return allAtOnce
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (c *codec) getMessages(context.Context, *request, nothing) (messagesData, error) {
	messages := c.engine.Messages()
	d := messagesData{Messages: encodables(messages, true)}
	for i := range messages {
		d.size += messages[i].Size()
	}
	return d, nil
}

// getLastAssistantText passes over replies that an abort or a failure ended before they began.
func (c *codec) getLastAssistantText(context.Context, *request, nothing) (textData, error) {
	for _, m := range slices.Backward(c.engine.Messages()) {
		if m.Role == core.RoleAssistant && (len(m.Content) > 0 || m.Error == "") {
			return textData{new(m.Text())}, nil
		}
	}
	return textData{}, nil
}
