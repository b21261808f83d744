package core

import (
	"errors"
	"fmt"
	"time"
)

// Errors that callers decide on. Compare with errors.Is.
var (
	// ErrAborted is the cause of a turn that the client has stopped.
	ErrAborted = errors.New("cancelled")
	// ErrShutdown is the cause of a turn that ended because the program does.
	ErrShutdown = errors.New("cancelled: the server is shutting down")
	// ErrBusy means that a turn runs, and that the command can only be carried out while none does.
	ErrBusy = errors.New("a turn is running")
	// ErrClosed means that the engine takes no more commands.
	ErrClosed = errors.New("the server is shutting down")
	// ErrNoApproval means that nobody has asked for that decision.
	ErrNoApproval = errors.New("no approval is pending")
	// ErrOverloaded means that too much waits already.
	ErrOverloaded = errors.New("too many commands are waiting; try again when some are done")
	// ErrUnknownModel and ErrUnknownProvider mean that no provider has such a model, or that there is no such provider.
	ErrUnknownModel    = errors.New("not found on any provider")
	ErrUnknownProvider = errors.New("unknown provider")
	// ErrNoSession means that there is no such session.
	ErrNoSession = errors.New("no such session")
	// ErrNotRecorded means that the session is not kept, so that what is in a stored one cannot be told.
	ErrNotRecorded = errors.New("session recording is unavailable")
	// ErrEmptyPrompt means that a message has neither text nor images.
	ErrEmptyPrompt = errors.New("the message is empty")
)

// A ProviderError says what went wrong between us and a model, as far as it matters for what to do next.
type ProviderError struct {
	Message    string        // for people: what happened and where
	Status     int           // HTTP status, if the server answered with one
	Retry      bool          // the same request may succeed later
	RetryAfter time.Duration // what the server asked for; 0 if it did not say
	Overflow   bool          // the conversation is too long for the model
	Err        error         // the cause, if there is one
}

func (e *ProviderError) Error() string {
	switch {
	case e.Message != "" && e.Err != nil:
		return fmt.Sprintf("%s: %v", e.Message, e.Err)
	case e.Err != nil:
		return e.Err.Error()
	default:
		return e.Message
	}
}

func (e *ProviderError) Unwrap() error { return e.Err }
