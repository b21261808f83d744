package jsonl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/protocol/jsonl"
)

// valid has a line for every command, without its id, and the data of its response in each dialect: "" is no data, "-" no
// response, "?" whatever.
var valid = map[string]struct{ fields, rpi, pi string }{
	"prompt":                        {`"message":"hi","images":[],"streamingBehavior":null`, `null`, `{"disposition":"started"}`},
	"steer":                         {`"message":"s"`, `null`, `{"disposition":"queued"}`},
	"follow_up":                     {`"message":"f"`, `null`, `{"disposition":"queued"}`},
	"abort":                         {``, `null`, ``},
	"abort_retry":                   {``, `null`, ``},
	"queue_list":                    {``, `{"steering":[],"followUp":[],"total":0}`, `{"steering":[],"followUp":[],"total":0}`},
	"queue_cancel":                  {``, `{"cancelled":0}`, `{"cancelled":0}`},
	"clear_queue":                   {``, `{"steering":[],"followUp":[]}`, `{"steering":[],"followUp":[]}`},
	"new_session":                   {`"parentSession":null`, `{"cancelled":false}`, `{"cancelled":false}`},
	"switch_session":                {`"sessionPath":"mem:stored"`, `{"cancelled":false}`, `{"cancelled":false}`},
	"set_session_name":              {`"name":"demo"`, `null`, ``},
	"get_session_stats":             {``, `?`, `?`},
	"get_entries":                   {`"since":null`, `{"entries":[],"leafId":null}`, `{"entries":[],"leafId":null}`},
	"get_tree":                      {``, `{"tree":[],"leafId":null,"activeLeafId":null}`, `{"tree":[],"leafId":null}`},
	"get_fork_messages":             {``, `{"messages":[]}`, `{"messages":[]}`},
	"export_html":                   {`"outputPath":"page.html"`, `{"path":"page.html"}`, `{"path":"page.html"}`},
	"get_state":                     {``, `?`, `?`},
	"get_messages":                  {``, `{"messages":[]}`, `{"messages":[]}`},
	"get_last_assistant_text":       {``, `{"text":null}`, `{"text":null}`},
	"set_model":                     {`"provider":"test","modelId":"two"`, modelTwo, modelTwo},
	"cycle_model":                   {``, `{"model":` + modelTwo + `,"thinkingLevel":"off","isScoped":false}`, `?`},
	"get_available_models":          {``, `?`, `?`},
	"set_thinking_level":            {`"level":"high"`, `{"requested":"high","level":"high","clamped":false,"message":"Thinking level: high"}`, ``},
	"cycle_thinking_level":          {``, `{"requested":"high","level":"high","clamped":false,"message":"Thinking level: high"}`, `{"level":"high"}`},
	"get_available_thinking_levels": {``, `{"levels":["off","minimal","low","medium","high"]}`, `{"levels":["off","minimal","low","medium","high"]}`},
	"set_steering_mode":             {`"mode":"all"`, `null`, ``},
	"set_follow_up_mode":            {`"mode":"one-at-a-time"`, `null`, ``},
	"set_auto_retry":                {`"enabled":false`, `null`, ``},
	"bash": {
		`"command":"ls","excludeFromContext":true`,
		`{"exitCode":0,"stdout":"ls","output":"ls","cancelled":false,"truncated":false}`,
		`{"output":"ls","exitCode":0,"cancelled":false,"truncated":false}`,
	},
	"abort_bash":            {``, `null`, ``},
	"extension_ui_response": {`"confirmed":true`, `-`, `-`},
}

const modelTwo = `{"id":"two","name":"Two","api":"test","provider":"test","baseUrl":"","reasoning":false,"imageGeneration":false,` +
	`"thinkingLevelMap":null,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"tiers":[]},` +
	`"contextWindow":100000,"maxTokens":16384,"headers":null,"compat":null}`

func TestEveryCommandSucceeds(t *testing.T) {
	for name := range jsonl.CommandFields() {
		v, ok := valid[name]
		if !ok {
			t.Errorf("%s has no valid example", name)
		}
		if v.rpi == "-" {
			continue
		}
		for _, d := range []jsonl.Dialect{jsonl.RPI, jsonl.Pi} {
			c := start(t, options{Options: jsonl.Options{Dialect: d}, host: core.HostOptions{Shell: shell(echo), Export: exportTo("unnamed.html")}})
			want := v.rpi
			if d == jsonl.Pi {
				want = v.pi
			}
			got := c.ask(line("q", name, v.fields))
			prefix := `{"id":"q","type":"response","command":"` + name + `","success":true`
			switch want {
			case "?":
				if !strings.HasPrefix(got, prefix+`,"data":{`) {
					t.Errorf("%s: %s, want an object as data", d, got)
				}
			case "":
				if got != prefix+"}" {
					t.Errorf("%s: got\n%s, want no data", d, got)
				}
			default:
				if want := prefix + `,"data":` + want + "}"; got != want {
					t.Errorf("%s: got\n%s\nwant\n%s", d, got, want)
				}
			}
		}
	}
}

