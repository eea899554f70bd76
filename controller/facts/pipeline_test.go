package facts

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// heard lets an expected Alertmanager rule from 32 s after noon on.
func heard() Pipeline {
	p := NewPipeline(ModeFallback, true, 0, noon)
	for _, s := range []float64{0, 15, 30} {
		p.Beat("w", at(-60), at(s))
	}
	p.Read(0, at(32))
	return p
}

func TestAlertmanagerTakesOverAfterThreeBeatsAndAReading(t *testing.T) {
	t.Parallel()
	p := NewPipeline(ModeFallback, true, 0, noon)
	require.Equal(t, Ruling{Source: Local, Since: noon}, p.Ruling(at(5)))
	p.Read(0, at(5))
	p.Beat("w", at(-60), at(10))
	p.Beat("w", at(-60), at(11))
	p.Beat("w", at(-60), at(12))
	require.False(t, p.WantsReading(at(12)), "beats that come at once are one")
	p.Beat("w", at(-60), at(40))
	p.Read(0, at(41))
	require.Equal(t, Local, p.Ruling(at(41)).Source, "two beats and a reading are not enough")
	p.Beat("w", at(-60), at(70))
	require.True(t, p.WantsReading(at(70)))
	require.Equal(t, Local, p.Ruling(at(70)).Source, "three beats without a reading are not enough")
	p.Read(time.Second, at(71))
	require.False(t, p.WantsReading(at(71)))
	require.Equal(t, Ruling{Source: Alertmanager, Since: at(71), Heard: at(70), Age: 2 * time.Second, Fresh: true}, p.Ruling(at(72)))
	require.True(t, p.Ruling(at(72)).Counts(Alertmanager))
	require.False(t, p.Ruling(at(72)).Counts(Local))
}

func TestTheWatchdogIsFreshUpToItsLimit(t *testing.T) {
	t.Parallel()
	p := heard()
	require.Equal(t, Alertmanager, p.Ruling(at(105)).Source)
	require.Equal(t, at(105).Add(1), p.Due())
	require.Equal(t, Ruling{Source: Local, Since: at(105), Heard: at(30), Age: 75*time.Second + 1}, p.Ruling(p.Due()))
	require.Equal(t, Ruling{Source: Local, Since: at(105), Heard: at(30), Age: 470 * time.Second}, p.Ruling(at(500)),
		"it is the local evaluator's turn since the silence was too long, not since somebody looked")
	p.Beat("w", at(-60), at(600))
	require.Equal(t, Local, p.Ruling(at(600)).Source)
	require.True(t, p.Ruling(at(600)).Fresh)
	p.Read(0, at(601))
	require.Equal(t, Local, p.Ruling(at(601)).Source, "one beat after a silence does not count with those before")
}

func TestTheEndOfTheWatchdogIsTheEndOfTheReign(t *testing.T) {
	t.Parallel()
	p := heard()
	p.Resolve("w", at(-61), at(40))
	require.Equal(t, Alertmanager, p.Ruling(at(40)).Source, "late news of an earlier episode")
	p.Resolve("w", at(-60), at(41))
	require.Equal(t, Ruling{Source: Local, Since: at(41), Heard: at(30), Age: 11 * time.Second}, p.Ruling(at(41)))
	require.Zero(t, p.Due())
	for _, s := range []float64{50, 60, 70} {
		p.Beat("w", at(-61), at(s))
	}
	require.False(t, p.WantsReading(at(70)), "late news of an earlier episode")
	for _, s := range []float64{80, 90, 100} {
		require.Equal(t, Local, p.Ruling(at(s)).Source)
		p.Beat("w", at(-60), at(s))
	}
	p.Read(0, at(101))
	require.Equal(t, Alertmanager, p.Ruling(at(101)).Source)
}

func TestAnAlertmanagerThatNobodyTellsAnythingDoesNotRule(t *testing.T) {
	t.Parallel()
	p := heard()
	p.Read(DefaultResendLimit, at(40))
	require.Equal(t, Alertmanager, p.Ruling(at(40)).Source)
	p.Read(DefaultResendLimit+1, at(50))
	require.Equal(t, Ruling{Source: Local, Since: at(50), Heard: at(30), Age: 20 * time.Second}, p.Ruling(at(50)))
	for _, s := range []float64{60, 75, 90} {
		p.Beat("w", at(-60), at(s))
	}
	p.Read(time.Hour, at(91))
	require.Equal(t, Local, p.Ruling(at(91)).Source, "the watchdog only echoes")
}

