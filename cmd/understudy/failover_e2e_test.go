//go:build e2e

package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/node"
	"github.com/understudy-rpc/understudy/rules"
)

// The values of wire.Evaluator.Source.
const (
	byAlertmanager = "alertmanager"
	byLocal        = "local"
)

// TestRealComponentsFailOverAndBack lets real nodes, Prometheus and Alertmanager
// fail one after the other. Every step begins where the one before ended, and
// after most of them the controller is killed and started again.
func TestRealComponentsFailOverAndBack(t *testing.T) {
	t.Parallel()
	s := startStack(t, hurried)
	s.awaitSource(byAlertmanager)
	s.awaitActive("ltc", "own")
	s.awaitActive("btc", "single")
	s.awaitActive("eth", "first")
	for _, step := range []struct {
		name string
		do   func(*stack)
	}{
		{"the webhook takes nothing without the token", (*stack).refusesStrangers},
		{"who serves dies, and Alertmanager tells", (*stack).losesWhoServes},
		{"the controller is killed while a fallback serves", (*stack).crash},
		{"who died returns and proves itself", (*stack).getsThemBack},
		{"the controller is killed while all is well", (*stack).crash},
		{"one is on a fork", (*stack).seesAFork},
		{"the controller is killed while one is on a fork", (*stack).crash},
		{"another one is rolled back, and then the last one freezes", (*stack).runsOutOfProviders},
		{"the controller is killed while one is on a fork and one is frozen", (*stack).crash},
		{"the frozen one goes on", (*stack).thaws},
		{"Alertmanager dies, then who serves", (*stack).losesAlertmanager},
		{"the controller is killed while it decides by itself", (*stack).crash},
		{"who was rolled back returns without Alertmanager", (*stack).healsByItself},
		{"Alertmanager returns", (*stack).getsAlertmanagerBack},
		{"the controller is killed while Alertmanager tells", (*stack).crash},
		{"Prometheus dies while alerts fire", (*stack).losesPrometheus},
		{"the controller is killed without Prometheus", (*stack).crash},
		{"Prometheus returns", (*stack).getsPrometheusBack},
		{"the last one who died returns", (*stack).endsWell},
	} {
		t.Logf("%5.1fs  %s", time.Since(s.began).Seconds(), step.name)
		step.do(s)
	}
	t.Logf("%5.1fs  end", time.Since(s.began).Seconds())
}

// refusesStrangers is the way in without the token that Alertmanager has.
func (s *stack) refusesStrangers() {
	body := `{"version":"4","groupKey":"x","status":"firing","receiver":"understudy","alerts":[]}`
	for token, want := range map[string]int{"": http.StatusUnauthorized, "wrong": http.StatusUnauthorized, "s3cret": http.StatusOK} {
		request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://"+s.address+"/webhooks/alertmanager", strings.NewReader(body))
		require.NoError(s, err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+token)
		request.Close = true
		response, err := http.DefaultClient.Do(request)
		require.NoError(s, err)
		require.NoError(s, response.Body.Close())
		require.Equal(s, want, response.StatusCode, "token %q", token)
	}
}

// losesWhoServes is step (a).
func (s *stack) losesWhoServes() {
	s.ltc[0].Kill()
	s.btc.Stop()
	s.awaitActive("ltc", "spare")
	s.awaitActive("btc", "")
	for chain, provider := range map[string]string{"ltc": "own", "btc": "single"} {
		c := s.chain(chain)
		require.Equal(s, byAlertmanager, c.Evaluator.Source)
		require.Equal(s, map[string]string{rules.AlertProviderDown: byAlertmanager}, counting(c, provider))
	}
	last := s.switches("ltc")[0]
	require.Equal(s, "failover", last.Kind)
	require.Equal(s, []string{"own", "spare"}, []string{last.From, last.To})
	require.Equal(s, []string{rules.AlertProviderDown}, last.Facts)

	// Prometheus scrapes the controller too: rules about its metrics work.
	require.Equal(s, 1.0, s.metric(rules.ProviderFailovers.Name, rules.LabelChain, "ltc"))
	s.awaitFiring(rules.AlertChainFailover, "ltc")
	node.Await(s, "Prometheus to know who serves", func(ctx context.Context) error {
		got, err := s.query(ctx, `bifrost_provider_active{chain="ltc",job="understudy-controller"} == 1`)
		if err == nil && fmt.Sprint(got) != "[spare]" {
			err = fmt.Errorf("it says %v", got)
		}
		return err
	})
}

