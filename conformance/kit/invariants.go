package kit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// invariants are what holds for every conversation, whether or not the transcript speaks of it.
type invariants interface {
	// sent is told of everything that goes to the server, before it goes.
	sent(data string)
	// record is told of every record in its order, also of ignored ones, and says what is wrong with it.
	record(r record) error
	// end is called when the server has ended well.
	end() error
}

func newInvariants(p Protocol) invariants {
	if p == JSONRPC {
		return &rpcInvariants{replies: newReplies("method")}
	}
	return &jsonlInvariants{replies: newReplies("type")}
}

// replies counts the answers to what was sent. Each line with an id gets exactly one.
type replies struct {
	field   string         // that names the command
	sent    map[string]int // by id
	got     map[string]int
	mayLack map[string]bool // ids of lines that need no answer
	order   []string        // ids as they were sent
}

func newReplies(field string) replies {
	return replies{field: field, sent: map[string]int{}, got: map[string]int{}, mayLack: map[string]bool{}}
}

// silent are the commands that some servers do not answer.
var silent = []string{"approvalResponse", "extension_ui_response"}

func (r *replies) command(o *object, id string) {
	if !strings.HasPrefix(id, `"`) && json.Unmarshal([]byte(id), new(json.Number)) != nil {
		return // neither string nor number: it is up to the server
	}
	if r.sent[id] == 0 {
		r.order = append(r.order, id)
	}
	r.sent[id]++
	if slices.Contains(silent, o.str(r.field)) || r.sent[id] > 1 {
		r.mayLack[id] = true
	}
}

func (r *replies) reply(id string) error {
	r.got[id]++
	if n := r.sent[id]; n > 0 && r.got[id] > n {
		return fmt.Errorf("%d lines with the id %s were sent, but this is answer %d", n, id, r.got[id])
	}
	return nil
}

func (r *replies) end() error {
	for _, id := range r.order {
		if r.got[id] == 0 && !r.mayLack[id] {
			return fmt.Errorf("the line with the id %s was never answered", id)
		}
	}
	return nil
}

// sentObjects returns the objects in what was sent, with the bytes of their ids; what is no JSON is left out.
func sentObjects(data string) []record {
	var list []record
	for line := range strings.SplitSeq(data, "\n") {
		line = strings.TrimPrefix(line, "\ufeff")
		if recs, err := parseRecords([]byte(strings.TrimSuffix(line, "\r"))); err == nil {
			list = append(list, recs...)
		}
	}
	return list
}

// rpcInvariants: one ready at the start; turns do not overlap; each ends with exactly one agent/end or agent/error, which
// its response follows; and nothing of a turn comes outside of it.
type rpcInvariants struct {
	replies
	prompts  map[string]bool // ids of prompts that start a turn
	unnamed  bool            // such a prompt had no id
	records  int
	running  bool
	failed   bool // the last turn ended with agent/error
	ended    int  // turns that have ended
	answered int  // prompts that have been answered with a result
}

func (v *rpcInvariants) sent(data string) {
	for _, r := range sentObjects(data) {
		starts := r.str("method") == "prompt" && r.obj("params").vals["steer"] != true
		if r.id == "" {
			v.unnamed = v.unnamed || starts
			continue
		}
		v.command(r.object, r.id)
		if starts {
			if v.prompts == nil {
				v.prompts = map[string]bool{}
			}
			v.prompts[r.id] = true
		}
	}
}

func (v *rpcInvariants) record(r record) error {
	if r.vals["jsonrpc"] != "2.0" {
		return errors.New(`the record lacks "jsonrpc":"2.0"`)
	}
	v.records++
	method := r.str("method")
	if (method == "ready") != (v.records == 1) {
		return errors.New("the first record must be ready, and no other")
	}
	switch {
	case method == "":
		return v.response(r)
	case r.id != "":
		return errors.New("a notification has no id")
	case method == "agent/start":
		if v.running {
			return errors.New("a turn begins before the last one has ended")
		}
		v.running, v.failed = true, false
	case method == "agent/end" || method == "agent/error":
		if !v.running && method == "agent/end" {
			return errors.New("agent/end without a turn")
		}
		v.running, v.failed = false, method == "agent/error"
		v.ended++
	case v.running || !ofTurn(method):
	case method == "state/change" && r.obj("params").str("state") == "idle" && v.failed:
	default:
		return fmt.Errorf("%s comes outside of a turn", method)
	}
	return nil
}

func ofTurn(method string) bool {
	return slices.Contains([]string{"state/change", "message/delta", "reasoning/delta", "tool/call", "tool/result", "tool/denied",
		"approval/request", "usage"}, method)
}

func (v *rpcInvariants) response(r record) error {
	_, result := r.vals["result"]
	_, failed := r.vals["error"]
	if result == failed {
		return errors.New("a response has either a result or an error")
	}
	if r.id == "" {
		return errors.New("a response has an id, if only null")
	}
	if err := v.reply(r.id); err != nil {
		return err
	}
	if v.prompts[r.id] && result {
		delete(v.prompts, r.id) // the id may be used again
		v.answered++
		if v.running {
			return errors.New("a prompt is answered before its turn has ended")
		}
		if v.answered > v.ended {
			return errors.New("a prompt is answered, but no agent/end or agent/error has come for it")
		}
	}
	return nil
}

func (v *rpcInvariants) end() error {
	if v.running {
		return errors.New("the last turn has no agent/end or agent/error")
	}
	if !v.unnamed && v.ended != v.answered {
		return fmt.Errorf("%d turns have ended, but %d prompts have been answered", v.ended, v.answered)
	}
	return v.replies.end()
}

// jsonlInvariants: each run ends with exactly one agent_settled, each accepted prompt comes to one, and nothing of a run
// comes outside of it.
type jsonlInvariants struct {
	replies
	running bool // between agent_start and agent_settled
	owed    bool // a prompt has been accepted since the last agent_settled
}

func (v *jsonlInvariants) sent(data string) {
	for _, r := range sentObjects(data) {
		if r.id != "" && r.id != "null" {
			v.command(r.object, r.id)
		}
	}
}

func (v *jsonlInvariants) record(r record) error {
	switch kind := r.str("type"); {
	case kind == "":
		return errors.New("the record has no type")
	case kind == "response":
		success, ok := r.vals["success"].(bool)
		if !ok {
			return errors.New("a response says whether it was a success")
		}
		if _, hasError := r.vals["error"]; hasError == success {
			return errors.New("a response has an error if it is no success, and only then")
		}
		v.owed = v.owed || success && r.str("command") == "prompt"
		if r.id != "" {
			return v.reply(r.id)
		}
	case kind == "agent_start":
		v.running = true // more than once if a request is made again
	case kind == "agent_settled":
		if !v.running && !v.owed {
			return errors.New("agent_settled without a run")
		}
		v.running, v.owed = false, false
	case !v.running && ofRun(kind):
		return fmt.Errorf("%s comes outside of a run", kind)
	}
	return nil
}

func ofRun(kind string) bool {
	for _, prefix := range []string{"turn_", "message_", "tool_execution_", "agent_end"} {
		if strings.HasPrefix(kind, prefix) {
			return true
		}
	}
	return false
}

func (v *jsonlInvariants) end() error {
	if v.running || v.owed {
		return errors.New("the last run has no agent_settled")
	}
	return v.replies.end()
}
