package selection

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/controller/health"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// well is a provider that is fit, at a place of the file.
func well(name string, place int) Candidate {
	return Candidate{Name: name, Priority: place, Order: place, State: health.Healthy, Proven: true}
}

// but is a candidate with something changed.
func (c Candidate) but(change func(*Candidate)) Candidate {
	change(&c)
	return c
}

func down(c *Candidate)    { c.State = health.Unhealthy }
func forked(c *Candidate)  { c.Integrity = true }
func drained(c *Candidate) { c.Drained = true }

// served is the current provider, for an hour so far.
func served(name string) Current {
	return Current{Provider: name, Last: name, Since: epoch.Add(-time.Hour)}
}

func TestChoices(t *testing.T) {
	t.Parallel()
	a, b := well("a", 1), well("b", 2)
	auto := Policy{Failback: FailbackAuto}
	last := Policy{Failback: FailbackAuto, OnAllUnhealthy: ServeLast}
	seen := map[Reason]bool{}
	for _, c := range []struct {
		name      string
		situation Situation
		provider  string
		state     State
		kind      Kind
		why       Reason
	}{
		{"at the start, the most preferred", Situation{Candidates: []Candidate{b, a}, Policy: auto}, "a", OK, KindStart, FirstFit},
		{"equal priorities, the first in the file", Situation{Candidates: []Candidate{b.but(func(c *Candidate) { c.Priority = 1 }), a}, Policy: auto}, "a", OK, KindStart, FirstFit},
		{"all is well", Situation{Candidates: []Candidate{a, b}, Current: served("a"), Policy: auto}, "a", OK, KindNone, KeptBest},
		{"the active one is unfit", Situation{Candidates: []Candidate{a.but(down), b}, Current: served("a"), Policy: auto}, "b", OK, KindFailover, LeftUnhealthy},
		{"the active one is on a fork", Situation{Candidates: []Candidate{a.but(forked), b}, Current: served("a"), Policy: auto}, "b", OK, KindFailover, LeftInconsistent},
		{"the active one is drained", Situation{Candidates: []Candidate{a.but(drained), b}, Current: served("a"), Policy: auto}, "b", OK, KindSwitchover, LeftDrained},
		{"the active one left the configuration", Situation{Candidates: []Candidate{b}, Current: served("a"), Policy: auto}, "b", OK, KindSwitchover, LeftRemoved},
		{"the preferred one is back", Situation{Candidates: []Candidate{a, b}, Current: served("b"), Policy: auto}, "a", OK, KindFailback, Preferred},
		{"the preferred one is back, sticky", Situation{Candidates: []Candidate{a, b}, Current: served("b"), Policy: Policy{Failback: FailbackSticky}}, "b", OK, KindNone, KeptSticky},
		{"the preferred one is back, manual", Situation{Candidates: []Candidate{a, b}, Current: served("b"), Policy: Policy{Failback: FailbackManual}}, "b", OK, KindNone, KeptForApproval},
		{"the same, and an operator agrees", Situation{Candidates: []Candidate{a, b}, Current: served("b"), Policy: Policy{Failback: FailbackManual}, Approved: true}, "a", OK, KindFailback, Approved},
		{"an unknown word for failback waits", Situation{Candidates: []Candidate{a, b}, Current: served("b"), Policy: Policy{Failback: "?"}}, "b", OK, KindNone, KeptForApproval},
		{"too early to fail back", Situation{Candidates: []Candidate{a, b}, Current: served("b"), Policy: Policy{Failback: FailbackAuto, MinActiveTime: 2 * time.Hour}}, "b", OK, KindNone, KeptForNow},
		{"never too early to fail over", Situation{Candidates: []Candidate{a, b.but(down)}, Current: served("b"), Policy: Policy{Failback: FailbackAuto, MinActiveTime: 2 * time.Hour}}, "a", OK, KindFailover, LeftUnhealthy},
		{"a pin moves the work", Situation{Candidates: []Candidate{a, b}, Current: served("a"), Policy: auto, Pin: "b"}, "b", OK, KindSwitchover, Pinned},
		{"a pin keeps it there", Situation{Candidates: []Candidate{a, b}, Current: served("b"), Policy: auto, Pin: "b"}, "b", OK, KindNone, KeptPinned},
		{"a pinned one that is unfit is passed over", Situation{Candidates: []Candidate{a, b.but(down)}, Current: served("b"), Policy: auto, Pin: "b"}, "a", OK, KindFailover, LeftUnhealthy},
		{"nobody is fit", Situation{Candidates: []Candidate{a.but(down), b.but(down)}, Current: served("a"), Policy: auto}, "", None, KindFailover, LeftUnhealthy},
		{"nobody is fit, the last one serves", Situation{Candidates: []Candidate{a.but(down), b.but(down)}, Current: served("a"), Policy: last}, "a", Degraded, KindNone, KeptLast},
		{"nobody is fit, and the last one is on a fork", Situation{Candidates: []Candidate{a.but(forked), b.but(down)}, Current: served("a"), Policy: last}, "", None, KindFailover, LeftInconsistent},
		{"nobody was fit, and one is again", Situation{Candidates: []Candidate{a.but(down), b}, Current: Current{Last: "a"}, Policy: auto}, "b", OK, KindStart, FitAgain},
		{"a split keeps the active one, degraded", Situation{Candidates: []Candidate{a.but(down), b}, Current: served("a"), Policy: auto, Split: true}, "a", Degraded, KindNone, KeptSplit},
		{"a split lets nobody begin", Situation{Candidates: []Candidate{a, b}, Policy: auto, Split: true}, "", None, KindNone, NoneAgreed},
		{"a wallet is asked for", Situation{Candidates: []Candidate{a, b.but(func(c *Candidate) { c.Capabilities = []string{"wallet"} })}, Policy: auto, Request: Request{Capability: "wallet"}}, "b", OK, KindStart, FirstFit},
		{"what is asked for, the active one lacks", Situation{Candidates: []Candidate{a, b.but(func(c *Candidate) { c.Capabilities = []string{"wallet"} })}, Current: served("a"), Policy: auto, Request: Request{Capability: "wallet"}}, "b", OK, KindSwitchover, LeftIncapable},
		{"the active one has to be judged again", Situation{Candidates: []Candidate{a.but(func(c *Candidate) { c.State = health.Unknown }), b}, Current: served("a"), Policy: auto}, "b", OK, KindFailover, LeftUnjudged},
		{"nobody served, and the last one may, degraded", Situation{Candidates: []Candidate{a.but(down)}, Current: Current{Last: "a"}, Policy: last}, "a", Degraded, KindStart, LastResort},
		{"nobody is judged yet", Situation{Candidates: []Candidate{a.but(func(c *Candidate) { c.State = health.Unknown })}, Policy: auto}, "", None, KindNone, NoneJudged},
		{"nobody is fit, and nobody served", Situation{Candidates: []Candidate{a.but(down)}, Policy: auto}, "", None, KindNone, NoneFit},
		{"one that has not proven its network never serves", Situation{Candidates: []Candidate{a.but(func(c *Candidate) { c.Proven = false })}, Policy: last, Current: served("a")}, "", None, KindFailover, LeftUnidentified},
	} {
		seen[c.why] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.situation.Now = epoch
			choice, why := Choose(c.situation)
			require.Equal(t, c.provider, choice.Provider)
			require.Equal(t, c.state, choice.State)
			require.Equal(t, c.kind, choice.Kind)
			require.Equal(t, c.why, why)
		})
	}
	for _, reason := range Reasons()[1:] {
		require.Truef(t, seen[reason], "nothing here gives the reason %s", reason)
	}
}

