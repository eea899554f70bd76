package controller

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/selection"
	"github.com/understudy-rpc/understudy/rules"
)

// collector makes const metrics of what is decided, so that no scrape shows half
// of a change, and what is gone vanishes with it.
type collector struct {
	c *Controller
	// alertmanager says that one is expected.
	alertmanager bool
	descs        map[string]*prometheus.Desc
}

func newCollector(c *Controller, alertmanager bool) *collector {
	k := &collector{c: c, alertmanager: alertmanager, descs: map[string]*prometheus.Desc{}}
	for _, m := range collected() {
		k.descs[m.Name] = prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
	}
	return k
}

// collected are the metrics that a collector gives.
func collected() []rules.Metric {
	return []rules.Metric{
		rules.ProviderStatus, rules.ProviderActive, rules.ProviderFailovers, rules.Switches,
		rules.EvaluatorActive, rules.EvaluatorDisagreements,
		rules.ProviderTransitions, rules.ProviderDrained, rules.ProviderStateSince, rules.ChainGeneration,
		rules.ChainPinned, rules.ChainDegraded, rules.DecisionIndex,
		rules.Facts, rules.FactsExpired, rules.WatchdogTimestamp, rules.WebhookRequests, rules.WebhookAlerts,
		rules.WebhookTruncations, rules.AlertmanagerReadings,
		rules.JournalWritable, rules.JournalEntries, rules.JournalFailures, rules.JournalLost,
		rules.JournalWaiting, rules.JournalSize,
	}
}

// Describe implements prometheus.Collector.
func (k *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range k.descs {
		out <- d
	}
}

// sample gives one sample.
type sample func(m rules.Metric, value float64, labels ...string)

// Collect implements prometheus.Collector.
func (k *collector) Collect(out chan<- prometheus.Metric) {
	give := func(m rules.Metric, value float64, labels ...string) {
		kind := prometheus.GaugeValue
		if m.Type == rules.Counter {
			kind = prometheus.CounterValue
		}
		out <- prometheus.MustNewConstMetric(k.descs[m.Name], kind, value, labels...)
	}
	now := time.Now()
	sheet := k.c.board.Sheet()
	give(rules.DecisionIndex, float64(sheet.Index))
	for _, name := range sheet.Names() {
		k.collectChain(name, sheet.Chains[name].Decision, give)
	}
	k.collectFacts(now, give)
	k.collectJournal(give)
}

// collectChain gives what is decided of a chain.
func (k *collector) collectChain(chain string, d *board.Decision, give sample) {
	s := d.State
	for _, p := range d.Config.Providers {
		m := s.Members[p.Name]
		for _, state := range []health.State{health.Healthy, health.Unhealthy, health.Recovering} {
			give(rules.ProviderStatus, flag(m.State == state), chain, p.Name, state.String())
			give(rules.ProviderTransitions, float64(k.c.switches.transitions(chain, p.Name, state.String())), chain, p.Name, state.String())
		}
		give(rules.ProviderActive, flag(s.Current.Provider == p.Name), chain, p.Name)
		_, drained := s.Drains[p.Name]
		give(rules.ProviderDrained, flag(drained), chain, p.Name)
		if !m.Since.IsZero() {
			give(rules.ProviderStateSince, seconds(m.Since), chain, p.Name)
		}
	}
	for _, kind := range []selection.Kind{selection.KindStart, selection.KindFailover, selection.KindFailback, selection.KindSwitchover} {
		give(rules.Switches, float64(k.c.switches.of(chain, kind.String())), chain, kind.String())
	}
	give(rules.ProviderFailovers, float64(k.c.switches.of(chain, selection.KindFailover.String())), chain)
	give(rules.ChainGeneration, float64(s.Generation), chain)
	give(rules.ChainPinned, flag(s.Pin != nil), chain)
	give(rules.ChainDegraded, flag(s.Served == selection.Degraded), chain)
}

// collectFacts gives what is known of the facts and the ways they come.
func (k *collector) collectFacts(now time.Time, give sample) {
	ruling, stats := k.c.facts.Ruling(now), k.c.facts.Stats(now)
	for _, source := range facts.Sources() {
		if source == facts.Local || k.alertmanager {
			give(rules.EvaluatorActive, flag(ruling.Counts(source)), source.String())
		}
		give(rules.Facts, float64(stats.Facts[source]), source.String())
	}
	if k.alertmanager {
		give(rules.EvaluatorDisagreements, float64(k.c.facts.Disagreements(now)))
	}
	if !ruling.Heard.IsZero() {
		give(rules.WatchdogTimestamp, seconds(ruling.Heard))
	}
	give(rules.FactsExpired, float64(stats.Expired))
	for code, n := range stats.Requests {
		give(rules.WebhookRequests, float64(n), strconv.Itoa(code))
	}
	for outcome, n := range stats.Alerts {
		give(rules.WebhookAlerts, float64(n), string(outcome))
	}
	give(rules.WebhookTruncations, float64(stats.Truncations))
	give(rules.AlertmanagerReadings, float64(stats.Readings), rules.ReadingComplete)
	give(rules.AlertmanagerReadings, float64(stats.PartialReadings), rules.ReadingPartial)
	give(rules.AlertmanagerReadings, float64(stats.FailedReadings), rules.ReadingFailed)
}

// collectJournal gives how the journal fares.
func (k *collector) collectJournal(give sample) {
	stats := k.c.journal.Stats()
	give(rules.JournalWritable, flag(k.c.journal.Healthy() == nil))
	give(rules.JournalEntries, float64(stats.Written))
	give(rules.JournalFailures, float64(stats.Failed))
	give(rules.JournalLost, float64(stats.Lost))
	give(rules.JournalWaiting, float64(stats.Waiting))
	give(rules.JournalSize, float64(stats.Bytes))
}

func flag(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
