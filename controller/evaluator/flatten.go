package evaluator

import (
	"math"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
)

// sample is a sample of a metric family, without the family's other labels.
type sample struct {
	suffix string // Of the name: "", _bucket, _sum or _count.
	// label and of are le or quantile and its value; "" for none.
	label, of string
	value     float64
}

// flatten gives the samples that the text format would have for one metric.
// Native histograms are left out; their classic part, or at least sum and count,
// stays.
func flatten(kind dto.MetricType, m *dto.Metric, give func(sample)) {
	switch kind {
	case dto.MetricType_SUMMARY:
		for _, q := range m.GetSummary().GetQuantile() {
			give(sample{"", "quantile", labels.FormatOpenMetricsFloat(q.GetQuantile()), q.GetValue()})
		}
		give(sample{suffix: "_sum", value: m.GetSummary().GetSampleSum()})
		give(sample{suffix: "_count", value: float64(m.GetSummary().GetSampleCount())})
	case dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		flattenHistogram(m.GetHistogram(), give)
	default:
		give(sample{value: singleValue(kind, m)})
	}
}

// singleValue is that of a metric with one sample.
func singleValue(kind dto.MetricType, m *dto.Metric) float64 {
	switch kind {
	case dto.MetricType_COUNTER:
		return m.GetCounter().GetValue()
	case dto.MetricType_GAUGE:
		return m.GetGauge().GetValue()
	}
	return m.GetUntyped().GetValue()
}

func flattenHistogram(h *dto.Histogram, give func(sample)) {
	count := h.GetSampleCountFloat()
	if count == 0 {
		count = float64(h.GetSampleCount())
	}
	infinite := false
	for _, b := range h.GetBucket() {
		in := b.GetCumulativeCountFloat()
		if in == 0 {
			in = float64(b.GetCumulativeCount())
		}
		infinite = infinite || math.IsInf(b.GetUpperBound(), 1)
		give(sample{"_bucket", "le", labels.FormatOpenMetricsFloat(b.GetUpperBound()), in})
	}
	if !infinite {
		give(sample{"_bucket", "le", "+Inf", count})
	}
	give(sample{suffix: "_sum", value: h.GetSampleSum()})
	give(sample{suffix: "_count", value: count})
}

// sizeOf is how many samples flatten gives for one metric.
func sizeOf(kind dto.MetricType, m *dto.Metric) int {
	switch kind {
	case dto.MetricType_SUMMARY:
		return len(m.GetSummary().GetQuantile()) + 2
	case dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		buckets := m.GetHistogram().GetBucket()
		if n := len(buckets); n > 0 && math.IsInf(buckets[n-1].GetUpperBound(), 1) {
			return n + 2
		}
		return len(buckets) + 3
	}
	return 1
}

// samplesOf is how many samples flatten gives for a family.
func samplesOf(family *dto.MetricFamily) int {
	switch family.GetType() {
	case dto.MetricType_SUMMARY, dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		total := 0
		for _, m := range family.GetMetric() {
			total += sizeOf(family.GetType(), m)
		}
		return total
	}
	return len(family.GetMetric())
}

// suffixes are what flatten may add to the name of a family.
func suffixes(kind dto.MetricType) []string {
	switch kind {
	case dto.MetricType_SUMMARY:
		return []string{"", "_sum", "_count"}
	case dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		return []string{"_bucket", "_sum", "_count"}
	}
	return []string{""}
}

// plain keeps a source from ending a series by its own hand: the staleness
// marker is one of many values that are not a number.
func plain(v float64) float64 {
	if value.IsStaleNaN(v) {
		return math.NaN()
	}
	return v
}
