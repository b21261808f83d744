// Package v3 is the JSON form of messages, models, entries and session headers. Session files of version 3, which pi and
// rpi read and write too, and the JSONL protocol of the two share it, so it is written down once.
//
// What is decoded was often written by another program, or by a later version of one: unknown keys, unknown blocks and
// values of a wrong type are passed over, and what is understood is kept.
package v3
