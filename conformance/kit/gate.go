package kit

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// gates hold a model or a tool until the transcript opens them. Each is a FIFO, so that anything that can read a file can
// be held: `cat $GATE/1` ends when gate 1 is opened. Our own model server does not read the FIFO but waits in wait.
type gates struct {
	dir  string
	open map[string]chan struct{} // closed when the gate of that name is opened
	stop chan struct{}
	done sync.WaitGroup
}

func newGates(dir string, names []string) (*gates, error) {
	g := &gates{dir: dir, open: map[string]chan struct{}{}, stop: make(chan struct{})}
	if len(names) == 0 {
		return g, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := makeFIFO(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
		g.open[name] = make(chan struct{})
	}
	return g, nil
}

// release opens the gate for good: who waits there now goes on, and so does who comes later.
func (g *gates) release(name string) {
	c, ok := g.open[name]
	if !ok || isClosed(c) {
		return
	}
	close(c)
	g.done.Go(func() { g.pulse(filepath.Join(g.dir, name)) })
}

// pulse opens the FIFO for writing and closes it again and again, because a reader may come at any time. Opening fails at
// once while there is none.
func (g *gates) pulse(path string) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if f, err := openFIFO(path); err == nil {
			_ = f.Close() // nothing was written
		}
		select {
		case <-tick.C:
		case <-g.stop:
			return
		}
	}
}

// wait returns when the gate at path has been opened.
func (g *gates) wait(ctx context.Context, path string) error {
	c, ok := g.open[filepath.Base(path)]
	if !ok {
		return nil
	}
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gates) close() {
	close(g.stop)
	g.done.Wait()
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
