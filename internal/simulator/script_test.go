package simulator_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestScriptsByTheClock(t *testing.T) {
	t.Parallel()
	lag := func(n int64) simulator.Behaviour { return simulator.Behaviour{Lag: n} }
	phases := []simulator.Phase{{From: 20 * time.Second, Behaviour: lag(2)}, {From: 10 * time.Second, Behaviour: lag(1)}}
	cases := []struct {
		name   string
		script simulator.Script
		want   map[time.Duration]int64
	}{
		{"good before the first phase, and the last one for ever", simulator.Script{Phases: phases},
			map[time.Duration]int64{0: 0, 9999 * time.Millisecond: 0, 10 * time.Second: 1, 19 * time.Second: 1, 20 * time.Second: 2, time.Hour: 2}},
		{"again and again", simulator.Script{Phases: phases, Every: 30 * time.Second},
			map[time.Duration]int64{0: 0, 10 * time.Second: 1, 29 * time.Second: 2, 30 * time.Second: 0, 40 * time.Second: 1, 100 * time.Second: 1, 110 * time.Second: 2}},
		{"no phase at all", simulator.Script{}, map[time.Duration]int64{0: 0, time.Hour: 0}},
	}
	for _, c := range cases {
		chain, clock := ticking(config.EVM)
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "a", Type: config.EVMRPC, Script: c.script})
		for after, want := range c.want {
			*clock = started.Add(after)
			require.Equal(t, want, p.Behaviour().Lag, "%s, after %s", c.name, after)
		}
		*clock = started.Add(time.Hour)
		p.Play(c.script)
		for after, want := range c.want {
			*clock = started.Add(time.Hour + after)
			require.Equal(t, want, p.Behaviour().Lag, "%s, played, after %s", c.name, after)
		}
	}
}

func TestAFreezeBeginsWithItsPhase(t *testing.T) {
	t.Parallel()
	chain, clock := ticking(config.EVM)
	p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "a", Type: config.EVMRPC, Script: simulator.Script{
		Phases: []simulator.Phase{{From: 10 * time.Second, Behaviour: simulator.Behaviour{Freeze: true}}, {From: 40 * time.Second}}, Every: time.Minute,
	}})
	for after, height := range map[time.Duration]uint64{8 * time.Second: 1004, 10 * time.Second: 1005, 38 * time.Second: 1005, 40 * time.Second: 1020, 69 * time.Second: 1034, 99 * time.Second: 1035} {
		*clock = started.Add(after)
		require.Equal(t, height, p.Height(), after)
	}
}

// The port follows the script by itself, round after round.
func TestARepeatedScriptOpensAndClosesThePort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		chain := simulator.NewChain(simulator.ChainOptions{Name: "eth", Kind: config.EVM, BlockTime: time.Second})
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "a", Type: config.EVMRPC, Script: simulator.Script{
			Phases: []simulator.Phase{{From: 5 * time.Second, Behaviour: simulator.Behaviour{Mode: simulator.ModeRefuse}}}, Every: 10 * time.Second,
		}})
		var network simulator.Network
		defer func() { require.NoError(t, network.Close()) }()
		url, err := network.Listen(p, "a.example")
		require.NoError(t, err)
		open := ""
		for range 30 {
			synctest.Wait()
			if _, _, err := fetch(t.Context(), network.Client(), url); err == nil {
				open += "o"
			} else {
				open += "."
			}
			time.Sleep(time.Second)
		}
		require.Equal(t, "ooooo.....ooooo.....ooooo.....", open)
	})
}

// Everything that describes a simulation can be written down and read again.
func TestScriptsAsJSON(t *testing.T) {
	t.Parallel()
	script := simulator.Script{Every: time.Minute, Phases: []simulator.Phase{
		{From: time.Second, Behaviour: simulator.Behaviour{
			Lag: 3, Height: new(uint64(7)), Fork: simulator.Fork{Name: "x", From: 5}, Missing: []simulator.Range{{From: 1, To: 2}},
			Identity: simulator.Identity{Network: "56"}, Mode: simulator.ModeDrip, Latency: time.Second, Backends: []int64{0, 1},
			Flaky:     &simulator.Flaky{Good: 1, Bad: 1, Then: simulator.Behaviour{Mode: simulator.ModeHang}},
			RateLimit: &simulator.RateLimit{Requests: 1, Answer: simulator.Answer{Name: "helius usage"}, Retry: simulator.RetryDate},
			Auth:      &simulator.Auth{Username: "u", Password: "p"}, Respond: &simulator.Answer{Status: 503, Header: map[string]string{"A": "b"}},
			Methods: map[string]simulator.Answer{"m": {Body: "b"}}, Heights: simulator.NumberFraction, Batch: simulator.BatchShort,
		}},
		{From: time.Hour},
	}}
	raw, err := json.Marshal(script)
	require.NoError(t, err)
	var read simulator.Script
	require.NoError(t, json.Unmarshal(raw, &read))
	require.Equal(t, script, read)
	require.JSONEq(t, `{"phases":[{"from":0,"lag":1}]}`, mustJSON(t, simulator.Script{Phases: []simulator.Phase{{Behaviour: simulator.Behaviour{Lag: 1}}}}),
		"what is not set is not written")
}

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return string(raw)
}
