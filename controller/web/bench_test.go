package web

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// fleet is a hundred chains of five providers.
func fleet(t testing.TB) []wire.Chain {
	t.Helper()
	var all []wire.Chain
	for i := range 100 {
		c := answer(t, "failover")
		c.Chain = fmt.Sprintf("chain%02d", i)
		for j := len(c.Providers); j < 5; j++ {
			p := c.Providers[1]
			p.Name, p.Active = fmt.Sprintf("vendor-%d", j), false
			c.Providers = append(c.Providers, p)
		}
		if i%10 != 0 {
			c.Alerts = nil
		}
		all = append(all, c)
	}
	return all
}

func TestAHundredChainsFitIntoOnePage(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{}, fleet(t)...)
	got := get(t, w, "/")
	require.Equal(t, http.StatusOK, got.Code)
	require.Less(t, got.Body.Len(), 192<<10, "a page of 100 chains with 5 providers each")
	require.Less(t, get(t, w, "/chains/chain42").Body.Len(), 64<<10)
	require.Less(t, get(t, w, "/chains/chain42?part=row").Body.Len(), 2<<10)
}

func BenchmarkAHundredChains(b *testing.B) {
	w, _ := statusPage(b, fakeGuard{}, fleet(b)...)
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(get(b, w, "/").Body.Len()))
	}
}

func BenchmarkOneChain(b *testing.B) {
	w, _ := statusPage(b, fakeGuard{trusted: true}, fleet(b)...)
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(get(b, w, "/chains/chain42?window=24h").Body.Len()))
	}
}
