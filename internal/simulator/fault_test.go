package simulator_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
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

const blockNumber = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`

// reach is a way to a provider: its URL and a client that can get there. The
// client keeps no connection, so that each request sees the provider anew.
type reach struct {
	name string
	open func(t *testing.T, p *simulator.Provider) (string, *http.Client)
}

// reaches are the ways that fail as a provider of its own does.
var reaches = []reach{
	{"a port of its own", func(t *testing.T, p *simulator.Provider) (string, *http.Client) {
		var server simulator.Server
		t.Cleanup(func() { require.NoError(t, server.Close()) })
		url, err := server.Listen(p)
		require.NoError(t, err)
		return url, &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	}},
	{"a network in memory", func(t *testing.T, p *simulator.Provider) (string, *http.Client) {
		var network simulator.Network
		t.Cleanup(func() { require.NoError(t, network.Close()) })
		url, err := network.Listen(p, "a.example")
		require.NoError(t, err)
		return url, &http.Client{Transport: &http.Transport{DialContext: network.DialContext, DisableKeepAlives: true, DisableCompression: true}}
	}},
}

// fetch asks for the height, and takes up to a MiB of the answer.
func fetch(ctx context.Context, client *http.Client, url string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(blockNumber))
	if err != nil {
		return 0, "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, string(raw), errors.Join(err, response.Body.Close())
}

func TestModesOfTheConnection(t *testing.T) {
	t.Parallel()
	cases := []struct {
		mode  simulator.Mode
		check func(t *testing.T, status int, body string, err error)
	}{
		{simulator.ModeGood, func(t *testing.T, status int, body string, err error) {
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status)
			require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":"0x3e8"}`, body)
		}},
		{simulator.ModeRefuse, func(t *testing.T, _ int, _ string, err error) {
			require.ErrorIs(t, err, syscall.ECONNREFUSED)
		}},
		{simulator.ModeReset, func(t *testing.T, _ int, _ string, err error) {
			require.ErrorIs(t, err, syscall.ECONNRESET)
		}},
		{simulator.ModeClose, func(t *testing.T, _ int, _ string, err error) {
			require.ErrorIs(t, err, io.EOF)
		}},
		{simulator.ModeTruncate, func(t *testing.T, status int, body string, err error) {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, `{"jsonrpc":"2.0","id`, body)
		}},
		{simulator.ModeEndless, func(t *testing.T, status int, body string, err error) {
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status)
			require.Len(t, body, 1<<20, "it goes on")
		}},
		{simulator.ModeGzipBomb, func(t *testing.T, _ int, body string, err error) {
			require.NoError(t, err)
			z, err := gzip.NewReader(strings.NewReader(body))
			require.NoError(t, err)
			unpacked, err := io.CopyN(io.Discard, z, 64<<20)
			require.NoError(t, err)
			require.Equal(t, int64(64<<20), unpacked, "a MiB holds more than 64 of them")
		}},
	}
	for _, way := range reaches {
		for _, c := range cases {
			t.Run(way.name+"/"+string(c.mode), func(t *testing.T) {
				t.Parallel()
				url, client := way.open(t, newProvider(config.EVMRPC, simulator.Behaviour{Mode: c.mode}))
				status, body, err := fetch(t.Context(), client, url)
				c.check(t, status, body, err)
			})
		}
	}
}

// The modes that take time, by the clock of a bubble.
func TestModesThatTakeTime(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name      string
		behaviour simulator.Behaviour
		took      time.Duration
		body      string
		err       error
	}{
		{"a hang lasts until the caller gives up", simulator.Behaviour{Mode: simulator.ModeHang}, 10 * time.Second, "", context.DeadlineExceeded},
		{"a stall gives half of the body", simulator.Behaviour{Mode: simulator.ModeStall}, 10 * time.Second, `{"jsonrpc":"2.0","id`, context.DeadlineExceeded},
		{"latency passes before the answer", simulator.Behaviour{Latency: 3 * time.Second}, 3 * time.Second, `{"jsonrpc":"2.0","id":1,"result":"0x3e8"}`, nil},
		{"a drip is late with its end", simulator.Behaviour{Mode: simulator.ModeDrip}, 4 * time.Second, `{"jsonrpc":"2.0","id":1,"result":"0x3e8"}`, nil},
		{"a slow drip never gets there", simulator.Behaviour{Mode: simulator.ModeDrip, Interval: 3 * time.Second}, 10 * time.Second, `{"js`, context.DeadlineExceeded},
		{"latency too long", simulator.Behaviour{Latency: time.Minute}, 10 * time.Second, "", context.DeadlineExceeded},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var network simulator.Network
				defer func() { require.NoError(t, network.Close()) }()
				url, err := network.Listen(newProvider(config.EVMRPC, c.behaviour), "a.example")
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				before := time.Now()
				_, body, err := fetch(ctx, network.Client(), url)
				require.Equal(t, c.took, time.Since(before))
				require.Equal(t, c.body, body)
				if c.err == nil {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, c.err)
				}
			})
		})
	}
}

func TestAPortIsTheSameAfterARefusal(t *testing.T) {
	t.Parallel()
	for _, way := range reaches {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(config.EVMRPC, simulator.Behaviour{})
			url, client := way.open(t, p)
			for range 20 {
				_, _, err := fetch(t.Context(), client, url)
				require.NoError(t, err)
				p.SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
				_, _, err = fetch(t.Context(), client, url)
				require.ErrorIs(t, err, syscall.ECONNREFUSED)
				p.SetBehaviour(simulator.Behaviour{})
			}
			require.Equal(t, uint64(20), p.Requests())
		})
	}
}

func TestARefusalEndsTheConnectionsThatAreThere(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{Mode: simulator.ModeHang})
	var server simulator.Server
	defer func() { require.NoError(t, server.Close()) }()
	url, err := server.Listen(p)
	require.NoError(t, err)
	failed := make(chan error)
	client := &http.Client{Transport: &http.Transport{}}
	go func() {
		_, _, err := fetch(context.Background(), client, url)
		failed <- err
	}()
	require.Eventually(t, func() bool { return p.Requests() == 1 }, time.Minute, time.Millisecond)
	p.SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	require.Error(t, <-failed)
}

func TestFlakyProvidersTakeTurns(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{
		Flaky: &simulator.Flaky{Good: 3, Bad: 2, Then: simulator.Behaviour{Respond: &simulator.Answer{Status: 503, Body: "Service Unavailable"}}},
	})
	var statuses []int
	for range 10 {
		statuses = append(statuses, postTo(p, "/", blockNumber).status)
	}
	require.Equal(t, []int{200, 200, 200, 503, 503, 200, 200, 200, 503, 503}, statuses)
}

func TestLatencyJitterStaysInItsBounds(t *testing.T) {
	t.Parallel()
	var waits []time.Duration
	p := simulator.NewProvider(newChain(config.EVM), simulator.ProviderOptions{
		Name: "a", Type: config.EVMRPC, Behaviour: simulator.Behaviour{Latency: 100 * time.Millisecond, LatencyJitter: 50 * time.Millisecond},
		Sleep: func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			return nil
		},
	})
	seen := map[time.Duration]bool{}
	for range 50 {
		postTo(p, "/", blockNumber)
	}
	for _, d := range waits {
		require.GreaterOrEqual(t, d, 100*time.Millisecond)
		require.Less(t, d, 150*time.Millisecond)
		seen[d] = true
	}
	require.Greater(t, len(seen), 20, "the waits differ")
}