func TestFallbacksAreTheOtherFitOnesByPreference(t *testing.T) {
	t.Parallel()
	choice, _ := Choose(Situation{
		Candidates: []Candidate{well("c", 3), well("b", 2).but(down), well("d", 4), well("a", 1)},
		Policy:     Policy{Failback: FailbackAuto}, Now: epoch,
	})
	require.Equal(t, "a", choice.Provider)
	require.Equal(t, []string{"c", "d"}, choice.Fallbacks)
}

func TestDwellSaysWhenToLookAgain(t *testing.T) {
	t.Parallel()
	s := Situation{
		Candidates: []Candidate{well("a", 1), well("b", 2)}, Current: served("b"), Now: epoch,
		Policy: Policy{Failback: FailbackAuto, MinActiveTime: 90 * time.Minute},
	}
	choice, _ := Choose(s)
	require.Equal(t, epoch.Add(30*time.Minute), choice.Revisit)
	s.Now = choice.Revisit
	choice, why := Choose(s)
	require.Equal(t, "a", choice.Provider)
	require.Equal(t, Preferred, why)
}

// drawSituation is any situation, more often a usual one than not.
func drawSituation(t *rapid.T) Situation {
	often := func(what string) bool { return rapid.IntRange(0, 4).Draw(t, what) > 0 }
	name := rapid.SampledFrom([]string{"", "p0", "p1", "p2", "p3", "gone"})
	s := Situation{
		Now: epoch, Pin: name.Draw(t, "pin"), Approved: !often("not approved"), Split: !often("no split"),
		Current: Current{
			Provider: name.Draw(t, "current"), Last: name.Draw(t, "last"),
			Since: epoch.Add(-time.Duration(rapid.IntRange(-50, 500).Draw(t, "since")) * time.Second),
		},
		Policy: Policy{
			Failback:       Failback(rapid.SampledFrom([]string{"auto", "sticky", "manual", "?"}).Draw(t, "failback")),
			MinActiveTime:  time.Duration(rapid.IntRange(0, 600).Draw(t, "dwell")) * time.Second,
			OnAllUnhealthy: OnAllUnhealthy(rapid.SampledFrom([]string{"none", "last"}).Draw(t, "on all unhealthy")),
		},
	}
	if !often("whatever it has") {
		s.Request.Capability = "wallet"
	}
	allDown := !often("some are up")
	for i := range rapid.IntRange(0, 4).Draw(t, "candidates") {
		c := Candidate{
			Name: fmt.Sprint("p", i), Priority: rapid.IntRange(0, 2).Draw(t, "priority"), Order: i, State: health.Healthy,
			Integrity: !often("right"), Proven: often("proven"), Drained: !often("not drained"),
		}
		if allDown || !often("healthy") {
			c.State = rapid.SampledFrom([]health.State{health.Unknown, health.Unhealthy, health.Recovering, 99}).Draw(t, "state")
		}
		if often("wallet") {
			c.Capabilities = []string{"wallet"}
		}
		s.Candidates = append(s.Candidates, c)
	}
	return s
}

func TestAnySituationKeepsTheInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSituation(t)
		choice, why := Choose(s)
		requireInvariants(t, s, choice)

		mixed := s
		mixed.Candidates = rapid.Permutation(s.Candidates).Draw(t, "order")
		same, sameWhy := Choose(mixed)
		require.Equal(t, choice, same, "the order of the candidates does not matter")
		require.Equal(t, why, sameWhy)

		s.Current = choice.Apply(s.Current, s.Now)
		kept, _ := Choose(s)
		require.Equal(t, KindNone, kept.Kind, "a choice keeps itself")
		require.Equal(t, choice.Provider, kept.Provider)
		require.Equal(t, choice.State, kept.State)
	})
}

// requireInvariants is what holds of every choice.
func requireInvariants(t *rapid.T, s Situation, choice Choice) {
	require.Equal(t, choice.Provider != s.Current.Provider, choice.Kind != KindNone, "a switch has a kind")
	require.Equal(t, choice.Provider == "", choice.State == None)
	anyFit := slices.ContainsFunc(s.Candidates, func(c Candidate) bool { return s.fit(&c) })
	if anyFit && !s.Split {
		require.Equal(t, OK, choice.State, "no fit one waits while an unfit one serves")
	}
	if s.Split && choice.Provider != "" {
		require.Equal(t, s.Current.Provider, choice.Provider, "nobody takes over during a split")
	}
	for _, c := range s.Candidates {
		if c.Name == choice.Provider {
			require.True(t, c.Proven && !c.Integrity && !c.Drained, "who is wrong, unproven or drained never serves")
			require.True(t, choice.State != OK || c.State == health.Healthy)
		}
	}
	served := s.Now.Sub(s.Current.Since)
	if choice.Kind == KindFailback && !s.Approved && served >= 0 {
		require.GreaterOrEqual(t, served, s.Policy.MinActiveTime)
	}
}

func TestWordsGoThereAndBack(t *testing.T) {
	t.Parallel()
	for _, reason := range Reasons() {
		text, err := reason.MarshalText()
		require.NoError(t, err)
		var back Reason
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, reason, back)
	}
	for _, kind := range []Kind{KindNone, KindStart, KindFailover, KindFailback, KindSwitchover} {
		text, err := kind.MarshalText()
		require.NoError(t, err)
		var back Kind
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, kind, back)
	}
	var s State
	require.Error(t, s.UnmarshalText([]byte("fine")))
	require.NoError(t, s.UnmarshalText([]byte("degraded")))
	require.Equal(t, Degraded, s)
}

func BenchmarkChoose(b *testing.B) {
	s := Situation{Now: epoch, Current: Current{Provider: "p50"}, Policy: Policy{Failback: FailbackAuto}}
	for i := range 100 {
		s.Candidates = append(s.Candidates, well(fmt.Sprint("p", i), i%7))
	}
	b.ReportAllocs()
	for b.Loop() {
		Choose(s)
	}
}
