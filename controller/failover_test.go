package controller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

func TestTheMostPreferredProviderServesAfterTheFirstRound(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := open(t, t.TempDir(), three)
		_, ok := w.c.Overview().Active("eth", "")
		require.False(t, ok, "nothing is decided before Run")
		require.NotEmpty(t, w.c.Ready())
		w.run()
		a := w.serves("", wire.StateNone)
		require.Zero(t, a.Generation)
		require.Empty(t, a.LastProvider)
		w.look()
		a = w.serves("a", wire.StateOK)
		require.EqualValues(t, 1, a.Generation)
		require.Equal(t, "start: a is the first fit to serve", a.Reason)
		require.Equal(t, []string{"b", "c"}, a.Fallbacks)
		require.Equal(t, "https://USERSECRET:PASSSECRET@a.example/PATHSECRET?key=QUERYSECRET", a.RPCHost)
		require.Empty(t, w.c.Ready())
		require.NoError(t, w.stop())
		require.NotEmpty(t, w.c.Ready(), "who stops is not ready")
	})
}

func TestFailoverTakesOneEvaluationAndFailbackTheRecoveryChecks(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		before := w.serves("a", wire.StateOK)
		w.fail("a", "timeout")
		w.look()
		after := w.serves("b", wire.StateOK)
		require.Equal(t, "failover: a down (timeout)", after.Reason)
		require.Equal(t, before.Generation+1, after.Generation)
		require.Greater(t, after.Index, before.Index)
		require.Equal(t, []string{"c"}, after.Fallbacks)
		require.Equal(t, wire.StatusUnhealthy, w.status("a").Status)

		w.well("a")
		w.pass(5 * time.Second)
		w.serves("b", wire.StateOK)
		require.Empty(t, w.status("a").Alerts, "the alert is over")
		require.Equal(t, wire.StatusUnhealthy, w.status("a").Status, "that an alert is over makes nobody healthy")
		w.pass(7 * time.Second)
		require.Equal(t, wire.StatusRecovering, w.status("a").Status)
		w.serves("b", wire.StateOK)
		w.pass(10 * time.Second)
		back := w.serves("a", wire.StateOK)
		require.Equal(t, after.Generation+1, back.Generation)
		require.Equal(t, "failback: a is healthy and preferred", back.Reason)
	})
}

func TestAFailureDuringRecoveryBeginsItAnew(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.fail("a", "timeout")
		w.look()
		w.well("a")
		w.pass(12 * time.Second)
		require.Equal(t, wire.StatusRecovering, w.status("a").Status)
		w.fail("a", "timeout")
		w.pass(time.Second)
		require.Equal(t, wire.StatusUnhealthy, w.status("a").Status)
		w.well("a")
		w.pass(15 * time.Second)
		require.Equal(t, 1, w.status("a").Recovery.Passed)
		w.serves("b", wire.StateOK)
	})
}

func TestNobodyServesWhileNobodyIsFit(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		for _, name := range []string{"a", "b", "c"} {
			w.fail(name, "connection_refused")
		}
		w.look()
		a := w.serves("", wire.StateNone)
		require.Equal(t, "a", a.LastProvider)
		require.Empty(t, a.RPCHost)
		w.well("c")
		w.pass(25 * time.Second)
		a = w.serves("c", wire.StateOK)
		require.Equal(t, "start: c is fit to serve again", a.Reason)
	})
}

func TestTheLastOneServesDegradedWhereThePolicySaysSo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, with("min_recovery_checks: 2", "min_recovery_checks: 2, on_all_unhealthy: last"))
		for _, name := range []string{"a", "b", "c"} {
			w.fail(name, "connection_refused")
		}
		w.look()
		w.pass(2 * time.Second)
		a := w.serves("a", wire.StateDegraded)
		require.NotNil(t, a.EvidenceAgeSeconds)
		require.EqualValues(t, 1, a.Generation, "nobody took over")
	})
}

func TestAnInconsistentProviderNeverServes(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, with("min_recovery_checks: 2", "min_recovery_checks: 2, on_all_unhealthy: last"))
		w.fleet.change("eth", "a", func(n *node) { n.inconsistent = true })
		w.look()
		require.Equal(t, "failover: a inconsistent (ProviderInconsistent)", w.serves("b", wire.StateOK).Reason)
		w.fail("b", "timeout")
		w.fail("c", "timeout")
		w.look()
		w.serves("b", wire.StateDegraded)
		w.fleet.change("eth", "b", func(n *node) { n.failing, n.mismatch = "", true })
		w.look()
		w.serves("", wire.StateNone)
	})
}

func TestASplitKeepsTheActiveOne(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.fleet.setSplit("eth", true)
		w.look()
		a := w.serves("a", wire.StateDegraded)
		require.NotNil(t, a.AgreementAgeSeconds)
		w.fail("a", "timeout")
		w.pass(3 * time.Second)
		a = w.serves("a", wire.StateDegraded)
		require.InDelta(t, 3, *a.AgreementAgeSeconds, 1)
		w.fleet.setSplit("eth", false)
		w.pass(40 * time.Second)
		w.serves("b", wire.StateOK)
		require.Nil(t, w.active().AgreementAgeSeconds)
	})
}

func TestASlowAndALaggingOneAreLeftWithTheirFigures(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.fleet.change("eth", "a", func(n *node) { n.latency = 7300 })
		w.look()
		require.Equal(t, "failover: a slow (7300 ms)", w.serves("b", wire.StateOK).Reason)
		w.fleet.change("eth", "b", func(n *node) { n.height -= 7 })
		w.look()
		require.Equal(t, "failover: b behind (7 blocks)", w.serves("c", wire.StateOK).Reason)
		require.EqualValues(t, 7, *w.status("b").BlockLag)
	})
}

func TestACapabilityIsAskedForPerRequest(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		a, ok := w.c.Overview().Active("eth", "receipts")
		require.True(t, ok)
		require.Equal(t, "b", *a.Provider)
		require.Equal(t, wire.StateOK, a.State)
		w.fleet.change("eth", "b", func(n *node) { n.refuted = []string{"receipts"} })
		w.look()
		a, _ = w.c.Overview().Active("eth", "receipts")
		require.Nil(t, a.Provider, "a probe found that it lacks what was declared")
		require.Equal(t, wire.StateNone, a.State)
		w.serves("a", wire.StateOK)
		_, ok = w.c.Overview().Active("doge", "")
		require.False(t, ok)
	})
}
