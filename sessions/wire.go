package sessions

// An owner is who writes into a session, as the side file beside it has it.
type owner struct {
	PID     int    `json:"pid"`
	Process string `json:"process"` // of all that ever had this pid, which; "" where that cannot be told
	Program string `json:"program"`
	Host    string `json:"host"`
	Since   string `json:"since"` // RFC 3339
}
