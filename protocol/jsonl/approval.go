package jsonl

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// uiResponse is the one command whose id is not its own but that of the question it answers.
const uiResponse = "extension_ui_response"

// refuse words what is wrong with the fields of a command.
func (c *codec) refuse(req *request, err error) error {
	if req.command != uiResponse {
		return err
	}
	if c.pi {
		return errLater // never: pi does not answer these
	}
	return failure("Invalid extension UI response: " + err.(*invalidError).problem)
}

// uiResponse answers a question. It is answered itself only if it fails, without an id, and in pi's dialect not even then.
func (c *codec) uiResponse(_ context.Context, req *request, p uiResponseFields) (nothing, error) {
	err := c.decide(p)
	if err == nil || c.pi {
		return nothing{}, errLater
	}
	req.id = nil
	return nothing{}, err
}

func (c *codec) decide(p uiResponseFields) error {
	id := approvalID(p.ID)
	said := p.Cancelled || p.Confirmed != nil
	switch {
	case c.pi: // what is no yes is a no
	case !said && p.Value == nil:
		return failure("extension UI response must contain value, confirmed, or cancelled: true")
	case !said && id != 0 && uint64(id) == c.asking.Load():
		return failure("UI value response does not match pending request type")
	}
	approved := !p.Cancelled && p.Confirmed != nil && *p.Confirmed
	if id == 0 || c.engine.Decide(id, core.Decision{Approved: approved}) != nil {
		return fmt.Errorf("unknown or completed extension UI interaction %q", shorten(p.ID))
	}
	return nil
}

// approvalID returns the approval that a question is about; 0 if it is none of ours.
func approvalID(question string) core.ApprovalID {
	digits, ok := strings.CutPrefix(question, questionPrefix)
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil || questionID(core.ApprovalID(n)) != question {
		return 0
	}
	return core.ApprovalID(n)
}

// questionPrefix begins the ids of questions to the user; the approval's number follows.
const questionPrefix = "ui-"

func questionID(id core.ApprovalID) string {
	return questionPrefix + strconv.FormatUint(uint64(id), 10)
}

func approvalRequest(_ *codec, e core.ApprovalRequested) *uiRequestBody {
	return &uiRequestBody{
		ID: questionID(e.ID), Method: "confirm", Title: "Approve tool call?", Message: question(e), ExtensionID: host,
		ToolCallID: e.Call.ID, ToolName: e.Call.Name, Risk: e.Risk,
	}
}

// host is who asks: the program itself, not an extension.
const host = "host"

// question words an approval for people.
func question(e core.ApprovalRequested) string {
	capability := string(e.Risk)
	if e.Risk == core.RiskDestructive {
		capability = "exec"
	}
	lines := []string{"Tool: " + e.Call.Name, "Capability: " + capability}
	var args struct {
		Command string `json:"command"`
	}
	if wire.Decode([]byte(e.Call.Arguments), &args) == nil && args.Command != "" {
		lines = append(lines, "Command: "+args.Command)
	} else {
		lines = append(lines, "Arguments: "+e.Call.Arguments)
	}
	if len(e.Outside) > 0 {
		lines = append(lines, "Outside the workspace: "+strings.Join(e.Outside, ", "))
	}
	return strings.Join(lines, "\n")
}

func approvalResolved(_ *codec, e core.ApprovalResolved) *uiResolvedBody {
	if e.Answered {
		return nil
	}
	return &uiResolvedBody{ID: questionID(e.ID), Outcome: "cancelled"}
}
