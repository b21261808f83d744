package main

// The figures of pi 1.6.0 on node 24: medians, on a machine with two processors, measured from outside as here.
const (
	piStart       = 422 * millisecond
	piMemory      = 113 * mib
	piBurst       = 61_586
	piLatencyP50  = 0.29 * millisecond
	piLatencyP99  = 3.7 * millisecond
	piStreamTime  = 0.66
	piStreamCPU   = 0.84
	piStreamBytes = 6.4e6
)

func pi(v float64) base { return base{"pi 1.6.0", v, true} }
