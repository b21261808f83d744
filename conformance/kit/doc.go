// Package kit plays conformance transcripts against a coding agent server that speaks JSON-RPC or JSONL on its standard
// input and output. It knows nothing of the server's insides: all that it needs is an argv, and a way to point the
// server at a model, which is either an OpenAI-style server on loopback or a script file.
//
// # Transcripts
//
// A transcript is a txtar file. The comment on top says what it shows. Its sections:
//
//	-- flags --       more arguments for the server, one a line
//	-- env --         more environment, NAME=value, one a line
//	-- files/NAME --  a file of the workspace
//	-- ignore --      kinds of records (method or type) to pass over, instead of the protocol's usual ones
//	-- model --       what the model says, see below
//	-- play --        the conversation, see below
//
// In flags, env, model and play, $WORK stands for the workspace and $GATE for the folder of the gates.
//
// # Play
//
//	> LINE            send LINE and a line feed; "@x" in it becomes the value bound to x
//	>| LINE           the same, in one write with the line before
//	>raw "BYTES"      send exactly these bytes, a Go string
//	< JSON            the next record must match
//	< [JSON, ...]     the next line must be an array, the answer to a batch, with these in any order
//	~ JSON            a run of these matches as many records, in any order
//	! open NAME       open the gate $GATE/NAME
//	! eof             close the server's standard input
//	! signal TERM     send a signal: TERM, INT or HUP
//	! exit CODE       the server must exit with CODE, and say nothing more before it does
//	! more            the rest of the output is of no interest
//	! line "TEXT"     the line of the last record, as it came, has these bytes in it
//	! file NAME "TEXT"     the workspace's file has this content
//	! wait-file NAME       the workspace's file comes into being
//	! asked N "TEXT"       the N-th request to the model, from 1, has TEXT in it (not checked with a script file)
//	! requests N           the model has been asked N times (not checked with a script file)
//	# anything        a comment
//
// Records match if they are the same JSON, with these exceptions. The strings "@any", "@string", "@number" and "@bool"
// stand for any such value, "@bind:x" for any value, which "@x" then stands for, "@re:R" for a string in which the
// regular expression R matches, and "@@x" for the string "@x". The key "@more" in an object allows keys beside those
// listed; the string "@rest" at the end of an array allows more elements, and
// "@some" at its start means that the elements behind it are among those of the record. Numbers are compared by value; the id of a
// record must have the same bytes. Neighbouring pieces of text (message/delta, reasoning/delta; message_update with a
// text_delta, thinking_delta or toolcall_delta of the same block) are joined as far as the expectation goes, so it makes
// no difference how a server cuts its text.
//
// After the last line standard input is closed, and the server must exit with code 0 and without another record.
//
// Whatever a transcript says, every line of output must be one JSON object in UTF-8 without CR and ESC (or, after a batch,
// an array of them), and each accepted prompt must come to exactly one end; see invariants.
//
// # Model
//
// One instruction a line; strings are double-quoted Go or JSON strings.
//
//	say "TEXT"            a piece of the reply
//	think "TEXT"          a piece of the reasoning
//	repeat N "TEXT"       N pieces of the reply
//	call NAME JSON        a tool call; its arguments are the rest of the line as it stands, be it JSON or not
//	call/N NAME JSON      the same, the arguments in N pieces
//	usage IN OUT          the tokens of the request; default 100 and 10
//	wait 20ms             do nothing for a time
//	gate PATH             do nothing until PATH, a FIFO, has been opened for writing and closed; $VAR is expanded
//	fail STATUS "TEXT" [retry-after D]   answer with an HTTP error; after other output, break off with an error
//	cut                   close the connection
//	stop length|stop|tools               why the reply ends, if not "tools" with and "stop" without tool calls
//	next                  the reply ends here
//	model ID [reasoning] [images] [window N]   a model on offer; the first is the default ("scripted" if none)
//	loop                  after the last reply, start again with the first
//
// A reply goes up to next, and further ends where say, think, repeat, fail, cut, wait or gate follows a call, and where
// anything follows fail or cut; next right after fail or cut adds nothing. Tool calls get the ids call_1, call_2 and so on, over all replies. A request that
// nothing is left for is answered with status 400.
//
// # Goroutines
//
// Play starts the server and its model, and returns only when both are gone. Each server has one goroutine that reads
// its output and one that waits for its end; an open gate has one that keeps it open.
package kit
