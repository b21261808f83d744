package protocol

import "github.com/dualagent/agent/core"

// A Sizer is a reply that knows about how many bytes it will have on the wire.
type Sizer interface{ Size() int }

// sizeOf estimates the bytes of an item on the wire.
func sizeOf(item any) int {
	const record = 128
	switch it := item.(type) {
	case core.TextDelta:
		return record + len(it.Text)
	case core.ReasoningDelta:
		return record + len(it.Text)
	case core.ToolCallDelta:
		return record + len(it.Text)
	case core.ToolProgress:
		return record + len(it.Text) + len(it.Call.Arguments)
	case core.ShellOutput:
		return record + len(it.Text)
	case core.MessageAdded:
		return 4*record + 2*it.Message.Size()
	case core.ReplyEnded:
		return 4*record + 2*it.Message.Size()
	case core.ToolAnswered:
		return 4*record + 2*it.Message.Size()
	case core.StepEnded:
		return 4*record + it.Reply.Size() + sizeOfAll(it.Results)
	case core.TurnEnded:
		return 4*record + sizeOfAll(it.Messages)
	case core.EntryAdded:
		if it.Entry.Message != nil {
			return 4*record + it.Entry.Message.Size()
		}
	case Sizer:
		return record + it.Size()
	}
	return 4 * record
}

func sizeOfAll(messages []core.Message) int {
	n := 0
	for i := range messages {
		n += messages[i].Size()
	}
	return n
}
