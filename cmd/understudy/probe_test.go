package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestProbePrintsEveryRequest(t *testing.T) {
	t.Parallel()
	path, providers := ethereum(t, "a", "b")
	r := call(nil, "probe", "eth", "--config.file="+path)
	require.Equal(t, exitOK, r.status, r.stderr+r.stdout)
	for _, words := range []string{"eth/a", "eth/b", "height=1000", "hash=" + providers["a"].Hash(1000).Hex(), "eth_getBlockByNumber", "eth_chainId", "ok"} {
		require.Contains(t, r.stdout, words)
	}
}

func TestProbeFailsWhenOneProviderDoes(t *testing.T) {
	t.Parallel()
	path, providers := ethereum(t, "a", "b")
	providers["b"].SetBehaviour(simulator.Behaviour{Respond: &simulator.Answer{Status: 200, Body: "<html>Attention Required!</html>"}})
	r := call(nil, "probe", "eth", "--config.file="+path)
	require.Equal(t, exitFailed, r.status)
	require.Contains(t, r.stdout, "bad_response")
	require.Equal(t, exitOK, call(nil, "probe", "eth/a", "--config.file="+path).status)
	require.Equal(t, exitFailed, call(nil, "probe", "eth/b", "--config.file="+path).status)
}

func TestProbeOfAnUnknownTargetSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b")
	r := call(nil, "probe", "btc", "--config.file="+path)
	require.Equal(t, exitUsage, r.status)
	require.Contains(t, r.stderr, `no chain "btc"; it has eth`)
	r = call(nil, "probe", "eth/x", "--config.file="+path)
	require.Equal(t, exitUsage, r.status)
	require.Contains(t, r.stderr, `no provider "x"; it has a, b`)
}

func TestProbeAsJSONKeepsWhatIsUnknownAbsent(t *testing.T) {
	t.Parallel()
	path, providers := ethereum(t, "a")
	providers["a"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeReset})
	r := call(nil, "probe", "eth", "--config.file="+path, "--format=json")
	require.Equal(t, exitFailed, r.status)
	var reports []map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &reports))
	require.Len(t, reports, 1)
	require.Equal(t, "connection_reset", reports[0]["reason"])
	require.NotContains(t, reports[0], "height")
	require.NotEmpty(t, reports[0]["requests"])
}

func TestProbeSeesTheWrongNetwork(t *testing.T) {
	t.Parallel()
	path, providers := ethereum(t, "a")
	providers["a"].SetBehaviour(simulator.Behaviour{Identity: simulator.Identity{Network: "56"}})
	r := call(nil, "probe", "eth", "--config.file="+path)
	require.Equal(t, exitFailed, r.status)
	require.Contains(t, r.stdout, "wrong_network")
	require.Contains(t, r.stdout, `"56"(wrong)`)
}
