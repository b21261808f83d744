// Package sessions keeps sessions in files: one file a session, one line of JSON an entry, only ever added to. The format is
// version 3 of pi's, which pi and rpi read and write too; package v3 has its JSON.
//
// A file begins to exist with the first message. What a crash may leave at its end (half a line, a line without its line
// feed, zero bytes) is repaired when it is opened again. A line that cannot be read is passed over and stays in the file.
//
// A session that is open for writing is locked until it is closed or the process ends, however that comes about. The file
// SESSION.lock beside it tells who has it. Reading and listing need no lock.
//
// The package starts no goroutines.
package sessions
