package facts

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

func TestAFactSaysWhatItsAlertSays(t *testing.T) {
	t.Parallel()
	table := newTable(Options{TTL: time.Minute})
	a := down("a", -1)
	a.Annotations[rules.AnnotationDescription] = "5 errors"
	table.SetLocal([]Alert{a}, noon)
	want := Fact{
		Chain: "btc", Provider: "a", Alert: "ProviderDown", Evidence: true, FailureMode: "down", Severity: "critical",
		Source: Local, Episode: at(-1), Refreshed: noon, Expires: at(60), Summary: "a is down", Description: "5 errors",
		Fingerprint: a.fingerprint(),
	}
	require.Equal(t, []Fact{want}, table.Standing("btc", "a", noon))
	text, err := json.Marshal(want)
	require.NoError(t, err)
	require.Contains(t, string(text), `"source":"local"`)
	var back Fact
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, want, back)
	require.Error(t, json.Unmarshal([]byte(`{"source":"hearsay"}`), &back))
}

func TestTheRulingDecidesWhichFactsCount(t *testing.T) {
	t.Parallel()
	behind := down("a", 0).with(rules.LabelAlert, rules.AlertProviderBehindTip)
	own := down("a", 0).with(rules.LabelAlert, "BillingLimitNear")
	for name, c := range map[string]struct {
		options  Options
		takeOver bool
		want     []string
	}{
		"no Alertmanager is configured":   {Options{}, false, []string{"BillingLimitNear", "ProviderDown"}},
		"its watchdog was not heard yet":  {Options{Alertmanager: true}, false, []string{"BillingLimitNear", "ProviderDown"}},
		"Alertmanager rules":              {Options{Alertmanager: true}, true, []string{"BillingLimitNear", "ProviderBehindTip"}},
		"both rule":                       {Options{Alertmanager: true, Mode: ModeAlways}, false, []string{"BillingLimitNear", "ProviderBehindTip", "ProviderDown"}},
		"the local evaluator always does": {Options{Alertmanager: true, Mode: ModeLocal}, false, []string{"BillingLimitNear", "ProviderDown"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := newTable(c.options)
			table.SetLocal([]Alert{down("a", 0)}, noon)
			if c.takeOver {
				takeOver(t, table)
			}
			receive(t, table, at(33), behind, own)
			require.Equal(t, c.want, names(table.Standing("btc", "a", at(33))))
			require.Empty(t, table.Standing("btc", "b", at(33)))
			require.Empty(t, table.Standing("eth", "a", at(33)))
			require.Equal(t, []string{"BillingLimitNear", "ProviderBehindTip", "ProviderDown"}, names(table.All("btc", at(33))))
		})
	}
}

func TestAnAlertThatALocalRuleCoversIsLeftToIt(t *testing.T) {
	t.Parallel()
	table := newTable(Options{})
	receive(t, table, noon, down("a", 0).with(rules.LabelAlert, "BillingLimitNear"))
	require.Len(t, table.Standing("btc", "a", noon), 1)
	table.SetLocalRules([]string{"BillingLimitNear"})
	require.Empty(t, table.Standing("btc", "a", noon))
}

func TestOnlyEvidenceSpeaksAgainstAProvider(t *testing.T) {
	t.Parallel()
	table := newTable(Options{})
	table.SetLocal([]Alert{
		down("a", 0).with(rules.LabelAlert, "JustAWarning").with(rules.LabelFailover, ""),
		down("a", 0).with(rules.LabelAlert, "NotTrue").with(rules.LabelFailover, "false"),
		down("", 0).with(rules.LabelAlert, rules.AlertChainSplit),
		watchdog().with(rules.LabelChain, "btc"),
		down("b", 0).over(),
	}, noon)
	require.Empty(t, table.Standing("btc", "a", noon))
	require.Empty(t, table.Standing("btc", "", noon))
	require.Equal(t, []string{"ChainSplit", "JustAWarning", "NotTrue"}, names(table.All("btc", noon)))
}

func TestAlertsOfOneNameAreOneFact(t *testing.T) {
	t.Parallel()
	table := newTable(Options{Mode: ModeAlways, TTL: time.Minute})
	old := down("a", -10).with("exporter", "two")
	receive(t, table, at(0), old)
	receive(t, table, at(5), down("a", -5))
	standing := table.Standing("btc", "a", at(5))
	require.Len(t, standing, 1)
	require.Equal(t, at(-10), standing[0].Episode)
	require.Equal(t, old.fingerprint(), standing[0].Fingerprint)
	require.Equal(t, at(65), standing[0].Expires)
	table.SetLocal([]Alert{down("a", 0)}, at(5))
	require.Len(t, table.Standing("btc", "a", at(5)), 2, "one of each source")
}

