package openai_test

import "testing"

const (
	usage  = `> "data: {\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1,\"total_tokens\":6}}\n\n"`
	zeros  = `> "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":0,\"total_tokens\":0}}\n\n"`
	normal = "text a\nusage 5/1\nstop stop"
)

// wrong is a chunk with this usage and nothing else.
func wrong(usage string) string {
	return `> "data: {\"choices\":[],\"usage\":` + usage + `}\n\n"` + "\n"
}

func TestUsageQuirks(t *testing.T) { runQuirks(t, usageQuirks) }

var usageQuirks = []quirk{
	{"O01 usage behind the end without choices", "OA{\"content\":\"a\"}\nFIN(stop)\n" + usage + "\nDONE", normal},
	{"O02 first chunk without choices", `> "data: {\"id\":\"\",\"model\":\"\",\"choices\":[],\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n"` +
		"\nOA{\"content\":\"a\"}\nFIN(stop)\n" + usage + "\nDONE", normal},
	{"O03 usage null", `> "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}],\"usage\":null}\n\n"` + "\nFIN(stop)\n" + usage + "\nDONE", normal},
	{"O04 choices missing or null", `> "data: {\"id\":\"c1\"}\n\n"` + "\n" + `> "data: {\"choices\":null}\n\n"` + "\nOA{\"content\":\"a\"}\nFIN(stop)\n" + usage + "\nDONE", normal},
	{"O05 delta null", `> "data: {\"choices\":[{\"index\":0,\"delta\":null}]}\n\n"` + "\nOA{\"content\":\"a\"}\nFIN(stop)\n" + usage + "\nDONE", normal},
	{"O06 content null", "OA{\"role\":\"assistant\",\"content\":null}\nOA{\"content\":\"a\"}\nFIN(stop)\n" + usage + "\nDONE", normal},
	{"O07 zeros behind the usage", "OA{\"content\":\"a\"}\n" + usage + "\n" + zeros + "\nDONE", normal},
	{"O08 usage so far on each chunk", `
			> "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n"
			> "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n"
			> "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":3}}\n\n"
			DONE`, "text ab\nusage 5/3\nstop stop"},
	{"O09 usage inside the choice", `
			> "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\",\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}]}\n\n"
			DONE`, normal},
	{"O10 no usage", "OA{\"content\":\"four and more\"}\nFIN(stop)\nDONE", "text four and more\nusage 29/4 estimated\nstop stop"},
	{"O12 details missing, null or strings", `
			OA{"content":"a"}
			FIN(stop)
			> "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":\"10\",\"completion_tokens\":4.0,\"cost\":\"0.0012\",\"prompt_tokens_details\":{\"cached_tokens\":null},\"completion_tokens_details\":null}}\n\n"
			DONE`, "text a\nusage 10/4\nstop stop"},
	{"O09 usage in x_groq", "OA{\"content\":\"a\"}\n" +
		`> "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"x_groq\":{\"id\":\"r\",\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}}\n\n"` +
		"\nDONE", normal},
	{"x_groq of another kind", `> "data: {\"x_groq\":\"x\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"` + "\nFIN(stop)\n" + usage + "\nDONE", normal},
	{"usage no object", "OA{\"content\":\"a\"}\nFIN(stop)\n" + usage + "\n" + wrong("7") + wrong(`\"none\"`) + wrong("[1]") + wrong("true") + "DONE", normal},
	{"usage in a list", "OA{\"content\":\"a\"}\nFIN(stop)\n" + wrong(`[{\"prompt_tokens\":5,\"completion_tokens\":1}]`) + usage + "\nDONE", normal},
	{"details no object", "OA{\"content\":\"a\"}\nFIN(stop)\n" +
		wrong(`{\"prompt_tokens\":5,\"completion_tokens\":1,\"prompt_tokens_details\":[],\"completion_tokens_details\":0}`) + "DONE", normal},
	{"figures no numbers", "OA{\"content\":\"a\"}\nFIN(stop)\n" +
		wrong(`{\"prompt_tokens\":5.0,\"completion_tokens\":\"1\",\"cached_tokens\":{},\"total_tokens\":NaN}`) + "DONE", normal},
	{"cached and reasoning tokens", `
			OA{"content":"a"}
			FIN(stop)
			> "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":7,\"cache_write_tokens\":1},\"completion_tokens_details\":{\"reasoning_tokens\":3}}}\n\n"
			DONE`, "text a\nusage 2/4 cache 7/1 reasoning 3\nstop stop"},
	{"cached tokens of DeepSeek", `
			OA{"content":"a"}
			FIN(stop)
			> "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,\"prompt_cache_hit_tokens\":6,\"prompt_cache_miss_tokens\":4}}\n\n"
			DONE`, "text a\nusage 4/4 cache 6/0 reasoning 0\nstop stop"},
}
