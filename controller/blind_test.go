package controller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// ready are the sentences about what is missing.
func (w *world) ready() []string {
	var all []string
	for _, err := range w.c.Ready() {
		all = append(all, err.Error())
	}
	return all
}

func TestASilentExporterCondemnsNobody(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		before := w.serves("a", wire.StateOK)
		require.False(t, before.Stale)
		w.fleet.silence(true)
		w.pass(2 * time.Minute)
		after := w.serves("a", wire.StateOK)
		require.True(t, after.Stale)
		require.Nil(t, after.Height, "what was reported two minutes ago is no height of now")
		require.Equal(t, before.Index, after.Index, "nothing was decided")
		require.Equal(t, []string{"no exporter answers: the last choice stands"}, w.ready())
		w.fleet.silence(false)
		w.look()
		require.False(t, w.active().Stale)
		require.Empty(t, w.ready())
	})
}

func TestASilentExporterHealsNobody(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.fail("a", "timeout")
		w.look()
		w.serves("b", wire.StateOK)
		w.fleet.silence(true)
		w.well("a")
		w.pass(5 * time.Minute)
		w.serves("b", wire.StateOK)
		require.Equal(t, wire.StatusUnhealthy, w.status("a").Status)
		require.NotContains(t, alertsOf(w.status("a")), "ProviderDown local true", "a failed scrape ends the alert")
	})
}

func TestAWebhookActsWhileTheExporterIsSilent(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three, func(o *controller.Options) { o.Mode = facts.ModeAlways })
		w.fleet.silence(true)
		w.pass(time.Minute)
		w.post("firing", against("a", "Watched", "down"), time.Now())
		a := w.serves("b", wire.StateOK)
		require.True(t, a.Stale)
		require.Equal(t, "failover: a down", a.Reason)
	})
}

func TestAnExporterThatNeverAnswersIsNoReasonToServeAnybody(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := open(t, t.TempDir(), three)
		w.fleet.silence(true)
		w.run()
		w.pass(time.Minute)
		a := w.serves("", wire.StateNone)
		require.True(t, a.Stale)
		require.NotEmpty(t, w.ready())
		w.fleet.silence(false)
		w.look()
		w.serves("a", wire.StateOK)
		require.Empty(t, w.ready())
	})
}

func TestTheChoiceStandsWhenTheExporterStartsAnew(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		for _, name := range []string{"a", "b", "c"} {
			w.fleet.change("eth", name, func(n *node) { *n = node{operator: n.operator, failures: map[string]float64{}} })
		}
		w.evaluate()
		a := w.serves("a", wire.StateOK)
		require.EqualValues(t, 1, a.Generation, "who was not probed yet has not failed")
	})
}