// getsThemBack is step (b).
func (s *stack) getsThemBack() {
	before := s.chain("ltc").Index
	s.revive()
	s.btc.Restart()
	s.btc.Mine(6)
	s.awaitActive("ltc", "own")
	s.awaitActive("btc", "single")
	c := s.chain("ltc")
	require.Equal(s, byAlertmanager, c.Evaluator.Source)
	var course []string
	for _, e := range slices.Backward(c.Events) {
		if e.Index > before && (e.Provider == "own" || e.Provider == "") {
			course = append(course, strings.TrimSpace(e.Kind+" "+e.From+" "+e.To))
		}
	}
	// A node that is still starting may fail a check in between.
	require.GreaterOrEqual(s, len(course), 3)
	require.Equal(s, []string{"state unhealthy recovering", "state recovering healthy", "failback spare own"}, course[len(course)-3:])
	require.Equal(s, len(course)-1, slices.Index(course, "failback spare own"))
}

// revive starts the node of ltc that was killed, while its peer has a new block.
func (s *stack) revive() {
	s.ltc[1].Mine(1)
	s.ltc[0].Restart()
	s.ltc[1].Connect(s.ltc[0])
	height := s.ltc[1].Height()
	s.ltc[0].AwaitHash(height, s.ltc[1].Hash(height))
}

// seesAFork is the first part of step (f).
func (s *stack) seesAFork() {
	s.awaitSource(byAlertmanager)
	s.eth.Node(0).Reorg(6)
	s.witness.ban("first", s.awaitActive("eth", "second"))
	c := s.chain("eth")
	require.Equal(s, byAlertmanager, counting(c, "first")[rules.AlertProviderInconsistent])
	first := providerOf(c, "first")
	require.Zero(s, first.ConsecutiveErrors, "it answers every probe")
}

// runsOutOfProviders is the rest of step (f). Who was rolled back is better than
// nobody, as all its blocks are right, and than who is on a fork.
func (s *stack) runsOutOfProviders() {
	s.awaitSource(byAlertmanager)
	s.eth.Leave(1)
	s.eth.Node(1).Rollback(10)
	s.awaitActive("eth", "third")
	require.Equal(s, byAlertmanager, counting(s.chain("eth"), "second")[rules.AlertProviderBehindTip])
	s.eth.Leave(2)
	s.eth.Node(2).Pause()
	s.awaitActive("eth", "second")
	s.awaitFacts("eth", "third", byAlertmanager, rules.AlertProviderDown)
}

// thaws lets the frozen node go on. Before that there is time for who is on a fork
// to seem well, as the other one left ends below the fork.
func (s *stack) thaws() {
	s.awaitSource(byAlertmanager)
	s.awaitFacts("eth", "first", byAlertmanager, rules.AlertProviderInconsistent)
	require.Equal(s, "second", nameOf(s.active("eth").Provider))
	s.eth.Node(2).Resume()
	s.eth.CatchUp(2)
	s.awaitActive("eth", "third")
}

// losesAlertmanager is step (c).
func (s *stack) losesAlertmanager() {
	s.awaitSource(byAlertmanager)
	s.alertmanager.Kill()
	s.ltc[0].Kill()
	s.awaitActive("ltc", "spare")
	c := s.chain("ltc")
	require.Equal(s, byLocal, c.Evaluator.Source)
	require.Equal(s, map[string]string{rules.AlertProviderDown: byLocal}, counting(c, "own"))
	// What Alertmanager told last of another chain is no more than a memory.
	require.Equal(s, byLocal, counting(s.chain("eth"), "second")[rules.AlertProviderBehindTip])
}

// healsByItself lets a provider recover of which Alertmanager's last word was bad.
func (s *stack) healsByItself() {
	s.eth.Resync(1)
	s.awaitActive("eth", "second")
	require.Equal(s, byLocal, s.chain("eth").Evaluator.Source)
}

// getsAlertmanagerBack is step (e) after step (c).
func (s *stack) getsAlertmanagerBack() { s.takesOverAgain(s.alertmanager.Process) }