func TestRemovedProvidersHaveNoFacts(t *testing.T) {
	t.Parallel()
	table := newTable(Options{Mode: ModeAlways})
	for _, p := range []string{"a", "b", ""} {
		receive(t, table, noon, down(p, 0))
	}
	table.SetLocal([]Alert{down("a", 0), down("b", 0), down("a", 0).with(rules.LabelChain, "eth")}, noon)
	table.Apply(map[string][]string{"btc": {"b", "c"}})
	table.Apply(map[string][]string{"btc": {"a", "b"}, "eth": {"a"}})
	require.Empty(t, table.Standing("btc", "a", noon))
	require.Empty(t, table.All("eth", noon))
	require.Len(t, table.Standing("btc", "b", noon), 2)
	require.Len(t, ofChain(table.All("btc", noon)), 1)
}

func TestLocalAlertsReplaceThoseBefore(t *testing.T) {
	t.Parallel()
	table := newTable(Options{})
	eth := down("a", 0).with(rules.LabelChain, "eth")
	require.Equal(t, []string{"btc", "eth"}, table.SetLocal([]Alert{down("a", 0), eth}, noon))
	require.Empty(t, table.SetLocal([]Alert{down("a", 0), eth}, at(1)), "nothing new")
	require.Equal(t, at(1), table.Standing("eth", "a", at(1))[0].Refreshed)
	require.Equal(t, []string{"btc"}, table.SetLocal([]Alert{down("b", 2), eth}, at(2)))
	require.Empty(t, table.Standing("btc", "a", at(2)))
	require.Equal(t, []string{"btc"}, table.SetLocal([]Alert{down("b", 3), eth}, at(3)), "a new episode")
	require.Equal(t, []string{"btc", "eth"}, table.SetLocal(nil, at(4)))
	require.Empty(t, table.All("btc", at(4)))
}

func TestDisagreementsAreCounted(t *testing.T) {
	t.Parallel()
	table := newTable(Options{Alertmanager: true})
	table.SetLocal([]Alert{down("a", 0), down("b", 0)}, noon)
	require.Zero(t, table.Disagreements(noon), "nobody hears Alertmanager")
	warning := down("b", 0).with(rules.LabelAlert, rules.AlertProviderHeightJitter).with(rules.LabelFailover, "")
	takeOver(t, table, down("a", 1).with("replica", "x"), warning, down("", 0).with(rules.LabelAlert, rules.AlertChainSplit),
		down("a", 0).with(rules.LabelAlert, "BillingLimitNear"))
	require.Equal(t, 2, table.Disagreements(at(32)), "b is down, and the chain is split")
	require.Equal(t, []string{"BillingLimitNear", "ProviderDown"}, names(table.Standing("btc", "a", at(32))))
	require.Empty(t, table.Standing("btc", "b", at(32)), "nothing is acted on")
	require.Zero(t, table.Disagreements(at(200)), "the watchdog is silent")
}

func TestWordsAreBounded(t *testing.T) {
	t.Parallel()
	table := newTable(Options{})
	a := down("a", 0).with(rules.LabelAlert, strings.Repeat("ä", 1000)).with(rules.LabelSeverity, "\xff")
	a.Annotations = map[string]string{"summary": strings.Repeat("é", 10_000), "description": "x" + strings.Repeat("é", 10_000)}
	receive(t, table, noon, a)
	f := table.All("btc", noon)[0]
	require.Len(t, f.Alert, maxName)
	require.Len(t, f.Summary, maxSummary)
	require.Len(t, f.Description, maxDescription-1)
	require.True(t, utf8.ValidString(f.Alert+f.Summary+f.Description+f.Severity))
	receive(t, table, noon, a.over())
	require.Empty(t, table.All("btc", noon))
}

func TestTheTableMayBeUsedAtTheSameTime(t *testing.T) {
	t.Parallel()
	table := newTable(Options{Alertmanager: true})
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 200 {
				now := at(float64(i) / 10)
				switch worker {
				case 0:
					_, _ = table.Receive(Message{Alerts: []Alert{watchdog(), down("a", float64(i))}}, now)
				case 1:
					table.Reconcile(reading(float64(i)/10, down("b", 0)), now)
					table.Apply(map[string][]string{"btc": {"a", "b"}, "eth": {"a"}})
				case 2:
					table.SetLocal([]Alert{down("b", 0)}, now)
					table.Sweep(now)
				case 3:
					table.Standing("btc", "a", now)
					table.Export(now)
					table.Stats(now)
					table.NextExpiry()
				}
			}
		})
	}
	group.Wait()
	require.Contains(t, names(table.All("btc", at(20))), "ProviderDown")
}
