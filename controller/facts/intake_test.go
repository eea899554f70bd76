package facts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/rules"
)

func TestEpisodesDecideWhatStands(t *testing.T) {
	t.Parallel()
	type told struct {
		second  float64
		alert   Alert
		outcome Outcome
		read    bool
	}
	for name, c := range map[string]struct {
		told   []told
		stands bool
	}{
		"an alert fires": {[]told{{1, down("a", 0), OutcomeApplied, false}}, true},
		"an alert is repeated": {[]told{
			{1, down("a", 0), OutcomeApplied, false}, {61, down("a", 0), OutcomeDuplicate, false}}, true},
		"an alert is over": {[]told{
			{1, down("a", 0), OutcomeApplied, false}, {2, down("a", 0).over(), OutcomeApplied, false}}, false},
		"the end comes twice": {[]told{
			{1, down("a", 0), OutcomeApplied, false}, {2, down("a", 0).over(), OutcomeApplied, false},
			{3, down("a", 0).over(), OutcomeDuplicate, false}}, false},
		"the end comes first": {[]told{
			{1, down("a", 0).over(), OutcomeDuplicate, false}, {2, down("a", 0), OutcomeStale, true}}, false},
		"the end of an earlier episode comes late": {[]told{
			{1, down("a", 0), OutcomeApplied, false}, {6, down("a", 5), OutcomeApplied, false},
			{7, down("a", 0).over(), OutcomeStale, false}}, true},
		"an earlier episode comes late": {[]told{
			{1, down("a", 5), OutcomeApplied, false}, {6, down("a", 5).over(), OutcomeApplied, false},
			{7, down("a", 0), OutcomeStale, true}}, false},
		"the next episode begins": {[]told{
			{1, down("a", 0), OutcomeApplied, false}, {2, down("a", 0).over(), OutcomeApplied, false},
			{3, down("a", 2.5), OutcomeApplied, false}}, true},
		"the end of the next episode is the first to come of it": {[]told{
			{1, down("a", 0), OutcomeApplied, false}, {6, down("a", 5).over(), OutcomeApplied, false}}, false},
		"an episode goes on after the grace": {[]told{
			{1, down("a", 0), OutcomeApplied, false}, {2, down("a", 0).over(), OutcomeApplied, false},
			{33, down("a", 0), OutcomeApplied, false}}, true},
		"times differ by less than Alertmanager's API tells": {[]told{
			{1, down("a", 0.0002), OutcomeApplied, false}, {2, down("a", 0.0001).over(), OutcomeApplied, false}}, false},
		"an end from the future does not hide what follows": {[]told{
			{1, down("a", 1e6).over(), OutcomeDuplicate, false}, {3, down("a", 2), OutcomeApplied, false}}, true},
		"an alert from the future can be over": {[]told{
			{1, down("a", 1e6), OutcomeApplied, false}, {3, down("a", 1e6).over(), OutcomeApplied, false}}, false},
		"another alert of the same name goes on": {[]told{
			{1, down("a", 0), OutcomeApplied, false}, {2, down("a", 1).with("exporter", "two"), OutcomeApplied, false},
			{3, down("a", 0).over(), OutcomeApplied, false}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := newTable(Options{Alertmanager: true})
			for i, m := range c.told {
				before := table.Stats(at(m.second)).Alerts
				r := receive(t, table, at(m.second), m.alert)
				after := table.Stats(at(m.second)).Alerts
				require.Equal(t, before[m.outcome]+1, after[m.outcome], "message %d: %v", i, after)
				require.Equal(t, m.read, r.Read, "message %d asks for a reading", i)
				require.Equal(t, m.outcome == OutcomeApplied, len(r.Chains) == 1, "message %d: chains %v", i, r.Chains)
			}
			require.Equal(t, c.stands, len(table.All("btc", at(c.told[len(c.told)-1].second))) == 1)
		})
	}
}

