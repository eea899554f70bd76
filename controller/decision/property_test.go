package decision_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/selection"
)

// drawLook is any look at three providers.
func drawLook(t *rapid.T, now time.Time) decision.Look {
	l := decision.Look{Now: now, Policy: policy, Evidence: map[string]decision.Evidence{}, Split: rapid.IntRange(0, 9).Draw(t, "split") == 0}
	l.Policy.Selection.Failback = rapid.SampledFrom([]selection.Failback{"auto", "sticky", "manual"}).Draw(t, "failback")
	l.Policy.Selection.OnAllUnhealthy = rapid.SampledFrom([]selection.OnAllUnhealthy{"none", "last"}).Draw(t, "all")
	for i, name := range []string{"a", "b", "c"} {
		if rapid.IntRange(0, 19).Draw(t, "gone") == 0 {
			continue
		}
		endpoint := rapid.SampledFrom([]string{"x", "x", "x", "x", "y"}).Draw(t, "endpoint")
		l.Providers = append(l.Providers, decision.Provider{Name: name, Endpoint: endpoint, Priority: i})
		e := decision.Evidence{Evidence: health.Evidence{
			Fresh: rapid.IntRange(0, 5).Draw(t, "fresh") > 0, Probed: true, ProbedAt: now,
			Good: rapid.IntRange(0, 3).Draw(t, "good") > 0, Proven: rapid.IntRange(0, 3).Draw(t, "proven") > 0,
		}}
		if rapid.IntRange(0, 4).Draw(t, "accused") == 0 {
			e.Facts = []string{"X"}
			e.Integrity = rapid.Bool().Draw(t, "integrity")
		}
		l.Evidence[name] = e
	}
	if rapid.IntRange(0, 4).Draw(t, "ordered") == 0 {
		l.Command = &decision.Command{
			Kind:     rapid.SampledFrom([]decision.CommandKind{decision.Drain, decision.Undrain, decision.SetPin, decision.Unpin, decision.Failback}).Draw(t, "order"),
			Provider: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "of"),
		}
		if rapid.Bool().Draw(t, "ends") {
			l.Command.Until = now.Add(time.Minute)
		}
	}
	return l
}

func TestSequencesOfLooksKeepTheInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s decision.State
		now := epoch
		for range rapid.IntRange(1, 30).Draw(t, "looks") {
			now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "passed")) * time.Second)
			l := drawLook(t, now)
			out := decision.Decide(s, l)
			requireInvariants(t, s, l, out)
			s = throughJSON(t, out.State)
			require.True(t, s.Equal(out.State), "a state survives the journal")
		}
	})
}

// throughJSON is the state as it comes back from a journal.
func throughJSON(t require.TestingT, s decision.State) decision.State {
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var back decision.State
	require.NoError(t, json.Unmarshal(text, &back))
	return back
}

// requireInvariants is what holds of every look.
func requireInvariants(t *rapid.T, before decision.State, l decision.Look, out decision.Outcome) {
	s := out.State
	again := l
	again.Command = nil
	require.False(t, decision.Decide(s, again).Changed, "the same look again changes nothing")

	require.True(t, decision.Decide(before, l).State.Equal(s), "the same look gives the same outcome")

	switches := slices.DeleteFunc(slices.Clone(out.Changes), func(c decision.Change) bool { return !c.Switch() })
	require.LessOrEqual(t, len(switches), 1, fmt.Sprint(out.Changes))
	require.Equal(t, before.Generation+uint64(len(switches)), s.Generation, "the generation counts the switches")
	// At its beginning a chain may wait for the verdict on a preferred provider.
	if s.Current.Last != "" || l.Now.Sub(s.Begun) >= 3*time.Second {
		requireFit(t, s, l)
	}
	if len(switches) == 0 {
		require.Equal(t, before.Current.Provider, s.Current.Provider, "no switch without a reason")
		return
	}
	require.NotEmpty(t, switches[0].Reason)
	require.Equal(t, before.Current.Provider, switches[0].From)
	require.Equal(t, s.Current.Provider, switches[0].To)
}

// requireFit is what holds of who serves after a look, whether it is somebody else
// or not.
func requireFit(t *rapid.T, s decision.State, l decision.Look) {
	active := s.Current.Provider
	fit := func(name string) bool {
		m, ok := s.Members[name]
		_, drained := s.Drains[name]
		return ok && m.State == health.Healthy && m.Proven && !m.Integrity && !drained
	}
	if active == "" {
		for _, p := range l.Providers {
			require.False(t, !l.Split && fit(p.Name), "%s could serve", p.Name)
		}
		return
	}
	m := s.Members[active]
	require.True(t, m.Proven && !m.Integrity, "%s must not serve", active)
	if !fit(active) {
		require.Equal(t, selection.Degraded, s.Served)
		for _, p := range l.Providers {
			require.False(t, !l.Split && fit(p.Name), "%s is fit and does not serve", p.Name)
		}
	}
}
