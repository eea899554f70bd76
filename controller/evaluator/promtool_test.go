package evaluator

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/timestamp"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

// TestUnitTestsOfTheRules runs the files that promtool runs, with the same
// outcome: what holds in Prometheus holds here.
func TestUnitTestsOfTheRules(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../rules/*_test.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file, groups := loadUnitTests(t, name)
		for i, test := range file.Tests {
			t.Run(fmt.Sprintf("%s/%d %s", filepath.Base(name), i, test.Name), func(t *testing.T) {
				t.Parallel()
				runUnitTest(t, test, time.Duration(file.EvaluationInterval), groups)
			})
		}
	}
}

// TestTheRunnerFindsWhatIsWrong breaks a unit test in each way: a runner that
// passes everything would prove nothing.
func TestTheRunnerFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	file, groups := loadUnitTests(t, "testdata/promtool/unit_test.yml")
	interval := time.Duration(file.EvaluationInterval)
	require.Empty(t, outcome(t, file.Tests[0], interval, groups))
	for name, broken := range map[string]func(*unitTest){
		"another label":      func(u *unitTest) { u.AlertRuleTests[1].ExpAlerts[0].Labels["chain"] = "eth" },
		"another annotation": func(u *unitTest) { u.AlertRuleTests[1].ExpAlerts[0].Annotations["summary"] = "x" },
		"no alert expected":  func(u *unitTest) { u.AlertRuleTests[1].ExpAlerts = nil },
		"alert too early":    func(u *unitTest) { u.AlertRuleTests[1].EvalTime = u.AlertRuleTests[0].EvalTime },
		"another value":      func(u *unitTest) { u.PromQLTests[0].ExpSamples[0].Value++ },
		"other labels":       func(u *unitTest) { u.PromQLTests[0].ExpSamples[0].Labels = "{}" },
		"no sample expected": func(u *unitTest) { u.PromQLTests[0].ExpSamples = nil },
		"other input":        func(u *unitTest) { u.InputSeries[0].Values = "1x20" },
	} {
		again, _ := loadUnitTests(t, "testdata/promtool/unit_test.yml")
		broken(&again.Tests[0])
		require.NotEmpty(t, outcome(t, again.Tests[0], interval, groups), name)
	}
}

// runUnitTest runs one test, all of whose checks must hold.
func runUnitTest(t *testing.T, test unitTest, interval time.Duration, groups []Group) {
	t.Helper()
	for _, wrong := range outcome(t, test, interval, groups) {
		t.Error(wrong)
	}
}

// outcome is what does not hold.
func outcome(t *testing.T, test unitTest, interval time.Duration, groups []Group) (wrong []string) {
	t.Helper()
	e := forUnitTest(t, test, interval, groups)
	pending := inputOf(t, test, interval)
	begin := time.Unix(0, 0).UTC()
	for at := begin; !at.After(begin.Add(test.end())); at = at.Add(interval) {
		pending = e.load(pending, timestamp.FromTime(at))
		r := Result{At: at}
		require.NoError(t, e.judge(t.Context(), &r))
		for _, f := range r.Failures {
			wrong = append(wrong, fmt.Sprintf("%s: rule %s: %v", at.Sub(begin), f.Rule, f.Err))
		}
		for _, check := range test.AlertRuleTests {
			if since := time.Duration(check.EvalTime) - at.Sub(begin); since >= 0 && since < interval {
				wrong = append(wrong, check.against(r.Alerts)...)
			}
		}
	}
	e.load(pending, timestamp.FromTime(begin.Add(test.end())))
	for _, check := range test.PromQLTests {
		wrong = append(wrong, check.against(t, e, begin)...)
	}
	return wrong
}

// forUnitTest is an evaluator as promtool has it: it looks back for five minutes,
// and keeps all that the checks want to see at the end.
func forUnitTest(t *testing.T, test unitTest, interval time.Duration, groups []Group) *Evaluator {
	t.Helper()
	e, err := New(Options{
		Sources: []Source{newFakeSource(t, "none")}, Interval: interval, Lookback: max(5*time.Minute, 2*interval),
		ExternalLabels: test.ExternalLabels, ExternalURL: test.ExternalURL,
	}, groups)
	require.NoError(t, err)
	e.memory.resolution = 0
	for _, check := range test.PromQLTests {
		require.NoError(t, e.memory.reads.addExpression(check.Expr, test.end()))
	}
	return e
}

// input is a sample of an input series.
type input struct {
	labels labels.Labels
	at     int64
	value  float64
}

// inputOf are the samples of the input series, by time.
func inputOf(t *testing.T, test unitTest, interval time.Duration) []input {
	t.Helper()
	step := time.Duration(test.Interval)
	if step == 0 {
		step = interval
	}
	var all []input
	for _, s := range test.InputSeries {
		ls, values, err := promQL.ParseSeriesDesc(s.Series + " " + s.Values)
		require.NoError(t, err)
		for i, v := range values {
			require.Nil(t, v.Histogram, "native histograms are not kept")
			if !v.Omitted {
				all = append(all, input{ls, int64(i) * step.Milliseconds(), v.Value})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b input) int { return int(a.at - b.at) })
	return all
}

// load writes the samples until a time and returns the others.
func (e *Evaluator) load(pending []input, until int64) []input {
	for len(pending) > 0 && pending[0].at <= until {
		next := pending[0]
		pending = pending[1:]
		mt := e.memory.metric(next.labels.Get(metricName))
		if mt == nil {
			continue
		}
		hash := next.labels.Hash()
		s := e.memory.find(hash, next.labels)
		if s == nil {
			s = e.memory.link(hash, next.labels, mt)
		}
		if value.IsStaleNaN(next.value) {
			e.memory.end(s, next.at)
		} else {
			e.memory.write(s, next.at, next.value)
		}
	}
	return pending
}

// against compares the firing alerts of one name with those expected.
func (a alertTest) against(alerts []Alert) []string {
	var want, got []string
	for _, one := range a.ExpAlerts {
		ls := labels.NewBuilder(labels.FromMap(one.Labels)).Set(labels.AlertName, a.Alertname).Labels()
		want = append(want, fmt.Sprintf("%s %s", ls, labels.FromMap(one.Annotations)))
	}
	for _, one := range alerts {
		if one.State == Firing && one.Name() == a.Alertname {
			got = append(got, fmt.Sprintf("%s %s", one.Labels, one.Annotations))
		}
	}
	return unequal(fmt.Sprintf("%s at %s", a.Alertname, a.EvalTime), want, got)
}

// against compares the result of an expression with the one expected.
func (p promQLTest) against(t *testing.T, e *Evaluator, begin time.Time) []string {
	t.Helper()
	vector, err := e.query(t.Context(), p.Expr, begin.Add(time.Duration(p.EvalTime)))
	require.NoError(t, err)
	var want, got []string
	for _, one := range p.ExpSamples {
		ls, err := parser.NewParser(parser.Options{}).ParseMetric(one.Labels)
		require.NoError(t, err)
		want = append(want, fmt.Sprintf("%s %v", ls, one.Value))
	}
	for _, one := range vector {
		got = append(got, fmt.Sprintf("%s %v", one.Metric, one.F))
	}
	return unequal(fmt.Sprintf("%s at %s", p.Expr, p.EvalTime), want, got)
}

func unequal(what string, want, got []string) []string {
	slices.Sort(want)
	slices.Sort(got)
	if slices.Equal(want, got) {
		return nil
	}
	return []string{fmt.Sprintf("%s:\n  want %q\n  got  %q", what, want, got)}
}
