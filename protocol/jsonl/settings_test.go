package jsonl_test

import (
	"strings"
	"testing"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/protocol/jsonl"
)

func TestSetModel(t *testing.T) {
	c := start(t, options{})
	c.send(`{"id":1,"type":"set_model","provider":"test","modelId":"two"}`)
	c.want(`{"id":1,"type":"response","command":"set_model","success":true,"data":`+modelTwo+`}`,
		`{"type":"model_select","model":`+modelTwo+`}`, `{"type":"thinking_level_select","thinkingLevel":"off"}`)
	for _, unknown := range []string{`"provider":"test","modelId":"three"`, `"provider":"nowhere","modelId":"two"`} {
		got := c.ask(line("q", "set_model", unknown))
		if !strings.Contains(got, `"error":"Model not found: `) {
			t.Errorf("set_model %s: %s", unknown, got)
		}
	}
	c.wantField(c.ask(`{"id":"q","type":"get_state"}`), modelTwo, "data", "model")
}

func TestCycleModel(t *testing.T) {
	c := start(t, options{})
	for _, want := range []string{`"two"`, `"one"`, `"two"`} {
		c.wantField(c.ask(`{"id":"q","type":"cycle_model"}`), want, "data", "model", "id")
	}
}

func TestSetThinkingLevel(t *testing.T) {
	c := start(t, options{})
	c.send(`{"id":1,"type":"set_thinking_level","level":"max"}`)
	c.want(`{"id":1,"type":"response","command":"set_thinking_level","success":true,"data":{"requested":"max","level":"high","clamped":true,`+
		`"message":"Thinking level max unsupported by test/one; using high"}}`, `{"type":"thinking_level_select","thinkingLevel":"high"}`)
	c.ask(`{"id":"q","type":"set_model","provider":"test","modelId":"two"}`)
	got := c.ask(`{"id":"q","type":"set_thinking_level","level":"low"}`)
	c.wantField(got, `"Thinking level low unsupported by test/two (reasoning disabled); using off"`, "data", "message")
	c.wantField(c.ask(`{"id":"q","type":"cycle_thinking_level"}`), "null", "data")
}

func TestThinkingLevelInPi(t *testing.T) {
	o := pi()
	o.Engine = core.EngineOptions{Thinking: "high"}
	c := start(t, o)
	c.send(`{"id":1,"type":"cycle_thinking_level"}`)
	c.want(`{"id":1,"type":"response","command":"cycle_thinking_level","success":true,"data":{"level":"off"}}`,
		`{"type":"thinking_level_changed","level":"off"}`)
	c.send(`{"id":1,"type":"set_thinking_level","level":"low"}`)
	c.want(`{"id":1,"type":"response","command":"set_thinking_level","success":true}`, `{"type":"thinking_level_changed","level":"low"}`)
}

func TestModesAreInTheState(t *testing.T) {
	c := start(t, options{})
	c.send(`{"type":"set_steering_mode","mode":"all"}`, `{"type":"set_auto_retry","enabled":false}`)
	state := c.ask(`{"id":"q","type":"get_state"}`)
	c.wantField(state, `"all"`, "data", "steeringMode")
	c.wantField(state, `{"steeringMode":"all","followUpMode":"one-at-a-time","autoRetry":false}`, "data", "runtimeSettings")
	c.send(`{"type":"set_steering_mode","mode":"one-at-a-time"}`, `{"type":"set_follow_up_mode","mode":"all"}`)
	state = c.ask(`{"id":"q","type":"get_state"}`)
	c.wantField(state, `"one-at-a-time"`, "data", "steeringMode")
	c.wantField(state, `"all"`, "data", "followUpMode")
}

func TestVersionIsInTheState(t *testing.T) {
	for _, d := range []jsonl.Dialect{jsonl.RPI, jsonl.Pi} {
		c := start(t, options{Options: jsonl.Options{Dialect: d, Version: "1.2.3"}})
		c.wantField(c.ask(`{"id":"q","type":"get_state"}`), `"1.2.3"`, "data", "version")
	}
}

func TestDialects(t *testing.T) {
	for d, want := range map[jsonl.Dialect]bool{"": true, jsonl.RPI: true, jsonl.Pi: true, "rho": false} {
		if got := d.Valid(); got != want {
			t.Errorf("Dialect(%q).Valid() = %t, want %t", d, got, want)
		}
	}
}
