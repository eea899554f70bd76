package facts

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFactsExpireUnlessTheyAreConfirmed(t *testing.T) {
	t.Parallel()
	table := newTable(Options{TTL: time.Minute, Mode: ModeAlways})
	require.Zero(t, table.NextExpiry())
	receive(t, table, at(0), down("a", 0), down("b", 0))
	table.SetLocal([]Alert{down("a", 0)}, at(10))
	receive(t, table, at(30), down("a", 0))
	require.Equal(t, at(60), table.NextExpiry())
	require.Len(t, table.Standing("btc", "b", at(59.9)), 1)
	require.Empty(t, table.Standing("btc", "b", at(60)), "also before somebody sweeps")
	require.Empty(t, table.Sweep(at(59.9)))
	require.Equal(t, []string{"btc"}, table.Sweep(at(60)))
	require.Equal(t, at(70), table.NextExpiry())
	require.Len(t, table.Standing("btc", "a", at(69)), 2)
	require.Len(t, table.Standing("btc", "a", at(70)), 1)
	require.Equal(t, []string{"btc"}, table.Sweep(at(90)))
	require.Zero(t, table.NextExpiry())
	require.Empty(t, table.Sweep(at(91)))
	require.EqualValues(t, 3, table.Stats(at(91)).Expired)
}

func TestTheEndOfAnEpisodeIsForgottenInTime(t *testing.T) {
	t.Parallel()
	table := newTable(Options{TTL: time.Minute})
	receive(t, table, at(0), down("a", 0))
	receive(t, table, at(1), down("a", 0).over())
	require.Zero(t, table.NextExpiry())
	table.Sweep(at(60))
	require.Len(t, table.chains["btc"].alertmanager, 1)
	table.Sweep(at(61))
	require.Empty(t, table.chains["btc"].alertmanager)
}

func TestATimerThatFollowsNextExpiryNeverSpins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := New(Options{Alertmanager: true}, time.Now())
		table.Apply(map[string][]string{"btc": {"a"}, "eth": {"a"}})
		start := time.Now()
		alert, dog := down("a", 0), watchdog()
		alert.StartsAt, dog.StartsAt = start, start
		for range goodBeats {
			receive(t, table, time.Now(), dog)
			time.Sleep(30 * time.Second)
		}
		table.Reconcile(Reading{Began: time.Now(), Alerts: []Alert{alert}, Complete: true, Watchdog: true}, time.Now())
		require.Equal(t, Alertmanager, table.Ruling(time.Now()).Source)

		var woken [][]string
		var when []time.Duration
		for range 10 {
			next := table.NextExpiry()
			if next.IsZero() {
				break
			}
			time.Sleep(time.Until(next))
			when = append(when, time.Since(start))
			woken = append(woken, table.Sweep(time.Now()))
		}
		require.Equal(t, []time.Duration{60*time.Second + DefaultWatchdogLimit + 1, 90*time.Second + DefaultTTL}, when)
		require.Equal(t, [][]string{{"btc", "eth"}, {"btc"}}, woken, "first the ruling changes, for all, then the fact expires")
		require.Equal(t, Local, table.Ruling(time.Now()).Source)
	})
}
