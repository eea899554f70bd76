package api

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/understudy-rpc/understudy/controller/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secrets stand in every part of an address that can hold one.
var secrets = []string{"USERSECRET", "PASSSECRET", "PATHSECRET", "QUERYSECRET"}

// address is one with all of them.
func address(host string) string {
	return "https://USERSECRET:PASSSECRET@" + host + "/v2/PATHSECRET?key=QUERYSECRET"
}

// dawn is when everything of the tests' world happened.
var dawn = time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)

// fakeView is a View whose chains a test sets.
type fakeView struct {
	mu       sync.Mutex
	index    uint64
	actives  map[string]wire.Active
	chains   map[string]wire.Chain
	gone     map[string]wire.Active
	stamps   map[string]int
	changed  chan struct{}
	watchers map[chan struct{}]struct{}
	missing  []error
	// rendered counts the calls of Active.
	rendered int
	// broken makes Chains panic.
	broken bool
}

func newFakeView() *fakeView {
	v := &fakeView{
		index: 40, actives: map[string]wire.Active{}, chains: map[string]wire.Chain{}, gone: map[string]wire.Active{}, stamps: map[string]int{},
		changed: make(chan struct{}), watchers: map[chan struct{}]struct{}{},
	}
	v.set(active("eth", "infura"))
	v.set(active("btc", "local-daemon"))
	return v
}

// active is an answer about a chain that a provider serves.
func active(chain, provider string) wire.Active {
	priority, height := 1, uint64(884213)
	return wire.Active{
		Chain: chain, State: wire.StateOK, Provider: &provider, Type: "bitcoin-rpc", RPCHost: address(provider + ".example"),
		Priority: &priority, Height: &height, Hash: "0000abcd", Generation: 7, Since: dawn,
		Reason: "failover: quicknode down (timeout)", Fallbacks: []string{"blockchair"}, Capabilities: []string{"wallet", "txindex"}, Gateway: "/rpc/" + chain,
	}
}

// nobody is an answer about a chain that nobody serves.
func nobody(chain string) wire.Active {
	return wire.Active{Chain: chain, State: wire.StateNone, Generation: 8, Since: dawn, Reason: "no provider is healthy", LastProvider: "local-daemon"}
}

// details are a chain as it goes with an answer.
func details(a wire.Active) wire.Chain {
	height, age, lag, latency := uint64(884213), 212.4, int64(0), 3.1
	return wire.Chain{
		Chain: a.Chain, Active: a.Provider, State: a.State, Reason: a.Reason, Generation: a.Generation, Index: a.Index, Since: a.Since,
		Tip: wire.Tip{Height: &height, Source: wire.TipConsensus, AgeSeconds: &age}, Healthy: 1, Total: 2,
		Evaluator: wire.Evaluator{Source: "local", Since: dawn},
		Providers: []wire.Provider{
			{
				Name: "local-daemon", Type: "bitcoin-rpc", RPCHost: address("local-daemon.example"), Priority: 1, Status: wire.StatusHealthy, Active: true,
				Since: dawn, Reason: "proven", BlockHeight: &height, BlockLag: &lag, LatencyMS: &latency, Identified: true,
				Recovery: wire.Recovery{Required: 3}, Capabilities: []string{"wallet"},
			},
			{
				Name: "quicknode", Type: "bitcoin-rpc", RPCHost: address("quicknode.example"), Priority: 2, Status: wire.StatusUnhealthy, Since: dawn, Reason: "ProviderDown",
				Alerts: []wire.Alert{{Name: "ProviderDown", FailureMode: "down", Source: "local", Since: dawn, Summary: "quicknode is down", Evidence: true, Counts: true}},
			},
		},
	}
}

// set changes who serves a chain.
func (v *fakeView) set(a wire.Active) {
	v.change(func() {
		v.index++
		a.Index = v.index
		v.actives[a.Chain] = a
		v.chains[a.Chain] = details(a)
		delete(v.gone, a.Chain)
	}, a.Chain)
}

// grow changes a height, which is no change of the index.
func (v *fakeView) grow(chain string, height uint64) {
	v.change(func() {
		a := v.actives[chain]
		a.Height = &height
		v.actives[chain] = a
	}, chain)
}

// blind says whether no exporter answers, which is no change of the index.
func (v *fakeView) blind(stale bool) {
	for _, chain := range []string{"btc", "eth"} {
		v.change(func() {
			a := v.actives[chain]
			a.Stale = stale
			v.actives[chain] = a
		}, chain)
	}
}

// edit changes what is known of a chain.
func (v *fakeView) edit(chain string, edit func(*wire.Chain)) {
	v.change(func() {
		c := v.chains[chain]
		c.Providers = slices.Clone(c.Providers)
		edit(&c)
		v.chains[chain] = c
	}, chain)
}

// remove takes a chain out of the configuration.
func (v *fakeView) remove(chain string) {
	v.change(func() {
		v.index++
		if last, there := v.actives[chain]; there {
			v.gone[chain] = wire.Active{
				Chain: chain, State: wire.StateNone, Generation: last.Generation, Index: v.index,
				Reason: "the chain is no longer configured", LastProvider: providerOf(last),
			}
		}
		delete(v.actives, chain)
		delete(v.chains, chain)
	}, chain)
}

