package command

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// A process is a shell that was started, with all that it has started.
type process struct {
	cmd    *exec.Cmd
	group  *group
	pipe   *os.File      // what the command writes comes out here
	chunks chan []byte   // pieces of output; each is valid until the next is taken
	exited chan struct{} // closed when the shell has ended; it is a zombie, so its pid is still its own
	reap   chan struct{} // closed to have the shell reaped
	reaped chan struct{}

	termed time.Time // when the group was told to end
}

// read passes on what comes out of the pipe, until its end or its deadline.
func (p *process) read() {
	defer p.pipe.Close()
	defer close(p.chunks)
	var bufs [2][32 << 10]byte
	for i := 0; ; i ^= 1 { // one buffer is filled while the other is looked at
		n, err := p.pipe.Read(bufs[i][:])
		if n > 0 {
			p.chunks <- bufs[i][:n]
		}
		if err != nil {
			return
		}
	}
}

// wait waits for the end of the shell, and reaps it when its group is gone: as long as it is a zombie, its process group's
// number cannot be given to others, who would be killed in its place.
func (p *process) wait() {
	defer close(p.reaped)
	if awaitExit(p.cmd.Process.Pid) != nil {
		_ = p.cmd.Wait() // there is no way to wait without reaping
	}
	close(p.exited)
	<-p.reap
	_ = p.cmd.Wait() // the state is what counts; see result
	shellReaped(p.cmd.Process.Pid)
}

// follow handles output until the command is over.
func (p *process) follow(ctx context.Context, out *output, limit time.Duration) End {
	var over, kill, giveUp, grace <-chan time.Time
	if limit > 0 {
		over = time.After(limit)
	}
	reap := time.NewTicker(reapEvery)
	defer reap.Stop()
	end, aborted, chunks, exited := Exited, ctx.Done(), p.chunks, p.exited
	for exited != nil || chunks != nil {
		select {
		case b, ok := <-chunks:
			if !ok {
				chunks = nil
				continue
			}
			out.write(b)
		case <-out.due():
			out.report()
		case <-reap.C:
			reapAdopted()
		case <-exited:
			if end != Exited {
				return end
			}
			exited, over = nil, nil
			grace = time.After(outputGrace)
		case <-aborted:
			if exited == nil {
				return end
			}
			end, aborted, over, kill = Aborted, nil, nil, p.term()
		case <-over:
			end, aborted, over, kill = TimedOut, nil, nil, p.term()
		case <-kill:
			p.group.kill()
			kill, giveUp = nil, time.After(reapGrace)
		case <-grace:
			return end
		case <-giveUp:
			return end
		}
	}
	return end
}

// term tells the group to end, and returns what fires when it has had the time to.
func (p *process) term() <-chan time.Time {
	p.termed = time.Now()
	p.group.term()
	return time.After(termGrace)
}

// finish ends what the command has left behind, takes the last output and has the shell reaped.
func (p *process) finish(out *output) {
	if p.termed.IsZero() {
		p.group.end(time.Now().Add(termGrace), true)
	} else {
		p.group.end(p.termed.Add(termGrace), false)
	}
	p.drain(out)
	out.close()
	close(p.reap)
	select {
	case <-p.exited:
		<-p.reaped
	case <-time.After(reapGrace): // the kernel holds it back; see Runner.Close
	}
	reapAdopted()
}

// drain takes what is still in the pipe. Who could not be killed may hold it open, or go on writing, so it waits only for so
// long, and takes only so much.
func (p *process) drain(out *output) {
	wait := drainGrace
	for taken := 0; ; {
		_ = p.pipe.SetReadDeadline(time.Now().Add(wait)) // fails if the pipe is at its end already
		b, ok := <-p.chunks
		if !ok {
			return
		}
		if taken += len(b); taken > maxDrain {
			wait = -time.Second
			continue
		}
		out.write(b)
	}
}

func (p *process) result(end End, out *output) Result {
	res := Result{Output: out.tail.Cut(), End: end}
	if res.Output.Truncated {
		res.Path, res.Capped = out.file.path(), out.file.capped
	}
	select {
	case <-p.reaped:
		res.Status, res.Killed = exitStatus(p.cmd.ProcessState)
	default:
		res.Status, res.Killed = 128+9, true
	}
	return res
}
