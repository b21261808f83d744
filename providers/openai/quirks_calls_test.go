package openai_test

import "testing"

func TestCallQuirks(t *testing.T) { runQuirks(t, callQuirks) }

var callQuirks = []quirk{
	{"O13 normal", `
		OA{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":""}}]}
		OA{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\""}}]}
		OA{"tool_calls":[{"index":0,"function":{"arguments":":\".\"}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {\"path\":\".\"}\ntools tool_calls"},
	{"O14 no index", `
		OA{"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]}
		OA{"tool_calls":[{"id":"b","type":"function","function":{"name":"pwd","arguments":"{}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \ncall1 b pwd \nargs0 {}\nargs1 {}\ntools tool_calls"},
	{"O15 one index for all", `
		OA{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]}
		OA{"tool_calls":[{"index":0,"id":"b","type":"function","function":{"name":"ls","arguments":"{}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \ncall1 b ls \nargs0 {}\nargs1 {}\ntools tool_calls"},
	{"O15 one index for all, in pieces", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}]}
		OA{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}
		OA{"tool_calls":[{"index":0,"id":"b","function":{"name":"pwd","arguments":"{\"x\""}}]}
		OA{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \ncall1 b pwd \nargs0 {}\nargs1 {\"x\":1}\ntools tool_calls"},
	{"O16 id empty or null later", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}]}
		OA{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":"\"x\":"}}]}
		OA{"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":"1}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {\"x\":1}\ntools tool_calls"},
	{"O16 without index too", `
		OA{"tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{"}}]}
		OA{"tool_calls":[{"function":{"arguments":"}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {}\ntools tool_calls"},
	{"O17 id repeated", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}]}
		OA{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {}\ntools tool_calls"},
	{"O18 id repeated, no index", `
		OA{"tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{"}}]}
		OA{"tool_calls":[{"id":"b","function":{"name":"pwd","arguments":"{"}}]}
		OA{"tool_calls":[{"id":"a","function":{"arguments":"}"}}]}
		OA{"tool_calls":[{"id":"b","function":{"arguments":"}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \ncall1 b pwd \nargs0 {}\nargs1 {}\ntools tool_calls"},
	{"O19 no id", `
		OA{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":"{}"}},{"index":1,"function":{"name":"pwd","arguments":"{}"}}]}
		FIN(tool_calls)
		DONE`, "call0 call_* ls \ncall1 call_* pwd \nargs0 {}\nargs1 {}\ntools tool_calls"},
	{"O20 no id and no index", `
		OA{"tool_calls":[{"function":{"name":"ls","arguments":"{}"}}]}
		OA{"tool_calls":[{"function":{"name":"ls","arguments":"{\"a\""}}]}
		OA{"tool_calls":[{"function":{"name":"ls","arguments":":\"}\"}"}}]}
		OA{"tool_calls":[{"function":{"name":"pwd"}},{"function":{"arguments":"{}"}}]}
		FIN(tool_calls)
		DONE`, "call0 call_* ls \ncall1 call_* ls \ncall2 call_* pwd \nargs0 {}\nargs1 {\"a\":\"}\"}\nargs2 {}\ntools tool_calls"},
	{"O19 no id, one index for all", `
		OA{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":"{}"}}]}
		OA{"tool_calls":[{"index":0,"function":{"name":"pwd","arguments":"{}"}}]}
		FIN(tool_calls)
		DONE`, "call0 call_* ls \ncall1 call_* pwd \nargs0 {}\nargs1 {}\ntools tool_calls"},
	{"id after the index", `
		OA{"tool_calls":[{"index":0,"function":{"name":"ls"}}]}
		OA{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {}\ntools tool_calls"},
	{"O21 name repeated", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":""}}]}
		OA{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":"{}"}}]}
		OA{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":""}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {}\ntools tool_calls"},
	{"O22 name in pieces", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"re"}}]}
		OA{"tool_calls":[{"index":0,"function":{"name":"ad"}}]}
		OA{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a read \nargs0 {}\ntools tool_calls"},
	{"O23 text between calls", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}]}
		OA{"content":"and"}
		OA{"tool_calls":[{"index":1,"id":"b","function":{"name":"pwd","arguments":"{}"}}]}
		OA{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \ntext and\ncall1 b pwd \nargs0 {}\nargs1 {}\ntools tool_calls"},
	{"O25 index jumps", `
		OA{"tool_calls":[{"index":1,"id":"a","function":{"name":"ls","arguments":"{"}}]}
		OA{"tool_calls":[{"index":7,"id":"b","function":{"name":"pwd","arguments":"{"}}]}
		OA{"tool_calls":[{"index":1,"function":{"arguments":"}"}},{"index":7,"function":{"arguments":"}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \ncall1 b pwd \nargs0 {}\nargs1 {}\ntools tool_calls"},
	{"O26 index as a string", `
		OA{"tool_calls":[{"index":"0","id":"a","function":{"name":"ls","arguments":"{"}}]}
		OA{"tool_calls":[{"index":"0","function":{"arguments":"}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {}\ntools tool_calls"},
	{"O27 arguments empty", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":""}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 \ntools tool_calls"},
	{"O27 arguments missing", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls"}},{"index":1,"id":"b","function":{"name":"pwd"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \ncall1 b pwd \nargs0 \nargs1 \ntools tool_calls"},
	{"O28 arguments an object", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":{"path":"."}}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {\"path\":\".\"}\ntools tool_calls"},
	{"O29 arguments null", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":null}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 \ntools tool_calls"},
	{"O30 all in one chunk", `
		> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"
		DONE`, "text ok\ncall0 a ls \nargs0 {}\ntools tool_calls"},
	{"O31 broken arguments pass through", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"path\":\"a"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {\"path\":\"a\ntools tool_calls"},
	{"O32 length within a call", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"path\":\"a"}}]}
		FIN(length)
		DONE`, "call0 a ls \nargs0 {\"path\":\"a\nlength length"},
	{"O35 control characters within arguments", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"path\":\"a\nb\"}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {\"path\":\"a\nb\"}\ntools tool_calls"},
	{"O37 names pass through", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"functions.ls ","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"","arguments":"{}"}}]}
		FIN(tool_calls)
		DONE`, "call0 a functions.ls  \ncall1 b  \nargs0 {}\nargs1 {}\ntools tool_calls"},
	{"O38 function_call", `
		OA{"function_call":{"name":"ls","arguments":""}}
		OA{"function_call":{"arguments":"{\"path\":"}}
		OA{"function_call":{"arguments":"\".\"}"}}
		FIN(function_call)
		DONE`, "call0 call_* ls \nargs0 {\"path\":\".\"}\ntools function_call"},
	{"O42 stop behind calls", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]}
		FIN(stop)
		DONE`, "call0 a ls \nargs0 {}\ntools stop"},
	{"O73 thought signature", `
		OA{"tool_calls":[{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"c2ln"}},"function":{"name":"ls","arguments":"{}"}}]}
		FIN(stop)
		DONE`, "call0 a ls \nargs0 [c2ln]{}\ntools stop"},
	{"O38 function_call beside tool_calls", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}],"function_call":{"name":"ls","arguments":"{}"}}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {}\ntools tool_calls"},
	{"O39 tool_calls an object", `
		OA{"tool_calls":{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}}
		FIN(tool_calls)
		DONE`, "call0 a ls \nargs0 {}\ntools tool_calls"},
	{"O40 the whole call in a message", `
		OA{"role":"assistant"}
		> "data: {\"choices\":[{\"index\":0,\"message\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"
		DONE`, "call0 a ls \nargs0 {}\ntools tool_calls"},
	{"O38 function_call a string", "OA{\"content\":\"a\",\"function_call\":\"none\"}\nFIN(stop)\nDONE", "text a\nstop stop"},
	{"calls broken off", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]}
		! close`, "call0 a ls \nusage 29/1 estimated\nerror retry the stream broke off before the reply was complete"},
	{"tool_calls null or empty", `
		OA{"content":"a","tool_calls":null,"function_call":null}
		OA{"tool_calls":[]}
		FIN(tool_calls)
		DONE`, "text a\nstop tool_calls"},
}
