package evaluator

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
)

func TestNothingIsEvaluatedBeforeEverySourceIsKnown(t *testing.T) {
	t.Parallel()
	other := newFakeSource(t, "two:9478")
	s := newScript(t, rulesOf(`
- alert: Nothing
  expr: absent(height)
- alert: Down
  expr: up == 0
`), func(o *Options) { o.Sources = append(o.Sources, other) })
	other.fail("no route to host")
	s.source.fail("no route to host")
	r := s.after(0)
	require.False(t, r.Evaluated)
	require.Empty(t, r.Alerts)
	require.Len(t, r.Sources, 2)
	r = s.after(5*time.Second, "height 1")
	require.False(t, r.Evaluated, "one has answered, the other might")
	r = s.after(5*time.Second, "height 1")
	require.True(t, r.Evaluated, "the other was asked three times")
	require.Equal(t, []string{`firing {alertname="Down", instance="two:9478", job="understudy"} 0`}, brief(r.Alerts))
	s.source.fail("no route to host")
	r = s.after(5 * time.Second)
	require.True(t, r.Evaluated, "known once is known for good")
	require.Len(t, r.Alerts, 3)
}

func TestARoundMustBeAfterTheLast(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`- {alert: A, expr: vector(1)}`))
	s.after(0, "height 1")
	_, err := s.Evaluate(t.Context(), s.at.Add(999*time.Microsecond))
	require.ErrorContains(t, err, "was asked for after one for")
	_, err = s.Evaluate(t.Context(), s.at.Add(time.Millisecond))
	require.NoError(t, err)
}

func TestACancelledRoundLeavesTheAlertsAsTheyAre(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`- {alert: A, expr: height}`))
	s.after(0, "height 1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Evaluate(ctx, s.at.Add(time.Second))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, s.Alerts(), 1)
}

func TestASourceThatHangsDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := newFakeSource(t, "slow:9478")
		slow.say("height 7")
		s := newScript(t, rulesOf(`- {record: a, expr: 'sum by (instance) (height) or sum by (instance) (up)'}`, `- {alert: A, expr: a}`),
			func(o *Options) { o.Sources = append(o.Sources, slow) })
		s.after(0, "height 1")
		release := slow.block()

		began := time.Now()
		r := s.after(5*time.Second, "height 2")
		require.Equal(t, patience, time.Since(began), "it was quick so far")
		require.True(t, r.Evaluated)
		require.True(t, r.Sources[1].Late)
		require.NoError(t, r.Sources[1].Err)
		require.Equal(t, []string{`{instance="one:9478"} 2`, `{instance="slow:9478"} 7`}, s.ask("sum by (instance) (height)"), "what it said last still counts")

		began = time.Now()
		s.after(5 * time.Second)
		require.Zero(t, time.Since(began), "nobody waits for it a second time")
		require.Equal(t, 2, slow.timesAsked(), "it is not asked again before it has answered")

		time.Sleep(collectTimeout)
		r = s.after(5 * time.Second)
		require.Equal(t, []string{`{__name__="up", instance="slow:9478", job="understudy"} 0`}, s.ask(`up{instance="slow:9478"}`))
		require.Error(t, r.Sources[1].Err)

		slow.say("height 8")
		s.after(5 * time.Second)
		synctest.Wait()
		r = s.after(5 * time.Second)
		require.False(t, r.Sources[1].Late, "its answer was there")
		require.Equal(t, []string{`{instance="one:9478"} 2`, `{instance="slow:9478"} 8`}, s.ask("sum by (instance) (height)"))
		release()
	})
}

func TestASourceThatIgnoresItsDeadlineIsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		source := stubborn{stuck}
		e, err := New(Options{Sources: []Source{source}}, groupsOf(t, rulesOf(`- {alert: Down, expr: up == 0}`)))
		require.NoError(t, err)
		at := start
		for range 2 {
			r, err := e.Evaluate(t.Context(), at)
			require.NoError(t, err)
			require.False(t, r.Evaluated)
			at = at.Add(5 * time.Second)
		}
		time.Sleep(collectTimeout)
		for range graceTries {
			r, err := e.Evaluate(t.Context(), at)
			require.NoError(t, err)
			require.ErrorIs(t, r.Sources[0].Err, errSlow)
			at = at.Add(5 * time.Second)
		}
		require.Equal(t, []string{`firing {alertname="Down", instance="stuck", job="understudy"} 0`}, brief(e.Alerts()))
		close(stuck)
		e.flights.Wait()
	})
}

