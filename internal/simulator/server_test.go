package simulator_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestManyProvidersUnderOnePort(t *testing.T) {
	t.Parallel()
	var server simulator.Server
	defer func() { require.NoError(t, server.Close()) }()
	chain := newChain(config.Bitcoin)
	client := &http.Client{Transport: &http.Transport{}}
	urls := map[string]string{}
	for i := range 50 {
		name := fmt.Sprintf("p/%d", i)
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: name, Type: config.EsploraREST, Prefix: "/api", Behaviour: simulator.Behaviour{Lag: int64(i)}})
		url, err := server.Mount(p)
		require.NoError(t, err)
		urls[name] = url
		_, err = server.Mount(p)
		require.EqualError(t, err, `provider "`+name+`" of chain "bitcoin" is mounted already`)
	}
	read := func(url string) (int, string) {
		response, err := client.Get(url)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode, string(body)
	}
	for i := range 50 {
		_, body := read(urls[fmt.Sprintf("p/%d", i)] + "/blocks/tip/height")
		require.Equal(t, fmt.Sprint(1000-i), body)
	}
	base, _, _ := strings.Cut(urls["p/0"], "/bitcoin/")
	for _, path := range []string{"/", "/bitcoin", "/bitcoin/", "/bitcoin/nosuch/api/blocks/tip/height", "//", "/bitcoin/p%2F0/blocks/tip/height"} {
		status, _ := read(base + path)
		require.Equal(t, http.StatusNotFound, status, path)
	}
}

func TestAMountedProviderResetsWhereItCannotRefuse(t *testing.T) {
	t.Parallel()
	var server simulator.Server
	defer func() { require.NoError(t, server.Close()) }()
	url, err := server.Mount(newProvider(config.EVMRPC, simulator.Behaviour{Mode: simulator.ModeRefuse}))
	require.NoError(t, err)
	_, _, err = fetch(t.Context(), &http.Client{Transport: &http.Transport{}}, url)
	require.ErrorIs(t, err, syscall.ECONNRESET)
}

func TestProvidersThatStandUnderAKey(t *testing.T) {
	t.Parallel()
	p := simulator.NewProvider(newChain(config.EVM), simulator.ProviderOptions{Name: "a", Type: config.EVMRPC, Prefix: "/v3/key"})
	require.Equal(t, http.StatusOK, postTo(p, "/v3/key", blockNumber).status)
	for _, path := range []string{"/v3/other", "/v3/keys", "/"} {
		require.Equal(t, http.StatusNotFound, postTo(p, path, blockNumber).status, path)
	}
	var network simulator.Network
	defer func() { require.NoError(t, network.Close()) }()
	url, err := network.Listen(p, "a.example")
	require.NoError(t, err)
	require.Equal(t, "http://a.example/v3/key", url)
	_, err = network.Listen(p, "a.example")
	require.EqualError(t, err, "host a.example is taken")
}

// Closing ends what hangs, and nothing can be opened afterwards.
func TestCloseWaitsForNobody(t *testing.T) {
	t.Parallel()
	var server simulator.Server
	var network simulator.Network
	var hanging sync.WaitGroup
	for i, mode := range []simulator.Mode{simulator.ModeHang, simulator.ModeStall, simulator.ModeEndless, simulator.ModeDrip} {
		p := newProvider(config.EVMRPC, simulator.Behaviour{Mode: mode, Interval: time.Hour})
		own, err := server.Listen(p)
		require.NoError(t, err)
		q := simulator.NewProvider(newChain(config.EVM), simulator.ProviderOptions{
			Name: fmt.Sprint(i), Type: config.EVMRPC, Behaviour: simulator.Behaviour{Mode: mode, Interval: time.Hour},
		})
		shared, err := server.Mount(q)
		require.NoError(t, err)
		r := newProvider(config.EVMRPC, simulator.Behaviour{Mode: mode, Interval: time.Hour})
		memory, err := network.Listen(r, fmt.Sprintf("%d.example", i))
		require.NoError(t, err)
		for provider, url := range map[*simulator.Provider]string{p: own, q: shared, r: memory} {
			client := &http.Client{Transport: &http.Transport{}}
			if provider == r {
				client = network.Client()
			}
			hanging.Go(func() {
				response, err := client.Post(url, "application/json", strings.NewReader(blockNumber))
				if err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
			})
			require.Eventually(t, func() bool { return provider.Requests() == 1 }, time.Minute, time.Millisecond)
		}
	}
	require.NoError(t, server.Close())
	require.NoError(t, server.Close(), "twice is once")
	require.NoError(t, network.Close())
	hanging.Wait()
	p := newProvider(config.EVMRPC, simulator.Behaviour{})
	_, err := server.Listen(p)
	require.EqualError(t, err, "the simulator is closed")
	_, err = server.Mount(p)
	require.EqualError(t, err, "the simulator is closed")
	_, err = network.Listen(p, "a.example")
	require.EqualError(t, err, "the simulator is closed")
	_, err = network.DialContext(context.Background(), "tcp", "0.example:80")
	require.Error(t, err)
}

// A provider may change while it is asked.
func TestBehaviourChangesWhileRequestsRun(t *testing.T) {
	t.Parallel()
	var server simulator.Server
	defer func() { require.NoError(t, server.Close()) }()
	p := newProvider(config.EVMRPC, simulator.Behaviour{})
	url, err := server.Listen(p)
	require.NoError(t, err)
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for range 50 {
				_, _, _ = fetch(t.Context(), client, url)
			}
		})
	}
	for i := range 100 {
		p.SetBehaviour(simulator.Behaviour{Lag: int64(i), Mode: []simulator.Mode{simulator.ModeGood, simulator.ModeRefuse, simulator.ModeReset}[i%3]})
		p.Chain().Advance(1)
	}
	running.Wait()
	p.SetBehaviour(simulator.Behaviour{})
	status, _, err := fetch(t.Context(), &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, url)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
}
