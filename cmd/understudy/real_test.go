//go:build e2e

package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// realChain describes a chain of one real node.
func realChain(name, typ, url, extra string) string {
	return fmt.Sprintf("  %s:\n    kind: %s\n    network: any\n    providers:\n      - {name: node, type: %s, rpc_host: %q%s}\n",
		name, map[string]string{"bitcoin-rpc": "bitcoin", "evm-rpc": "evm", "cometbft-rpc": "cosmos"}[typ], typ, url, extra)
}

// fact is what probe prints of a block.
func fact(height int64, hash string) string {
	return fmt.Sprintf("height=%d  hash=%s", height, strings.ToLower(strings.TrimPrefix(hash, "0x")))
}

func TestProbePrintsTrueHeightsAndHashesOfRealNodes(t *testing.T) {
	t.Parallel()
	btcd, litecoind, anvil, comet := node.Btcd(t), node.Litecoind(t), node.Anvil(t, 31337, 0), node.CometBFT(t)
	btcd.Mine(5)
	litecoind.Mine(3)
	anvil.Mine(7)
	comet.AwaitHeight(2)
	path := file(t, "understudy.yml", "chains:\n"+
		realChain("btc", "bitcoin-rpc", btcd.SecretURL(), ", capabilities: [txindex, batch]")+
		realChain("ltc", "bitcoin-rpc", litecoind.SecretURL(), ", capabilities: [wallet]")+
		realChain("eth", "evm-rpc", anvil.URL(), ", capabilities: [receipts, batch]")+
		realChain("gaia", "cometbft-rpc", comet.URL(), ""))

	for chain, want := range map[string]string{
		"btc": fact(btcd.Height(), btcd.Hash(btcd.Height())),
		"ltc": fact(litecoind.Height(), litecoind.Hash(litecoind.Height())),
		"eth": fact(anvil.Height(), anvil.Hash(anvil.Height())),
	} {
		r := call(nil, "probe", chain, "--config.file="+path)
		require.Equal(t, exitOK, r.status, r.stdout+r.stderr)
		require.Contains(t, r.stdout, want)
	}
	r := call(nil, "probe", "gaia", "--config.file="+path)
	require.Equal(t, exitOK, r.status, r.stdout+r.stderr)
	var height int64
	_, err := fmt.Sscanf(r.stdout[strings.Index(r.stdout, "height="):], "height=%d", &height)
	require.NoError(t, err)
	require.Contains(t, r.stdout, fact(height, comet.Hash(height)), "the hash belongs to the height")

	litecoind.Stop()
	r = call(nil, "probe", "ltc", "--config.file="+path)
	require.Equal(t, exitFailed, r.status)
	require.Contains(t, r.stdout, "connection_refused")
}

func TestPromtoolHasNothingToSayAboutTheMetricsButTheNamedExceptions(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b", "c")
	p := start(t, nil, "--config.file="+path)
	p.ready()
	_, page := p.get("/metrics")
	promtool := exec.Command(node.Binary(t, "promtool"), "check", "metrics")
	promtool.Stdin = strings.NewReader(page)
	out, err := promtool.CombinedOutput()
	require.Error(t, err, "the exceptions are reported with a status of their own")
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		require.Regexp(t, `^(bifrost_provider_latency_ms|bifrost_failover_max_latency_ms) `, line)
	}
}
