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

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// policy is a short one: a recovery takes two checks a minute apart.
var policy = decision.Policy{
	Recovery:  health.Policy{RecoveryCheckInterval: time.Minute, MinRecoveryChecks: 2},
	Selection: selection.Policy{Failback: selection.FailbackAuto, OnAllUnhealthy: selection.ServeNone},
}

// scene is a chain with the providers a, b and c, which are preferred in this
// order.
type scene struct {
	t     *testing.T
	now   time.Time
	state decision.State
	look  decision.Look
}

func newScene(t *testing.T) *scene {
	s := &scene{t: t, now: epoch, look: decision.Look{Policy: policy, Evidence: map[string]decision.Evidence{}}}
	for i, name := range []string{"a", "b", "c"} {
		s.look.Providers = append(s.look.Providers, decision.Provider{Name: name, Endpoint: "http://" + name, Priority: i})
		s.well(name)
	}
	return s
}

// well lets a provider answer from now on.
func (s *scene) well(name string) {
	s.look.Evidence[name] = decision.Evidence{Evidence: health.Evidence{Fresh: true, Probed: true, Good: true, Proven: true}}
}

// accuse lets an alert stand against a provider from now on.
func (s *scene) accuse(name, alert, words string) {
	s.look.Evidence[name] = decision.Evidence{
		Evidence: health.Evidence{Fresh: true, Probed: true, Proven: true, Facts: []string{alert}}, Words: words,
	}
}

// after looks again once the time has passed, with a new probe of everybody.
func (s *scene) after(passed time.Duration) decision.Outcome {
	s.t.Helper()
	s.now = s.now.Add(passed)
	s.look.Now = s.now
	for name, e := range s.look.Evidence {
		e.ProbedAt = s.now
		s.look.Evidence[name] = e
	}
	before, err := json.Marshal(s.state)
	require.NoError(s.t, err)
	out := decision.Decide(s.state, s.look)
	untouched, err := json.Marshal(s.state)
	require.NoError(s.t, err)
	require.JSONEq(s.t, string(before), string(untouched), "a look changes no state that it is given")
	s.state = out.State
	again := s.look
	again.Command = nil
	require.False(s.t, decision.Decide(out.State, again).Changed, "the same look again changes nothing")
	s.look.Command = nil
	return out
}

// order gives a command with the next look.
func (s *scene) order(c decision.Command) decision.Outcome {
	s.t.Helper()
	s.look.Command = &c
	return s.after(time.Second)
}

// kinds are the kinds of the changes.
func kinds(out decision.Outcome) []string {
	var all []string
	for _, c := range out.Changes {
		all = append(all, c.Kind)
	}
	return all
}

func TestTheFirstLookStartsWithThePreferredOne(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	out := s.after(time.Second)
	require.Equal(t, []string{"configuration", "state", "state", "state", "start"}, kinds(out))
	require.Equal(t, "a", s.state.Current.Provider)
	require.Equal(t, selection.OK, s.state.Served)
	require.Equal(t, []string{"b", "c"}, s.state.Fallbacks)
	require.EqualValues(t, 1, s.state.Generation)
	require.Equal(t, "start: a is the first fit to serve", s.state.Why)
	require.Equal(t, "a is the most preferred of the healthy", s.state.Sentence())
}

func TestTheStartWaitsAMomentForAPreferredOne(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.look.Evidence["a"] = decision.Evidence{Evidence: health.Evidence{Fresh: true}}
	out := s.after(0)
	require.Empty(t, s.state.Current.Provider, "nobody knows yet whether a is fit")
	require.Equal(t, epoch.Add(3*time.Second), out.Wake)
	s.well("a")
	s.after(time.Second)
	require.Equal(t, "a", s.state.Current.Provider)
	require.EqualValues(t, 1, s.state.Generation)

	s = newScene(t)
	s.look.Evidence["a"] = decision.Evidence{Evidence: health.Evidence{Fresh: true}}
	s.after(0)
	s.after(3 * time.Second)
	require.Equal(t, "b", s.state.Current.Provider, "not for ever")
}

