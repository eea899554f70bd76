package health

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// minute is a policy of round numbers.
var minute = Policy{RecoveryCheckInterval: time.Minute, MinRecoveryChecks: 3}

// seenWell is the evidence of a provider that is well, at a time.
func seenWell(at time.Time) Evidence {
	return Evidence{Fresh: true, Probed: true, Good: true, Proven: true, ProbedAt: at}
}

// seenFailing is the evidence of one whose last probe failed.
func seenFailing(at time.Time) Evidence {
	e := seenWell(at)
	e.Good = false
	return e
}

// seenAccused is the evidence of one against which an alert stands.
func seenAccused(at time.Time) Evidence {
	e := seenWell(at)
	e.Facts = []string{"ProviderDown"}
	return e
}

// reach is a record in a state, reached the way the machine reaches it.
func reach(t *testing.T, s State) Record {
	t.Helper()
	r := Record{Proven: true}
	if s != Unknown {
		r, _ = Next(r, seenWell(epoch), minute, epoch)
	}
	if s == Unhealthy || s == Recovering {
		r, _ = Next(r, seenAccused(epoch), minute, epoch)
	}
	if s == Recovering {
		later := epoch.Add(time.Minute)
		r, _ = Next(r, seenWell(later), minute, later)
	}
	require.Equal(t, s, r.State)
	return r
}

// meeting is a state that meets evidence, and what becomes of it.
type meeting struct {
	name     string
	state    State
	evidence Evidence
	// at is when, or three minutes after the beginning.
	at   time.Time
	want State
	why  Reason
}

// meetings are every state with every sort of evidence.
func meetings() []meeting {
	later := epoch.Add(3 * time.Minute)
	disproven := seenWell(later)
	disproven.Proven, disproven.Disproven = false, true
	integrity := seenAccused(later)
	integrity.Integrity = true
	blind := seenFailing(later)
	blind.Fresh = false
	accusedUnseen := Evidence{Facts: []string{"ProviderDown"}}
	never := Evidence{Fresh: true}
	all := []meeting{
		{"unknown and well", Unknown, seenWell(later), later, Healthy, FirstProbeGood},
		{"unknown and failing", Unknown, seenFailing(later), later, Unhealthy, FirstProbeFailed},
		{"unknown and accused", Unknown, seenAccused(later), later, Unhealthy, FactStands},
		{"unknown and of another network", Unknown, disproven, later, Unhealthy, WrongNetwork},
		{"unknown and never probed", Unknown, never, later, Unknown, NotProbed},
		{"unknown and unseen", Unknown, blind, later, Unknown, Blind},
		{"healthy and well", Healthy, seenWell(later), later, Healthy, Steady},
		{"healthy with one failed probe", Healthy, seenFailing(later), later, Healthy, FailureTolerated},
		{"healthy and accused", Healthy, seenAccused(later), later, Unhealthy, FactStands},
		{"healthy and contradicted", Healthy, integrity, later, Unhealthy, IntegrityFact},
		{"healthy and of another network", Healthy, disproven, later, Unhealthy, WrongNetwork},
		{"healthy and unseen", Healthy, blind, later, Healthy, Blind},
		{"healthy, unseen and accused from elsewhere", Healthy, accusedUnseen, later, Unhealthy, FactStands},
		{"unhealthy and well", Unhealthy, seenWell(later), later, Recovering, CheckPassed},
		{"unhealthy and failing", Unhealthy, seenFailing(later), later, Unhealthy, StillFailing},
		{"unhealthy and accused", Unhealthy, seenAccused(later), later, Unhealthy, FactStands},
		{"unhealthy and unseen", Unhealthy, blind, later, Unhealthy, Blind},
		{"recovering and well", Recovering, seenWell(later), later, Recovering, CheckPassed},
		{"recovering and failing", Recovering, seenFailing(later), later, Unhealthy, CheckFailed},
		{"recovering and accused", Recovering, seenAccused(later), later, Unhealthy, FactStands},
		{"recovering and unseen", Recovering, blind, later, Recovering, Blind},
		{"recovering before the next check", Recovering, seenWell(epoch.Add(61 * time.Second)), epoch.Add(61 * time.Second), Recovering, CheckNotDue},
		{"recovering without a newer probe", Recovering, seenWell(epoch.Add(time.Minute)), later, Recovering, ProbeAwaited},
		{"recovering after the clock was set back", Recovering, seenWell(epoch.Add(30 * time.Second)), epoch.Add(30 * time.Second), Recovering, ClockSetBack},
	}
	return all
}

func TestEveryStateMeetsEveryEvidence(t *testing.T) {
	t.Parallel()
	seen := map[Reason]bool{Recovered: true, NotIdentified: true}
	for _, c := range meetings() {
		seen[c.why] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := reach(t, c.state)
			after, why := Next(before, c.evidence, minute, c.at)
			require.Equal(t, c.want, after.State)
			require.Equal(t, c.why, why)
			if c.want != c.state {
				require.Equal(t, before.Generation+1, after.Generation)
				require.Equal(t, c.at, after.Since)
			} else {
				require.Equal(t, before.Generation, after.Generation)
			}
		})
	}
	for _, reason := range Reasons()[1:] {
		require.Truef(t, seen[reason], "nothing here gives the reason %s", reason)
	}
}

