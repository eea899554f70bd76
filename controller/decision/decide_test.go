package decision_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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

func TestAClockThatIsSetBackDoesNotLengthenTheWaitForAPreferredOne(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.look.Evidence["a"] = decision.Evidence{Evidence: health.Evidence{Fresh: true}}
	s.after(0)
	require.Empty(t, s.state.Current.Provider)
	s.after(-time.Hour)
	require.Equal(t, "b", s.state.Current.Provider)
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

// servedWrong is a scene whose only provider served, and was left for wrong data
// although the last one may go on.
func servedWrong(t *testing.T) *scene {
	t.Helper()
	s := newScene(t)
	s.look.Policy.Selection.OnAllUnhealthy = selection.ServeLast
	s.look.Providers = s.look.Providers[:1]
	s.after(time.Second)
	e := s.look.Evidence["a"]
	e.Facts, e.Integrity = []string{"ProviderInconsistent"}, true
	s.look.Evidence["a"] = e
	s.after(time.Second)
	require.Empty(t, s.state.Current.Provider)
	return s
}

func TestAnIntegrityFactIsRememberedWhileNobodyIsHeard(t *testing.T) {
	t.Parallel()
	s := servedWrong(t)
	s.look.Evidence["a"] = decision.Evidence{}
	require.False(t, s.after(time.Minute).Changed, "silence clears nobody")
}

func TestWhoServedWrongDataIsNoLastResortBeforeItHasRecovered(t *testing.T) {
	t.Parallel()
	s := servedWrong(t)

	// An exporter that starts anew has compared nothing yet, and so the alert ends.
	s.look.Evidence["a"] = decision.Evidence{Evidence: health.Evidence{Fresh: true}}
	s.after(time.Second)
	require.Empty(t, s.state.Current.Provider, "an alert that ends is no evidence")
	require.True(t, s.state.Members["a"].Integrity)

	s.well("a")
	s.after(time.Minute)
	require.Equal(t, health.Recovering, s.state.Members["a"].State)
	require.Empty(t, s.state.Current.Provider)
	s.after(time.Minute)
	require.Equal(t, "a", s.state.Current.Provider)
	require.Equal(t, selection.OK, s.state.Served)
	require.False(t, s.state.Members["a"].Integrity)
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