// stubborn is a source that answers when its channel is closed, and not before.
type stubborn struct{ until chan struct{} }

func (s stubborn) Target() Target { return Target{"understudy", "stuck"} }

func (s stubborn) Collect(context.Context, Wanted) ([]*dto.MetricFamily, error) {
	<-s.until
	return nil, nil
}

func TestRunEvaluatesAtOnceAtEachIntervalAndWhenTriggered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			mu  sync.Mutex
			all []time.Duration
		)
		began := time.Now()
		s := newScript(t, rulesOf(`- {alert: A, expr: vector(1)}`), func(o *Options) {
			o.OnEvaluated = func(r Result) {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, r.At.Sub(began))
			}
		})
		s.source.say("height 1")
		rounds := func() []time.Duration {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return append([]time.Duration{}, all...)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()

		require.Equal(t, []time.Duration{0}, rounds())
		time.Sleep(11 * time.Second)
		require.Equal(t, []time.Duration{0, 5 * time.Second, 10 * time.Second}, rounds())

		for range 100 {
			s.Trigger()
		}
		require.Equal(t, 11*time.Second, rounds()[3], "at once")
		time.Sleep(time.Second)
		require.LessOrEqual(t, len(rounds()), 5, "many triggers are one, and one that came meanwhile")
		n := len(rounds())
		time.Sleep(4*time.Second + 10*time.Millisecond)
		require.Len(t, rounds(), n+1, "the interval counts from the last round")

		cancel()
		require.NoError(t, <-done)
		require.Equal(t, n+1, len(rounds()))
	})
}

func TestRunWaitsForWhatIsInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, rulesOf(`- {alert: A, expr: vector(1)}`))
		s.source.block()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		time.Sleep(500 * time.Millisecond)
		cancel()
		require.NoError(t, <-done)
	})
}

func TestAClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- {alert: Long, expr: height > 0, for: 10s}
- {record: chain:height, expr: height}
- {alert: Recorded, expr: chain:height}
`))
	s.source.say("height 1")
	step := func(at time.Time) Result {
		r, err := s.round(t.Context(), at, s.reckon)
		require.NoError(t, err)
		s.at = r.At
		return r
	}
	step(start)
	r := step(start.Add(5 * time.Second))
	require.Equal(t, Pending, r.Alerts[0].State)

	r = step(start)
	require.Equal(t, start.Add(5*time.Second+time.Millisecond), r.At, "a small step is waited for")

	r = step(start.Add(-time.Hour))
	require.Equal(t, start.Add(-time.Hour), r.At)
	require.Len(t, s.ask("height"), 1, "collected anew")
	require.Equal(t, Pending, r.Alerts[0].State)
	require.Equal(t, r.At.Add(-5*time.Second-time.Millisecond), r.Alerts[0].ActiveAt, "as old as it was")
	require.Equal(t, Firing, step(start.Add(-time.Hour).Add(5 * time.Second)).Alerts[0].State)
	require.Len(t, s.Alerts(), 2)
}

func TestRulesMayChangeWhileAlertsStand(t *testing.T) {
	t.Parallel()
	const before = `
groups:
- name: a
  rules:
  - {alert: Same, expr: height > 1, for: 10s}
  - {alert: Moved, expr: height > 2, for: 10s}
  - {alert: Relabelled, expr: height > 1, for: 10s, labels: {x: "1"}}
  - {alert: Gone, expr: height > 1}
  - {record: chain:height, expr: height}
  - {record: chain:gone, expr: height}
  - {alert: Read, expr: chain:height or chain:gone}
- name: gone
  rules:
  - {record: group:gone, expr: height}
  - {alert: Read, expr: group:gone}
`
	const after = `
groups:
- name: a
  rules:
  - {alert: New, expr: height > 1, for: 10s}
  - {alert: Moved, expr: height > 3, for: 10s}
  - {alert: Same, expr: height > 1, for: 10s}
  - {alert: Relabelled, expr: height > 1, for: 10s, labels: {x: "2"}}
  - {record: chain:height, expr: height}
  - {alert: Read, expr: chain:height or chain:gone or group:gone}
