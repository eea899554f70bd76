package simulator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestRateLimits(t *testing.T) {
	t.Parallel()
	batch := "[" + blockNumber + "," + blockNumber + "]"
	suspended, ok := simulator.Vendor("trongrid suspended")
	require.True(t, ok)
	// A step is a wait and then a request, with its status and Retry-After.
	type step struct {
		wait   time.Duration
		body   string
		status int
		retry  string
	}
	cases := []struct {
		name  string
		limit simulator.RateLimit
		steps []step
	}{
		{"requests in a window", simulator.RateLimit{Requests: 2, Per: 10 * time.Second}, []step{
			{0, blockNumber, 200, ""}, {0, batch, 200, ""}, {0, blockNumber, 429, ""}, {9 * time.Second, blockNumber, 429, ""}, {time.Second, blockNumber, 200, ""},
		}},
		{"items in a window", simulator.RateLimit{Requests: 3, Per: 10 * time.Second, Items: true}, []step{
			{0, batch, 200, ""}, {0, batch, 429, ""}, {10 * time.Second, batch, 200, ""},
		}},
		{"the rest in seconds, rounded up", simulator.RateLimit{Requests: 1, Per: 10 * time.Second, Retry: simulator.RetrySeconds}, []step{
			{0, blockNumber, 200, ""}, {500 * time.Millisecond, blockNumber, 429, "10"}, {2 * time.Second, blockNumber, 429, "8"},
		}},
		{"the rest as a date", simulator.RateLimit{Requests: 1, Per: 10 * time.Second, Retry: simulator.RetryDate}, []step{
			{0, blockNumber, 200, ""}, {2 * time.Second, blockNumber, 429, "Sun, 01 Mar 2026 12:00:10 GMT"},
		}},
		{"a suspension", simulator.RateLimit{Requests: 1, Suspend: 27 * time.Second, Answer: suspended}, []step{
			{0, blockNumber, 200, ""}, {0, blockNumber, 429, ""}, {26 * time.Second, blockNumber, 429, ""}, {time.Second, blockNumber, 200, ""},
		}},
		{"a suspension that each retry begins anew", simulator.RateLimit{Requests: 1, Suspend: 27 * time.Second, Extend: true}, []step{
			{0, blockNumber, 200, ""}, {0, blockNumber, 429, ""}, {26 * time.Second, blockNumber, 429, ""}, {26 * time.Second, blockNumber, 429, ""}, {27 * time.Second, blockNumber, 200, ""},
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chain, clock := ticking(config.EVM)
			p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "a", Type: config.EVMRPC, Behaviour: simulator.Behaviour{RateLimit: &c.limit}})
			for i, s := range c.steps {
				*clock = clock.Add(s.wait)
				got := postTo(p, "/", s.body)
				require.Equal(t, s.status, got.status, "step %d", i)
				require.Equal(t, s.retry, got.header.Get("Retry-After"), "step %d", i)
				if s.status == http.StatusTooManyRequests && c.limit.Answer.Body != "" {
					require.Equal(t, c.limit.Answer.Body, got.body)
				}
			}
		})
	}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	basic := func(user, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(user, password) }
	}
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer t") }
	key := func(r *http.Request) { r.Header.Set("Api-Key", "k") }
	cases := []struct {
		name      string
		typ       config.Type
		software  simulator.Software
		auth      simulator.Auth
		send      func(*http.Request)
		status    int
		challenge string
		body      string
	}{
		{"the right password", config.BitcoinRPC, "", simulator.Auth{Username: "u", Password: "p"}, basic("u", "p"), 200, "", ""},
		{"a wrong one, at Core", config.BitcoinRPC, "", simulator.Auth{Username: "u", Password: "p"}, basic("u", "x"), 401, `Basic realm="jsonrpc"`, ""},
		{"a wrong one, at btcd", config.BitcoinRPC, simulator.SoftwareBtcd, simulator.Auth{Username: "u", Password: "p"}, basic("u", "x"), 401, `Basic realm="btcd RPC"`, "401 Unauthorized.\n"},
		{"none where nobody is admitted", config.EVMRPC, "", simulator.Auth{}, basic("", ""), 401, `Basic realm="evm-rpc"`, "401 Unauthorized.\n"},
		{"the right token", config.EVMRPC, "", simulator.Auth{Header: "Authorization", Value: "Bearer t"}, bearer, 200, "", ""},
		{"no token", config.EVMRPC, "", simulator.Auth{Header: "Authorization", Value: "Bearer x"}, bearer, 401, "Bearer", "401 Unauthorized.\n"},
		{"the right key", config.EVMRPC, "", simulator.Auth{Header: "api-key", Value: "k"}, key, 200, "", ""},
		{"a vendor's words", config.EVMRPC, "", simulator.Auth{Answer: simulator.Answer{Name: "quicknode unauthorized"}}, key, 401, "", "UNAUTHORIZED"},
	}
	for _, c := range cases {
		p := simulator.NewProvider(newChain(c.typ.Kind()), simulator.ProviderOptions{
			Name: "a", Type: c.typ, Software: c.software, Behaviour: simulator.Behaviour{Auth: &c.auth},
		})
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(blockNumber))
		c.send(r)
		got := send(p, r)
		if c.status == 200 {
			require.NotEqual(t, 401, got.status, c.name)
			continue
		}
		require.Equal(t, c.status, got.status, c.name)
		require.Equal(t, c.challenge, got.header.Get("WWW-Authenticate"), c.name)
		require.Equal(t, c.body, got.body, c.name)
	}
}

