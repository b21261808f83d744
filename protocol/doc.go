// Package protocol is what every wire protocol shares: how lines are read, how commands get to a Codec, and the one ordered way
// out to the client. A protocol is a Codec in a folder of its own; see docs/adding-a-protocol.md.
package protocol