`
	s := newScript(t, before)
	s.after(0, "height 9")
	s.after(5 * time.Second)
	active := s.at.Add(-5 * time.Second)
	require.NoError(t, s.SetGroups(groupsOf(t, after)))
	require.Len(t, s.Alerts(), 6, "until the next evaluation the alerts are those of the last")

	s.after(5 * time.Second)
	since := map[string]time.Time{}
	for _, a := range s.Alerts() {
		since[a.Name()] = a.ActiveAt
	}
	require.Equal(t, map[string]time.Time{
		"New": s.at, "Moved": active, "Same": active, "Relabelled": s.at, "Read": active,
	}, since)
	require.Len(t, s.ask("chain:height"), 1)
	require.Empty(t, s.ask("chain:gone"), "the series of a rule that is gone have ended")
	require.Empty(t, s.ask("group:gone"))
	require.InDelta(t, 0, counted(t, s.registry, "understudy_rule_evaluation_failures_total", "a", "New"), 0)
	families, err := s.registry.Gather()
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(families), `"gone"`, "nor has a group that is gone metrics")
}

func TestRulesThatCannotBeServedChangeNothing(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`- {alert: A, expr: height}`))
	s.after(0, "height 1")
	for want, groups := range map[string][]Group{
		`x.yml: group "g", rule "A": height is read 2d back; the most is 1d`: {{File: "x.yml", Name: "g", Rules: []Rule{{Alert: "A", Expr: "rate(height[2d])"}}}},
		`x.yml: group "g", rule "A": one of record and alert must be set`:    {{File: "x.yml", Name: "g", Rules: []Rule{{Alert: "A", Record: "B", Expr: "height"}}}},
		`x.yml: group "g" is there twice`:                                    {{File: "x.yml", Name: "g"}, {File: "x.yml", Name: "g"}},
		`x.yml: group "g", rule "A": could not parse expression: 1:2: parse error: unclosed left parenthesis`: {
			{File: "x.yml", Name: "g", Rules: []Rule{{Alert: "A", Expr: "("}}},
		},
	} {
		require.EqualError(t, s.SetGroups(groups), want)
	}
	require.Len(t, s.after(5*time.Second).Alerts, 1)
}

func TestARuleMayWantMoreTimeThanBefore(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`- {alert: A, expr: height, for: 5s}`))
	s.after(0, "height 1")
	require.Equal(t, Firing, s.after(5 * time.Second).Alerts[0].State)
	require.NoError(t, s.SetGroups(groupsOf(t, rulesOf(`- {alert: A, expr: height, for: 1m}`))))
	r := s.after(5 * time.Second)
	require.Equal(t, Pending, r.Alerts[0].State)
	require.Zero(t, r.Alerts[0].FiredAt)
	require.Equal(t, start, r.Alerts[0].ActiveAt)
}

func TestAFailureIsLoggedOnceAndSoIsItsEnd(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := newScript(t, rulesOf(`- {record: a, expr: height * on () other}`), func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	bad := []string{`height{c="1"} 1`, `height{c="2"} 1`, `other 1`}
	for range 3 {
		s.after(5*time.Second, bad...)
	}
	require.Equal(t, 1, strings.Count(log.String(), "A rule cannot be evaluated"))
	s.after(5*time.Second, "height 1")
	require.Equal(t, 1, strings.Count(log.String(), "The rule can be evaluated again"))
	for range 3 {
		s.source.fail("broken")
		s.after(5 * time.Second)
	}
	require.Equal(t, 1, strings.Count(log.String(), "An exporter cannot be read"))
	s.after(5*time.Second, "height 1")
	require.Equal(t, 1, strings.Count(log.String(), "The exporter answers again"))
	require.Contains(t, log.String(), "component=evaluator")
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	one := newFakeSource(t, "one")
	for want, o := range map[string]Options{
		"an evaluator needs a source of samples":                       {},
		"interval 1ms: at least 100ms":                                 {Sources: []Source{one}, Interval: time.Millisecond},
		"lookback 5s: at least two intervals of 5s":                    {Sources: []Source{one}, Lookback: 5 * time.Second},
		"a limit of the evaluator is negative":                         {Sources: []Source{one}, MaxSeries: -1},
		"a source of samples needs a job and an instance":              {Sources: []Source{newFakeSource(t, "")}},
		`two sources have the job "understudy" and the instance "one"`: {Sources: []Source{one, one}},
		"the external URL is not a URL":                                {Sources: []Source{one}, ExternalURL: "http://[secret"},
	} {
		_, err := New(o, nil)
		require.EqualError(t, err, want)
	}
	_, err := New(Options{Sources: []Source{one}, Interval: 10 * time.Second}, nil)
	require.NoError(t, err, "an evaluator without rules is fine")
}
