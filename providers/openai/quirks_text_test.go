package openai_test

import "testing"

func TestFramingQuirks(t *testing.T) { runQuirks(t, framingQuirks) }

var framingQuirks = []quirk{
	{"S01 no space", `
		> "data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\n"
		FIN(stop)
		> "data:[DONE]\n\n"`, "text a\nstop stop"},
	{"S02 line ends", `
		> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\r"
		~ 10ms
		> "\n\r\n"
		> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\r\rdata: [DONE]\r\r"`, "text ab\nstop stop"},
	{"S03 comments", `
		> ": OPENROUTER PROCESSING\n\n"
		~ 5ms
		> ": OPENROUTER PROCESSING\n\n"
		OA{"content":"a"}
		> ": ping\n\n"
		FIN(stop)
		DONE`, "text a\nstop stop"},
	{"S04 events without data", `
		> "\n\n\n: x\n\nevent: ping\n\ndata:\n\ndata: \n\nid: 7\n\nretry: 3000\n\n"
		OA{"content":"a"}
		FIN(stop)
		DONE`, "text a\nstop stop"},
	{"S05 lines", `
		> "data: {\"choices\":[{\"index\":0,\"delta\":\ndata: {\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"
		DONE`, "text a\nstop stop"},
	{"S06 UTF-8 in pieces", `
		> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xe9"
		~ 5ms
		> "\x82\xa3\"},\"finish_reason\":\"stop\"}]}\n\n"
		DONE`, "text 那\nstop stop"},
	{"invalid UTF-8", `
		> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\xffb\"},\"finish_reason\":\"stop\"}]}\n\n"
		DONE`, "text a\ufffdb\nstop stop"},
	{"half a surrogate pair", `
		OA{"content":"a\ud83d"}
		FIN(stop)
		DONE`, "text a\ufffd\nstop stop"},
	{"S10 empty body", `! close`, "error retry empty response"},
	{"S10 nothing but comments", `> ": ping\n\n"`, "error retry empty response"},
	{"S10 nothing but DONE", `DONE`, "stop"},
	{"S11 a page", `
		! header Content-Type: text/html
		> "<html>\n<h1>502 Bad Gateway</h1></html>"`, "error retry the answer is no event stream but <html> <h1>502 Bad Gateway</h1></html>"},
	{"S12 no blank line at the end", `
		OA{"content":"a"}
		> "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}"`, "text a\nstop stop"},
	{"S15 bytes behind the end", `
		OA{"content":"a"}
		FIN(stop)
		DONE
		> "data: {junk\n\n"`, "text a\nstop stop"},
	{"no JSON", `
		OA{"content":"a"}
		> "data: oh no\n\n"`, "text a\nerror retry cannot read oh no: invalid character 'o' at start of value at byte 0"},
	{"no stream but a reply", `
		! header Content-Type: application/json
		> "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":[{\"id\":\"x\",\"type\":\"function\","
		> "\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n"`,
		"text a\ncall0 x ls \nusage 5/1\nargs0 {}\ntools tool_calls"},
	{"no stream and no reply", `> "{\"status\":\"ok\"}"`, `error retry no reply in {"status":"ok"}`},
}

func TestTextQuirks(t *testing.T) { runQuirks(t, textQuirks) }

