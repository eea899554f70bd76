package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/client"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// fakeController answers as a controller does: with ETags, and late if it is
// asked to wait for an index. A test may put any handler in front of it.
type fakeController struct {
	mu        sync.Mutex
	active    wire.Active
	providers []wire.Provider
	changed   chan struct{}
	instead   http.Handler
	asked     []*http.Request
	// noWait answers at once whatever is asked, as a server without long polls does.
	noWait bool
}

func newFakeController(a wire.Active, providers ...wire.Provider) *fakeController {
	return &fakeController{active: a, providers: providers, changed: make(chan struct{})}
}

// say sets the answer and lets those who wait know.
func (f *fakeController) say(a wire.Active, providers ...wire.Provider) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = a
	if providers != nil {
		f.providers = providers
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// breaks puts a handler in front of everything, or, with nil, takes it away.
func (f *fakeController) breaks(h http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.instead = nil
	if h != nil {
		f.instead = h
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// questions is how often something was asked.
func (f *fakeController) questions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

// last is the latest question.
func (f *fakeController) last() *http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[len(f.asked)-1]
}

func (f *fakeController) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, r)
	instead := f.instead
	chain := f.active.Chain
	f.mu.Unlock()
	switch {
	case instead != nil:
		instead.ServeHTTP(w, r)
	case r.URL.Path == "/thorchain/providers/"+chain:
		f.mu.Lock()
		defer f.mu.Unlock()
		answer(w, http.StatusOK, wire.Chain{Chain: chain, Providers: f.providers})
	case r.URL.Path == "/active/"+chain:
		f.serveActive(w, r)
	default:
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(wire.Problem{Detail: "no such chain"})
	}
}

func (f *fakeController) serveActive(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	index, _ := strconv.ParseUint(r.URL.Query().Get("index"), 10, 64)
	wait, _ := time.ParseDuration(r.URL.Query().Get("wait"))
	if index == f.active.Index && wait > 0 && !f.noWait {
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(wait):
		case <-r.Context().Done():
		}
		f.mu.Lock()
	}
	a := f.active
	instead := f.instead
	f.mu.Unlock()
	if instead != nil {
		instead.ServeHTTP(w, r)
		return
	}
	etag := fmt.Sprintf(`"%d-%d-%s"`, a.Index, a.Generation, a.Since)
	w.Header().Set("Etag", etag)
	switch {
	case r.Header.Get("If-None-Match") == etag:
		w.WriteHeader(http.StatusNotModified)
	case a.State == wire.StateNone:
		answer(w, http.StatusServiceUnavailable, a)
	default:
		answer(w, http.StatusOK, a)
	}
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// inProcess carries requests to handlers by host without a network, so that time
// in a synctest bubble can pass.
type inProcess map[string]http.Handler

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	h, ok := p[r.URL.Host]
	if !ok {
		return nil, &dialError{host: r.URL.Host}
	}
	rec := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(rec, r.Clone(r.Context()))
	}()
	select {
	case <-done:
		return rec.Result(), nil
	case <-r.Context().Done():
		<-done
		return nil, r.Context().Err()
	}
}

// start is when the fake controllers of tests began.
var start = time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)

// serves is an answer with a provider whose address is http://NAME.example/.
func serves(index, generation uint64, name string, fallbacks ...string) wire.Active {
	return wire.Active{
		Chain: "btc", State: wire.StateOK, Provider: &name, Type: "bitcoin-rpc", RPCHost: address(name),
		Index: index, Generation: generation, Since: start.Add(time.Duration(generation) * time.Minute),
		Reason: "start: " + name, Fallbacks: fallbacks,
	}
}

// nobody is an answer without one.
func nobody(index, generation uint64) wire.Active {
	return wire.Active{Chain: "btc", State: wire.StateNone, Index: index, Generation: generation, Reason: "all are down"}
}

func address(name string) string { return "http://" + name + ".example" }

// known are providers with such addresses.
func known(names ...string) []wire.Provider {
	var all []wire.Provider
	for _, n := range names {
		all = append(all, wire.Provider{Name: n, Type: "bitcoin-rpc", RPCHost: address(n), Status: wire.StatusHealthy})
	}
	return all
}

// says is a provider that answers with a word.
func says(word string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, word) })
}

// newClient makes a client that asks a fake controller in process.
func newClient(t *testing.T, f *fakeController, o client.Options) *client.Client {
	t.Helper()
	o.URL = "http://controller.example"
	o.HTTPClient = &http.Client{Transport: inProcess{"controller.example": f}}
	c, err := client.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// ask sends a GET through a transport and gives the answer's body.
func ask(ctx context.Context, rt http.RoundTripper) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://btc.invalid/", http.NoBody)
	if err != nil {
		return "", err
	}
	return body((&http.Client{Transport: rt}).Do(req))
}

// post does the same with a body that can be had again.
func post(ctx context.Context, rt http.RoundTripper, text string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://btc.invalid/", strings.NewReader(text))
	if err != nil {
		return "", err
	}
	return body((&http.Client{Transport: rt}).Do(req))
}
