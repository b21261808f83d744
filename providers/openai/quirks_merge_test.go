package openai_test

import (
	"strings"
	"testing"
)

// A fragment is a piece of a tool call as it stands in the list: whatever a server leaves out, repeats or makes up, the pieces must
// end up in the right calls.
func TestCallsAreToldApart(t *testing.T) {
	var quirks []quirk
	for _, c := range merges {
		script := "FIN(tool_calls)\nDONE"
		for i := len(c.fragments) - 1; i >= 0; i-- {
			script = `OA{"tool_calls":[` + c.fragments[i] + "]}\n" + script
		}
		quirks = append(quirks, quirk{c.name, script, c.want()})
	}
	runQuirks(t, quirks)
}

type merge struct {
	name      string
	fragments []string
	calls     []string // number, id and name, then the arguments
}

func (m merge) want() string {
	var calls, args string
	for _, c := range m.calls {
		head, arguments, _ := strings.Cut(c, " < ")
		calls += head + "\n"
		args += "args" + head[len("call"):len("call")+1] + " " + arguments + "\n"
	}
	return calls + args + "tools tool_calls"
}

var merges = []merge{
	{"another id with each piece", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p"}}`,
		`{"index":0,"id":"b","function":{"arguments":"\":1"}}`,
		`{"index":0,"id":"c","function":{"arguments":"}"}}`,
		`{"index":0,"id":"d","function":{"arguments":""}}`,
	}, []string{`call0 a ls < {"p":1}`}},
	{"another id with each piece, name first", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":""}}`,
		`{"index":0,"id":"b","function":{"arguments":"{}"}}`,
	}, []string{`call0 a ls < {}`}},
	{"another id with each piece, no index", []string{
		`{"id":"a","function":{"name":"ls","arguments":"{\"p"}}`,
		`{"id":"b","function":{"arguments":"\":1}"}}`,
	}, []string{`call0 a ls < {"p":1}`}},
	{"another id and the name with each piece", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p"}}`,
		`{"index":0,"id":"b","function":{"name":"ls","arguments":"\":1}"}}`,
	}, []string{`call0 a ls < {"p":1}`}},
	{"another id and index with each piece", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p"}}`,
		`{"index":1,"id":"b","function":{"arguments":"\":1}"}}`,
	}, []string{`call0 a ls < {"p":1}`}},
	{"another index with each piece", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p"}}`,
		`{"index":1,"id":"a","function":{"arguments":"\":1}"}}`,
	}, []string{`call0 a ls < {"p":1}`}},
	{"another id behind a complete call", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}`,
		`{"index":0,"id":"b","function":{"name":"pwd","arguments":""}}`,
		`{"index":0,"function":{"arguments":"{\"p\":1}"}}`,
	}, []string{`call0 a ls < {}`, `call1 b pwd < {"p":1}`}},
	{"two calls in turns at one index", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}`,
		`{"index":0,"id":"b","function":{"name":"pwd","arguments":"{"}}`,
		`{"index":0,"id":"a","function":{"arguments":"\"p\":1}"}}`,
		`{"index":0,"id":"b","function":{"arguments":"\"q\":2}"}}`,
	}, []string{`call0 a ls < {"p":1}`, `call1 b pwd < {"q":2}`}},
	{"O24 two calls in turns", []string{
		`{"index":1,"id":"b","function":{"name":"pwd","arguments":"{\"q"}}`,
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p"}}`,
		`{"index":1,"function":{"arguments":"\":2}"}},{"index":0,"function":{"arguments":"\":1}"}}`,
	}, []string{`call0 b pwd < {"q":2}`, `call1 a ls < {"p":1}`}},
	{"a whole call repeated, no index", []string{
		`{"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`,
		`{"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`,
	}, []string{`call0 a ls < {"p":1}`}},
	{"a whole empty call repeated, no index", []string{
		`{"id":"a","function":{"name":"ls","arguments":"{}"}}`,
		`{"id":"a","function":{"name":"ls","arguments":"{}"}}`,
	}, []string{`call0 a ls < {}`}},
	{"a whole call repeated behind its pieces", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":"}}`,
		`{"index":0,"function":{"arguments":"1}"}}`,
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`,
	}, []string{`call0 a ls < {"p":1}`}},
	{"a whole call repeated without an id", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`,
		`{"index":0,"function":{"name":"ls","arguments":"{\"p\":1}"}}`,
	}, []string{`call0 a ls < {"p":1}`}},
	{"O20 one id for all", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`,
		`{"index":1,"id":"a","function":{"name":"ls","arguments":"{\"p\":"}}`,
		`{"index":1,"id":"a","function":{"arguments":"2}"}}`,
	}, []string{`call0 a ls < {"p":1}`, `call1 call_* ls < {"p":2}`}},
	{"O20 one id for all, no index", []string{
		`{"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`,
		`{"id":"a","function":{"name":"ls","arguments":"{\"p\":2}"}}`,
	}, []string{`call0 a ls < {"p":1}`, `call1 call_* ls < {"p":2}`}},
	{"O20 id a number", []string{
		`{"index":0,"id":7,"function":{"name":"ls","arguments":"{"}}`,
		`{"index":0,"id":7,"function":{"arguments":"}"}}`,
	}, []string{`call0 7 ls < {}`}},
	{"O26 index null", []string{
		`{"index":null,"id":"a","function":{"name":"ls","arguments":"{"}}`,
		`{"index":null,"function":{"arguments":"}"}}`,
	}, []string{`call0 a ls < {}`}},
	{"O26 index negative or a fraction", []string{
		`{"index":-1,"id":"a","function":{"name":"ls","arguments":"{"}}`,
		`{"index":0.0,"function":{"arguments":"}"}}`,
	}, []string{`call0 a ls < {}`}},
	{"index from the second piece on", []string{
		`{"id":"a","function":{"name":"ls","arguments":"{"}}`,
		`{"index":0,"function":{"arguments":"}"}}`,
	}, []string{`call0 a ls < {}`}},
	{"O33 a stand-in ahead of the arguments", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}`,
		`{"index":0,"function":{"arguments":"{\"p\""}}`,
		`{"index":0,"function":{"arguments":":1}"}}`,
	}, []string{`call0 a ls < {"p":1}`}},
	{"O33 joined arguments pass through", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}{\"p\":1}"}}`,
	}, []string{`call0 a ls < {}{"p":1}`}},
	{"O33 junk behind the arguments passes through", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}`,
		`{"index":0,"function":{"arguments":"]"}}`,
	}, []string{`call0 a ls < {}]`}},
	{"O34 arguments encoded twice pass through", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":"\"{\\\"path\\\":1}\""}}`,
	}, []string{`call0 a ls < "{\"path\":1}"`}},
	{"a piece that says nothing", []string{
		`{"index":0}`, `{}`, `null`,
		`{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}`,
		`{"index":0,"function":{}}`, `{"index":1,"function":null}`, `{}`,
	}, []string{`call0 a ls < {}`}},
	{"O28 arguments of other types", []string{
		`{"index":0,"id":"a","function":{"name":"ls","arguments":{}}}`,
		`{"index":1,"id":"b","function":{"name":"ls","arguments":{"p":{"q":[1]}}}}`,
		`{"index":2,"id":"c","function":{"name":"ls","arguments":false}}`,
	}, []string{`call0 a ls < {}`, `call1 b ls < {"p":{"q":[1]}}`, `call2 c ls < false`}},
	{"members of wrong types", []string{
		`{"index":[],"id":"a","type":7,"function":{"name":"ls","arguments":"{}"},"extra_content":"x"}`,
		`{"index":1,"id":"b","function":{"name":"pwd","arguments":"{}"},"extra_content":{"google":[]}}`,
	}, []string{`call0 a ls < {}`, `call1 b pwd < {}`}},
}
