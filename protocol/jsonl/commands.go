package jsonl

import (
	"context"
	"reflect"

	"github.com/dualagent/agent/internal/wire"
)

// A command is a row of the table of commands.
type command struct {
	name   string
	doc    string
	fields reflect.Type
	data   reflect.Type // of the response; any if it depends on the dialect
	run    func(c *codec, ctx context.Context, req *request, members map[string]wire.Raw) (any, error)
}

// row makes a row of the table. fn runs on the reader's goroutine; an error is the response's, errLater tells that the
// response comes later or never.
func row[F, D any](name, doc string, fn func(*codec, context.Context, *request, F) (D, error)) command {
	return command{
		name: name, doc: doc, fields: reflect.TypeFor[F](), data: reflect.TypeFor[D](),
		run: func(c *codec, ctx context.Context, req *request, members map[string]wire.Raw) (any, error) {
			var fields F
			if err := decode(members, &fields); err != nil {
				return nil, c.refuse(req, err)
			}
			return fn(c, ctx, req, fields)
		},
	}
}

// commandTable is the only list of commands.
var commandTable = []command{
	row("prompt", "Work on a message. While a turn runs, streamingBehavior says whether it steers it or follows it.", (*codec).prompt),
	row("steer", "Say something to the running turn at its next seam, or behind the next prompt.", (*codec).steer),
	row("follow_up", "Say something when the running turn, or the next one, would otherwise end.", (*codec).followUp),
	row("abort", "Stop the turn that runs.", (*codec).abort),
	row("abort_retry", "Stop the pause before another attempt, and the turn with it.", (*codec).abortRetry),
	row("queue_list", "What waits to be said to the model.", (*codec).queueList),
	row("queue_cancel", "Forget what waits to be said to the model.", (*codec).queueCancel),
	row("clear_queue", "Forget what waits to be said to the model, and return it.", (*codec).clearQueue),
	row("new_session", "Stop the turn that runs and start a new session.", (*codec).newSession),
	row("switch_session", "Stop the turn that runs and go on in a stored session, with its model and thinking level.", (*codec).switchSession),
	row("set_session_name", "Give the session a name.", (*codec).setSessionName),
	row("get_session_stats", "Figures about the session: messages, tokens, cost, context.", (*codec).getSessionStats),
	row("get_entries", "The entries of the session in file order: all, or those behind one.", (*codec).getEntries),
	row("get_tree", "The entries of the session as a tree.", (*codec).getTree),
	row("get_fork_messages", "The user messages of the session, on all branches.", (*codec).getForkMessages),
	row("export_html", "Write the session to a file as a page for people to read.", (*codec).exportHTML),
	row("get_state", "What the agent is set to and busy with.", (*codec).getState),
	row("get_messages", "The conversation on the active path.", (*codec).getMessages),
	row("get_last_assistant_text", "The text of the last reply.", (*codec).getLastAssistantText),
	row("set_model", "Use another model from the next request on.", (*codec).setModel),
	row("cycle_model", "Use the next one of the available models.", (*codec).cycleModel),
	row("get_available_models", "The models that are known.", (*codec).getAvailableModels),
	row("set_thinking_level", "How much the model should reason.", (*codec).setThinkingLevel),
	row("cycle_thinking_level", "Use the next one of the model's thinking levels.", (*codec).cycleThinkingLevel),
	row("get_available_thinking_levels", "The thinking levels of the model.", (*codec).getAvailableThinkingLevels),
	row("set_steering_mode", "Whether one steering message is said at a seam, or all.", (*codec).setSteeringMode),
	row("set_follow_up_mode", "Whether one follow-up is said at a time, or all.", (*codec).setFollowUpMode),
	row("set_auto_retry", "Whether failed requests are made again.", (*codec).setAutoRetry),
	row("bash", "Run a command of the user beside the conversation.", (*codec).bash),
	row("abort_bash", "Stop the commands of the user.", (*codec).abortBash),
	row(uiResponse, "Answer an extension_ui_request. Only failures are answered.", (*codec).uiResponse),
}

// commands holds the table by name.
var commands = byName(commandTable)

func byName(table []command) map[string]command {
	m := make(map[string]command, len(table))
	for _, row := range table {
		m[row.name] = row
	}
	return m
}
