package chain

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// pooled makes an evm-rpc provider at an address with the connections of a pool.
func pooled(tb testing.TB, k *Pool, address string, changes ...func(*config.Chain, *config.Provider)) *Provider {
	tb.Helper()
	c, p := scriptedChain(tb, config.EVM, config.EVMRPC)
	var err error
	p.RPCHost, err = config.ParseURL(address)
	require.NoError(tb, err)
	c.Failover.RequestTimeout = patience
	for _, change := range changes {
		change(&c, &p)
	}
	made, err := k.New(c, p)
	require.NoError(tb, err)
	tb.Cleanup(made.Close)
	return made
}

func TestPool(t *testing.T) {
	t.Parallel()
	var bad atomic.Bool
	address, accepted := counted(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" && bad.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		say(200, nil, goodBlock)(w, r)
	})
	k := NewPool()
	t.Cleanup(k.Close)
	a, b := pooled(t, k, address+"/a"), pooled(t, k, address+"/b")
	ask := func(p *Provider) error { _, err := p.Observe(t.Context(), Ask{}); return err }
	for _, p := range []*Provider{a, b, a, b} {
		require.NoError(t, ask(p))
	}
	require.EqualValues(t, 1, accepted.Load(), "providers of one host share a connection")

	bad.Store(true)
	requireFailure(t, ask(a), HTTP5xx)
	require.NoError(t, ask(b))
	require.EqualValues(t, 1, accepted.Load(), "the failure of one is not the other's")
	bad.Store(false)
	require.NoError(t, ask(a))
	require.NoError(t, ask(a))
	require.EqualValues(t, 2, accepted.Load(), "who failed dials anew, once")
	require.NoError(t, ask(b))
	require.EqualValues(t, 2, accepted.Load())

	a.Close()
	b.Close()
	require.NoError(t, ask(b))
	require.EqualValues(t, 2, accepted.Load(), "the end of a provider leaves the pool alone")
	k.Close()
	require.NoError(t, ask(b))
	require.EqualValues(t, 3, accepted.Load())
}

func TestPoolIsNotForWhoAsksForMore(t *testing.T) {
	t.Parallel()
	address, accepted := counted(t, say(200, nil, goodBlock))
	k := NewPool()
	t.Cleanup(k.Close)
	for _, p := range []*Provider{
		pooled(t, k, address),
		pooled(t, k, address, func(_ *config.Chain, p *config.Provider) { p.HTTP.BearerToken = "token" }),
	} {
		_, err := p.Observe(t.Context(), Ask{})
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, accepted.Load())
	c, p := scriptedChain(t, config.EVM, config.EVMRPC)
	p.HTTP.TLSConfig.CAFile = "/nonexistent/ca.pem"
	_, err := k.New(c, p)
	require.ErrorContains(t, err, `chain "test": provider "p": `)
}

// The credentials of one must not come with the questions of another.
func TestPoolMixesNoCredentials(t *testing.T) {
	t.Parallel()
	var last atomic.Value
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		last.Store(r.Header.Get("Authorization"))
		say(200, nil, goodBlock)(w, r)
	})
	k := NewPool()
	t.Cleanup(k.Close)
	with, without := pooled(t, k, "http://user:word@"+address[len("http://"):]), pooled(t, k, address)
	for _, p := range []*Provider{with, without, with} {
		_, err := p.Observe(t.Context(), Ask{})
		require.NoError(t, err)
		require.Equal(t, p == with, last.Load() != "")
	}
}
