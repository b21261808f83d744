package jsonrpc

import _ "embed"

//go:generate go test -run ^TestOpenRPC$ . -update

//go:embed openrpc.json
var schema []byte

// Schema returns the OpenRPC document of the protocol. Server notifications are in it as methods with "x-from":"server". It is
// made from the tables of methods and notifications; the caller must not change it.
func Schema() []byte { return schema }
