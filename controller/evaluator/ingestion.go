package evaluator

import (
	"errors"
	"fmt"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/timestamp"
)

// What a scrape says of itself, as in Prometheus.
const (
	upName       = "up"
	durationName = "scrape_duration_seconds"
	samplesName  = "scrape_samples_scraped"
)

// The labels of a target.
const (
	jobLabel      = "job"
	instanceLabel = "instance"
	exported      = "exported_"
)

// ingest writes one answer of a source whole, or, if that cannot be, none of it
// and what a failed scrape leaves: the end of all series of the source.
func (e *Evaluator) ingest(f *feed, families []*dto.MetricFamily, err error, took time.Duration, at time.Time) SourceStatus {
	status := SourceStatus{Target: f.target, Err: err}
	b := e.memory.begin()
	if err == nil {
		status.Samples, status.Err = e.stage(f, b, families, took)
	}
	if status.Err != nil {
		status.Samples = 0
		b.abandon()
		b = e.memory.begin()
		if err := e.stageMeta(f, b, 0, 0, took); err != nil {
			// There is no room for three series. The old ones end all the same.
			b.abandon()
			b = e.memory.begin()
		}
	}
	var dropped int
	f.series, dropped = b.commit(timestamp.FromTime(at), f.series)
	f.instruments.dropped.Add(float64(dropped))
	return status
}