func (v *fakeView) change(change func(), chain string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change()
	v.stamps[chain]++
	close(v.changed)
	v.changed = make(chan struct{})
	for w := range v.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

func (v *fakeView) Actives() wire.ActiveList {
	v.mu.Lock()
	defer v.mu.Unlock()
	l := wire.ActiveList{Index: v.index}
	for _, a := range v.actives {
		l.Chains = append(l.Chains, a)
	}
	slices.SortFunc(l.Chains, func(a, b wire.Active) int { return strings.Compare(a.Chain, b.Chain) })
	return l
}

func (v *fakeView) Gone() []wire.Active {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Collect(maps.Values(v.gone))
}

func (v *fakeView) Active(chain, capability string) (wire.Active, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.rendered++
	a, ok := v.actives[chain]
	if ok && capability != "" && !slices.Contains(a.Capabilities, capability) {
		none := nobody(chain)
		none.Index = a.Index
		return none, true
	}
	return a, ok
}

func (v *fakeView) Stamp(chain string) any {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stamps[chain]
}

func (v *fakeView) Chains() []wire.Chain {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.broken {
		panic("the fake View is broken")
	}
	var chains []wire.Chain
	for _, c := range v.chains {
		chains = append(chains, c)
	}
	slices.SortFunc(chains, func(a, b wire.Chain) int { return strings.Compare(a.Chain, b.Chain) })
	return chains
}

func (v *fakeView) Chain(chain string) (wire.Chain, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	c, ok := v.chains[chain]
	c.Events = []wire.Event{{Time: dawn, Index: 41, Kind: "failover", From: "quicknode", To: "local-daemon", Reason: "quicknode down"}}
	return c, ok
}

func (v *fakeView) Index() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.index
}

func (v *fakeView) Wait(ctx context.Context, chain string, after uint64) {
	for {
		v.mu.Lock()
		a, ok := v.actives[chain]
		passed := after > v.index || chain == "" && v.index > after || chain != "" && (!ok || a.Index > after)
		changed := v.changed
		v.mu.Unlock()
		if passed {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (v *fakeView) Watch() (<-chan struct{}, func()) {
	w := make(chan struct{}, 1)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.watchers[w] = struct{}{}
	return w, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.watchers, w)
	}
}

func (v *fakeView) Ready() []error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.missing
}

// fakeOperator notes orders, and fails them with err.
type fakeOperator struct {
	mu     sync.Mutex
	orders []string
	last   Order
	err    error
	// slow keeps orders until their time is over.
	slow bool
}

func (o *fakeOperator) note(ctx context.Context, order Order, words ...string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.orders, o.last = append(o.orders, strings.Join(words, " ")), order
	if o.slow {
		<-ctx.Done()
		return ctx.Err()
	}
	return o.err
}

func (o *fakeOperator) Drain(ctx context.Context, chain, provider string, order Order) error {
	return o.note(ctx, order, "drain", chain, provider)
}

func (o *fakeOperator) Undrain(ctx context.Context, chain, provider string) error {
	return o.note(ctx, Order{}, "undrain", chain, provider)
}

func (o *fakeOperator) Pin(ctx context.Context, chain, provider string, order Order) error {
	return o.note(ctx, order, "pin", chain, provider)
}

func (o *fakeOperator) Unpin(ctx context.Context, chain string) error {
	return o.note(ctx, Order{}, "unpin", chain)
}

func (o *fakeOperator) Failback(ctx context.Context, chain string) error {
	return o.note(ctx, Order{}, "failback", chain)
}

// everybody is trusted.
func everybody(*http.Request) bool { return true }

// newAPI makes an API over fakes. Whatever is not in the options gets a default:
// everybody is trusted.
func newAPI(t testing.TB, v *fakeView, o Options) *API {
	t.Helper()
	o.View = v
	if o.Operator == nil {
		o.Operator = &fakeOperator{}
	}
	if o.Trusted == nil {
		o.Trusted = everybody
	}
	a, err := New(o)
	require.NoError(t, err)
	t.Cleanup(a.Stop)
	return a
}

// get asks for a path, with headers as pairs of name and value.
func get(a http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	return request(a, http.MethodGet, path, "", headers...)
}

// request asks with a method and a body.
func request(a http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, path, content)
	r.Host = "localhost:9477"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

// decoded is the JSON of an answer. It must have no member that the shape lacks.
func decoded[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&v), "status %d", w.Code)
	return v
}

// problemOf is the problem of an answer with a status.
func problemOf(t testing.TB, w *httptest.ResponseRecorder, status int) wire.Problem {
	t.Helper()
	require.Equal(t, status, w.Code, w.Body.String())
	require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	p := decoded[wire.Problem](t, w)
	require.Equal(t, status, p.Status)
	require.Equal(t, http.StatusText(status), p.Title)
	require.Equal(t, "about:blank", p.Type)
	require.NotEmpty(t, p.Detail)
	return p
}

// valueOf is a metric's value as it is published.
func valueOf(t testing.TB, c prometheus.Metric) float64 {
	t.Helper()
	var m dto.Metric
	require.NoError(t, c.Write(&m))
	if m.Counter != nil {
		return m.GetCounter().GetValue()
	}
	return m.GetGauge().GetValue()
}
