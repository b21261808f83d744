package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ticksPerSecond is the unit of times in /proc/PID/stat. Linux has shown 100 to all programs for as long as there has been /proc.
const ticksPerSecond = 100

// A memory is what a process holds of the machine's, in bytes.
type memory struct{ now, peak float64 }

// memoryOf reads the resident memory of a process.
func memoryOf(pid int) (memory, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return memory{}, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	return parseStatus(string(text))
}

func parseStatus(text string) (memory, error) {
	var m memory
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		var to *float64
		switch name {
		case "VmRSS":
			to = &m.now
		case "VmHWM":
			to = &m.peak
		default:
			continue
		}
		kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		if err != nil {
			return m, fmt.Errorf("status of a process: %s is %q, not a number of kB", name, strings.TrimSpace(value))
		}
		*to = float64(kib) * 1024
	}
	if m.now == 0 || m.peak == 0 {
		return m, fmt.Errorf("status of a process: VmRSS or VmHWM is missing; has it ended?")
	}
	return m, nil
}

// cpuOf reads the processor time that a process has used so far, in seconds.
func cpuOf(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	own, _, err := parseStat(string(text))
	return own, err
}

// ownCPU reads the processor time of this process and of those children that it has waited for, in seconds.
func ownCPU() (float64, error) {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, fmt.Errorf("processor time of this process: %w", err)
	}
	own, children, err := parseStat(string(text))
	return own + children, err
}

// parseStat returns utime and stime of a process, and those of the children that it has waited for. The name of the program, in
// parentheses, may hold anything.
func parseStat(text string) (own, children float64, err error) {
	const utime, cutime, behind = 11, 13, 15 // fields behind the name
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < behind {
		return 0, 0, fmt.Errorf("stat of a process: %d fields behind the name, want %d", len(fields), behind)
	}
	if own, err = ticks(fields[utime:cutime]); err != nil {
		return 0, 0, err
	}
	children, err = ticks(fields[cutime:behind])
	return own, children, err
}

// machineCPU reads the processor time that all programs have used since the start of the machine, in seconds, and what the
// machine below a virtual one has taken away.
func machineCPU() (float64, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("processor time of the machine: %w", err)
	}
	return parseMachine(string(text))
}

func parseMachine(text string) (float64, error) {
	const idle, iowait, steal = 4, 5, 8 // fields; the first is "cpu"
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) <= steal || fields[0] != "cpu" {
		return 0, fmt.Errorf("stat of the machine begins with %q, not with the times of all processors", line)
	}
	used := append(fields[1:idle:idle], fields[iowait+1:steal+1]...)
	return ticks(used)
}

// ticks adds up times and returns them in seconds.
func ticks(fields []string) (float64, error) {
	total := 0
	for _, f := range fields {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, fmt.Errorf("stat: %q is not a number of ticks", f)
		}
		total += n
	}
	return float64(total) / ticksPerSecond, nil
}
