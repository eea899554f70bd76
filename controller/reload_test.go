package controller_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// bitcoin is a second chain.
const bitcoin = `  btc:
    network: any
    failover: {health_check_interval: 5s, suspect_check_interval: 1s, recovery_check_interval: 10s, min_recovery_checks: 2}
    providers:
      - {name: own, type: bitcoin-rpc, operator: one, rpc_host: "http://u:p@127.0.0.1:8332"}
`

// reload gives exporter and controller another configuration, as run does.
func (w *world) reload(text string) {
	cfg := parse(w.t, text)
	w.fleet.apply(cfg)
	w.c.Apply(cfg)
	settle()
}

func TestAChainThatIsAddedIsDecided(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		before := w.active()
		w.reload(three + bitcoin)
		w.look()
		list := w.c.Overview().Actives()
		require.Len(t, list.Chains, 2)
		require.Equal(t, "btc", list.Chains[0].Chain)
		require.Equal(t, "own", *list.Chains[0].Provider)
		require.Equal(t, before.Generation, w.active().Generation, "the other chain goes on")
	})
}

func TestAChainThatIsGoneIsRememberedInCaseItComesBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three+bitcoin)
		w.fail("a", "timeout")
		w.look()
		before := w.serves("b", wire.StateOK)
		index := w.c.Overview().Index()
		w.reload("chains:\n" + bitcoin)
		_, known := w.c.Overview().Active("eth", "")
		require.False(t, known)
		require.Len(t, w.c.Overview().Actives().Chains, 1)
		require.Greater(t, w.c.Overview().Index(), index, "whoever watches is told")
		require.NotContains(t, w.metrics(), `chain="eth"`)

		w.reload(three + bitcoin)
		w.evaluate()
		after := w.serves("b", wire.StateOK)
		require.Equal(t, before.Generation, after.Generation)
		require.Greater(t, after.Index, before.Index)
	})
}

func TestAChainThatComesAfterTheStopIsNotDecided(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		require.NoError(t, w.stop())
		index := w.c.Overview().Index()
		late := three
		for _, name := range []string{"d", "e", "f", "g", "h", "i", "j", "k"} {
			late += replaced(bitcoin, "btc:", name+":")
		}
		w.reload(late)
		require.Equal(t, index, w.c.Overview().Index(), "what is shown must be in the journal, which is closed")
		require.Empty(t, w.log.lines("A decision was not written down"))
	})
}

func TestAProviderOfAnotherAddressIsJudgedAnew(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		moved := with("a.example", "elsewhere.example")
		cfg := parse(t, moved)
		w.fleet.change("eth", "a", func(n *node) { *n = node{operator: n.operator, height: 1001, failures: map[string]float64{}} })
		w.fleet.apply(cfg)
		time.Sleep(time.Millisecond)
		w.c.Apply(cfg)
		settle()
		a := w.serves("b", wire.StateOK)
		require.Equal(t, "failover: a has to be judged again", a.Reason)
		require.Equal(t, wire.StatusUnknown, w.status("a").Status, "probes of the address before say nothing about the new one")
		require.False(t, w.status("a").Identified)
		w.look()
		w.serves("a", wire.StateOK)
	})
}

func TestNewCredentialsAreNotSentToTheAddressBefore(t *testing.T) {
	const at, elsewhere = `c.example"`, `elsewhere.example"`
	for name, c := range map[string]struct{ before, after string }{
		"another vendor of that name": {
			with(at, at+", http: {bearer_token: OLD}"), with(at, elsewhere+", http: {bearer_token: NEW}"),
		},
		"a vendor that takes no credentials": {with(at, at), with(at, elsewhere+", http: {bearer_token: NEW}")},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				before := begin(t, c.before)
				require.NoError(t, before.stop())
				w := open(t, before.dir, c.before)
				laid := func() gateway.Endpoint {
					route, known := w.c.Route("eth")
					require.True(t, known)
					require.Len(t, route.Endpoints, 3)
					return route.Endpoints[2]
				}
				first := laid()
				// Nothing is decided by the new configuration before the start.
				w.reload(c.after)
				again := laid()
				require.Equal(t, "https://c.example", again.URL.String())
				require.Same(t, first.Transport, again.Transport)
				w.run()
				w.look()
				last := laid()
				require.Equal(t, "https://elsewhere.example", last.URL.String())
				require.NotSame(t, first.Transport, last.Transport)
			})
		})
	}
}

func TestARenamedProviderIsAnother(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.reload(with("name: a,", "name: z,"))
		a := w.serves("b", wire.StateOK)
		require.Contains(t, a.Reason, "switchover: ")
		require.NotContains(t, w.metrics(), `provider="a"`)
		w.look()
		w.serves("z", wire.StateOK)
	})
}

func TestAnotherPolicyKeepsTheState(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.fail("a", "timeout")
		w.look()
		w.well("a")
		w.reload(with("min_recovery_checks: 2", "min_recovery_checks: 2, failback: sticky"))
		w.pass(time.Minute)
		w.serves("b", wire.StateOK)
		require.Equal(t, wire.StatusHealthy, w.status("a").Status)
		w.reload(three)
		w.serves("a", wire.StateOK)
	})
}

func TestADrainAndAPinEndWithTheirProvider(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three, func(o *controller.Options) { o.Mode = facts.ModeAlways })
		require.NoError(t, w.c.Pin(t.Context(), "eth", "c", order("")))
		w.serves("c", wire.StateOK)
		w.reload(with("name: c,", "name: d,"))
		require.Nil(t, w.chain().Pinned)
		w.serves("a", wire.StateOK)
		w.reload(three)
		w.look()
		w.serves("a", wire.StateOK)
	})
}

// rule fires for whoever has a height.
const rule = `groups:
  - name: own
    rules:
      - alert: %
        expr: max by (chain, provider) (bifrost_provider_block_height{provider="a"}) > 0
        labels: {failover: "true", failure_mode: errors}
`

func TestRulesOfOnesOwnActAndAreReloaded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "own.yml")
		write := func(name string) {
			require.NoError(t, os.WriteFile(path, []byte(replaced(rule, "%", name)), 0o600))
		}
		write("Unwanted")
		w := begin(t, three, func(o *controller.Options) { o.RuleFiles = []string{path} })
		w.serves("b", wire.StateOK)
		require.Equal(t, []string{"Unwanted local true"}, alertsOf(w.status("a")))
		write("AlsoUnwanted")
		require.NoError(t, w.c.ReloadRules())
		w.look()
		require.Equal(t, []string{"AlsoUnwanted local true"}, alertsOf(w.status("a")))
		write("Broken\n        for: soon")
		require.ErrorContains(t, w.c.ReloadRules(), path)
		w.look()
		require.Equal(t, []string{"AlsoUnwanted local true"}, alertsOf(w.status("a")))
	})
}
