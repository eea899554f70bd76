package demo_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/demo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheBuiltInScriptPlaysForFiveMinutesOverThreeChains(t *testing.T) {
	t.Parallel()
	s, err := demo.Default()
	require.NoError(t, err)
	require.Equal(t, 5*time.Minute, s.End)
	var names []string
	for _, c := range s.Chains {
		names = append(names, c.Name)
	}
	require.Equal(t, []string{"btc", "eth", "soroban"}, names)
	seen := map[demo.Fault]bool{}
	broken := map[[2]string]bool{}
	for _, step := range s.Steps {
		seen[step.Fault] = true
		broken[[2]string{step.Chain, step.Provider}] = step.Fault != demo.None
	}
	for _, fault := range []demo.Fault{demo.Refuse, demo.Lag, demo.RateLimit, demo.Fork, demo.Slow, demo.Hang} {
		require.True(t, seen[fault], fault)
	}
	for who, still := range broken {
		require.False(t, still, "%v is left broken", who)
	}
}

func TestMistakesInAScriptAreAllTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, script, want string }{
		{"nothing", "", "the script is empty"},
		{"a key that is not known", "chains: []\nstep: []\n", "field step not found"},
		{"no chain", "chains: []\n", "chains: at least one is needed"},
		{"a chain without providers", "chains: [{name: a, block_time: 1s}]\n", "chains[0]: it needs providers"},
		{
			"a step about nobody", "chains: [{name: a, block_time: 1s, providers: [{name: p, type: evm-rpc}]}]\nsteps: [{at: 1s, chain: a, provider: q, fault: hang}]\n",
			"steps[0]: there is no provider a/q",
		},
		{
			"a fault that is none", "chains: [{name: a, block_time: 1s, providers: [{name: p, type: evm-rpc}]}]\nsteps: [{at: 1s, chain: a, provider: p, fault: explode}]\n",
			`steps[0].fault: "explode" is none of`,
		},
		{
			"a step before the start", "chains: [{name: a, block_time: 1s, providers: [{name: p, type: evm-rpc}]}]\nsteps: [{at: -1s, chain: a, provider: p, fault: hang}]\n",
			"steps[0].at: -1s is before the start",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := demo.Parse([]byte(test.script))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestTheStageIsWhatItsConfigurationSays(t *testing.T) {
	t.Parallel()
	s, err := demo.Default()
	require.NoError(t, err)
	stage, err := demo.Open(s, 1)
	require.NoError(t, err)
	defer func() { require.NoError(t, stage.Close()) }()
	cfg, err := config.Parse("demo", stage.Config(), nil)
	require.NoError(t, err)
	require.Empty(t, cfg.Warnings)
	require.Len(t, cfg.Chains, 3)
	for _, chain := range cfg.Chains {
		for _, p := range chain.Providers {
			response, err := http.Get(p.RPCHost.Reveal().String())
			require.NoError(t, err, "%s/%s", chain.Name, p.Name)
			require.NoError(t, response.Body.Close())
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestEveryFaultIsPlayedInItsOrder(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	script.WriteString("chains: [{name: eth, block_time: 1s, providers: [{name: p, type: evm-rpc}]}]\nsteps:\n")
	faults := []demo.Fault{
		demo.Hang, demo.Reset, demo.Lag, demo.Ahead, demo.Freeze, demo.Fork, demo.Incomplete, demo.Slow, demo.RateLimit,
		demo.Unauthorized, demo.Page, demo.Refuse, demo.None,
	}
	for _, fault := range faults {
		script.WriteString("  - {at: 0s, chain: eth, provider: p, fault: " + string(fault) + ", blocks: 5, latency: 1ms}\n")
	}
	s, err := demo.Parse([]byte(script.String()))
	require.NoError(t, err)
	stage, err := demo.Open(s, 1)
	require.NoError(t, err)
	defer func() { require.NoError(t, stage.Close()) }()
	cfg, err := config.Parse("demo", stage.Config(), nil)
	require.NoError(t, err)
	address := cfg.Chains[0].Providers[0].RPCHost.Reveal().String()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answers := map[demo.Fault]string{}
	stage.Play(t.Context(), func(_ time.Duration, step demo.Step) { answers[step.Fault] = outcome(t, client, address) })
	require.Len(t, answers, len(faults))
	require.Equal(t, "429", answers[demo.RateLimit])
	require.Equal(t, "401", answers[demo.Unauthorized])
	for _, fault := range []demo.Fault{demo.Hang, demo.Reset, demo.Refuse} {
		require.Equal(t, "nothing", answers[fault], fault)
	}
	require.Equal(t, "200", answers[demo.None])
}

// outcome is the status of an answer, or nothing.
func outcome(t *testing.T, client *http.Client, address string) string {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return "nothing"
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.Status[:3]
}
