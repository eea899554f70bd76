package gateway

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestUnknownChainsAndVerbs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 1, Options{})
	for _, c := range []struct {
		verb, path string
		status     int
	}{
		{"POST", "/rpc/nowhere", 404},
		{"GET", "/rpc/nowhere/x", 404},
		{"PUT", "/rpc/c", 405},
		{"DELETE", "/rpc/c/x", 405},
		{"GET", "/rpc/c", 405},
		{"GET", "/rpc/c/status", 405},
	} {
		rec := w.do(c.verb, c.path, "")
		require.Equal(t, c.status, rec.Code, c)
		require.Equal(t, "application/problem+json", rec.Header().Get("Content-Type"))
	}
	require.Zero(t, w.a().asked())
}

func TestNobodyMayAnswer(t *testing.T) {
	t.Parallel()
	t.Run("in JSON-RPC", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 1, Options{})
		w.router.change(theChain, func(r *Route) { r.Endpoints, r.Active = nil, "" })
		rec := w.post(`{"id":"x\u0041","method":"eth_chainId"}`)
		require.Equal(t, 503, rec.Code)
		require.Contains(t, rec.Body.String(), `"id":"x\u0041"`)
		require.Contains(t, rec.Body.String(), "chain c has no provider that may answer now")
	})
	t.Run("in a batch", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 1, Options{})
		w.router.change(theChain, func(r *Route) { r.Endpoints, r.Active = nil, "" })
		rec := w.post(`[{"id":1,"method":"eth_chainId"},{"id":2,"method":"eth_chainId"}]`)
		require.Equal(t, 503, rec.Code)
		require.Contains(t, rec.Body.String(), `"id":1`)
		require.Contains(t, rec.Body.String(), `"id":2`)
	})
	t.Run("by path", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EsploraREST, 1, Options{})
		w.a().set(refuses)
		rec := w.do("GET", "/rpc/c/blocks/tip/height", "")
		require.Equal(t, 503, rec.Code)
		require.Equal(t, "application/problem+json", rec.Header().Get("Content-Type"))
	})
}
