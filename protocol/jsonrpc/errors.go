package jsonrpc

import (
	"errors"
	"fmt"

	"github.com/creachadair/jrpc2"

	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/wire"
	"github.com/dualagent/agent/protocol"
)

// codeOverloaded says that too many requests wait. It lies in the range that JSON-RPC leaves to servers.
const codeOverloaded jrpc2.Code = -32000

// wireError turns an error of the core into one of the wire. It is the only place that knows which is which.
func wireError(err error) *jrpc2.Error {
	var as *jrpc2.Error
	switch {
	case errors.As(err, &as):
		return as
	case errors.Is(err, core.ErrOverloaded):
		return &jrpc2.Error{Code: codeOverloaded, Message: err.Error()}
	case errors.Is(err, core.ErrNoApproval), errors.Is(err, core.ErrEmptyPrompt),
		errors.Is(err, core.ErrUnknownModel), errors.Is(err, core.ErrUnknownProvider):
		return invalidParams("%v", err)
	default:
		return &jrpc2.Error{Code: jrpc2.InternalError, Message: err.Error()}
	}
}

func invalidParams(format string, args ...any) *jrpc2.Error {
	return jrpc2.Errorf(jrpc2.InvalidParams, format, args...)
}

func invalidRequest(format string, args ...any) *jrpc2.Error {
	return jrpc2.Errorf(jrpc2.InvalidRequest, format, args...)
}

// parseError says why a line is not JSON, or was not looked at.
func parseError(err error) *jrpc2.Error {
	var long *protocol.TooLongError
	var syntax *wire.SyntaxError
	switch {
	case errors.As(err, &long), errors.As(err, &syntax):
		return jrpc2.Errorf(jrpc2.ParseError, "Parse error: %v", err)
	default:
		return jrpc2.Errorf(jrpc2.ParseError, "Parse error: invalid JSON")
	}
}

// modelError words the failure to find a model as clients of this protocol know it.
func modelError(ref string, err error) error {
	switch {
	case errors.Is(err, core.ErrUnknownProvider):
		provider, model := splitRef(ref)
		return invalidParams("unknown provider '%s' for model '%s'; see listProviders", provider, model)
	case errors.Is(err, core.ErrUnknownModel):
		return invalidParams("model '%s' was not found on any provider; see listModels", ref)
	default:
		return fmt.Errorf("set model %s: %w", ref, err)
	}
}
