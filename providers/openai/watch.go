package openai

import (
	"context"
	"fmt"
	"io"
	"net/http/httptrace"
	"sync"
	"time"
)

// A timeoutError says in which phase a request made no progress.
type timeoutError struct {
	what string
	wait time.Duration
}

func (e *timeoutError) Error() string { return fmt.Sprintf("%s within %v", e.what, e.wait) }

// A watch cancels a request that makes no progress: it does not connect, does not answer, or falls silent. Time that the
// caller takes between two reads does not count.
type watch struct {
	o      *Options
	cancel context.CancelCauseFunc
	total  *time.Timer

	mu    sync.Mutex
	timer *time.Timer // guarded by mu, as is:
	cause error       // why the timer cancels
	body  bool        // the answer has begun
}

// startWatch returns a context for one HTTP request, which ends with ctx or when the watch says so. The caller stops the watch.
func startWatch(ctx context.Context, o *Options) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{o: o, cancel: cancel}
	if o.Total > 0 {
		w.total = time.AfterFunc(o.Total, func() { cancel(&timeoutError{"no end of the reply", o.Total}) })
	}
	w.timer = time.AfterFunc(time.Hour, w.fire)
	w.set("no connection", o.Connect)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.set("no connection", o.Connect) },
		GotConn: func(httptrace.GotConnInfo) { w.set("no answer", o.FirstByte) },
	}), w
}

// set gives the request a time within which something must come, if the answer has not begun.
func (w *watch) set(what string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.body {
		return
	}
	w.cause = &timeoutError{what, wait}
	w.timer.Reset(wait)
}

func (w *watch) fire() {
	w.mu.Lock()
	cause := w.cause
	w.mu.Unlock()
	w.cancel(cause)
}

// stop ends the request and all that belongs to it.
func (w *watch) stop() {
	if w.total != nil {
		w.total.Stop()
	}
	w.timer.Stop()
	w.cancel(nil)
}

// reading wraps the body of the answer. The wait for its first bytes has begun before.
func (w *watch) reading(body io.Reader) *watchedReader {
	return &watchedReader{watch: w, src: body, idle: w.o.Idle}
}

// A watchedReader is used by one goroutine.
type watchedReader struct {
	watch *watch
	src   io.Reader
	idle  time.Duration // for each Read but the first
	begun bool
}

func (r *watchedReader) Read(p []byte) (int, error) {
	if r.begun {
		r.watch.timer.Reset(r.idle)
	}
	n, err := r.src.Read(p)
	r.watch.timer.Stop()
	if n > 0 && !r.begun {
		r.begun = true
		r.watch.mu.Lock()
		r.watch.body = true
		r.watch.cause = &timeoutError{"nothing more came", r.idle}
		r.watch.mu.Unlock()
	}
	return n, err
}

// hurry shortens the wait: what may still come is not worth much.
func (r *watchedReader) hurry(wait time.Duration) { r.idle = min(r.idle, wait) }
