package core

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxQueued bounds what may wait in an engine: prompts, and messages in each of its queues.
const maxQueued = 1000

// EngineOptions say how one client's engine behaves. Zero fields mean defaults.
type EngineOptions struct {
	Session  SessionOptions
	Model    ModelRef      // "": the session's model, else the first known one
	Thinking ThinkingLevel // "": the session's level, the one that Model names, else medium

	// SteerAtStart: messages that were sent while no turn ran are said right behind the next prompt, not at its
	// first seam.
	SteerAtStart bool
	// OneAtATime: one queued message is taken at a seam, not all.
	OneAtATime bool
	// RetryVisible: the client is told of retries, so a request may be made again after text of it was shown.
	RetryVisible bool
	// MaxEmpty is how many empty replies in a row end a turn; 0: an empty reply is a reply.
	MaxEmpty int
}

// An Input is what a user says.
type Input struct {
	Text   string
	Images []Image
	Tag    any // the caller's own mark, handed back untouched in TurnEnded
}

// Empty reports whether there is nothing in the input.
func (in Input) Empty() bool { return strings.TrimSpace(in.Text) == "" && len(in.Images) == 0 }

func (in Input) message() Message {
	m := Message{Role: RoleUser, Time: time.Now(), Content: []Block{TextBlock(in.Text)}}
	for _, img := range in.Images {
		m.Content = append(m.Content, Block{Kind: BlockImage, Image: &img})
	}
	return m
}

// An Engine runs the turns of one client, one at a time, in one session at a time. Commands return as soon as they have taken
// effect; what follows comes as events. All methods may be called from many goroutines at once; where the order of commands
// matters, one goroutine should give them.
//
// One goroutine, the worker, exists while there is work. It alone changes the session. Turns and the functions given
// to Between are its work, in the order in which they were accepted. Do may lend it the caller's goroutine.
type Engine struct {
	host *Host
	o    EngineOptions
	bus  Bus

	ctx  context.Context // ends when the engine closes
	stop context.CancelCauseFunc

	mu        sync.Mutex
	queue     []item // the first one is being worked on, if working
	working   bool
	idle      chan struct{} // closed when the worker ends; replaced when one starts
	lastTurn  TurnID
	lastAsked ApprovalID
	pending   *approval
	hungUp    bool
	closed    bool

	session  *session // replaced as a whole; its log belongs to the worker
	model    Model
	thinking ThinkingLevel
	modes    [2]bool // one at a time: steering, follow-up
	retry    bool
	shells   map[*shellRun]struct{}
	wg       sync.WaitGroup // shell commands
}

// Open starts an engine in the session that o names and publishes SessionStarted to s. It does not touch the network.
func (h *Host) Open(ctx context.Context, o EngineOptions, s Sink) (*Engine, error) {
	e := &Engine{host: h, o: o, retry: true, modes: [2]bool{o.OneAtATime, o.OneAtATime}, shells: map[*shellRun]struct{}{}}
	e.ctx, e.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	e.idle = make(chan struct{})
	close(e.idle)
	sess, err := h.openSession(ctx, o.Session)
	if err != nil {
		return nil, err
	}
	if err := e.chooseModel(sess); err != nil {
		sess.log.Close()
		return nil, err
	}
	e.session = sess
	h.mu.Lock()
	h.engines = append(h.engines, e)
	h.mu.Unlock()
	e.bus.Subscribe(s)
	e.bus.Publish(SessionStarted{sess.info})
	return e, nil
}