var textQuirks = []quirk{
	{"O43 empty finish_reason on the way", `
		> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"\"}]}\n\n"
		OA{"content":"b"}
		FIN(stop)
		DONE`, "text ab\nstop stop"},
	{"O44 no finish_reason", "OA{\"content\":\"a\"}\nDONE", "text a\nstop "},
	{"O44 no finish_reason behind a call", `
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]}
		DONE`, "call0 a ls \nargs0 {}\ntools "},
	{"O45 no DONE", "OA{\"content\":\"a\"}\nFIN(stop)", "text a\nstop stop"},
	{"O46 neither", "OA{\"content\":\"Hel\"}", "text Hel\nusage 29/1 estimated\nerror retry the stream broke off before the reply was complete"},
	{"O46 neither, within an event", `
		OA{"content":"Hel"}
		> "data: {\"choi"`, "text Hel\nusage 29/1 estimated\nerror retry cannot read {\"choi: unexpected EOF at byte 6"},
	{"cut behind the end", "OA{\"content\":\"a\"}\nFIN(stop)\n> \"data: {\\\"usa\"", "text a\nstop stop"},
	{"O48 text behind the end", "OA{\"content\":\"a\"}\nFIN(stop)\nOA{\"content\":\"b\"}\nDONE", "text ab\nstop stop"},
	{"O49 unknown finish_reason", "OA{\"content\":\"a\"}\nFIN(eos)\nDONE", "text a\nstop eos"},
	{"O49 content_filter", "OA{\"content\":\"a\"}\nFIN(content_filter)\nDONE", "text a\nerror the server's content filter stopped the reply"},
	{"O49 error", "OA{\"content\":\"a\"}\nFIN(error)\nDONE", "text a\nerror retry the server stopped the reply because of an error"},
	{"O49 no resources", "FIN(insufficient_system_resource)\nDONE", "error retry the server stopped the reply for lack of resources"},
	{"O49 max_tokens", "OA{\"content\":\"a\"}\nFIN(max_tokens)\nDONE", "text a\nlength max_tokens"},
	{"O50 finish_reason with text", `
		> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n"
		DONE`, "text a\nstop stop"},
	{"O51 empty reply", "OA{\"content\":\"\"}\nFIN(stop)\nDONE", "stop stop"},
	{"a second choice", `
		> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}},{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n"
		FIN(stop)
		DONE`, "text a\nstop stop"},
	{"O68 reasoning_content", `
		OA{"content":null,"reasoning_content":"hm"}
		OA{"content":"a","reasoning_content":null}
		FIN(stop)
		DONE`, "think hm\ntext a\nstop stop"},
	{"O69 reasoning", "OA{\"content\":\"\",\"reasoning\":\"hm\"}\nOA{\"content\":\"a\"}\nFIN(stop)\nDONE", "think hm\ntext a\nstop stop"},
	{"O71 think tags", "OA{\"content\":\"<think>hm</think>a\"}\nFIN(stop)\nDONE", "think hm\ntext a\nstop stop"},
	{"O71 think tags in pieces", `
		OA{"content":"\n<thi"}
		OA{"content":"nk>h"}
		OA{"content":"m <"}
		OA{"content":"b></th"}
		OA{"content":"ink"}
		OA{"content":">\n"}
		OA{"content":"\na </think> <think>"}
		FIN(stop)
		DONE`, "think hm <b>\ntext a </think> <think>\nstop stop"},
	{"O71 tag not closed", "OA{\"content\":\"<think>hm </th\"}\nFIN(length)\nDONE", "think hm </th\nlength length"},
	{"O71 no tag", "OA{\"content\":\" <thin\"}\nOA{\"content\":\"g>\"}\nFIN(stop)\nDONE", "text  <thing>\nstop stop"},
	{"O71 part of a tag and the end", "OA{\"content\":\"<thi\"}\nFIN(stop)\nDONE", "text <thi\nstop stop"},
	{"O71 tag and a call", `
		OA{"content":"<think>hm</think>\n"}
		OA{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]}
		FIN(tool_calls)
		DONE`, "think hm\ncall0 a ls \nargs0 {}\ntools tool_calls"},
	{"O74 reasoning twice", "OA{\"reasoning\":\"hm\",\"reasoning_content\":\"hm\"}\nOA{\"content\":\"a\"}\nFIN(stop)\nDONE", "think hm\ntext a\nstop stop"},
	{"O75 parts", `
		OA{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}
		OA{"content":[{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]},{"type":"text","text":"b"}]}
		OA{"content":{"type":"text","text":"c"}}
		FIN(stop)
		DONE`, "think hm\ntext abc\nstop stop"},
	{"O76 refusal", "OA{\"content\":null,\"refusal\":\"I cannot\"}\nFIN(stop)\nDONE", "text I cannot\nstop stop"},
	{"O77 role on each chunk", "OA{\"role\":\"assistant\",\"content\":\"a\"}\nOA{\"role\":\"assistant\",\"content\":\"b\"}\nFIN(stop)\nDONE", "text ab\nstop stop"},
	{"O78 other types and names", `
		> "data: {\"id\":7,\"object\":null,\"created\":1.5e9,\"model\":\"other\",\"choices\":[{\"index\":\"0\",\"delta\":{\"content\":\"a\"}}]}\n\n"
		> "data: {\"created\":\"now\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"native_finish_reason\":\"STOP\"}]}\n\n"
		DONE`, "text a\nstop stop"},
	{"O79 unknown members", `
		OA{"content":"a","annotations":[{"type":"url_citation"}],"audio":{"id":"x"},"extra":{"a":[1]}}
		FIN(stop)
		DONE`, "text a\nstop stop"},
}
