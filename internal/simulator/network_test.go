package simulator_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestNetworkFollowsAScriptInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chain := simulator.NewChain(simulator.ChainOptions{Name: "eth", Kind: config.EVM, BlockTime: time.Second})
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "a", Type: config.EVMRPC, Script: simulator.Script{Phases: []simulator.Phase{
			{From: 10 * time.Second, Behaviour: simulator.Behaviour{Mode: simulator.ModeRefuse}},
			{From: 20 * time.Second, Behaviour: simulator.Behaviour{Mode: simulator.ModeReset}},
			{From: 30 * time.Second, Behaviour: simulator.Behaviour{Mode: simulator.ModeHang}},
			{From: 40 * time.Second, Behaviour: simulator.Behaviour{Latency: 3 * time.Second}},
		}}})
		var network simulator.Network
		defer func() { require.NoError(t, network.Close()) }()
		url, err := network.Listen(p, "a.example")
		require.NoError(t, err)
		ask := func() (string, error) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`)
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
			require.NoError(t, err)
			response, err := network.Client().Do(request)
			if err != nil {
				return "", err
			}
			defer func() { require.NoError(t, response.Body.Close()) }()
			answer, err := io.ReadAll(response.Body)
			return string(answer), err
		}
		answer, err := ask()
		require.NoError(t, err)
		require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":"0x3e8"}`, answer)

		time.Sleep(10 * time.Second)
		synctest.Wait()
		_, err = ask()
		require.ErrorIs(t, err, syscall.ECONNREFUSED)

		time.Sleep(10 * time.Second)
		synctest.Wait()
		_, err = ask()
		require.ErrorIs(t, err, syscall.ECONNRESET)

		time.Sleep(10 * time.Second)
		synctest.Wait()
		_, err = ask()
		require.ErrorIs(t, err, context.DeadlineExceeded)

		time.Sleep(5 * time.Second)
		synctest.Wait()
		before := time.Now()
		answer, err = ask()
		require.NoError(t, err)
		require.Equal(t, 3*time.Second, time.Since(before))
		require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":"0x413"}`, answer)

		_, err = network.Client().Get("http://b.example/")
		var unknown *net.DNSError
		require.ErrorAs(t, err, &unknown)
		require.True(t, unknown.IsNotFound)
	})
}
