package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const heightCall = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`

func TestAnAddressOfAChainsOwnForwardsToThatChainAlone(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b")
	at := freeAddress(t)
	p := startCommand(t, "run", []string{"UNDERSTUDY_GATEWAY_LISTEN_ADDRESS=eth=" + at}, "--config.file="+path)
	p.ready()
	p.eventually(func() bool { status, _ := p.get("/active/eth"); return status == http.StatusOK }, "somebody serves")
	own := &process{t: t, address: at}

	status, text := own.do(http.MethodPost, "/", heightCall)
	require.Equal(t, http.StatusOK, status, text)
	require.Contains(t, text, `"result"`)
	status, text = own.do(http.MethodPost, "/", strings.Replace(heightCall, "eth_blockNumber", "admin_peers", 1))
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, "not let through")
	for _, page := range []string{"/active", "/metrics", "/rpc/eth", "/-/healthy"} {
		status, _ := own.get(page)
		require.Equal(t, http.StatusMethodNotAllowed, status, "%s: a chain that is asked by POST has no pages", page)
	}
	for _, page := range []string{"/-/reload", "/rpc/eth"} {
		status, text := own.do(http.MethodPost, page, heightCall)
		require.Equal(t, http.StatusForbidden, status, "%s: %s", page, text)
	}
	require.Equal(t, 0, p.stop(os.Interrupt))
	status, _ = own.get("/")
	require.Zero(t, status, "it is closed")
}

func TestAnAddressOfAChainsOwnIsGuardedLikeTheOthers(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a")
	web := file(t, "web.yml", "basic_auth_users: {u: \"$2y$04$"+strings.Repeat("a", 53)+"\"}\n")
	own := &process{t: t, address: freeAddress(t)}
	p := launch(t, "run", nil, "--config.file="+path, "--gateway.listen-address=eth="+own.address, "--web.config.file="+web)
	for _, at := range []*process{p, own} {
		at.eventually(func() bool {
			status, _ := at.do(http.MethodPost, "/", heightCall)
			return status == http.StatusUnauthorized
		}, "a password is asked for")
	}
	require.Equal(t, 0, p.stop(os.Interrupt))
}

func TestAnAddressThatCannotBeListenedOnEndsTheStart(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a")
	taken := startCommand(t, "run", nil, "--config.file="+path).address
	for value, want := range map[string]string{
		"127.0.0.1:8332":       "is not a chain and where to listen for it",
		"eth=8545":             "is not a chain and where to listen for it",
		"btc=127.0.0.1:8332":   `chain "btc" is not configured`,
		"eth=" + taken:         "chain eth: listen tcp",
		"eth=203.0.113.1:8545": "chain eth: listen tcp",
	} {
		for _, command := range []string{"run", "controller"} {
			r := call(nil, command, "--config.file="+path, "--storage.path="+t.TempDir(), "--gateway.listen-address="+value)
			require.Equal(t, exitUsage, r.status, value)
			require.Contains(t, r.stderr, want)
		}
	}
}