// losesPrometheus is step (d). Alertmanager then says of every alert that it is
// resolved: also of who is on a fork and answers each probe well.
func (s *stack) losesPrometheus() {
	s.awaitSource(byAlertmanager)
	s.awaitFacts("eth", "first", byAlertmanager, rules.AlertProviderInconsistent)
	s.awaitFacts("ltc", "own", byAlertmanager, rules.AlertProviderDown)
	ltc, eth := s.chain("ltc").Index, s.chain("eth").Index
	s.prometheus.Kill()
	s.awaitSource(byLocal)
	for chain, provider := range map[string]string{"ltc": "own", "eth": "first"} {
		node.Await(s, "Alertmanager to take its word back", func(ctx context.Context) error {
			c, err := s.askChain(ctx, chain)
			if err != nil {
				return err
			}
			for _, a := range providerOf(c, provider).Alerts {
				if a.Source == byAlertmanager && a.Evidence {
					return fmt.Errorf("it still says %s", a.Name)
				}
			}
			return nil
		})
	}
	s.requireNobodyHealed("ltc", "own", ltc)
	s.requireNobodyHealed("eth", "first", eth)
	require.Equal(s, byLocal, counting(s.chain("ltc"), "own")[rules.AlertProviderDown])
	require.Equal(s, byLocal, counting(s.chain("eth"), "first")[rules.AlertProviderInconsistent])
}

// requireNobodyHealed says that a provider has been unhealthy since an index.
func (s *stack) requireNobodyHealed(chain, provider string, since uint64) {
	s.Helper()
	c := s.chain(chain)
	require.Equal(s, wire.StatusUnhealthy, providerOf(c, provider).Status)
	for _, e := range c.Events {
		require.False(s, e.Index > since && e.Provider == provider, "%+v", e)
	}
}

// getsPrometheusBack is step (e) after step (d).
func (s *stack) getsPrometheusBack() { s.takesOverAgain(s.prometheus.Process) }

// takesOverAgain starts a part of the pipeline. It rules again without any switch,
// and with no fact but those that hold.
func (s *stack) takesOverAgain(p *node.Process) {
	s.Helper()
	before := s.metric(rules.Switches.Name)
	p.Restart()
	s.awaitSource(byAlertmanager)
	for chain, facts := range map[string]map[string][]string{
		"ltc": {"own": {rules.AlertProviderDown}, "spare": nil},
		"btc": {"single": nil},
		"eth": {"first": {rules.AlertProviderInconsistent}, "second": nil, "third": nil},
	} {
		for provider, alerts := range facts {
			s.awaitFacts(chain, provider, byAlertmanager, alerts...)
		}
	}
	require.Equal(s, before, s.metric(rules.Switches.Name), "nothing was switched")
	s.awaitActive("ltc", "spare")
	s.awaitActive("btc", "single")
	s.awaitActive("eth", "second")
}

// endsWell lets the last one return who died. The journal of all the controller's
// lives then tells the same story again.
func (s *stack) endsWell() {
	s.revive()
	s.awaitActive("ltc", "own")
	require.Equal(s, byAlertmanager, s.chain("ltc").Evaluator.Source)
	for _, chain := range []string{"ltc", "btc", "eth"} {
		for _, e := range s.switches(chain) {
			require.NotEmpty(s, e.Reason, "%+v", e)
		}
	}
	s.controller.Stop()
	r := call(nil, "replay", s.journal)
	require.Equal(s, exitOK, r.status, r.stdout+r.stderr)
	require.Contains(s, r.stdout, " eth  failover: failover: first inconsistent (ProviderInconsistent)")
	require.Contains(s, r.stdout, " ltc  failback: ")
}

// crash is step (g): the controller is killed and started again. The first that
// it says is what it said last.
func (s *stack) crash() {
	s.Helper()
	var before wire.ActiveList
	require.NoError(s, fetch(s.Context(), "http://"+s.address+"/active", &before))
	s.controller.Kill()
	s.controller.Restart()
	require.GreaterOrEqual(s, s.remembers.Index, before.Index)
	require.Len(s, s.remembers.Chains, len(before.Chains))
	for i, a := range s.remembers.Chains {
		b := before.Chains[i]
		require.Equal(s, []any{b.Chain, b.State, nameOf(b.Provider), b.LastProvider, b.Generation}, []any{a.Chain, a.State, nameOf(a.Provider), a.LastProvider, a.Generation})
		require.True(s, b.Since.Equal(a.Since), "%s serves since %s, not %s", a.Chain, b.Since, a.Since)
	}
	// After it has looked at everything again, nothing is different either.
	node.Await(s, "the controller to be ready", func(ctx context.Context) error {
		return fetch(ctx, "http://"+s.address+"/-/ready", nil)
	})
	for _, b := range before.Chains {
		a := s.active(b.Chain)
		require.Equal(s, []any{b.State, nameOf(b.Provider), b.Generation}, []any{a.State, nameOf(a.Provider), a.Generation}, b.Chain)
	}
}
