package evaluator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/understudy-rpc/understudy/rules"
)

// perChain is how many providers a chain of a fleet has.
const perChain = 4

// fleet stands for an exporter: it publishes every metric of the catalogue for
// its providers, and nobody but the test decides on the values. It is a Source.
type fleet struct {
	families []*dto.MetricFamily
	byName   map[string]*dto.MetricFamily
}

// newFleet makes a fleet in which all is well at the time given.
func newFleet(providers int, now time.Time) *fleet {
	f := &fleet{byName: map[string]*dto.MetricFamily{}}
	for _, m := range rules.Exporter() {
		family := &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: typeOf(m.Type).Enum()}
		f.families, f.byName[m.Name] = append(f.families, family), family
		switch {
		case slices.Contains(m.Labels, rules.LabelProvider):
			for i := range providers {
				f.addProvider(family, m, i)
			}
		case slices.Contains(m.Labels, rules.LabelChain):
			for i := 0; i < providers; i += perChain {
				f.add(family, m, rules.LabelChain, chainOf(i))
			}
		default:
			f.add(family, m)
		}
	}
	f.advance(now, 1000)
	return f
}

func typeOf(t rules.Type) dto.MetricType {
	return map[rules.Type]dto.MetricType{
		rules.Gauge: dto.MetricType_GAUGE, rules.Counter: dto.MetricType_COUNTER, rules.Histogram: dto.MetricType_HISTOGRAM,
	}[t]
}

func chainOf(i int) string    { return fmt.Sprintf("chain-%03d", i/perChain) }
func providerOf(i int) string { return fmt.Sprintf("provider-%04d", i) }

// addProvider adds the series of one provider to a family: all of those that an
// exporter has from the start.
func (f *fleet) addProvider(family *dto.MetricFamily, m rules.Metric, i int) {
	values := map[string][]string{
		rules.LabelReason:     {"timeout", "dns", "tls", "http_4xx", "http_5xx", "rpc_error", "rate_limited", "bad_response"},
		rules.LabelCheck:      {rules.CheckHash, rules.CheckTransactions},
		rules.LabelOperator:   {fmt.Sprintf("operator-%d", i%perChain)},
		rules.LabelType:       {"evm-rpc"},
		rules.LabelCapability: {"wallet"},
		rules.LabelCause:      {"cancelled"},
	}
	pairs := [][]string{{rules.LabelChain, chainOf(i), rules.LabelProvider, providerOf(i)}}
	if m.Name == rules.ProviderFailing.Name || m.Name == rules.ProviderRetryAfter.Name {
		return // There only while something is wrong.
	}
	for _, label := range m.Labels {
		var more [][]string
		for _, value := range values[label] {
			for _, p := range pairs {
				more = append(more, append(slices.Clone(p), label, value))
			}
		}
		if more != nil {
			pairs = more
		}
	}
	for _, p := range pairs {
		f.add(family, m, p...)
	}
}

