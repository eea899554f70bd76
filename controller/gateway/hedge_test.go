package gateway

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestHedging(t *testing.T) {
	t.Parallel()
	o := Options{HedgeAfter: 300 * time.Millisecond, AttemptTimeout: 5 * time.Second}
	slow := func(d time.Duration, then answering) answering {
		return func(r *http.Request, b []byte) (*http.Response, error) {
			select {
			case <-time.After(d):
				return then(r, b)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}
	}
	for name, c := range map[string]struct {
		a, b   answering
		method string
		from   string
		took   time.Duration
		asked  int
	}{
		"a fast answer asks nobody else":            {goodAnswer, goodAnswer, "eth_call", "a", 0, 0},
		"a slow one is overtaken":                   {slow(2*time.Second, goodAnswer), goodAnswer, "eth_call", "b", 300 * time.Millisecond, 1},
		"the first one may still win":               {slow(400*time.Millisecond, goodAnswer), slow(time.Second, goodAnswer), "eth_call", "a", 400 * time.Millisecond, 1},
		"a failure starts the next one at once":     {refuses, goodAnswer, "eth_call", "b", 0, 1},
		"a bad hedge does not end the first":        {slow(time.Second, goodAnswer), refuses, "eth_call", "a", time.Second, 1},
		"a signed transaction is not sent in pairs": {slow(2*time.Second, goodAnswer), goodAnswer, "eth_sendRawTransaction", "a", 2 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, config.EVMRPC, 2, o)
				w.a().set(c.a)
				w.b().set(c.b)
				begin := time.Now()
				rec := w.call(c.method)
				require.Equal(t, 200, rec.Code)
				require.Equal(t, c.from, rec.Header().Get(ProviderHeader))
				require.Equal(t, c.took, time.Since(begin))
				require.Equal(t, c.asked, w.b().asked())
				w.gateway.Close()
				require.Zero(t, w.state().Endpoints[0].ConsecutiveFailures*boolInt(c.from == "b" && c.took > 0), "a loser has no verdict")
			})
		})
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
