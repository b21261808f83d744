// Package core is the engine of the agent. It knows no protocol, no provider, no tool and no disk: it says what it needs
// of them, as interfaces, and what happens, as events.
//
// # The life of a prompt
//
// A codec calls Engine.Prompt on the goroutine that reads commands. The turn has its context from that moment, so an abort in
// the next line finds it. The worker, a goroutine that exists only while there is work, takes turns from a queue one by one:
//
//	Prompt -> queue -> worker: TurnStarted
//	                     say the prompt                        Log.Append, then MessageAdded
//	                     request -> Provider.Stream            deltas, as they come; Bus.Ready between them
//	                     reply                                 Log.Append, then ReplyEnded
//	                     tools, side by side or in a row       ToolCalled, approval, ToolFinished, ToolAnswered
//	                     seam: steering, follow-ups            and on with the next request, or
//	                     TurnEnded, Settled
//
// Whatever fails on the way, an accepted prompt gets exactly one TurnEnded and one Settled, and nothing of it comes later.
// An entry is in the session's log before the event that tells of it.
//
// # Goroutines and locks
//
//	worker         one per engine, while its queue is not empty; Engine.Do lends it the caller's goroutine
//	tools          at most 8 of one batch; joined before the seam, unless a tool ignores the end of its context for a second
//	shell commands the goroutine of whoever runs what StartShell has returned
//
// Lock order: Engine.mu, Bus.mu, then whatever a Sink locks in Put. No lock is held during I/O or a call into a provider, a tool
// or a store.
package core