func TestFailoverAndFailback(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.after(time.Second)
	s.accuse("a", "ProviderDown", "down (timeout)")
	out := s.after(time.Second)
	require.Equal(t, []string{"state", "failover"}, kinds(out))
	require.Equal(t, decision.Change{
		Kind: "failover", From: "a", To: "b", Reason: "failover: a down (timeout)", Facts: []string{"ProviderDown"},
	}, out.Changes[1])
	require.EqualValues(t, 2, s.state.Generation)

	s.well("a")
	require.Empty(t, s.after(time.Second).Changes, "the end of an alert is no evidence")
	require.Equal(t, []string{"state"}, kinds(s.after(time.Minute)), "recovering")
	require.Equal(t, s.now.Add(time.Minute), s.state.Members["a"].NextCheck)
	out = s.after(time.Minute)
	require.Equal(t, []string{"state", "failback"}, kinds(out))
	require.Equal(t, "failback: a is healthy and preferred", s.state.Why)
	require.EqualValues(t, 3, s.state.Generation)
}

func TestWithNobodyFitNobodyServes(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.after(time.Second)
	for _, name := range []string{"a", "b", "c"} {
		s.accuse(name, "ProviderDown", "down (dns)")
	}
	out := s.after(time.Second)
	require.Equal(t, "failover", out.Changes[len(out.Changes)-1].Kind)
	require.Empty(t, s.state.Current.Provider)
	require.Equal(t, "a", s.state.Current.Last)
	require.Equal(t, selection.None, s.state.Served)
	require.EqualValues(t, 2, s.state.Generation)
}

func TestDrainIsLeftAtOnceAndEndsByItself(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.after(time.Second)
	out := s.order(decision.Command{Kind: decision.Drain, Provider: "a", Reason: "upgrade", Until: s.now.Add(time.Hour)})
	require.Equal(t, []string{"drain", "switchover"}, kinds(out))
	require.Equal(t, "upgrade, until 2026-01-01T01:00:01Z", out.Changes[0].Reason)
	require.Equal(t, "b", s.state.Current.Provider)
	require.Equal(t, epoch.Add(time.Hour+time.Second), out.Wake, "it wakes for the end of the drain")
	out = s.after(time.Hour)
	require.Equal(t, []string{"undrain", "failback"}, kinds(out))
	require.Equal(t, "a", s.state.Current.Provider)
}

func TestPinServesWhileItIsWell(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.after(time.Second)
	require.Equal(t, []string{"pin", "switchover"}, kinds(s.order(decision.Command{Kind: decision.SetPin, Provider: "c"})))
	require.Equal(t, "c", s.state.Current.Provider)
	s.accuse("c", "ProviderSlow", "slow (7000 ms)")
	require.Equal(t, []string{"state", "failover"}, kinds(s.after(time.Second)))
	require.Equal(t, "a", s.state.Current.Provider)
	s.well("c")
	s.after(time.Minute)
	s.after(time.Minute)
	require.Equal(t, "c", s.state.Current.Provider, "it is returned to while the pin lasts")
	require.Equal(t, []string{"unpin", "failback"}, kinds(s.order(decision.Command{Kind: decision.Unpin})))
	require.Equal(t, "a", s.state.Current.Provider)
}

func TestOrdersAboutStrangersArePassedOver(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.after(time.Second)
	for _, c := range []decision.Command{
		{Kind: decision.Drain, Provider: "x"}, {Kind: decision.SetPin, Provider: "x"}, {Kind: decision.Undrain, Provider: "x"},
		{Kind: decision.Unpin}, {Kind: decision.Failback}, {Kind: "dance"},
	} {
		require.False(t, s.order(c).Changed, c.Kind)
	}
}