// stage puts an answer into a batch and says how many samples it has.
func (e *Evaluator) stage(f *feed, b *batch, families []*dto.MetricFamily, took time.Duration) (int, error) {
	total := 0
	for _, family := range families {
		total += samplesOf(family)
	}
	f.cursor = 0
	// First, so that a source cannot say of itself that it is up.
	if err := e.stageMeta(f, b, 1, total, took); err != nil {
		return 0, err
	}
	for _, family := range families {
		if err := e.stageFamily(f, b, family); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// stageMeta puts what a scrape says of itself into a batch.
func (e *Evaluator) stageMeta(f *feed, b *batch, up float64, samples int, took time.Duration) error {
	for _, s := range []struct {
		name  string
		value float64
	}{{upName, up}, {durationName, took.Seconds()}, {samplesName, float64(samples)}} {
		if mt := e.memory.metric(s.name); mt != nil {
			if err := b.add(mt, e.scraped(f, s.name, nil, sample{}), s.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// stageFamily puts the samples of a family that somebody reads into a batch.
func (e *Evaluator) stageFamily(f *feed, b *batch, family *dto.MetricFamily) error {
	kind, read := family.GetType(), false
	e.kept = e.kept[:0]
	for _, suffix := range suffixes(kind) {
		mt := e.memory.metric(family.GetName() + suffix)
		e.kept = append(e.kept, keptAs{suffix, mt})
		read = read || mt != nil
	}
	if !read {
		return nil
	}
	var failure error
	for _, m := range family.GetMetric() {
		if m.TimestampMs != nil {
			f.instruments.timestamps.Inc()
		}
		if len(e.kept) == 1 {
			if err := e.stageSample(f, b, e.kept[0].metric, m.GetLabel(), sample{value: singleValue(kind, m)}); err != nil {
				return err
			}
			continue
		}
		flatten(kind, m, func(s sample) {
			mt := keptUnder(e.kept, s.suffix)
			if mt == nil || failure != nil {
				return
			}
			failure = e.stageSample(f, b, mt, m.GetLabel(), s)
		})
		if failure != nil {
			return failure
		}
	}
	return nil
}

// stageSample puts one sample into a batch. Of a series that the answer holds
// twice the first sample counts, as in Prometheus.
func (e *Evaluator) stageSample(f *feed, b *batch, mt *metric, pairs []*dto.LabelPair, s sample) error {
	known := len(b.fresh)
	var err error
	// An exporter gives its series in the same order each time.
	if expected := f.expected(); expected != nil && expected.metric == mt && f.knows(expected, pairs, s) {
		f.cursor++
		err = b.put(expected, plain(s.value))
	} else {
		err = b.add(mt, e.scraped(f, mt.name, pairs, s), plain(s.value))
		f.follow(b)
	}
	switch {
	case errors.Is(err, errDuplicate):
		f.instruments.dropped.Inc()
	case err != nil:
		return &scrapeError{reasonTooManySeries, err}
	case len(b.fresh) > known:
		if name, ok := e.scratch.HasDuplicateLabelNames(); ok {
			return &scrapeError{reasonMalformed, fmt.Errorf("a series of %s has the label %s twice", mt.name, name)}
		}
	}
	return nil
}

// knows says whether a series has the labels of a sample.
func (f *feed) knows(one *series, pairs []*dto.LabelPair, s sample) bool {
	if s.label == "" && len(pairs) > 0 && slices.Equal(one.pairs, pairs) {
		return true
	}
	if !f.target.owns(one.labels, pairs, s) {
		return false
	}
	if f.steady {
		one.pairs = append(one.pairs[:0], pairs...)
	}
	return true
}

// expected is the series that followed in the last answer; nil if none did.
func (f *feed) expected() *series {
	if f.cursor < len(f.series) && !f.series[f.cursor].gone {
		return f.series[f.cursor]
	}
	return nil
}

// follow moves on to what followed the last sample of the batch in the last
// answer, if only a few series are gone from between.
func (f *feed) follow(b *batch) {
	const few = 16
	if len(b.writes) == 0 {
		return
	}
	last := b.writes[len(b.writes)-1].series
	for i := f.cursor; i < min(f.cursor+few, len(f.series)); i++ {
		if f.series[i] == last {
			f.cursor = i + 1
			return
		}
	}
}

// owns says whether a series of the target has exactly these labels. It only
// says so for the plain case, in which the labels are in order and none is in
// the way of the target's.
func (t Target) owns(ls labels.Labels, pairs []*dto.LabelPair, s sample) bool {
	if s.label != "" {
		return false
	}
	next, same := 0, true
	ls.Range(func(l labels.Label) {
		switch {
		case !same || l.Name == metricName:
		case l.Name == jobLabel:
			same = l.Value == t.Job
		case l.Name == instanceLabel:
			same = l.Value == t.Instance
		case next < len(pairs) && pairs[next].GetName() == l.Name && pairs[next].GetValue() == l.Value:
			next++
		default:
			same = false
		}
	})
	return same && next == len(pairs)
}

// scraped are the labels of a scraped series: its own and the target's. One of
// its own that is named like one of the target's gets another name. They are
// good until the next.
func (e *Evaluator) scraped(f *feed, name string, pairs []*dto.LabelPair, s sample) labels.Labels {
	e.builder.Reset()
	e.builder.Add(metricName, name)
	e.builder.Add(jobLabel, f.target.Job)
	e.builder.Add(instanceLabel, f.target.Instance)
	for _, p := range pairs {
		own := p.GetName()
		for own == jobLabel || own == instanceLabel || (own != p.GetName() && has(pairs, own)) {
			own = exported + own
		}
		if p.GetValue() != "" && own != metricName {
			e.builder.Add(own, p.GetValue())
		}
	}
	if s.label != "" {
		e.builder.Add(s.label, s.of)
	}
	e.builder.Sort()
	e.builder.Overwrite(&e.scratch)
	return e.scratch
}

func has(pairs []*dto.LabelPair, name string) bool {
	for _, p := range pairs {
		if p.GetName() == name {
			return true
		}
	}
	return false
}

// keptAs says where the samples of a family with a suffix go; nil is nowhere.
type keptAs struct {
	suffix string
	metric *metric
}

func keptUnder(kept []keptAs, suffix string) *metric {
	for _, k := range kept {
		if k.suffix == suffix {
			return k.metric
		}
	}
	return nil
}
