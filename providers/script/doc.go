// Package script plays a model from a text file: for tests, demos and conformance runs.
//
// # Format
//
// A script is UTF-8 text. Lines end with LF or CRLF; white space around a line does not count. Blank lines, and lines that
// begin with #, are passed over. Every other line is one instruction: a word, then what it needs, set apart by white space.
//
//	say "TEXT"            a piece of the reply
//	think "TEXT"          a piece of the reasoning
//	repeat N "TEXT"       N pieces of the reply, N from 0
//	call NAME JSON        a tool call, its arguments in one piece
//	call/N NAME JSON      the same, the arguments in N pieces, N from 1
//	usage IN OUT          the tokens that the request and the reply took
//	wait D                do nothing for the time D
//	gate PATH             do nothing until PATH opens, see below
//	fail STATUS "TEXT"    the request fails with this HTTP status, 400 to 599
//	fail STATUS "TEXT" retry-after D    the same; the provider asks to wait D before the next try
//	cut                   the stream breaks off
//	panic "TEXT"          the provider panics
//	stop REASON           why the reply ends: stop, length or tools
//	next                  the reply ends here
//	model ID ...          declares a model, see below
//	loop                  after the last reply the first one comes again; the last instruction of a script
//
// A string is put in double quotes and ends at the first double quote that is not escaped. It may have the escapes of Go and
// those of JSON: what strconv.Unquote does not take is read as JSON. A time is written as Go writes one: 20ms, 1.5s, 2m.
//
// NAME is anything without white space. JSON is the rest of the line as it stands, be it JSON or not; it may be missing. It is
// cut into N pieces of about the same length, or fewer if it is shorter: piece i of n bytes begins at byte i*n/N, moved back to
// where a character begins. Calls get the ids call_1, call_2 and so on; numbers that the conversation has already used are
// passed over.
//
// A gate is closed as long as nothing exists at PATH, or a FIFO does that nobody has opened for writing; it opens when
// something is written to the FIFO or the writer closes it. PATH is the rest of the line; $NAME and ${NAME} in it stand for
// environment variables.
//
// # Replies
//
// Each request is answered with the next reply. A reply is made of the instructions up to next. It also ends in front of a
// say, think, repeat, wait, gate, fail or cut that comes after a call, and in front of whatever comes after fail, cut or
// panic; a next right behind these adds no reply. Several calls in a row are thus one reply, and so are a say and the calls
// behind it. Two next in a row make an empty reply.
//
// Without stop, a reply with calls ends for tools, any other for stop. Without usage, the input is estimated as a fourth of
// the request's bytes, and the output counts the pieces that were sent. When no reply is left, requests fail, and not for
// a retry. Statuses 429 and 5xx may be retried, and so may cut. A fail whose status or text tells that the conversation is
// too long says so to the caller.
//
// # Models
//
// Without a model instruction there is one model, script-1, which reasons, takes no images and has a context window of
// 128000 tokens. Otherwise there are the declared ones, the first being the default:
//
//	model ID [reasoning] [images] [window N]
//
// The words behind ID may come in any order; window is given in tokens and is 128000 if it is missing. All model instructions
// come before the first reply. Prices are zero.
package script
