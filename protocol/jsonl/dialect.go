package jsonl

// A Dialect is a spelling of the protocol.
type Dialect string

// The dialects. What a client of one of them does not know is left out in it; see the tables of records.
const (
	RPI Dialect = "rpi"
	Pi  Dialect = "pi"
)

// Valid reports whether d is one of the dialects, or "", which stands for RPI.
func (d Dialect) Valid() bool { return d == "" || d == RPI || d == Pi }

// differences are the points in which the dialects differ, but for records and members that only one of them has.
type differences struct {
	dialect   Dialect
	pi        bool
	noData    string // of a success that has nothing to say
	index     string // behind the type of an assistantMessageEvent
	toolCall  string // the key of a finished call
	busy      string // why a prompt is refused while a turn runs
	sessionID bool   // a sessionId is refused, not passed over
	usage     bool   // message_update carries the usage
}

func (d Dialect) differences() differences {
	if d == Pi {
		return differences{
			dialect: Pi, pi: true,
			index: `","contentIndex":`, toolCall: `,"toolCall":`,
			busy:  "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.",
			usage: true,
		}
	}
	return differences{
		dialect: RPI,
		noData:  `,"data":null`,
		index:   `","content_index":`, toolCall: `,"tool_call":`,
		busy:      "session is already processing; choose steer or followUp",
		sessionID: true,
	}
}