func line(id, name, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return fmt.Sprintf(`{"id":"%s","type":"%s"%s}`, id, name, fields)
}

// without returns the fields without one of them, or with another value for it.
func without(t *testing.T, fields, name, value string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+fields+"}"), &members); err != nil {
		t.Fatal(err)
	}
	delete(members, name)
	if value != "" {
		members[name] = json.RawMessage(value)
	}
	raw, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw[1 : len(raw)-1])
}

// TestEveryField sends each command without each required field, and with a wrong value for each field.
func TestEveryField(t *testing.T) {
	c := start(t, options{})
	for name, fields := range jsonl.CommandFields() {
		prefix := "Invalid command: "
		if name == "extension_ui_response" {
			prefix = "Invalid extension UI response: "
		}
		for f := range fields.Fields() {
			field, optional := strings.CutSuffix(f.Tag.Get("json"), ",omitempty")
			if field != "id" && !optional {
				want := prefix + "missing field `" + field + "`"
				wantProblem(t, c, name, without(t, valid[name].fields, field, ""), want)
			}
			for value, problem := range wrongValues(f.Type, optional) {
				if field == "id" {
					continue // see TestUIResponse
				}
				wantProblem(t, c, name, without(t, valid[name].fields, field, value), prefix+problem)
			}
		}
	}
}

func wantProblem(t *testing.T, c *client, name, fields, want string) {
	t.Helper()
	got := c.ask(line("q", name, fields))
	raw, _ := json.Marshal(want)
	if want := bad(`"q"`, name, strings.Trim(string(raw), `"`)); got != want {
		t.Errorf("{%s}: got\n%s\nwant\n%s", fields, got, want)
	}
}

// wrongValues returns values that a field of that type must not have, and what is said of them.
func wrongValues(typ reflect.Type, optional bool) map[string]string {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	var wrong map[string]string
	switch typ.Kind() {
	case reflect.Bool:
		wrong = map[string]string{`"yes"`: `invalid type: string "yes", expected a boolean`, `1`: "invalid type: integer `1`, expected a boolean"}
	case reflect.String:
		wrong = map[string]string{
			`7`: "invalid type: integer `7`, expected a string", `true`: "invalid type: boolean `true`, expected a string",
			`{}`: "invalid type: map, expected a string", `[1]`: "invalid type: sequence, expected a string",
			`1.5`: "invalid type: floating point `1.5`, expected a string",
		}
	case reflect.Slice:
		return map[string]string{
			`null`: "invalid type: null, expected a sequence", `"y"`: `invalid type: string "y", expected a sequence`,
			`["y"]`: `invalid type: string "y", expected a map`, `[{}]`: "missing field `type`",
			`[{"type":"image","data":5}]`:      "invalid type: integer `5`, expected a string",
			`[{"type":"image"}]`:               "missing field `data`",
			`[{"type":"image","data":"aGk="}]`: "missing field `mimeType`",
			`[{"type":"audio"}]`:               "unknown variant `audio`, expected one of `text`, `thinking`, `image`, `toolCall`",
		}
	}
	if !optional {
		expected := map[reflect.Kind]string{reflect.Bool: "a boolean", reflect.String: "a string"}[typ.Kind()]
		wrong[`null`] = "invalid type: null, expected " + expected
	}
	return wrong
}

func TestWrongValuesOfEnums(t *testing.T) {
	c := start(t, options{})
	wantProblem(t, c, "set_thinking_level", `"level":"ultra"`,
		"Invalid command: unknown variant `ultra`, expected one of `off`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`")
	wantProblem(t, c, "set_steering_mode", `"mode":"some"`, "Invalid command: unknown variant `some`, expected `all` or `one-at-a-time`")
	wantProblem(t, c, "prompt", `"message":"x","streamingBehavior":"shout"`,
		"Invalid command: unknown variant `shout`, expected `steer` or `followUp`")
	wantProblem(t, c, "set_auto_retry", `"enabled":"`+strings.Repeat("é", 100)+`"`,
		`Invalid command: invalid type: string "`+strings.Repeat("é", 39)+`…, expected a boolean`)
}

