package openai_test

import "testing"

// What does not fit counts as missing; it must not cost the rest of a reply.
func TestTypeQuirks(t *testing.T) {
	var quirks []quirk
	for name, chunk := range map[string]string{
		"O05 delta missing":       `{\"choices\":[{\"index\":0,\"finish_reason\":null}]}`,
		"O05 delta a string":      `{\"choices\":[{\"delta\":\"x\"}]}`,
		"O05 delta a list":        `{\"choices\":[{\"delta\":[{\"content\":\"x\"}]}]}`,
		"O05 delta empty":         `{\"choices\":[{\"delta\":{}}]}`,
		"O04 choices a number":    `{\"choices\":7}`,
		"O04 choices of nothing":  `{\"choices\":[null,5]}`,
		"message a string":        `{\"choices\":[{\"message\":\"x\"}]}`,
		"reasoning_details text":  `{\"choices\":[{\"delta\":{\"reasoning_details\":\"x\"}}]}`,
		"tool_calls a number":     `{\"choices\":[{\"delta\":{\"tool_calls\":1}}]}`,
		"NaN":                     `{\"choices\":[{\"delta\":{},\"logprobs\":[-Infinity,NaN]}]}`,
		"a repeated name":         `{\"id\":\"x\",\"id\":\"c1\",\"choices\":[{\"delta\":{\"role\":\"a\",\"role\":\"b\"}}]}`,
		"a list":                  `[]`,
		"a string":                `\"x\"`,
		"a number":                `7`,
		"an empty object":         `{}`,
		"finish_reason false":     `{\"choices\":[{\"delta\":{},\"finish_reason\":null,\"stop_reason\":false}]}`,
		"error that is none":      `{\"error\":null,\"choices\":[]}`,
		"error that says nothing": `{\"error\":{},\"choices\":[]}`,
	} {
		quirks = append(quirks, quirk{name, `> "data: ` + chunk + `\n\n"` + "\nOA{\"content\":\"a\"}\n" + `> "data: ` + chunk + `\n\n"` +
			"\nFIN(stop)\n" + `> "data: ` + chunk + `\n\n"` + "\nDONE", "text a\nstop stop"})
	}
	runQuirks(t, append(quirks,
		quirk{"choices an object", `> "data: {\"choices\":{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}}\n\n"`, "text a\nstop stop"},
		quirk{"a repeated name within a delta", "OA{\"role\":\"assistant\",\"content\":\"\",\"content\":\"a\"}\nFIN(stop)\nDONE", "text a\nstop stop"},
	))
}