// add adds a series with the labels given as pairs.
func (f *fleet) add(family *dto.MetricFamily, m rules.Metric, pairs ...string) *dto.Metric {
	metric := &dto.Metric{}
	for i := 0; i < len(pairs); i += 2 {
		metric.Label = append(metric.Label, &dto.LabelPair{Name: &pairs[i], Value: &pairs[i+1]})
	}
	slices.SortFunc(metric.Label, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
	value := new(float64)
	switch m.Type {
	case rules.Gauge:
		metric.Gauge = &dto.Gauge{Value: value}
	case rules.Counter:
		metric.Counter = &dto.Counter{Value: value}
	case rules.Histogram:
		count := uint64(0)
		metric.Histogram = &dto.Histogram{SampleSum: value, SampleCount: &count}
		for b := range 12 {
			bound := float64(b) / 10
			metric.Histogram.Bucket = append(metric.Histogram.Bucket, &dto.Bucket{UpperBound: &bound, CumulativeCount: &count})
		}
	}
	family.Metric = append(family.Metric, metric)
	return metric
}

// set gives all series of a gauge that match the labels a value.
func (f *fleet) set(m rules.Metric, value float64, pairs ...string) {
	for _, one := range f.byName[m.Name].Metric {
		if matches(one, pairs) {
			*one.Gauge.Value = value
		}
	}
}

func matches(m *dto.Metric, pairs []string) bool {
	for i := 0; i < len(pairs); i += 2 {
		if !slices.ContainsFunc(m.Label, func(p *dto.LabelPair) bool {
			return p.GetName() == pairs[i] && p.GetValue() == pairs[i+1]
		}) {
			return false
		}
	}
	return true
}

// advance lets all be well at the time given: everybody is up and at the height.
func (f *fleet) advance(now time.Time, height float64) {
	seconds := float64(now.UnixMilli()) / 1000
	for m, value := range map[*rules.Metric]float64{
		&rules.ProviderUp: 1, &rules.ProviderBlockHeight: height, &rules.ProviderLatency: 40,
		&rules.ProviderConsecutiveErrors: 0, &rules.ProviderConsecutiveSuccesses: 100, &rules.ProviderWindowErrors: 0,
		&rules.ProviderProbeInterval: 10, &rules.ProviderLastProbe: seconds, &rules.ProviderLastAdvance: seconds,
		&rules.ProviderTipTime: seconds, &rules.ProviderTipVerified: 1, &rules.ProviderPriority: 1, &rules.ProviderInfo: 1,
		&rules.ProviderCertificateExpiry: float64(start.Unix()) + 90*86400, &rules.ProviderPeers: 8,
		&rules.ChainObservedHeight: height, &rules.ChainBlockTime: 12, &rules.ChainLastAgreement: seconds,
		&rules.FailoverMaxBlockLag: 3, &rules.FailoverMaxBlockLead: 30, &rules.FailoverTipQuorum: 2,
		&rules.FailoverErrorThreshold: 5, &rules.FailoverErrorWindow: 60, &rules.FailoverMaxLatency: 5000,
		&rules.FailoverStallTimeout: 120, &rules.ReloadSuccessful: 1, &rules.Ready: 1,
	} {
		f.set(*m, value)
	}
}

// fail lets every n-th provider from the first given be down, and the one after it
// be behind.
func (f *fleet) fail(first, providers, n int) {
	failing := f.byName[rules.ProviderFailing.Name]
	failing.Metric = nil
	for i := first; i < providers; i += n {
		f.add(failing, rules.ProviderFailing, rules.LabelChain, chainOf(i), rules.LabelProvider, providerOf(i), rules.LabelReason, "timeout")
		f.setOne(rules.ProviderUp, i, 0)
		f.setOne(rules.ProviderConsecutiveErrors, i, 7)
		f.setOne(rules.ProviderConsecutiveSuccesses, i, 0)
		if heights := f.byName[rules.ProviderBlockHeight.Name].Metric; i+1 < len(heights) {
			*heights[i+1].Gauge.Value -= 50
		}
	}
	f.set(rules.ProviderFailing, 1)
}

// setOne sets the i-th series of a gauge, that of the i-th provider unless the
// test has changed the fleet.
func (f *fleet) setOne(m rules.Metric, i int, value float64) {
	if all := f.byName[m.Name].Metric; i < len(all) {
		*all[i].Gauge.Value = value
	}
}

// Collect gives the samples as they stand.
func (f *fleet) Collect(context.Context, Wanted) ([]*dto.MetricFamily, error) { return f.families, nil }

// oneShot is a fleet whose samples are made for one collection and are then
// garbage, as those of an exporter are.
type oneShot struct{ next *fleet }

// Collect gives the samples and forgets them.
func (o *oneShot) Collect(ctx context.Context, wanted Wanted) ([]*dto.MetricFamily, error) {
	f := o.next
	o.next = nil
	return f.Collect(ctx, wanted)
}

// Target is always the same.
func (o *oneShot) Target() Target { return (&fleet{}).Target() }

// Target is always the same.
func (f *fleet) Target() Target { return Target{"understudy", "127.0.0.1:9478"} }