func TestSetAnswers(t *testing.T) {
	t.Parallel()
	limited := simulator.Answer{Name: "quicknode request limit inside 200"}
	down := simulator.Answer{Status: 502, Body: "Bad Gateway"}
	const other = `{"jsonrpc":"2.0","id":"x","method":"eth_chainId"}`
	p := newProvider(config.EVMRPC, simulator.Behaviour{Methods: map[string]simulator.Answer{"eth_blockNumber": limited}})
	require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32007,"message":"50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com"}}`, postTo(p, "/", blockNumber).body)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":"x","result":"0x1"}`, postTo(p, "/", other).body)
	require.Regexp(t, `^\[\{"jsonrpc":"2.0","id":1,"error":.*\},\{"jsonrpc":"2.0","id":"x","result":"0x1"\}\]$`, postTo(p, "/", "["+blockNumber+","+other+"]").body,
		"an answer with an id is given to its item alone")

	p.SetBehaviour(simulator.Behaviour{Methods: map[string]simulator.Answer{"eth_blockNumber": down}})
	require.Equal(t, 200, postTo(p, "/", other).status)
	require.Equal(t, 502, postTo(p, "/", "["+blockNumber+","+other+"]").status, "one without an id is given to the whole batch")

	p.SetBehaviour(simulator.Behaviour{Respond: &limited})
	require.Regexp(t, `^\[\{"jsonrpc":"2.0","id":1,"error":.*\},\{"jsonrpc":"2.0","id":"x","error":.*\}\]$`, postTo(p, "/", "["+blockNumber+","+other+"]").body)
	require.Contains(t, get(p, "/").body, `"id":null`)

	p.SetBehaviour(simulator.Behaviour{Respond: &simulator.Answer{Status: 503, Body: "later", RetryAfter: 90 * time.Second, RetryAfterDate: true, Header: map[string]string{"X-Vendor": "v"}}})
	got := postTo(p, "/", blockNumber)
	require.Equal(t, "Sun, 01 Mar 2026 12:01:30 GMT", got.header.Get("Retry-After"))
	require.Equal(t, "v", got.header.Get("X-Vendor"))
	require.Equal(t, "text/plain; charset=utf-8", got.header.Get("Content-Type"))

	rest := newProvider(config.EsploraREST, simulator.Behaviour{
		Methods: map[string]simulator.Answer{"/blocks/tip/hash": down}, Unsupported: []string{"/blocks/tip/height"},
	})
	require.Equal(t, 502, get(rest, "/blocks/tip/hash").status)
	require.Equal(t, 404, get(rest, "/blocks/tip/height").status)
	require.Equal(t, 200, get(rest, "/block-height/1").status)
	comet := newProvider(config.CometBFTRPC, simulator.Behaviour{Methods: map[string]simulator.Answer{"status": {Name: "cometbft pruned"}}})
	require.Equal(t, 500, get(comet, "/status").status, "by either verb")
	require.Equal(t, 500, postTo(comet, "/", `{"jsonrpc":"2.0","id":1,"method":"status"}`).status)
}
