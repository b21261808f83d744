package core

import "context"

// An item is a piece of work for the worker: a turn or a function.
type item struct {
	turn *turn
	f    func()
}

// Between queues f: it runs on the worker, in line with the turns, while none runs. It fails with ErrOverloaded.
func (e *Engine) Between(f func()) error {
	_, err := e.between(f)
	return err
}

// between is Between; it also reports whether nothing is in the way of f.
func (e *Engine) between(f func()) (first bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queue) >= 2*maxQueued {
		return false, ErrOverloaded
	}
	first = len(e.queue) == 0
	e.enqueueLocked(item{f: f})
	return first, nil
}

// Do is Between for what is quick: if nothing is in the way, f has run when Do returns, on the caller's goroutine.
func (e *Engine) Do(f func()) error {
	e.mu.Lock()
	if e.working {
		e.mu.Unlock()
		return e.Between(f)
	}
	e.queue = append(e.queue, item{f: f})
	idle := e.startLocked()
	e.mu.Unlock()
	f()
	if e.advance() {
		go e.work(idle) // somebody has queued more meanwhile
	} else {
		close(idle)
	}
	return nil
}

func (e *Engine) enqueueLocked(it item) {
	e.queue = append(e.queue, it)
	if !e.working {
		// The worker ends with its work; wait and close join it through idle.
		go e.work(e.startLocked())
	}
}

func (e *Engine) startLocked() (idle chan struct{}) {
	e.working = true
	e.idle = make(chan struct{})
	return e.idle
}

// work carries out the queue, which is not empty, until it is.
func (e *Engine) work(idle chan struct{}) {
	defer close(idle)
	for more := true; more; more = e.advance() {
		e.mu.Lock()
		it := e.queue[0]
		e.mu.Unlock()
		if it.turn != nil {
			e.runTurn(it.turn)
		} else {
			it.f()
		}
	}
}

// advance drops the item that is done and reports whether there are more. If not, nobody works any longer.
func (e *Engine) advance() (more bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue[0] = item{}
	e.queue = e.queue[1:]
	e.working = len(e.queue) > 0
	if !e.working {
		e.queue = nil
	}
	return e.working
}

// wait returns when the worker has nothing left to do.
func (e *Engine) wait(ctx context.Context) error {
	for {
		e.mu.Lock()
		idle, working := e.idle, e.working
		e.mu.Unlock()
		if !working {
			<-idle
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
