package command

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A group is all that a command has started: its session and its process group, those that have made a session of their own, who
// are known by a mark in their environment, their children, and children of this process that no other command can have left
// behind.
type group struct {
	leader  int
	mark    []byte
	started uint64 // when the leader did, in the kernel's ticks
}

func newGroup(leader int, mark string) *group {
	g := &group{leader: leader, mark: []byte(mark)}
	var buf [1024]byte
	if s, ok := readStat(leader, buf[:]); ok {
		g.started = s.started
	}
	return g
}

// term tells all to end.
func (g *group) term() { g.signal(unix.SIGTERM) }

// kill ends all.
func (g *group) kill() { g.signal(unix.SIGKILL) }

// signal sends sig to all. The leader must not have been reaped.
func (g *group) signal(sig unix.Signal) {
	strays := g.members() // looked for first: who is killed no longer shows whose child it was
	_ = unix.Kill(-g.leader, sig)
	for _, pid := range eldestFirst(strays) {
		signalOne(pid, strays[pid], sig)
	}
}

// eldestFirst returns processes so that parents stand before their children: a shell that outlives its child tells of its end, in
// the command's output.
func eldestFirst(began map[int]uint64) []int {
	return slices.SortedFunc(maps.Keys(began), func(a, b int) int {
		return cmp.Or(cmp.Compare(began[a], began[b]), cmp.Compare(a, b))
	})
}

// signalOne sends sig to pid if it is still the process that began then: a number can pass to another process at any time, a
// descriptor cannot.
func signalOne(pid int, began uint64, sig unix.Signal) {
	same := func() bool {
		var buf [1024]byte
		s, ok := readStat(pid, buf[:])
		return ok && s.started == began
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ENOSYS) && same() {
		_ = unix.Kill(pid, sig)
	}
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if same() {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}

// end ends all that is left behind the leader: it waits for them to go until by, and then kills them. If tell is set
// they have not been told to go yet.
func (g *group) end(by time.Time, tell bool) {
	for {
		if len(g.members()) == 0 {
			return
		}
		if tell {
			g.term()
			tell = false
		}
		if !time.Now().Before(by) {
			break
		}
		<-time.After(5 * time.Millisecond)
	}
	for range 5 { // who forks in the meantime is caught in the next round
		g.kill()
		if len(g.members()) == 0 {
			return
		}
	}
}

// members returns the processes of the group that are alive, without the leader, and when they began.
func (g *group) members() map[int]uint64 {
	all := processes()
	owned := map[int]bool{g.leader: true}
	for pid, s := range all {
		if pid != g.leader && g.owns(pid, s) {
			owned[pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for pid, s := range all {
			if !owned[pid] && owned[s.parent] {
				owned[pid], grown = true, true
			}
		}
	}
	alive := map[int]uint64{}
	for pid := range owned {
		if s := all[pid]; pid != g.leader && s.state != 'Z' && s.state != 'X' {
			alive[pid] = s.started
		}
	}
	return alive
}

// owns reports whether a process is one of the group without regard to its parents.
func (g *group) owns(pid int, s stat) bool {
	if s.state == 'Z' || s.state == 'X' || s.started < g.started {
		return false
	}
	if s.session == g.leader || s.group == g.leader {
		return true
	}
	if adopted(pid, s) && !children.has(s.session) && !children.othersMayOwn(g.leader, s.started) {
		return true
	}
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && slices.ContainsFunc(bytes.Split(env, []byte{0}), func(v []byte) bool { return bytes.Equal(v, g.mark) })
}

// A stat is what /proc tells of a process.
type stat struct {
	state                  byte
	parent, group, session int
	started                uint64
}

// readStat reads /proc/pid/stat into buf, which is large enough for the fields that matter.
func readStat(pid int, buf []byte) (stat, bool) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return stat{}, false
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil || n <= 0 {
		return stat{}, false
	}
	// The program's name is in parentheses and may hold anything; 22 fields are numbered from 1, the name is the second.
	end := bytes.LastIndexByte(buf[:n], ')')
	fields := bytes.Fields(buf[end+1 : n])
	if end < 0 || len(fields) < 20 {
		return stat{}, false
	}
	s := stat{state: fields[0][0]}
	s.parent, _ = strconv.Atoi(string(fields[1]))
	s.group, _ = strconv.Atoi(string(fields[2]))
	s.session, _ = strconv.Atoi(string(fields[3]))
	s.started, _ = strconv.ParseUint(string(fields[19]), 10, 64)
	return s, true
}

// awaitExit returns when the child pid has ended, and leaves it to be reaped.
func awaitExit(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// keepDescriptors sees to it that children inherit none of this program's descriptors, those too that it was started with.
func keepDescriptors() {
	if unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) != nil {
		closeEachOnExec("/proc/self/fd")
	}
}
