package evaluator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRecordedSeriesAreSeenByTheRulesAfterThem(t *testing.T) {
	t.Parallel()
	s := newScript(t, `
groups:
- name: first
  rules:
  - record: chain:height:max
    expr: max by (chain) (height)
    labels: {source: rule}
  - record: chain:height:double
    expr: 2 * chain:height:max
- name: second
  rules:
  - alert: Double
    expr: chain:height:double > 10
`)
	r := s.after(0, `height{chain="btc"} 6`)
	require.Equal(t, []string{`firing {alertname="Double", chain="btc", source="rule"} 12`}, brief(r.Alerts), "all of it at one time")
	require.Equal(t, []string{`{__name__="chain:height:max", chain="btc", source="rule"} 6`}, s.ask("chain:height:max"))
}

func TestARuleBeforeTheRecordingSeesTheLastResult(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- alert: Early
  expr: height:max > 10
- record: height:max
  expr: max(height)
`))
	require.Empty(t, s.after(0, `height 11`).Alerts)
	require.Equal(t, []string{`firing {alertname="Early"} 11`}, brief(s.after(5*time.Second, `height 12`).Alerts))
	require.Equal(t, []string{`firing {alertname="Early"} 12`}, brief(s.after(5*time.Second, `height 12`).Alerts))
}

func TestLabelsOfRecordedSeries(t *testing.T) {
	t.Parallel()
	s := newScript(t, `
groups:
- name: test
  labels: {team: blue, kind: group}
  rules:
  - record: renamed
    expr: height
    labels: {kind: rule, job: "", instance: other}
  - alert: Read
    expr: renamed
`)
	s.after(0, `height{chain="btc"} 6`)
	require.Equal(t, []string{`{__name__="renamed", chain="btc", instance="other", kind="rule", team="blue"} 6`}, s.ask("renamed"))
}

func TestAScalarIsRecordedWithoutLabels(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- record: now
  expr: time()
- alert: Read
  expr: now
`))
	s.after(0, `height 1`)
	require.Equal(t, []string{`{__name__="now"} ` + formatted(float64(start.Unix()))}, s.ask("now"))
}

func TestAResultThatVanishesIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- record: chain:height:high
  expr: max by (chain) (height) > 10
- alert: Read
  expr: chain:height:high
`))
	s.after(0, `height{chain="btc"} 11`, `height{chain="eth"} 12`)
	require.Len(t, s.ask("chain:height:high"), 2)
	s.after(5*time.Second, `height{chain="btc"} 1`, `height{chain="eth"} 12`)
	require.Equal(t, []string{`{__name__="chain:height:high", chain="eth"} 12`}, s.ask("chain:height:high"))
}

func TestTwoSamplesThatGiveTheSameSeriesAreAnErrorOfThatRule(t *testing.T) {
	t.Parallel()
	for name, reader := range map[string]string{"that is read": "same", "that nobody reads": "other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, rulesOf(`
- record: same
  expr: height
  labels: {provider: all}
- record: other
  expr: count(height)
- alert: Read
  expr: `+reader))
			s.after(0, `height{provider="a"} 1`)
			r := s.after(5*time.Second, `height{provider="a"} 1`, `height{provider="b"} 2`)
			require.Len(t, r.Failures, 1)
			require.Equal(t, "same", r.Failures[0].Rule)
			require.EqualError(t, r.Failures[0].Err, "vector contains metrics with the same labelset after applying rule labels")
			require.Len(t, r.Alerts, 1, "the other rules are not harmed")
		})
	}
}

func TestAGroupWithAnOffsetLooksBack(t *testing.T) {
	t.Parallel()
	s := newScript(t, `
groups:
- name: late
  query_offset: 10s
  rules:
  - record: height:then
    expr: sum(height)
  - alert: Then
    expr: height:then > 1
- name: now
  rules:
  - alert: Recorded
    expr: height:then
`)
	s.after(0, `height 1`)
	s.after(5*time.Second, `height 2`)
	s.after(5*time.Second, `height 3`)
	require.Equal(t, []string{`{__name__="height:then"} 1`}, s.ask("height:then"))
	r := s.after(5*time.Second, `height 4`)
	require.Equal(t, []string{`firing {alertname="Then"} 2`, `firing {alertname="Recorded"} 2`}, brief(r.Alerts))
	require.Equal(t, s.at, r.Alerts[0].ActiveAt)
}

func TestARuleThatFailsHarmsNobody(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- record: explodes
  expr: count_over_time(vector(1)[1h:1ms])
- record: matches:many
  expr: height * on () group_left () other
- alert: Twice
  expr: explodes or matches:many
- alert: Fine
  expr: height > 1
`), func(o *Options) { o.MaxSamples = 10_000 })
	r := s.after(0, `height 2`, `other{provider="a"} 1`, `other{provider="b"} 1`)
	require.Len(t, r.Failures, 2)
	require.Equal(t, "explodes", r.Failures[0].Rule)
	require.ErrorContains(t, r.Failures[0].Err, "too many samples")
	require.Equal(t, "matches:many", r.Failures[1].Rule)
	require.ErrorContains(t, r.Failures[1].Err, "duplicate series")
	require.Equal(t, []string{`firing {alertname="Fine", instance="one:9478", job="understudy"} 2`}, brief(r.Alerts))
	require.InDelta(t, 1, counted(t, s.registry, "understudy_rule_evaluation_failures_total", "explodes"), 0)
	require.InDelta(t, 0, counted(t, s.registry, "understudy_rule_evaluation_failures_total", "Fine"), 0)
	require.InDelta(t, 1, counted(t, s.registry, "understudy_rule_evaluations_total", "Fine"), 0)
}

func TestARuleThatRunsTooLongIsStopped(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- record: slow
  expr: count_over_time(max_over_time(height[1h])[5h:10ms])
- alert: Fine
  expr: vector(1)
`), func(o *Options) { o.Timeout = time.Millisecond })
	r := s.after(0, `height 2`)
	require.Len(t, r.Failures, 1)
	require.ErrorContains(t, r.Failures[0].Err, "timed out")
	require.Len(t, r.Alerts, 1)
}

func TestANewResultIsNotWrittenOverAnExportersSeries(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- record: height
  expr: vector(99)
  labels: {job: understudy, instance: "one:9478"}
- alert: Read
  expr: height
`))
	r := s.after(0, `height 2`)
	require.Empty(t, r.Failures)
	require.Equal(t, []string{`firing {alertname="Read", instance="one:9478", job="understudy"} 2`}, brief(r.Alerts))
	require.InDelta(t, 1, counted(t, s.registry, "understudy_rule_results_dropped_total"), 0)
}

func TestWhatNobodyReadsAnyMoreIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	recorded := "- record: doubled\n  expr: 2 * height"
	s := newScript(t, rulesOf(recorded, "- {alert: Read, expr: doubled}"))
	s.after(0, `height{provider="a"} 1`, `height{provider="b"} 2`)
	require.NoError(t, s.SetGroups(groupsOf(t, rulesOf(recorded))))
	s.after(5*time.Second, `height{provider="a"} 1`, `height{provider="b"} 2`)
	s.after(5*time.Second, `height{provider="a"} 1`, `height{provider="b"} 2`)
	require.InDelta(t, 0, counted(t, s.registry, "understudy_rule_results_dropped_total"), 0, "nothing is dropped, as nothing is written")

	s.after(5*time.Second, `height{provider="a"} 1`)
	require.Empty(t, s.after(5*time.Second, `height{provider="a"} 1`).Failures, "also once there is less of it")
}
