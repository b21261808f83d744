package jsonrpc_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dualagent/agent/core"
	. "github.com/dualagent/agent/core/coretest"
)

// A shelf is a store with a list of its own.
type shelf struct {
	*Store
	list []core.SessionSummary
	err  error
}

func (s shelf) List(context.Context, string) ([]core.SessionSummary, error) {
	return slices.Clone(s.list), s.err
}

func hostWith(t *testing.T, store core.Store) *core.Host {
	h := core.NewHost(core.HostOptions{Providers: []core.Provider{NewProvider()}, Store: store, Cwd: "/work"})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return h
}

const list = `{"jsonrpc":"2.0","method":"listSessions","id":1}`

// TestListSessions: the session in use has no file yet, and still is in its place.
func TestListSessions(t *testing.T) {
	now := time.Now()
	got := serve(t, hostWith(t, shelf{Store: &Store{}, list: []core.SessionSummary{
		{Path: "later", Modified: now.Add(time.Hour), Size: 2047, Entries: 3}, {Path: "old", Modified: time.Unix(1760000100, 5e8), Size: 2048},
	}}), list)
	if len(got) != 1 {
		t.Fatalf("got %q", got)
	}
	before, rest, ok := strings.Cut(got[0], `{"path":"mem:`)
	_, after, ok2 := strings.Cut(rest, `},`)
	if !ok || !ok2 || !strings.Contains(before, `{"path":"later","mtimeSecs":`) || !strings.HasSuffix(before, `,"sizeKb":1,"entryCount":3},`) ||
		after != `{"path":"old","mtimeSecs":1760000100,"sizeKb":2,"entryCount":0}]}}` {
		t.Errorf("got %s, want later, the session in use, old", got[0])
	}
	got = serve(t, hostWith(t, shelf{Store: &Store{}, err: errors.New("no disk")}), list)
	want(t, got, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no disk"}}`)
}

// unkept is a store that keeps nothing.
type unkept struct{ *Store }

func (s unkept) Create(ctx context.Context, h core.Header) (core.Log, error) {
	log, err := s.Store.Create(ctx, h)
	return nameless{log}, err
}

func (unkept) List(context.Context, string) ([]core.SessionSummary, error) { return nil, nil }

type nameless struct{ core.Log }

func (nameless) Path() string { return "" }

func TestListSessionsWhereNoneIsKept(t *testing.T) {
	want(t, serve(t, hostWith(t, unkept{&Store{}}), list), `{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}`)
}

// TestStatsBreakDown: roles, resolutions and phases are of the same estimate.
func TestStatsBreakDown(t *testing.T) {
	h := newHost(t, []core.Tool{&Tool{Name: "a"}}, Reply(Call(0, "1", "a", "{}"), Use(100, 10)), Reply(Say("12345678"), Use(130, 5)))
	got := serve(t, h, `{"jsonrpc":"2.0","method":"prompt","params":{"message":"1234"},"id":1}`+"\n"+
		`{"jsonrpc":"2.0","method":"getSessionStats","id":2}`+"\n")
	want(t, got[len(got)-1:], `{"jsonrpc":"2.0","id":2,"result":{"contextWindow":100000,"completionReserve":8192,`+
		`"estimatedUsed":135,"estimatedRemaining":91673,"utilizationPercent":0,"messageCount":5,"entryCount":6,"pathEntryCount":6,`+
		`"compactedEntryCount":0,"compactionTokens":0,"roleTokens":{"system":2,"user":5,"assistant":10,"tool":5},`+
		`"resolutionTokens":{"full":22,"outlined":0,"summarized":0,"pinned":0},`+
		`"phaseTokens":{"exploration":0,"execution":0,"verification":0,"conclusion":0,"unclassified":20},`+
		`"apiUsage":{"totalInputTokens":230,"totalOutputTokens":15,"totalCachedTokens":0,"totalTokens":245,"totalCost":0,"requestCount":2}}}`)
}

func TestResumeSession(t *testing.T) {
	store := &Store{}
	if _, err := store.Create(context.Background(), core.Header{ID: "stored", Cwd: "/elsewhere"}); err != nil {
		t.Fatal(err)
	}
	got := serve(t, hostWith(t, store), `{"jsonrpc":"2.0","method":"resumeSession","params":{"path":"mem:stored"},"id":1}`+"\n"+
		`{"jsonrpc":"2.0","method":"resumeSession","params":["mem:none"],"id":2}`+"\n"+
		`{"jsonrpc":"2.0","method":"resumeSession","params":{},"id":3}`+"\n"+
		`{"jsonrpc":"2.0","method":"getState","id":4}`+"\n")
	want(t, got,
		`{"jsonrpc":"2.0","id":1,"result":{"path":"mem:stored","model":"one","cwd":"/elsewhere","entryCount":0}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"failed to open session: open mem:none: no such session"}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"resumeSession requires a non-empty 'path' param"}}`,
		`{"jsonrpc":"2.0","id":4,"result":{"model":"one","provider":"test","cwd":"/elsewhere","messageCount":0}}`)
}