func TestAlertsAboutOthersAreIgnoredAndCounted(t *testing.T) {
	t.Parallel()
	table := newTable(Options{})
	r := receive(t, table, noon,
		down("a", 0),
		down("c", 0),
		down("a", 0).with(rules.LabelChain, "doge"),
		down("a", 0).with(rules.LabelChain, ""),
	)
	require.Equal(t, Receipt{Applied: 1, Ignored: 3, Chains: []string{"btc"}}, r)
	require.Equal(t, map[Outcome]uint64{
		OutcomeApplied: 1, OutcomeDuplicate: 0, OutcomeStale: 0, OutcomeUnknown: 2, OutcomeIrrelevant: 1,
	}, table.Stats(noon).Alerts)
	require.Nil(t, table.All("doge", noon))
}

func TestATruncatedMessageAsksForAReading(t *testing.T) {
	t.Parallel()
	table := newTable(Options{})
	r, err := table.Receive(Message{Alerts: []Alert{down("a", 0)}, Truncated: 2}, noon)
	require.NoError(t, err)
	require.True(t, r.Read)
	require.EqualValues(t, 1, table.Stats(noon).Truncations)
	require.Len(t, table.All("btc", noon), 1)
}

func TestTheEndOfTheWatchdogConcernsAllChains(t *testing.T) {
	t.Parallel()
	table := newTable(Options{Alertmanager: true})
	takeOver(t, table, down("a", 1))
	require.Equal(t, Receipt{Duplicate: 1}, receive(t, table, at(34), down("a", 1)))
	require.Equal(t, Receipt{Applied: 1, Chains: []string{"btc", "eth"}}, receive(t, table, at(35), watchdog().over()))
	require.Equal(t, Local, table.Ruling(at(35)).Source)
	require.Empty(t, table.Standing("btc", "a", at(35)), "the local evaluator sees nothing wrong")
	require.Len(t, table.All("btc", at(35)), 1)
	require.Equal(t, Receipt{Applied: 1}, receive(t, table, at(36), watchdog()))
}

func TestAMessageWithoutRoomChangesNothing(t *testing.T) {
	t.Parallel()
	table := newTable(Options{})
	m := Message{Alerts: []Alert{watchdog(), down("a", 0).with(rules.LabelChain, "eth")}}
	for i := range maxRecords + 1 {
		m.Alerts = append(m.Alerts, down("a", float64(i)).with("n", time.Duration(i).String()))
	}
	_, err := table.Receive(m, noon)
	require.ErrorIs(t, err, ErrFull)
	require.ErrorContains(t, err, "btc")
	require.Empty(t, table.All("eth", noon))
	require.Zero(t, table.Ruling(noon).Heard)
	require.Zero(t, table.Stats(noon).Alerts[OutcomeApplied])
}

// The messages about any number of episodes, each of them told to fire any
// number of times and at most once to be over, end in the same table whatever
// their order, and whatever is repeated.
func TestOrderAndRepetitionDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		messages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Alert {
			a := down(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "provider"), float64(-rapid.IntRange(0, 3).Draw(t, "episode")))
			a = a.with("exporter", rapid.SampledFrom([]string{"", "two"}).Draw(t, "exporter"))
			a.Firing = rapid.Bool().Draw(t, "firing")
			return a
		}), 0, 12).Draw(t, "messages")
		tables := []*Table{newTable(Options{}), newTable(Options{})}
		second := rapid.Permutation(append(messages, messages...)).Draw(t, "order")
		for i, order := range [][]Alert{messages, second} {
			for j, m := range order {
				_, err := tables[i].Receive(Message{Alerts: []Alert{m}}, at(float64(j)))
				require.NoError(t, err)
			}
		}
		times := cmpopts.IgnoreFields(Fact{}, "Refreshed", "Expires")
		want := tables[0].All("btc", at(25))
		require.Empty(t, cmp.Diff(want, tables[1].All("btc", at(25)), times))
		require.Equal(t, stands(messages), len(want) > 0)
	})
}

// stands says, in the plainest way, whether any alert's last episode is not over.
func stands(messages []Alert) bool {
	last, over := map[string]time.Time{}, map[string]bool{}
	for _, m := range messages {
		key := m.Labels[rules.LabelProvider] + "/" + m.Labels["exporter"]
		if at, ok := last[key]; !ok || m.StartsAt.After(at) {
			last[key], over[key] = m.StartsAt, false
		}
		if m.StartsAt.Equal(last[key]) && !m.Firing {
			over[key] = true
		}
	}
	for key := range last {
		if !over[key] {
			return true
		}
	}
	return false
}