func TestGoodProbeWithoutAProvenNetworkIsNoVerdict(t *testing.T) {
	t.Parallel()
	e := seenWell(epoch)
	e.Proven = false
	r, why := Next(Record{}, e, minute, epoch)
	require.Equal(t, Unknown, r.State)
	require.Equal(t, NotIdentified, why)
}

func TestRecoveryTakesFreshProbesInARow(t *testing.T) {
	t.Parallel()
	r := reach(t, Unhealthy)
	at := epoch.Add(time.Minute)
	r, _ = Next(r, seenWell(at), minute, at)
	require.Equal(t, 1, r.Passed)
	again := at.Add(time.Minute)
	r, why := Next(r, seenWell(at), minute, again)
	require.Equal(t, ProbeAwaited, why, "the probe behind the check before does not count twice")
	r, _ = Next(r, seenWell(again), minute, again)
	require.Equal(t, 2, r.Passed)
	early := again.Add(time.Second)
	r, why = Next(r, seenWell(early), minute, early)
	require.Equal(t, CheckNotDue, why)
	last := again.Add(time.Minute)
	r, why = Next(r, seenWell(last), minute, last)
	require.Equal(t, Healthy, r.State)
	require.Equal(t, Recovered, why)
}

func TestFlapPenaltyDoublesFromTheSecondFailoverWithinAnHour(t *testing.T) {
	t.Parallel()
	p := minute
	p.FlapPenalty = true
	r := Record{}
	for _, want := range []int{3, 3, 6, 12, 24, 24, 24} {
		require.Equal(t, want, p.Required(r.Failovers, epoch))
		r = r.Failover(p, epoch)
	}
	require.Equal(t, 3, p.Required(r.Failovers, epoch.Add(time.Hour+time.Second)), "an hour later all is forgotten")
	require.Equal(t, 3, minute.Required(r.Failovers, epoch), "without the penalty nothing is added")
}

// drawEvidence is any evidence, more often calm than not.
func drawEvidence(t *rapid.T) Evidence {
	e := Evidence{
		Fresh:    rapid.IntRange(0, 4).Draw(t, "fresh") > 0,
		Proven:   rapid.Bool().Draw(t, "proven"),
		ProbedAt: epoch.Add(time.Duration(rapid.IntRange(-100, 4000).Draw(t, "probed at")) * time.Second),
	}
	if rapid.Bool().Draw(t, "calm") {
		e.Probed, e.Good = true, true
		return e
	}
	e.Probed, e.Good = rapid.Bool().Draw(t, "probed"), rapid.Bool().Draw(t, "good")
	e.Integrity = rapid.Bool().Draw(t, "integrity")
	e.Disproven = rapid.IntRange(0, 4).Draw(t, "disproven") == 0
	if rapid.Bool().Draw(t, "accused") {
		e.Facts = []string{"X"}
	}
	return e
}

func TestSequencesKeepTheInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, now := Record{}, epoch
		p := Policy{
			RecoveryCheckInterval: time.Duration(rapid.IntRange(0, 60).Draw(t, "interval")) * time.Second,
			MinRecoveryChecks:     rapid.IntRange(-1, 4).Draw(t, "checks"),
			FlapPenalty:           rapid.Bool().Draw(t, "penalty"),
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			// The clock may be set back.
			now = now.Add(time.Duration(rapid.IntRange(-20, 200).Draw(t, "passed")) * time.Second)
			e := drawEvidence(t)
			next, _ := Next(r, e, p, now)
			requireInvariants(t, r, next, e, p, now)
			r = next
			if r.State == Unhealthy && rapid.IntRange(0, 3).Draw(t, "failover") == 0 {
				r = r.Failover(p, now)
			}
		}
	})
}

// requireInvariants is what holds of every step.
func requireInvariants(t *rapid.T, before, after Record, e Evidence, p Policy, now time.Time) {
	again, _ := Next(after, e, p, now)
	require.True(t, again.Equal(after), "the same look again changes nothing")
	_, bad := e.condemned()
	if !e.Fresh && !bad {
		require.True(t, after.Equal(before), "absence changes nothing")
		return
	}
	require.True(t, !bad || after.State == Unhealthy, "a fact condemns")
	require.True(t, after.State != Healthy || after.Proven, "a healthy one has proven its network")
	if after.State == before.State {
		require.Equal(t, before.Generation, after.Generation)
		return
	}
	require.Equal(t, before.Generation+1, after.Generation)
	if after.State != Unhealthy {
		require.True(t, e.Probed && e.Good, "only a good probe heals")
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
		require.NotEmpty(t, reason.Phrase())
	}
	for _, s := range []State{Unknown, Healthy, Recovering, Unhealthy} {
		text, err := s.MarshalText()
		require.NoError(t, err)
		var back State
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, s, back)
	}
	kept := Healthy
	require.Error(t, kept.UnmarshalText([]byte("splendid")))
	require.Equal(t, Healthy, kept, "an unknown word leaves the value alone")
	_, err := State(99).MarshalText()
	require.Error(t, err)
	require.NotEmpty(t, State(99).String())
}

func BenchmarkNext(b *testing.B) {
	r, _ := Next(Record{}, seenWell(epoch), minute, epoch)
	b.ReportAllocs()
	for b.Loop() {
		Next(r, seenFailing(epoch), minute, epoch)
	}
}
