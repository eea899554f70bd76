//go:build e2e

package clients

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// TestTheStellarSDKNoticesNothingWhileEndpointsFail has simulated endpoints, as no
// real one runs on a machine alone.
func TestTheStellarSDKNoticesNothingWhileEndpointsFail(t *testing.T) {
	t.Parallel()
	chain := simulator.NewChain(simulator.ChainOptions{Name: "soroban", Kind: config.Stellar, BaseHeight: 50000, BlockTime: time.Second})
	var server simulator.Server
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	var endpoints []*simulator.Provider
	var b strings.Builder
	fmt.Fprintf(&b, "chains:\n  soroban:\n    block_time: 1s\n    failover: "+hasty+"\n    gateway: {attempt_timeout: 1s, cooldown: 1s}\n    providers:\n", ", max_block_lag: 5")
	for _, name := range []string{"a", "b", "c"} {
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: name, Type: config.SorobanRPC})
		url, err := server.Listen(p)
		require.NoError(t, err)
		endpoints = append(endpoints, p)
		fmt.Fprintf(&b, "      - {name: %s, type: soroban-rpc, rpc_host: %q}\n", name, url)
	}
	c := &course{first: "a", call: `{"jsonrpc":"2.0","id":1,"method":"getHealth"}`, seen: &sightings{}}
	c.right = func(height int64) string { return chain.Hash(uint64(height)).Hex() }
	c.understudy = start(t, "soroban", 3, b.String(), nil)
	c.clients = []client{visit(t, c.seen, "stellar.cjs", "http://"+c.address+"/rpc/soroban")}
	c.more(2, "all is well")

	first := endpoints[0]
	well := func() { first.SetBehaviour(simulator.Behaviour{}) }
	for _, fault := range []struct {
		name string
		is   simulator.Behaviour
	}{
		{"it refuses", simulator.Behaviour{Mode: simulator.ModeRefuse}},
		{"it hangs", simulator.Behaviour{Mode: simulator.ModeHang}},
		{"it limits the rate", simulator.Behaviour{RateLimit: &simulator.RateLimit{}}},
		{"it is unhealthy by its own word", simulator.Behaviour{Health: simulator.HealthBad}},
		{"it starts", simulator.Behaviour{Starting: true}},
	} {
		c.fails(fault.name, func() { first.SetBehaviour(fault.is) }, well)
	}
	c.wasRight()
	c.fails("it is on a fork", func() {
		first.SetBehaviour(simulator.Behaviour{Fork: simulator.Fork{Name: "fork", From: chain.Height() - 10}})
		c.awaitLeft("a")
		// Before the rules have seen it, nobody has: the gateway knows no hashes of
		// ledgers. What was asked before is of no account.
		c.more(2, "the fork was found")
		c.seen.take()
	}, well)
	c.fails("two of three fail", func() {
		first.SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
		endpoints[1].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeHang})
	}, func() {
		endpoints[1].SetBehaviour(simulator.Behaviour{})
		well()
	})
	c.quiet()
}
