package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/history"
	"github.com/understudy-rpc/understudy/controller/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// morning is when the tests' pages are looked at: the time for which the answers
// that stand in testdata of package console were made.
var morning = time.Date(2026, 11, 30, 2, 3, 12, 0, time.UTC)

// answer is a controller's answer about a chain, as the console's tests have it.
func answer(t testing.TB, name string) wire.Chain {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../controller/console/testdata", name+".json"))
	require.NoError(t, err)
	var c wire.Chain
	require.NoError(t, json.Unmarshal(data, &c))
	return c
}

// fakeView is a View whose chains a test sets, and an Operator that takes down
// orders.
type fakeView struct {
	mu      sync.Mutex
	chains  []wire.Chain
	missing []error
	// orders are those that were given.
	orders []string
	// refusal is what becomes of an order; nil: it is carried out.
	refusal error
	// read counts the calls of Events.
	read int
}

func (v *fakeView) Chains() []wire.Chain {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.chains)
}

func (v *fakeView) Chain(name string) (wire.Chain, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.IndexFunc(v.chains, func(c wire.Chain) bool { return c.Chain == name })
	if i < 0 {
		return wire.Chain{}, false
	}
	return v.chains[i], true
}

func (v *fakeView) Events(chain string, _ time.Time, limit int) []wire.Event {
	c, _ := v.Chain(chain)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.read++
	return c.Events[:min(len(c.Events), limit)]
}

// History is a latency that rises and falls, and some failures.
func (v *fakeView) History(_, provider string) []history.Sample {
	var all []history.Sample
	for i := range history.Points {
		latency := 40 + 12*float64(i%7)
		s := history.Sample{Time: morning.Add(time.Duration(i-history.Points) * history.Step), LatencyMS: &latency, Good: true}
		if provider == "quicknode" && i > 100 {
			s.LatencyMS, s.Good = nil, false
		}
		all = append(all, s)
	}
	return all
}

func (v *fakeView) Ready() []error { return v.missing }

func (v *fakeView) order(what, chain, provider string, o api.Order) error {
	c, known := v.Chain(chain)
	switch {
	case !known:
		return api.ErrUnknownChain
	case provider != "" && !slices.ContainsFunc(c.Providers, func(p wire.Provider) bool { return p.Name == provider }):
		return api.ErrUnknownProvider
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.refusal != nil {
		return v.refusal
	}
	v.orders = append(v.orders, strings.TrimSpace(fmt.Sprintf("%s %s/%s %s %s", what, chain, provider, o.For, o.Reason)))
	for i := range v.chains {
		for j := range v.chains[i].Providers {
			if p := &v.chains[i].Providers[j]; v.chains[i].Chain == chain && p.Name == provider {
				p.Drained = nil
				if what == orderDrain {
					p.Drained = &wire.Drain{Reason: o.Reason, Since: morning}
				}
			}
		}
	}
	return nil
}

func (v *fakeView) Drain(_ context.Context, chain, provider string, o api.Order) error {
	return v.order(orderDrain, chain, provider, o)
}

func (v *fakeView) Undrain(_ context.Context, chain, provider string) error {
	return v.order(orderUndrain, chain, provider, api.Order{})
}

func (v *fakeView) Pin(_ context.Context, chain, provider string, o api.Order) error {
	return v.order(orderPin, chain, provider, o)
}

func (v *fakeView) Unpin(_ context.Context, chain string) error {
	return v.order(orderUnpin, chain, "", api.Order{})
}

func (v *fakeView) Failback(_ context.Context, chain string) error {
	return v.order(orderFailback, chain, "", api.Order{})
}

// fakeGuard trusts whom a test says, or has a token.
type fakeGuard struct {
	token   string
	trusted bool
	origins *http.CrossOriginProtection
}

func (g fakeGuard) NeedsToken() bool                  { return g.token != "" }
func (g fakeGuard) IsToken(text string) bool          { return g.token != "" && text == g.token }
func (g fakeGuard) Trusts(*http.Request) bool         { return g.trusted }
func (g fakeGuard) CheckOrigin(r *http.Request) error { return g.origins.Check(r) }

// statusPage is the page of chains, with a guard.
func statusPage(t testing.TB, g fakeGuard, chains ...wire.Chain) (*Web, *fakeView) {
	t.Helper()
	v := &fakeView{chains: chains}
	g.origins = http.NewCrossOriginProtection()
	w, err := New(Options{
		View: v, Operator: v, Guard: g, Now: func() time.Time { return morning }, Version: "1.2.3",
		Links: []Link{{"Metrics", "metrics"}},
	})
	require.NoError(t, err)
	return w, v
}

// get asks for a page.
func get(t testing.TB, w http.Handler, path string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for _, c := range cookies {
		r.AddCookie(c)
	}
	answered := httptest.NewRecorder()
	w.ServeHTTP(answered, r)
	return answered
}
