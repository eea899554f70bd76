package demo_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/demo"
)

// lone is one provider of the built-in script.
func lone(t *testing.T, chain, provider string) *demo.Lone {
	t.Helper()
	s, err := demo.Default()
	require.NoError(t, err)
	l, err := s.Lone(chain, provider)
	require.NoError(t, err)
	return l
}

// block is what a provider says of a block.
func block(t *testing.T, l http.Handler, number string) string {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["`+number+`",false]}`))
	r.Header.Set("Content-Type", "application/json")
	l.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	require.NoError(t, err)
	return string(body)
}

func TestLoneProvidersOfOneChainAgreeWhereverTheyRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(27 * 365 * 24 * time.Hour) // The bubble begins in the year 2000.
		early := lone(t, "eth", "vendor-a")
		time.Sleep(time.Hour)
		late := lone(t, "eth", "vendor-b")
		tip := block(t, early, "latest")
		require.Contains(t, tip, `"hash"`)
		require.Equal(t, tip, block(t, late, "latest"))
		time.Sleep(time.Minute)
		require.NotEqual(t, tip, block(t, late, "latest"))
	})
}

func TestALoneProviderFailsByTheScriptAgainAndAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(27 * 365 * 24 * time.Hour)
		l := lone(t, "soroban", "primary")
		told := make(chan demo.Fault, 100)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			l.Play(ctx, func(s demo.Step) { told <- s.Fault })
			close(ended)
		}()
		time.Sleep(3 * 330 * time.Second)
		cancel()
		<-ended
		close(told)
		seen := map[demo.Fault]int{}
		for fault := range told {
			seen[fault]++
		}
		require.GreaterOrEqual(t, seen[demo.RateLimit], 2)
		require.GreaterOrEqual(t, seen[demo.Hang], 2)
		require.GreaterOrEqual(t, seen[demo.None], 4)
	})
}

func TestAProviderThatIsNotInTheScriptIsRefused(t *testing.T) {
	t.Parallel()
	s, err := demo.Default()
	require.NoError(t, err)
	_, err = s.Lone("eth", "nobody")
	require.EqualError(t, err, "the script has no provider eth/nobody")
}
