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
	{"S10 nothing but DONE", `DONE`, "error retry empty response"},
	{"S11 a page", `
		! header Content-Type: text/html
		> "<html>\n<h1>502 Bad Gateway</h1></html>"`, "error retry the answer is no event stream but <html> <h1>502 Bad Gateway</h1></html>"},
	{"S12 no blank line at the end", `
		OA{"content":"a"}
		> "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}"`, "text a\nstop stop"},
	{"S07 byte order mark", "> \"\\ufeffdata: {\\\"choices\\\":[{\\\"delta\\\":{\\\"content\\\":\\\"a\\\"}}]}\\n\\n\"\nFIN(stop)\nDONE", "text a\nstop stop"},
	{"S07 byte order mark and no stream", "> \"\\ufeff \\n{\\\"choices\\\":[{\\\"message\\\":{\\\"content\\\":\\\"a\\\"},\\\"finish_reason\\\":\\\"stop\\\"}]}\"", "text a\nstop stop"},
	{"S09 other fields and names in capitals", `
		> "foo\nbar: 1\nevent: completion\nid: 1\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\nretry: x\n\n"
		FIN(stop)
		DONE`, "text a\nstop stop"},
	{"S05 a line end within a string", `
		> "data: {\"choices\":[{\"delta\":{\"content\":\"a\ndata: b\"}}]}\n\n"
		FIN(stop)
		DONE`, "text a\nb\nstop stop"},
	{"S13 another Content-Type", "! header Content-Type: text/plain\nOA{\"content\":\"a\"}\nFIN(stop)\nDONE", "text a\nstop stop"},
	{"S13 JSON announced", "! header Content-Type: application/json\nOA{\"content\":\"a\"}\nFIN(stop)\nDONE", "text a\nstop stop"},
	{"S11 words", "> \"upstream timeout\"", "error retry the answer is no event stream but upstream timeout"},
	{"S11 a list", `> "[{\"error\":{\"code\":429,\"message\":\"slow down\"}}]"`, "error 429 retry the server reports an error: slow down"},
	{"S16 DONE without space", "OA{\"content\":\"a\"}\n> \"data:[DONE]\\n\\n\"", "text a\nstop "},
	{"S16 DONE with spaces", "OA{\"content\":\"a\"}\n> \"data:  [DONE]  \\n\\n\"", "text a\nstop "},
	{"S16 DONE in quotes", "OA{\"content\":\"a\"}\n> \"data: \\\"[DONE]\\\"\\n\\n\"", "text a\nstop "},
	{"S16 done", "OA{\"content\":\"a\"}\n> \"data: [done]\\n\\n\"", "text a\nstop "},
	{"S16 DONE as the last line", "OA{\"content\":\"a\"}\n> \"data: [DONE]\"", "text a\nstop "},
	{"S16 DONE with a name", "OA{\"content\":\"a\"}\n> \"event: done\\ndata: [DONE]\\n\\n\"", "text a\nstop "},
	{"S16 DONE and then silence", "OA{\"content\":\"a\"}\nDONE\n! hang", "text a\nstop "},
	{"S16 DONE twice", "OA{\"content\":\"a\"}\nDONE\nDONE", "text a\nstop "},
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
	{"O51 empty reply", "OA{\"content\":\"\"}\nFIN(stop)\nDONE", "error retry empty response"},
	{"O51 empty reply that was paid for", `
		FIN(stop)
		> "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":9}}\n\n"
		DONE`, "usage 5/9\nerror retry empty response"},
	{"O51 nothing but blank tags", "OA{\"content\":\"<think></think>\\n\"}\nFIN(stop)\nDONE", "error retry empty response"},
	{"O51 nothing but reasoning", "OA{\"reasoning\":\"hm\"}\nFIN(stop)\nDONE", "think hm\nstop stop"},
	{"O51 nothing but part of a tag", "OA{\"content\":\"<\"}\nDONE", "text <\nstop "},
	{"O52 empty reply at the limit", "FIN(length)\nDONE", "length length"},
	{"O47 a second finish_reason", "OA{\"content\":\"a\"}\nFIN(length)\nFIN(stop)\nDONE", "text a\nlength length"},
	{"O47 a failure and then stop", "OA{\"content\":\"a\"}\nFIN(content_filter)\nFIN(stop)\nDONE", "text a\nerror the server's content filter stopped the reply"},
	{"a second choice", `
		> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}},{\"index\":1,\"delta\":{\"content\":\"b\"}}]}\n\n"
		FIN(stop)
		DONE`, "text a\nstop stop"},
	{"chunks of a second choice", `
		> "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"}}]}\n\n"
		OA{"content":"a"}
		> "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\",\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"ls\"}}]},\"finish_reason\":\"length\"}]}\n\n"
		OA{"content":"b"}
		FIN(stop)
		DONE`, "text ab\nstop stop"},
	{"message so far beside each delta", `
		> "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"message\":{\"content\":\"a\"}}]}\n\n"
		> "data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"message\":{\"content\":\"ab\"}}]}\n\n"
		> "data: {\"choices\":[{\"delta\":{},\"message\":{\"content\":\"ab\"},\"finish_reason\":\"stop\"}]}\n\n"
		DONE`, "text ab\nstop stop"},
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
	{"O71 tag closed but not opened", "OA{\"content\":\"hm</think>\\n\\na\"}\nFIN(stop)\nDONE", "think hm\ntext a\nstop stop"},
	{"O71 tag closed but not opened, at once", "OA{\"content\":\"\\n</thi\"}\nOA{\"content\":\"nk>\\na</think>\"}\nFIN(stop)\nDONE", "text a</think>\nstop stop"},
	{"O71 tag closed but not opened, behind text", `
		OA{"content":"hm"}
		OA{"content":" so </th"}
		OA{"content":"ink>a <"}
		OA{"content":"b> </think>"}
		FIN(stop)
		DONE`, "text hm so a <b> </think>\nstop stop"},
	{"O71 tag closed behind reasoning", "OA{\"reasoning\":\"hm\"}\nOA{\"content\":\"</think>\\na\"}\nFIN(stop)\nDONE", "think hm\ntext a\nstop stop"},
	{"O71 tag as code", `
		OA{"content":"Write ` + "`\"}\n\t\tOA{\"content\":\"</think>`" + ` or so"}
		FIN(stop)
		DONE`, "text Write `</think>` or so\nstop stop"},
	{"O71 tag begun but not finished", "OA{\"content\":\"a </thi\"}\nFIN(stop)\nDONE", "text a </thi\nstop stop"},
	{"O70 reasoning_details", `
		OA{"content":"","reasoning_details":[{"type":"reasoning.text","text":"h","signature":"s"},{"type":"reasoning.encrypted","data":"x"}]}
		OA{"reasoning_details":[{"type":"reasoning.summary","summary":"m"}]}
		OA{"content":"a","reasoning_details":[]}
		FIN(stop)
		DONE`, "think hm\ntext a\nstop stop"},
	{"O70 reasoning_details beside reasoning", `
		OA{"reasoning":"h","reasoning_details":[{"type":"reasoning.text","text":"h"}]}
		OA{"reasoning":"m","reasoning_details":[{"type":"reasoning.text","text":"m"}]}
		OA{"reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s"}]}
		OA{"content":"a"}
		FIN(stop)
		DONE`, "think hm\ntext a\nstop stop"},
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
	{"O75 parts that are strings", "OA{\"content\":[\"a\",{\"text\":\"b\"},7,null,[\"c\"]]}\nFIN(stop)\nDONE", "text ab7c\nstop stop"},
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
