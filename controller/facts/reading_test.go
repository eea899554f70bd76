package facts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/rules"
)

func TestAReadingReplacesTheFactsOfAlertmanager(t *testing.T) {
	t.Parallel()
	table := newTable(Options{Mode: ModeAlways})
	receive(t, table, at(0), down("a", 0))
	table.SetLocal([]Alert{down("b", 0)}, at(0))
	eth := down("a", 3).with(rules.LabelChain, "eth")
	require.Equal(t, []string{"btc", "eth"}, table.Reconcile(reading(5, down("b", 4), eth, down("c", 1), watchdog()), at(6)))
	require.Empty(t, table.Standing("btc", "a", at(6)), "a resolution was lost")
	require.Len(t, table.Standing("btc", "b", at(6)), 2, "one of each source")
	require.Len(t, table.Standing("eth", "a", at(6)), 1)
	require.Empty(t, table.Reconcile(reading(7, down("b", 4), eth), at(8)), "nothing new")
	require.Equal(t, at(8), table.Standing("eth", "a", at(8))[0].Refreshed)
	require.Equal(t, []string{"btc"}, table.Reconcile(reading(9, down("b", 8.5), eth), at(10)), "a new episode")
	require.EqualValues(t, 3, table.Stats(at(10)).Readings)
}

func TestAReadingThatNobodyVouchesForOnlyAdds(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]Reading{
		"Alertmanager has just started":   {Began: at(31), Alerts: []Alert{down("b", 1)}, Watchdog: true},
		"it was not told of the watchdog": {Began: at(31), Alerts: []Alert{down("b", 1)}, Complete: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := newTable(Options{Alertmanager: true, Mode: ModeFallback})
			for _, s := range []float64{0, 15, 30} {
				receive(t, table, at(s), watchdog(), down("a", 0))
			}
			require.Equal(t, []string{"btc"}, table.Reconcile(r, at(32)))
			require.Len(t, table.All("btc", at(32)), 2)
			require.Equal(t, Local, table.Ruling(at(32)).Source)
			stats := table.Stats(at(32))
			require.EqualValues(t, 1, stats.PartialReadings)
			require.Zero(t, stats.Readings)
		})
	}
}

func TestAWebhookDuringAReadingIsTheNewerOne(t *testing.T) {
	t.Parallel()
	table := newTable(Options{Mode: ModeAlways})
	receive(t, table, at(0), down("a", 0))
	receive(t, table, at(2), down("a", 0).over(), down("b", 1.5))
	require.Empty(t, table.Reconcile(reading(1, down("a", 0)), at(3)))
	require.Empty(t, table.Standing("btc", "a", at(3)), "it was over after the reading began")
	require.Len(t, table.Standing("btc", "b", at(3)), 1, "it began after the reading did")
	require.Equal(t, []string{"btc"}, table.Reconcile(reading(4, down("a", 0)), at(5)))
	require.Len(t, table.Standing("btc", "a", at(5)), 1, "it goes on, as Alertmanager itself says")
	require.Empty(t, table.Standing("btc", "b", at(5)))
}

func TestALateMessageDoesNotUndoAReading(t *testing.T) {
	t.Parallel()
	table := newTable(Options{Mode: ModeAlways})
	receive(t, table, at(0), down("a", 0))
	table.Reconcile(reading(5), at(6))
	r := receive(t, table, at(7), down("a", 0))
	require.Empty(t, table.All("btc", at(7)))
	require.True(t, r.Read, "but Alertmanager is asked again")
}

func TestAReadingSurvivesAFullChain(t *testing.T) {
	t.Parallel()
	table := newTable(Options{Mode: ModeAlways})
	r := reading(1)
	for i := range maxRecords + 5 {
		r.Alerts = append(r.Alerts, down("a", 0).with("n", time.Duration(i).String()))
	}
	table.Reconcile(r, at(2))
	require.Len(t, table.chains["btc"].alertmanager, maxRecords)
	require.Len(t, table.Standing("btc", "a", at(2)), 1)
}

// Whatever webhooks came before, and in which order, after a whole reading the
// facts of Alertmanager are those of the reading.
func TestAReadingIsTheWholeTruth(t *testing.T) {
	t.Parallel()
	alerts := rapid.Custom(func(t *rapid.T) Alert {
		a := down(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "provider"), float64(-rapid.IntRange(0, 5).Draw(t, "episode")))
		a.Firing = rapid.Bool().Draw(t, "firing")
		return a
	})
	rapid.Check(t, func(t *rapid.T) {
		table, fresh := newTable(Options{}), newTable(Options{})
		for i, a := range rapid.SliceOfN(alerts, 0, 10).Draw(t, "webhooks") {
			_, err := table.Receive(Message{Alerts: []Alert{a}}, at(float64(i)))
			require.NoError(t, err)
		}
		read := map[string]Alert{}
		for _, a := range rapid.SliceOfN(alerts, 0, 2).Draw(t, "read") {
			a.Firing = true
			read[a.fingerprint()] = a
		}
		r := reading(20)
		for _, a := range read {
			r.Alerts = append(r.Alerts, a)
		}
		table.Reconcile(r, at(21))
		fresh.Reconcile(r, at(21))
		require.Empty(t, cmp.Diff(fresh.All("btc", at(21)), table.All("btc", at(21))))
	})
}