func TestModesLeaveNoChoice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode     Mode
		expected bool
		want     Source
	}{
		"always":                           {ModeAlways, true, Both},
		"always, no Alertmanager":          {ModeAlways, false, Both},
		"local":                            {ModeLocal, true, Local},
		"fallback, no Alertmanager":        {ModeFallback, false, Local},
		"fallback, Alertmanager is silent": {ModeFallback, true, Local},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := NewPipeline(c.mode, c.expected, 0, noon)
			if !c.expected || c.mode != ModeFallback {
				for _, s := range []float64{0, 15, 30} {
					p.Beat("w", noon, at(s))
				}
				require.False(t, p.WantsReading(at(31)))
				p.Read(0, at(31))
			}
			require.Equal(t, c.want, p.Ruling(at(32)).Source)
			require.Equal(t, noon, p.Ruling(at(32)).Since)
			require.Equal(t, c.want, p.Ruling(at(1000)).Source)
		})
	}
}

func TestModesHaveNames(t *testing.T) {
	t.Parallel()
	for _, m := range []Mode{ModeFallback, ModeAlways, ModeLocal} {
		parsed, err := ParseMode(m.String())
		require.NoError(t, err)
		require.Equal(t, m, parsed)
	}
	_, err := ParseMode("never")
	require.ErrorContains(t, err, "fallback, always, local")
	require.Equal(t, "mode 9", Mode(9).String())
	require.Equal(t, "source 9", Source(9).String())
}

func TestAClockThatWasSetBackHidesNoWatchdog(t *testing.T) {
	t.Parallel()
	p := NewPipeline(ModeFallback, true, 0, noon)
	p.Beat("w", at(1e6), noon)
	p.Beat("w", at(-1000), at(1))
	require.Equal(t, noon, p.Ruling(at(1)).Heard, "of an earlier episode")
	p.Beat("w", at(-1000), at(100))
	require.Equal(t, at(100), p.Ruling(at(100)).Heard, "after a silence everything is news")
}

func TestAFloodOfWatchdogsIsBounded(t *testing.T) {
	t.Parallel()
	p := NewPipeline(ModeFallback, true, 0, noon)
	for i := range 1000 {
		p.Beat(time.Duration(i).String(), noon, noon)
	}
	require.LessOrEqual(t, len(p.episodes), maxWatchdogs)
}

// Alertmanager rules only while its watchdog was heard within the limit, and
// begins to only with a reading after three beats since it last did not.
func TestPipelineInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := NewPipeline(ModeFallback, true, 0, noon)
		now, beat := noon, time.Time{}
		beats := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{1, 5, 20, 30, 74, 75, 76}).Draw(t, "seconds")) * time.Second)
			before := p.Ruling(now)
			if now.Sub(beat) > DefaultWatchdogLimit {
				beats = 0
			}
			step := rapid.SampledFrom([]string{"beat", "beat", "beat", "read", "read old", "resolve", "look"}).Draw(t, "step")
			switch step {
			case "beat":
				p.Beat("w", noon, now)
				beat = now
				beats++
			case "read":
				p.Read(0, now)
			case "read old":
				p.Read(time.Hour, now)
				beats = 0
			case "resolve":
				p.Resolve("w", noon, now)
				beats = 0
			}
			after := p.Ruling(now)
			if after.Source == Alertmanager {
				require.True(t, after.Fresh)
				require.LessOrEqual(t, after.Age, DefaultWatchdogLimit)
				require.GreaterOrEqual(t, beats, goodBeats)
			}
			if before.Source != after.Source {
				require.Equal(t, now, after.Since)
				require.Equal(t, after.Source == Alertmanager, step == "read")
			}
			require.Equal(t, after, p.Ruling(now), "to look changes nothing")
		}
	})
}

func TestTheResendLimitSaysForHowLongAnAlertmanagerMayOnlyEcho(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options Options
		age     time.Duration
		want    Source
	}{
		"as long as it may be by default":  {Options{}, DefaultResendLimit, Alertmanager},
		"longer":                           {Options{}, DefaultResendLimit + 1, Local},
		"longer than by default, allowed":  {Options{ResendLimit: time.Hour}, DefaultResendLimit + 1, Alertmanager},
		"shorter, but longer than allowed": {Options{ResendLimit: 8 * time.Second, WatchdogLimit: 20 * time.Second}, 21 * time.Second, Local},
		"shorter than the watchdog's":      {Options{ResendLimit: 8 * time.Second, WatchdogLimit: 20 * time.Second}, 20 * time.Second, Alertmanager},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.options.Alertmanager = true
			table := newTable(c.options)
			takeOver(t, table)
			r := reading(33)
			r.WatchdogAge = c.age
			table.Reconcile(r, at(34))
			require.Equal(t, c.want, table.Ruling(at(34)).Source)
		})
	}
}
