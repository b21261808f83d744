package core

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// HostOptions say what the engines of a Host work with. Zero fields mean defaults.
type HostOptions struct {
	Providers []Provider
	Tools     []Tool
	Shell     Shell // runs the user's own commands; nil: there are none
	Store     Store
	Approver  Approver // default: that of ApproveReads
	Export    Exporter // nil: sessions cannot be exported

	System          string        // system prompt
	Cwd             string        // the workspace, absolute
	MaxSteps        int           // requests to the model in one turn at most; 0: no limit
	Reserve         int           // tokens kept free for a reply; default 8192
	TokenBudget     int           // tokens of the context, in place of the model's window; 0: the window
	ApprovalTimeout time.Duration // an unanswered approval is denied after it; 0: never
	Retry           RetryPolicy
	Log             *slog.Logger // default: nothing is logged
}

// A Host holds what engines share: models, tools, the store. Its methods may be called from many goroutines at once.
type Host struct {
	o HostOptions

	mu      sync.Mutex
	engines []*Engine
}

// NewHost returns a Host. The caller closes it.
func NewHost(o HostOptions) *Host {
	if o.Reserve == 0 {
		o.Reserve = 8192
	}
	if o.Approver == nil {
		o.Approver = ApproveReads.Approver()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Retry = o.Retry.withDefaults()
	return &Host{o: o}
}

// Tools describes the tools, in the order in which models see them.
func (h *Host) Tools() []ToolSpec {
	specs := make([]ToolSpec, len(h.o.Tools))
	for i, t := range h.o.Tools {
		specs[i] = t.Spec()
	}
	return specs
}

// Providers returns the providers, in the order in which model references are looked up.
func (h *Host) Providers() []Provider { return slices.Clone(h.o.Providers) }

// Local reports whether the models of every provider are known without asking a server.
func (h *Host) Local() bool {
	return !slices.ContainsFunc(h.o.Providers, func(p Provider) bool { _, remote := p.(interface{ Known() []Model }); return remote })
}

// Sessions returns the stored sessions of the workspace, the one written last first.
func (h *Host) Sessions(ctx context.Context) ([]SessionSummary, error) {
	return h.o.Store.List(ctx, h.o.Cwd)
}

// KnownModels lists the models that are known without asking a server, sorted by provider as configured. A provider whose
// Models asks one has the method Known as well.
func (h *Host) KnownModels() []Model {
	var models []Model
	for _, p := range h.o.Providers {
		if k, ok := p.(interface{ Known() []Model }); ok {
			models = append(models, k.Known()...)
		} else if ms, err := p.Models(context.Background()); err == nil {
			models = append(models, ms...)
		}
	}
	return models
}

// A ProviderStatus is a provider's answer to a request for its models.
type ProviderStatus struct {
	Name     string
	External bool
	Models   []Model
	Err      error // why it cannot be reached
}

// Ask lists the models of every provider. Providers are asked side by side; ctx bounds the time.
func (h *Host) Ask(ctx context.Context) []ProviderStatus {
	all := make([]ProviderStatus, len(h.o.Providers))
	var wg sync.WaitGroup
	for i, p := range h.o.Providers {
		wg.Go(func() {
			models, err := p.Models(ctx)
			all[i] = ProviderStatus{Name: p.Name(), Models: models, Err: err}
			if e, ok := p.(interface{ External() bool }); ok {
				all[i].External = e.External()
			}
		})
	}
	wg.Wait()
	return all
}

// Wait returns when no engine has anything left to do, or ctx's error.
func (h *Host) Wait(ctx context.Context) error {
	for _, e := range h.all() {
		if err := e.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Shutdown ends every turn, running and waiting, with cause; each still reports its end. No engine takes commands any more.
func (h *Host) Shutdown(cause error) {
	for _, e := range h.all() {
		e.shutdown(cause)
	}
}

// Close ends what runs, waits for it, and closes the sessions.
func (h *Host) Close() error {
	h.Shutdown(ErrShutdown)
	var first error
	for _, e := range h.all() {
		if err := e.close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (h *Host) all() []*Engine {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.engines)
}

func (h *Host) tool(name string) (Tool, bool) {
	for _, t := range h.o.Tools {
		if t.Spec().Name == name {
			return t, true
		}
	}
	return nil, false
}
