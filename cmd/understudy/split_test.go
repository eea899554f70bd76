package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// TestAGatewayApartFromTheExporterLearnsOfProbes has the controller in a process
// of its own, and blocks not compared by the exporter: what the gateway knows of
// blocks and of providers that it has not asked, it knows from the exporter's
// probes.
func TestAGatewayApartFromTheExporterLearnsOfProbes(t *testing.T) {
	t.Parallel()
	path, providers := ethereum(t, "a", "b", "c")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	policy := strings.Replace(hasty, "integrity: {interval: 500ms}", "integrity: {enabled: false}", 1)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), hasty, policy)), 0o600))
	providers["a"].SetBehaviour(simulator.Behaviour{Fork: simulator.Fork{Name: "fork", From: 990}})
	e := start(t, nil, "--config.file="+path)
	p := startCommand(t, "controller", nil, "--config.file="+path, "--exporter.url=http://"+e.address, "--rules.interval=200ms", "--storage.path="+t.TempDir())
	p.ready()
	endpoints := func() []wire.FailoverEndpoint {
		_, h := getJSON[wire.Health](p, "/health")
		if h.Failover == nil {
			return nil
		}
		return h.Failover.Endpoints
	}
	p.eventually(func() bool {
		now := endpoints()
		return len(now) == 3 && now[0].TotalSuccesses > 1 && now[1].TotalSuccesses > 1 && now[2].TotalSuccesses > 1
	}, "good probes count")
	p.eventually(func() bool { _, text := p.get("/active/eth"); return strings.Contains(text, `"provider":"a"`) }, "a serves")

	const latest = `{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}`
	p.eventually(func() bool {
		response, err := http.Post("http://"+p.address+"/rpc/eth", "application/json", strings.NewReader(latest))
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.Header.Get(gateway.ProviderHeader) == "b"
	}, "a block that the probes of two others contradict is not passed on")
	_, active := p.get("/active/eth")
	require.Contains(t, active, `"provider":"a"`, "the rules have nothing against it")

	before := endpoints()
	require.Len(t, before, 3)
	providers["c"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	p.eventually(func() bool {
		now := endpoints()
		return len(now) == 3 && now[2].TotalFailures > before[2].TotalFailures
	}, "failed probes count")
}