func TestManualFailbackWaitsForTheOperator(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.look.Policy.Selection.Failback = selection.FailbackManual
	s.after(time.Second)
	s.accuse("a", "ProviderDown", "down (timeout)")
	s.after(time.Second)
	s.well("a")
	s.after(time.Minute)
	s.after(time.Minute)
	require.True(t, s.state.AwaitsApproval())
	require.Equal(t, "b", s.state.Current.Provider)
	require.Equal(t, []string{"failback"}, kinds(s.order(decision.Command{Kind: decision.Failback})))
	require.Equal(t, "a", s.state.Current.Provider)
	require.False(t, s.state.AwaitsApproval())
}

func TestAnotherEndpointOfThatNameIsJudgedAnew(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.after(time.Second)
	s.look.Providers[0].Endpoint = "http://elsewhere"
	s.look.Evidence["a"] = decision.Evidence{Evidence: health.Evidence{Fresh: true}}
	out := s.after(time.Second)
	require.Equal(t, []string{"configuration", "failover"}, kinds(out))
	require.Equal(t, health.Unknown, s.state.Members["a"].State)
	require.Equal(t, "b", s.state.Current.Provider)
}

func TestWhoIsGoneTakesItsOrdersAlong(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.after(time.Second)
	s.order(decision.Command{Kind: decision.Drain, Provider: "b"})
	s.order(decision.Command{Kind: decision.SetPin, Provider: "a"})
	s.look.Providers = s.look.Providers[2:]
	out := s.after(time.Second)
	require.Equal(t, []string{"configuration", "switchover"}, kinds(out))
	require.Equal(t, "c", s.state.Current.Provider)
	require.Empty(t, s.state.Drains)
	require.Nil(t, s.state.Pin)
	require.Len(t, s.state.Members, 1)
}

func TestDuringASplitTheActiveOneIsKeptDegraded(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.after(time.Second)
	s.look.Split = true
	s.after(time.Second)
	require.Equal(t, "a", s.state.Current.Provider)
	require.Equal(t, selection.Degraded, s.state.Served)
	require.Equal(t, s.now, s.state.Agreed)
	s.look.Split = false
	s.after(time.Minute)
	require.Equal(t, selection.OK, s.state.Served)
	require.Zero(t, s.state.Agreed)
}

func TestAnIntegrityFactIsRememberedWhileNobodyIsHeard(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.look.Policy.Selection.OnAllUnhealthy = selection.ServeLast
	s.look.Providers = s.look.Providers[:1]
	s.after(time.Second)
	e := s.look.Evidence["a"]
	e.Facts, e.Integrity = []string{"ProviderInconsistent"}, true
	s.look.Evidence["a"] = e
	s.after(time.Second)
	require.Empty(t, s.state.Current.Provider)
	s.look.Evidence["a"] = decision.Evidence{}
	require.False(t, s.after(time.Minute).Changed, "silence clears nobody")
}

func TestTheGenerationLeapsOverWhatMayHaveBeenUsed(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.look.Floor = 100
	s.after(time.Second)
	require.EqualValues(t, 101, s.state.Generation)
	s.accuse("a", "ProviderDown", "down (timeout)")
	s.after(time.Second)
	require.EqualValues(t, 102, s.state.Generation)
}

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
	if len(switches) == 0 {
		require.Equal(t, before.Current.Provider, s.Current.Provider, "no switch without a reason")
		return
	}
	require.NotEmpty(t, switches[0].Reason)
	require.Equal(t, before.Current.Provider, switches[0].From)
	require.Equal(t, s.Current.Provider, switches[0].To)
	requireFit(t, s, l)
}

// requireFit is what holds of who begins to serve.
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

func BenchmarkDecide(b *testing.B) {
	s := &scene{t: nil, now: epoch, look: decision.Look{Policy: policy, Evidence: map[string]decision.Evidence{}, Now: epoch}}
	for i, name := range []string{"a", "b", "c"} {
		s.look.Providers = append(s.look.Providers, decision.Provider{Name: name, Endpoint: "http://" + name, Priority: i})
		s.well(name)
	}
	state := decision.Decide(decision.State{}, s.look).State
	b.ReportAllocs()
	for b.Loop() {
		decision.Decide(state, s.look)
	}
}
