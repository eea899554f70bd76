package facts

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/understudy-rpc/understudy/rules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is when most tests begin.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// at is a number of seconds after noon.
func at(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

// down is ProviderDown of a provider of btc, firing since a number of seconds
// after noon.
func down(provider string, since float64) Alert {
	return Alert{
		Labels: map[string]string{
			rules.LabelAlert: rules.AlertProviderDown, rules.LabelChain: "btc", rules.LabelProvider: provider,
			rules.LabelFailover: rules.FailoverTrue, rules.LabelFailureMode: rules.ModeDown,
			rules.LabelSeverity: rules.SeverityCritical,
		},
		Annotations: map[string]string{rules.AnnotationSummary: provider + " is down"},
		StartsAt:    at(since), Firing: true,
	}
}

// with is the alert with another label.
func (a Alert) with(name, value string) Alert {
	a.Labels = maps.Clone(a.Labels)
	if a.Labels[name] = value; value == "" {
		delete(a.Labels, name)
	}
	return a
}

// over is the alert when its episode is over.
func (a Alert) over() Alert {
	a.Firing = false
	return a
}

// watchdog is UnderstudyWatchdog, firing since long ago.
func watchdog() Alert {
	return Alert{Labels: map[string]string{rules.LabelAlert: rules.AlertWatchdog, rules.LabelSeverity: rules.SeverityNone}, StartsAt: at(-3600), Firing: true}
}

// newTable is a table that knows btc with a and b, and eth with a.
func newTable(o Options) *Table {
	t := New(o, noon)
	t.Apply(map[string][]string{"btc": {"a", "b"}, "eth": {"a"}})
	return t
}

// receive takes in one message.
func receive(tb testing.TB, t *Table, now time.Time, alerts ...Alert) Receipt {
	tb.Helper()
	r, err := t.Receive(Message{Alerts: alerts}, now)
	require.NoError(tb, err)
	return r
}

// takeOver lets Alertmanager rule from 32 s after noon on, with these alerts.
func takeOver(tb testing.TB, t *Table, alerts ...Alert) {
	tb.Helper()
	for _, s := range []float64{0, 15, 30} {
		receive(tb, t, at(s), watchdog())
	}
	require.True(tb, t.WantsReading(at(30)))
	t.Reconcile(reading(31, alerts...), at(32))
	require.Equal(tb, Alertmanager, t.Ruling(at(32)).Source)
}

// reading is a whole reading of Alertmanager's API that began a number of
// seconds after noon.
func reading(began float64, alerts ...Alert) Reading {
	return Reading{Began: at(began), Alerts: alerts, Complete: true, Watchdog: true}
}

// names are the alerts of facts.
func names(facts []Fact) []string {
	names := []string{}
	for _, f := range facts {
		names = append(names, f.Alert)
	}
	return names
}

// ofChain are the facts among others that are about a chain as a whole.
func ofChain(facts []Fact) []Fact {
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Provider != "" })
}

// golden reads a file of testdata.
func golden(tb testing.TB, path ...string) []byte {
	tb.Helper()
	body, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	require.NoError(tb, err)
	return body
}
