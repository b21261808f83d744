package openai_test

import "testing"

func TestErrorQuirks(t *testing.T) { runQuirks(t, errorQuirks) }

var errorQuirks = []quirk{
	{"O53 error within a stream", `
		OA{"content":"Hel"}
		> "data: {\"id\":\"c1\",\"error\":{\"code\":\"server_error\",\"message\":\"Provider disconnected\"},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}\n\n"`,
		"text Hel\nerror retry the server reports an error: Provider disconnected"},
	{"error a string", `> "data: {\"error\":\"model crashed\"}\n\n"`, "error retry the server reports an error: model crashed"},
	{"error null", "> \"data: {\\\"error\\\":null,\\\"choices\\\":[{\\\"delta\\\":{\\\"content\\\":\\\"a\\\"}}]}\\n\\n\"\nFIN(stop)\nDONE", "text a\nstop stop"},
	{"O55 event named error", `> "event: error\ndata: {\"message\":\"x\"}\n\n"`, "error retry the server reports an error: x"},
	{"O55 event named error with text", `> "event: error\ndata: out of memory\n\n"`, "error retry the server reports an error: out of memory"},
	{"O56 error without a name", `> "data: {\"object\":\"error\",\"message\":\"bad\",\"type\":\"BadRequestError\",\"code\":400}\n\n"`, "error 400 the server reports an error: bad"},
	{"O54 bare error within a stream", `
		OA{"content":"Hel"}
		> "{\"error\":{\"code\":503,\"message\":\"gone\"}}\n"`, "text Hel\nerror 503 retry the server reports an error: gone"},
	{"O54 bare error in lines", `
		OA{"content":"Hel"}
		> "{\n  \"error\": {\n    \"message\": \"gone\"\n  }\n}\n\n"
		DONE`, "text Hel\nerror retry the server reports an error: gone"},
	{"O54 error behind the end", "OA{\"content\":\"a\"}\nFIN(stop)\n" + `> "data: {\"error\":{\"message\":\"late\"}}\n\n"`, "text a\nerror retry the server reports an error: late"},
	{"error a list", `> "data: {\"error\":[\"x\"]}\n\n"`, "error retry the server reports an error: [\"x\"]"},
	{"error with a repeated name", `> "data: {\"error\":{\"message\":\"x\",\"message\":\"y\"}}\n\n"`, "error retry the server reports an error: y"},
	{"O57 code 429", `> "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n"`, "error 429 retry the server reports an error: slow down"},
	{"O57 code \"503\"", `> "data: {\"error\":{\"code\":\"503\",\"message\":\"busy\"}}\n\n"`, "error 503 retry the server reports an error: busy"},
	{"context length within a stream", `> "data: {\"error\":{\"code\":400,\"message\":\"prompt is too long\"}}\n\n"`, "error 400 overflow the server reports an error: prompt is too long"},
	{"O59 error with status 200", "! header Content-Type: application/json\n! header Retry-After: 7\n" +
		`> "{\"error\":{\"message\":\"busy\",\"type\":\"overloaded_error\"}}"`, "error retry after 7s the server reports an error: busy"},
	{"O58 seconds", "! status 429\n! header Retry-After: 3\n> \"{\\\"error\\\":{\\\"message\\\":\\\"slow down\\\"}}\"", "error 429 retry after 3s HTTP 429 Too Many Requests: slow down"},
	{"O58 fraction", "! status 429\n! header Retry-After: 0.5", "error 429 retry after 500ms HTTP 429 Too Many Requests"},
	{"O58 milliseconds", "! status 429\n! header Retry-After: 9\n! header Retry-After-Ms: 1500", "error 429 retry after 1.5s HTTP 429 Too Many Requests"},
	{"O58 a day", "! status 429\n! header Retry-After: 86400", "error 429 retry after 24h0m0s HTTP 429 Too Many Requests"},
	{"O58 digits with other signs", "! status 429\n! header Retry-After: 1_0", "error 429 retry HTTP 429 Too Many Requests"},
	{"O58 exponent", "! status 429\n! header Retry-After: 1e3", "error 429 retry HTTP 429 Too Many Requests"},
	{"O58 hexadecimal", "! status 429\n! header Retry-After: 0x10", "error 429 retry HTTP 429 Too Many Requests"},
	{"O58 plus", "! status 429\n! header Retry-After: +3", "error 429 retry HTTP 429 Too Many Requests"},
	{"O58 two points", "! status 429\n! header Retry-After: 1.2.3", "error 429 retry HTTP 429 Too Many Requests"},
	{"O58 beyond all measure", "! status 429\n! header Retry-After: 99999999999999999999", "error 429 retry after 2562047h47m16.854775807s HTTP 429 Too Many Requests"},
	{"O60 reset", "! status 429\n! header X-RateLimit-Remaining-Tokens: 0\n! header X-RateLimit-Reset-Tokens: 6m0s\n! header X-RateLimit-Remaining-Requests: 9\n! header X-RateLimit-Reset-Requests: 1h", "error 429 retry after 6m0s HTTP 429 Too Many Requests"},
	{"O60 reset of what is left", "! status 429\n! header X-RateLimit-Reset-Tokens: 6m0s", "error 429 retry HTTP 429 Too Many Requests"},
	{"O60 reset and Retry-After", "! status 429\n! header Retry-After: 3\n! header X-RateLimit-Remaining-Tokens: 0\n! header X-RateLimit-Reset-Tokens: 6m0s", "error 429 retry after 3s HTTP 429 Too Many Requests"},
	{"should not be retried", "! status 429\n! header X-Should-Retry: false", "error 429 HTTP 429 Too Many Requests"},
	{"should not be retried, 500", "! status 500\n! header X-Should-Retry: false", "error 500 HTTP 500 Internal Server Error"},
	{"should be retried", "! status 400\n! header X-Should-Retry: true", "error 400 retry HTTP 400 Bad Request"},
	{"should be retried, they say", "! status 413\n! header X-Should-Retry: true", "error 413 overflow HTTP 413 Request Entity Too Large"},
	{"O66 402", "! status 402\n> \"pay\"", "error 402 HTTP 402 Payment Required: pay"},
	{"O66 422", "! status 422\n> \"{\\\"detail\\\":[{\\\"msg\\\":\\\"bad\\\"}]}\"", "error 422 HTTP 422 Unprocessable Entity: {\"detail\":[{\"msg\":\"bad\"}]}"},
	{"O67 520", "! status 520\n> \"<html>unknown</html>\"", "error 520 retry HTTP 520: <html>unknown</html>"},
	{"O58 negative", "! status 429\n! header Retry-After: -5", "error 429 retry HTTP 429 Too Many Requests"},
	{"O58 garbage", "! status 429\n! header Retry-After: soon", "error 429 retry HTTP 429 Too Many Requests"},
	{"O58 not a number", "! status 429\n! header Retry-After: NaN", "error 429 retry HTTP 429 Too Many Requests"},
	{"O58 past date", "! status 429\n! header Retry-After: Wed, 21 Oct 2015 07:28:00 GMT", "error 429 retry HTTP 429 Too Many Requests"},
	{"O59 on 503", "! status 503\n! header Retry-After: 3\n> \"<html>busy</html>\"", "error 503 retry after 3s HTTP 503 Service Unavailable: <html>busy</html>"},
	{"529", "! status 529\n> \"overloaded\"", "error 529 retry HTTP 529: overloaded"},
	{"no quota", "! status 429\n> \"{\\\"error\\\":{\\\"message\\\":\\\"pay\\\",\\\"code\\\":\\\"insufficient_quota\\\"}}\"", "error 429 HTTP 429 Too Many Requests: pay"},
	{"O61 by code", "! status 400\n> \"{\\\"error\\\":{\\\"message\\\":\\\"too much\\\",\\\"code\\\":\\\"context_length_exceeded\\\"}}\"", "error 400 overflow HTTP 400 Bad Request: too much"},
	{"O61 by words", "! status 400\n> \"{\\\"message\\\":\\\"the request exceeds the available context size\\\"}\"", "error 400 overflow HTTP 400 Bad Request: the request exceeds the available context size"},
	{"O61 in a list", "! status 400\n> \"[{\\\"error\\\":{\\\"message\\\":\\\"The input token count (9) exceeds the maximum\\\"}}]\"", "error 400 overflow HTTP 400 Bad Request: The input token count (9) exceeds the maximum"},
	{"O61 with status 500", "! status 500\n> \"the request exceeds the available context size\"", "error 500 overflow HTTP 500 Internal Server Error: the request exceeds the available context size"},
	{"O62 413", "! status 413\n> \"too large\"", "error 413 overflow HTTP 413 Request Entity Too Large: too large"},
	{"O63 401", "! status 401\n> \"no\"", "error 401 HTTP 401 Unauthorized: no"},
	{"O63 403", "! status 403\n> \"no\"", "error 403 HTTP 403 Forbidden: no"},
	{"O64 404", "! status 404\n> \"{\\\"error\\\":\\\"model m not found\\\"}\"", "error 404 HTTP 404 Not Found: model m not found (check the name of the model and the base URL)"},
	{"400", "! status 400\n> \"{\\\"error\\\":{\\\"message\\\":\\\"bad\\\\nrequest\\\"}}\"", "error 400 HTTP 400 Bad Request: bad request"},
}
