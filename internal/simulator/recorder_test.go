package simulator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{})
	r := httptest.NewRequest(http.MethodPost, "/?key=K", strings.NewReader("["+blockNumber+","+blockNumber+`,{"id":2,"method":"eth_chainId"}]`))
	r.Header.Set("Authorization", "Bearer t")
	send(p, r)
	require.Equal(t, uint64(1), p.Requests(), "a batch is one request")
	require.Equal(t, uint64(3), p.Calls())
	require.Equal(t, uint64(2), p.CountOf("eth_blockNumber"))
	require.Equal(t, uint64(1), p.CountOf("eth_chainId"))
	require.Equal(t, uint64(1), p.CountOf("/"))
	require.Zero(t, p.CountOf("nosuch"))
	records := p.Records()
	require.Len(t, records, 1)
	require.Equal(t, started, records[0].Time)
	require.Equal(t, http.MethodPost, records[0].Verb)
	require.Equal(t, "/", records[0].Path)
	require.Equal(t, "key=K", records[0].Query)
	require.Equal(t, "Bearer t", records[0].Header.Get("Authorization"))
	require.Equal(t, []string{"eth_blockNumber", "eth_blockNumber", "eth_chainId"}, records[0].Methods)
	require.Contains(t, string(records[0].Body), "eth_chainId")
	p.Forget()
	require.Zero(t, p.Requests())
	require.Zero(t, p.Calls())
	require.Empty(t, p.Records())
	require.Zero(t, p.CountOf("/"))
}

func TestRecordsAreBounded(t *testing.T) {
	t.Parallel()
	p := simulator.NewProvider(newChain(config.EsploraREST.Kind()), simulator.ProviderOptions{Name: "a", Type: config.EsploraREST, Remember: 3})
	for _, path := range []string{"/1", "/2", "/3", "/4", "/5"} {
		get(p, path)
	}
	var paths []string
	for _, r := range p.Records() {
		paths = append(paths, r.Path)
	}
	require.Equal(t, []string{"/3", "/4", "/5"}, paths, "the oldest go first")
	require.Equal(t, uint64(5), p.Requests())
	require.Equal(t, uint64(1), p.CountOf("/1"), "what is forgotten still counts")
	postTo(p, "/", strings.Repeat("x", 10_000))
	require.Len(t, p.Records()[2].Body, 4096)

	silent := simulator.NewProvider(newChain(config.EVM), simulator.ProviderOptions{Name: "a", Type: config.EVMRPC, Remember: -1})
	postTo(silent, "/", blockNumber)
	require.Equal(t, uint64(1), silent.Requests())
	require.Equal(t, uint64(1), silent.Calls())
	require.Empty(t, silent.Records())
	require.Zero(t, silent.CountOf("eth_blockNumber"))
}