// chooseModel finds the model and thinking level to start with.
func (e *Engine) chooseModel(s *session) error {
	level := e.o.Thinking
	switch {
	case e.o.Model != "":
		m, l, err := FindModel(e.host.o.Providers, e.o.Model)
		if err != nil {
			return err
		}
		e.model = m
		if level == "" {
			level = l
		}
	case s.model != "":
		m, _, err := FindModel(e.host.o.Providers, ModelRef(s.provider+"/"+s.model))
		if err == nil {
			e.model = m
			break
		}
		e.host.o.Log.Warn("the session's model is not available; using the default", "model", s.provider+"/"+s.model)
		fallthrough
	default:
		known := e.host.KnownModels()
		if len(known) == 0 {
			return fmt.Errorf("no model is configured: name one with --model: %w", ErrUnknownModel)
		}
		e.model = known[0]
	}
	if level == "" {
		level = s.thinking
	}
	if level == "" {
		level = "medium"
	}
	e.thinking = e.model.Clamp(level)
	return nil
}

// Subscribe adds another sink to the engine's events.
func (e *Engine) Subscribe(s Sink) (cancel func()) { return e.bus.Subscribe(s) }

// Host returns the host of the engine.
func (e *Engine) Host() *Host { return e.host }

// Prompt queues a turn. When it returns, Abort finds that turn. It fails with ErrEmptyPrompt, ErrOverloaded or ErrClosed.
func (e *Engine) Prompt(in Input) (TurnID, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.promptLocked(in)
}

func (e *Engine) promptLocked(in Input) (TurnID, error) {
	switch {
	case in.Text == "" && len(in.Images) == 0:
		return 0, ErrEmptyPrompt
	case e.closed:
		return 0, ErrClosed
	case len(e.queue) >= maxQueued:
		return 0, ErrOverloaded
	}
	e.lastTurn++
	t := &turn{id: e.lastTurn, input: in, asked: e.asksLocked()}
	t.ctx, t.cancel = context.WithCancelCause(e.ctx)
	e.enqueueLocked(item{turn: t})
	return t.id, nil
}

// Abort ends the turn that runs, or the accepted one that runs next. Those behind it stay. If that turn is being ended already, a
// second Abort is for the first turn that was accepted after the one before, if there is one: whoever sends a prompt and an
// abort behind it means that prompt, and whoever sends an abort twice does not mean what had been queued. It returns at
// once.
func (e *Engine) Abort() {
	e.mu.Lock()
	defer e.mu.Unlock()
	var spared TurnID // turns up to this one were there at an earlier abort
	for _, it := range e.queue {
		switch t := it.turn; {
		case t == nil || t.ended:
		case t.ctx.Err() != nil:
			spared = max(spared, t.abortedAt)
		case t.id > spared:
			t.abortedAt = e.lastTurn
			t.cancel(ErrAborted)
			return
		}
	}
}

// AbortTurn ends the turn with that id, if it is under way. It returns at once.
func (e *Engine) AbortTurn(id TurnID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, it := range e.queue {
		if t := it.turn; t != nil && t.id == id && !t.ended {
			t.abortedAt = e.lastTurn
			t.cancel(ErrAborted)
		}
	}
}

// AbortAll ends every turn that has been accepted. It returns at once.
func (e *Engine) AbortAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancelAllLocked(ErrAborted)
}

func (e *Engine) cancelAllLocked(cause error) {
	for _, it := range e.queue {
		if it.turn != nil && !it.turn.ended {
			it.turn.abortedAt = e.lastTurn
			it.turn.cancel(cause)
		}
	}
}

func (e *Engine) busyLocked() bool {
	return slices.ContainsFunc(e.queue, func(it item) bool { return it.turn != nil && !it.turn.ended })
}

// Hangup tells that nobody will answer any more: the approval that waits, and any later one, is denied.
func (e *Engine) Hangup() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hungUp = true
	if e.pending != nil {
		e.pending.withdraw()
	}
}

func (e *Engine) shutdown(cause error) {
	e.mu.Lock()
	e.closed = true
	e.cancelAllLocked(cause)
	e.mu.Unlock()
	e.Hangup()
	e.AbortShell()
}

// close waits for the worker, then closes the session.
func (e *Engine) close() error {
	e.stop(ErrShutdown)
	e.wg.Wait()
	if err := e.wait(context.Background()); err != nil {
		return err
	}
	return e.session.log.Close()
}
