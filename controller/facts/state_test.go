package facts

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// restart carries a table through JSON into a new one.
func restart(tb testing.TB, table *Table, o Options, stop, start time.Time, targets map[string][]string) *Table {
	tb.Helper()
	text, err := json.Marshal(table.Export(stop))
	require.NoError(tb, err)
	var s State
	require.NoError(tb, json.Unmarshal(text, &s))
	next := New(o, start)
	next.Apply(targets)
	next.Import(s, start)
	return next
}

func TestFactsSurviveARestartWithTheirTimes(t *testing.T) {
	t.Parallel()
	o := Options{Mode: ModeAlways}
	known := map[string][]string{"btc": {"a", "b"}}
	table := newTable(o)
	receive(t, table, at(0), down("a", 0), down("a", 0).with("exporter", "two"), down("b", 0))
	table.SetLocal([]Alert{down("a", 0)}, at(100))

	next := restart(t, table, o, at(110), at(120), known)
	require.Equal(t, table.All("btc", at(120)), next.All("btc", at(120)))
	require.Equal(t, table.Export(at(120)).Facts, next.Export(at(120)).Facts)
	require.Equal(t, at(180), next.NextExpiry())
	require.Len(t, next.Standing("btc", "a", at(200)), 1, "Alertmanager's has expired")
	receive(t, next, at(121), down("b", 0).over())
	require.Empty(t, next.Standing("btc", "b", at(121)), "its end is known by its episode")

	require.Empty(t, restart(t, table, o, at(110), at(300), known).All("btc", at(300)), "all has expired")
	require.Empty(t, restart(t, table, o, at(110), at(120), map[string][]string{"btc": {"c"}}).All("btc", at(120)))
	require.Empty(t, restart(t, table, o, at(110), at(120), nil).All("btc", at(120)))
}

func TestAClockThatWasSetBackLetsNoFactLast(t *testing.T) {
	t.Parallel()
	table := newTable(Options{})
	receive(t, table, at(0), down("a", 0))
	next := restart(t, table, Options{}, at(1), at(-86400), map[string][]string{"btc": {"a"}})
	require.Len(t, next.All("btc", at(-86400)), 1)
	require.Equal(t, at(-86400).Add(DefaultTTL), next.NextExpiry())
}

func TestAlertmanagerGoesOnRulingAfterARestartAndAReading(t *testing.T) {
	t.Parallel()
	o := Options{Alertmanager: true}
	known := map[string][]string{"btc": {"a"}}
	table := newTable(o)
	takeOver(t, table, down("a", 1))

	next := restart(t, table, o, at(40), at(60), known)
	require.Equal(t, Local, next.Ruling(at(60)).Source)
	require.Equal(t, 30*time.Second, next.Ruling(at(60)).Age)
	require.True(t, next.WantsReading(at(60)))
	require.Equal(t, []string{"btc"}, next.Reconcile(reading(60, down("a", 1)), at(61)))
	require.Equal(t, Alertmanager, next.Ruling(at(61)).Source)
	require.Equal(t, at(61), next.Ruling(at(61)).Since)

	late := restart(t, table, o, at(40), at(106), known)
	require.False(t, late.WantsReading(at(106)), "the watchdog is too long ago")
	late.Reconcile(reading(106), at(107))
	require.Equal(t, Local, late.Ruling(at(107)).Source)

	never := restart(t, newTable(o), o, at(40), at(60), known)
	require.False(t, never.WantsReading(at(60)))
	receive(t, never, at(60), watchdog())
	require.False(t, never.WantsReading(at(60)), "one beat is one beat")
}