func TestMalformedLines(t *testing.T) {
	noType := bad(`"a"`, "parse", "Failed to parse command: missing string field `type`")
	anonymous := strings.Replace(noType, `"id":"a",`, "", 1)
	for _, tt := range []struct{ line, want string }{
		{`[]`, anonymous},
		{`5`, anonymous},
		{`"x"`, anonymous},
		{`null`, anonymous},
		{`true`, anonymous},
		{`{}`, anonymous},
		{`{"id":"a"}`, noType},
		{`{"id":"a","type":7}`, noType},
		{`{"id":"a","type":null}`, noType},
		{`{"id":{},"type":[]}`, anonymous},
		{`{"id":"a","type":"nope"}`, bad(`"a"`, "nope", "Unknown command: nope")},
		{`{"id":null,"type":""}`, `{"type":"response","command":"","success":false,"error":"Unknown command: "}`},
		{
			`{"id":true,"type":"abort"}`,
			"{\"type\":\"response\",\"command\":\"abort\",\"success\":false,\"error\":\"Invalid command: invalid type: boolean `true`, expected a string or a number\"}",
		},
		{
			`{"id":"a","type":"abort","sessionId":"s"}`,
			bad(`"a"`, "abort", "sessionId is only supported on the Web control plane (unknown session s)"),
		},
		{`{"id":"a","type":"abort","sessionId":null}`, bad(`"a"`, "parse", "sessionId must be a string")},
		{
			`{oops`,
			`{"type":"response","command":"parse","success":false,"error":"Failed to parse command: invalid character 'o' at start of value at byte 1"}`,
		},
		{
			"{\"type\":\"abort\",\"x\":\"\xff\"}",
			`{"type":"response","command":"parse","success":false,"error":"Failed to parse command: invalid UTF-8 at byte 21"}`,
		},
		{
			strings.Repeat("[", 1001),
			`{"type":"response","command":"parse","success":false,"error":"Failed to parse command: nested deeper than 1000 at byte 1000"}`,
		},
	} {
		c := start(t, options{})
		c.send(tt.line, `{"id":1,"type":"abort","colour":{"a":[1]}}`)
		c.want(tt.want, ok("1", "abort"))
	}
}

func TestSessionIDMeansNothingInPi(t *testing.T) {
	c := start(t, pi())
	c.send(`{"id":"a","type":"abort","sessionId":5}`)
	c.want(`{"id":"a","type":"response","command":"abort","success":true}`)
}

func TestIDsComeBackAsTheyCame(t *testing.T) {
	c := start(t, options{})
	for _, id := range []string{`"1"`, `""`, `"\u00e9\/"`, `0`, `-7`, `1.50`, `1e3`, `9007199254740993`, `"\ud800"`} {
		c.send(`{"id": ` + id + ` ,"type":"abort"}`)
		c.want(ok(id, "abort"))
	}
	// Some line readers would take these for line ends.
	c.send("{\"id\":\"a\u2028b\",\"type\":\"abort\"}")
	c.want(ok(`"a\u2028b"`, "abort"))
}

func TestStartFailure(t *testing.T) {
	err := errors.New("no \"model\"")
	want := `{"type":"response","command":"initialize","success":false,"error":"no \"model\""}` + "\n"
	if got := jsonl.StartFailure(jsonl.RPI, err); string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := jsonl.StartFailure(jsonl.Pi, err); got != nil {
		t.Errorf("got %q, want nothing in pi's dialect", got)
	}
}

func TestUnknownCommandNameIsEncoded(t *testing.T) {
	c := start(t, options{})
	c.send(`{"type":"a\"\u2028<"}`)
	c.want(`{"type":"response","command":"a\"\u2028<","success":false,"error":"Unknown command: a\"\u2028<"}`)
}

func TestPanicIsAFailure(t *testing.T) {
	defer jsonl.AddPanic("panic")()
	var log bytes.Buffer
	c := start(t, options{Options: jsonl.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}})
	c.send(`{"id":1,"type":"panic"}`, `{"id":2,"type":"abort"}`)
	c.want(bad("1", "panic", "internal error: oops"), ok("2", "abort"))
	if !strings.Contains(log.String(), "panics") {
		t.Errorf("the log has no stack: %s", log.String())
	}
}

func TestResponsesComeInOrder(t *testing.T) {
	c := start(t, options{})
	var lines, want []string
	names := []string{"abort", "queue_list", "get_messages", "set_auto_retry", "nope"}
	for i := range 100 {
		lines = append(lines, line(fmt.Sprint(i), names[i%len(names)], `"enabled":true`))
	}
	c.send(lines...)
	for i := range 100 {
		want = append(want, fmt.Sprintf(`"%d"`, i))
	}
	var got []string
	for len(got) < 100 {
		if l := c.next(); strings.Contains(l, `"type":"response"`) {
			got = append(got, field(t, l, "id"))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("responses in the order %v", got)
	}
}
