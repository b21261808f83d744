package v3

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
)

// The roles in JSON. Those that are not in the list are kept as they are, as RoleCustom.
const (
	roleUser              = "user"
	roleAssistant         = "assistant"
	roleToolResult        = "toolResult"
	roleBash              = "bashExecution"
	roleSystem            = "system"
	roleCustom            = "custom"
	roleBranchSummary     = "branchSummary"
	roleCompactionSummary = "compactionSummary"
)

// stopToolUse is the one StopReason whose word differs.
const stopToolUse = "toolUse"

// FromMessage returns the JSON form of m, which it shares memory with. A message with Raw becomes that, whatever is changed
// in the result. Details that do not encode are left out.
func FromMessage(m *core.Message) Message {
	j := Message{Timestamp: toMillis(m.Time)}
	switch m.Role {
	case core.RoleAssistant:
		j.Role = roleAssistant
		j.setReply(m)
	case core.RoleTool:
		j.Role = roleToolResult
		j.ToolCallID, j.ToolName = &m.ToolCallID, &m.ToolName
		j.Content, j.Details, j.IsError = FromContent(m.Content), details(m.Details), &m.IsError
		j.DurationMs = m.Took.Milliseconds()
	case core.RoleShell:
		j.Role = roleBash
		j.setShell(m.Shell)
	case core.RoleBranchSummary, core.RoleCompactionSummary:
		j.Role = roleBranchSummary
		if m.Role == core.RoleCompactionSummary {
			j.Role = roleCompactionSummary
		}
		j.Summary = new(m.Text())
	default:
		j.Role = string(m.Role) // user, system and custom have the same names here
		j.Content = FromContent(m.Content)
	}
	if len(m.Raw) > 0 {
		j.raw = m.Raw
	}
	return j
}

func (j *Message) setReply(m *core.Message) {
	j.Content = FromContent(m.Content)
	j.API, j.Provider, j.Model, j.ResponseID = &m.API, &m.Provider, &m.Model, m.ResponseID
	j.Usage = new(FromUsage(m.Usage))
	j.StopReason, j.RawStopReason, j.ErrorMessage = string(m.Stop), m.RawStop, m.Error
	if m.Stop == core.StopTools {
		j.StopReason = stopToolUse
	}
	j.DurationMs, j.ThinkingLevel = m.Took.Milliseconds(), string(m.Thinking)
}

func (j *Message) setShell(run *core.ShellRun) {
	if run == nil {
		run = new(core.ShellRun)
	}
	j.Command, j.Output, j.ExitCode = &run.Command, &run.Output, run.ExitCode
	j.Cancelled, j.Truncated, j.FullOutputPath = &run.Cancelled, &run.Truncated, run.OutputPath
	j.ExcludeFromContext = run.Exclude
}

// details returns v as JSON, nil if there is nothing to tell.
func details(v any) wire.Raw {
	switch v := v.(type) {
	case nil:
		return nil
	case wire.Raw:
		return v
	}
	raw, err := wire.Encode(v)
	if err != nil {
		return nil
	}
	return raw
}

// plain is a Message without methods.
type plain Message

// Value returns a value that encodes as j does, but without the second pass that a MarshalJSON costs. It shares memory with j.
func (j *Message) Value() any {
	if j.raw != nil {
		return j.raw
	}
	return (*plain)(j)
}

// MarshalJSON passes on a message that is kept as it was read.
func (j Message) MarshalJSON() ([]byte, error) {
	if j.raw != nil {
		return j.raw, nil
	}
	return wire.Encode((*plain)(&j))
}

// DecodeMessage reads a message, which does not refer to data afterwards. Keys with values of a wrong type are passed over.
// It fails if data is not a JSON object with a role.
func DecodeMessage(data []byte) (core.Message, error) {
	j, err := decodeLeniently(data)
	if err != nil {
		return core.Message{}, fmt.Errorf("message: %w", err)
	}
	if j.Role == "" {
		return core.Message{}, errors.New("message: it has no role")
	}
	m := core.Message{Content: j.Content.core(), Time: fromMillis(j.Timestamp)}
	switch j.Role {
	case roleUser:
		m.Role = core.RoleUser
	case roleAssistant:
		j.reply(&m)
	case roleToolResult:
		m.Role = core.RoleTool
		m.ToolCallID, m.ToolName, m.IsError = value(j.ToolCallID), value(j.ToolName), value(j.IsError)
		m.Took = fromMs(j.DurationMs)
		if j.Details != nil && string(j.Details) != "null" {
			m.Details = j.Details
		}
	case roleBash:
		m.Role, m.Content = core.RoleShell, nil
		m.Shell = &core.ShellRun{
			Command: value(j.Command), Output: value(j.Output), ExitCode: j.ExitCode, Cancelled: value(j.Cancelled),
			Truncated: value(j.Truncated), OutputPath: j.FullOutputPath, Exclude: j.ExcludeFromContext,
		}
	default:
		j.foreign(&m, data)
	}
	return m, nil
}

func (j *Message) reply(m *core.Message) {
	m.Role = core.RoleAssistant
	m.API, m.Provider, m.Model, m.ResponseID = value(j.API), value(j.Provider), value(j.Model), j.ResponseID
	if j.Usage != nil {
		m.Usage = j.Usage.core()
	}
	m.Stop, m.RawStop, m.Error = core.StopReason(j.StopReason), j.RawStopReason, j.ErrorMessage
	if j.StopReason == stopToolUse {
		m.Stop = core.StopTools
	}
	m.Took, m.Thinking = fromMs(j.DurationMs), core.ThinkingLevel(j.ThinkingLevel)
}

// foreign fills in m of a role that we do not write. It may say more than core.Message can hold, so its JSON is kept; the
// text is taken out for the model.
func (j *Message) foreign(m *core.Message, data []byte) {
	m.Raw = append([]byte(nil), data...)
	switch j.Role {
	case roleSystem:
		m.Role = core.RoleSystem
	case roleBranchSummary, roleCompactionSummary:
		m.Role = core.RoleBranchSummary
		if j.Role == roleCompactionSummary {
			m.Role = core.RoleCompactionSummary
		}
		m.Content = []core.Block{core.TextBlock(value(j.Summary))}
	case roleCustom:
		m.Role = core.RoleCustom
	default: // nothing is known about what its content means
		m.Role, m.Content = core.RoleCustom, nil
	}
}

// decodeLeniently decodes data without the members whose values have a wrong type.
func decodeLeniently(data []byte) (Message, error) {
	var j Message
	err := wire.Decode(data, &j)
	var wrong *wire.TypeError
	if !errors.As(err, &wrong) {
		return j, err
	}
	var members map[string]wire.Raw
	if wire.Decode(data, &members) != nil {
		return Message{}, err
	}
	for errors.As(err, &wrong) {
		name := firstName(wrong.Pointer)
		if _, ok := members[name]; !ok {
			return Message{}, err
		}
		delete(members, name)
		rest, encErr := wire.Encode(members)
		if encErr != nil {
			return Message{}, encErr
		}
		j = Message{}
		err = wire.Decode(rest, &j)
	}
	return j, err
}

// firstName returns the first name of a JSON Pointer.
func firstName(pointer string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
}

// toMillis and fromMillis convert a time stamp; 0 stands for none.
func toMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// fromMs returns ms milliseconds; 0 if they cannot be a duration.
func fromMs(ms int64) time.Duration {
	if ms < 0 || ms > int64(time.Duration(1<<63-1)/time.Millisecond) {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}
