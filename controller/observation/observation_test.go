package observation_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/controller/observation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is how long an exporter may be silent.
const limit = 20 * time.Second

// key is the provider that most tests are about.
var key = observation.Key{Chain: "eth", Provider: "a"}

// exporter publishes a page.
type exporter struct {
	name, page string
	err        error
}

func (e *exporter) Target() evaluator.Target { return evaluator.Target{Job: "j", Instance: e.name} }

func (e *exporter) Collect(context.Context, evaluator.Wanted) ([]*dto.MetricFamily, error) {
	if e.err != nil {
		return nil, e.err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(e.page))
	if err != nil {
		return nil, err
	}
	var all []*dto.MetricFamily
	for _, f := range families {
		all = append(all, f)
	}
	return all, nil
}

// page is what an exporter says of the provider: metrics by the ends of their
// names.
func page(values ...string) string {
	var b strings.Builder
	for _, v := range values {
		name, value, _ := strings.Cut(v, " ")
		name, labels, _ := strings.Cut(name, ",")
		fmt.Fprintf(&b, "bifrost_provider_%s{chain=\"eth\",provider=\"a\"%s} %s\n", name, labelsOf(labels), value)
	}
	return b.String()
}

func labelsOf(text string) string {
	if text == "" {
		return ""
	}
	name, value, _ := strings.Cut(text, "=")
	return fmt.Sprintf(",%s=%q", name, value)
}

// scene is a table that exporters are collected for.
type scene struct {
	t       *testing.T
	table   *observation.Table
	watched []evaluator.Source
	pages   []*exporter
}

func newScene(t *testing.T, pages ...string) *scene {
	s := &scene{t: t, table: observation.New(limit)}
	for i, text := range pages {
		e := &exporter{name: fmt.Sprint(i), page: text}
		s.pages, s.watched = append(s.pages, e), append(s.watched, s.table.Watch(e))
	}
	s.collect()
	return s
}

func (s *scene) collect() {
	for i, w := range s.watched {
		_, err := w.Collect(s.t.Context(), nothing)
		require.ErrorIs(s.t, err, s.pages[i].err)
	}
}

func (s *scene) provider() observation.Provider { return s.table.Provider(key, time.Now()) }

const (
	good = "up 1"
	bad  = "up 0"
	// early and late are two moments of a probe.
	early = "last_probe_timestamp_seconds 1000"
	late  = "last_probe_timestamp_seconds 2000.25"
	right = "network_mismatch 0"
	wrong = "network_mismatch 1"
)

func moment(seconds float64) time.Time { return time.UnixMilli(int64(seconds * 1000)).UTC() }

func TestExportersVote(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pages []string
		want  observation.Provider
	}{
		"nobody knows it":                {nil, observation.Provider{}},
		"one that sees it well":          {[]string{page(good, early, right)}, observation.Provider{Probed: true, Good: true, ProbedAt: moment(1000), Proven: true}},
		"one that sees it down":          {[]string{page(bad, early)}, observation.Provider{Probed: true, ProbedAt: moment(1000)}},
		"one that has not probed it yet": {[]string{page(bad)}, observation.Provider{}},
		"half of two is enough to be up": {
			[]string{page(good, early, right), page(bad, late)},
			observation.Provider{Probed: true, Good: true, ProbedAt: moment(1000), Proven: true},
		},
		"one of three is not": {
			[]string{page(good, late, right), page(bad, early), page(bad, early)},
			observation.Provider{Probed: true, ProbedAt: moment(1000), Proven: true},
		},
		"one that has an answer, and no proof of the network yet": {[]string{page(bad, early, "consecutive_errors 0")}, observation.Provider{}},
		"one that failed before the network was proven":           {[]string{page(bad, early, "consecutive_errors 2")}, observation.Provider{Probed: true, ProbedAt: moment(1000), ConsecutiveErrors: 2}},
		"one without a proof beside one with": {
			[]string{page(bad, late, "consecutive_errors 0"), page(good, early, right, "consecutive_errors 0")},
			observation.Provider{Probed: true, Good: true, ProbedAt: moment(1000), Proven: true},
		},
		"who has not probed it has no vote": {
			[]string{page(good, late, right), page(bad), page(bad), page(bad)},
			observation.Provider{Probed: true, Good: true, ProbedAt: moment(2000.25), Proven: true},
		},
		"half is enough against its network": {
			[]string{page(good, early, right), page(bad, early, wrong)},
			observation.Provider{Probed: true, Good: true, ProbedAt: moment(1000), Disproven: true},
		},
		"most say that its network is right": {
			[]string{page(good, early, right), page(good, early, right), page(bad, early, wrong)},
			observation.Provider{Probed: true, Good: true, ProbedAt: moment(1000), Proven: true},
		},
		"who does not know the network has no vote on it": {
			[]string{page(good, early), page(good, early, right)},
			observation.Provider{Probed: true, Good: true, ProbedAt: moment(1000), Proven: true},
		},
		"the newest probe of those that are right about it": {
			[]string{page(good, early, right), page(good, late, right), page(bad, "last_probe_timestamp_seconds 3000")},
			observation.Provider{Probed: true, Good: true, ProbedAt: moment(2000.25), Proven: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newScene(t, c.pages...).provider()
			require.Equal(t, len(c.pages) == 0, got.Asked.IsZero())
			got.Asked = time.Time{}
			require.Equal(t, c.want, got)
		})
	}
}

func TestFiguresForPeople(t *testing.T) {
	t.Parallel()
	p := newScene(t,
		page(good, early, "block_height 1000", "latency_ms 10", "errors_total 3", "consecutive_errors 0", "tip_timestamp_seconds 900"),
		page(good, early, "block_height 1003", "latency_ms 20", "errors_total 4", "consecutive_errors 2", "tip_timestamp_seconds 950"),
		page(bad, early, "block_height 9999", "consecutive_errors 1"),
	).provider()
	require.EqualValues(t, 1003, p.Height, "who sees it down does not say its height if others do")
	require.True(t, p.HeightKnown)
	require.InDelta(t, 15, p.LatencyMS, 1e-9)
	require.EqualValues(t, 7, p.Errors)
	require.EqualValues(t, 2, p.ConsecutiveErrors)
	require.Equal(t, moment(950), p.TipTime)
}

func TestHostileValuesAreNoFigures(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"NaN", "-1", "+Inf", "-Inf", "9223372036854775808", "1e300", "0.5", "9007199254740993.5e3"} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			p := newScene(t, page("up "+value, "block_height "+value, "last_probe_timestamp_seconds "+value, "errors_total "+value,
				"consecutive_errors "+value, "network_mismatch "+value, "tip_timestamp_seconds "+value,
				"failures_total,reason=timeout "+value, "capability,capability=archive "+value)+
				"bifrost_chain_observed_height{chain=\"eth\"} "+value+"\n").provider()
			require.False(t, p.HeightKnown)
			require.Zero(t, p.Height)
			require.Zero(t, p.Errors)
			require.Zero(t, p.ConsecutiveErrors)
			require.False(t, p.Good, "only a 1 is up")
			require.False(t, p.Proven)
			require.Empty(t, p.Refuted)
		})
	}
	for _, value := range []string{"NaN", "-1", "+Inf", "1e308"} {
		p := newScene(t, page(good, early, "latency_ms "+value)).provider()
		require.Falsef(t, p.LatencyKnown && (math.IsNaN(p.LatencyMS) || math.IsInf(p.LatencyMS, 0) || p.LatencyMS < 0), "a latency of %s", value)
	}
}

func TestSamplesThatAreAboutNobody(t *testing.T) {
	t.Parallel()
	s := newScene(t, "bifrost_provider_up{chain=\"eth\"} 1\nbifrost_provider_up 1\nbifrost_provider_up{provider=\"a\"} 1\n"+
		"# TYPE bifrost_provider_block_height histogram\nbifrost_provider_block_height_bucket{chain=\"eth\",provider=\"a\",le=\"+Inf\"} 1\n")
	require.Equal(t, observation.Provider{}, func() observation.Provider { p := s.provider(); p.Asked = time.Time{}; return p }())
	require.Zero(t, s.table.Provider(observation.Key{Chain: "eth"}, time.Now()).Probed)
}

func TestTheReasonThatGrewLastIsTheLastOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, page(bad, early, "failures_total,reason=timeout 7", "failures_total,reason=dns 2"))
		p := s.provider()
		require.Equal(t, "timeout", p.LastReason, "of what was before, the most frequent is the best guess")
		require.Zero(t, p.LastFailed, "nobody knows when that was")
		time.Sleep(time.Second)
		s.pages[0].page = page(bad, late, "failures_total,reason=timeout 7", "failures_total,reason=dns 3")
		s.collect()
		grew := time.Now()
		p = s.provider()
		require.Equal(t, "dns", p.LastReason)
		require.Equal(t, grew, p.LastFailed)
		time.Sleep(time.Second)
		s.collect()
		require.Equal(t, grew, s.provider().LastFailed, "nothing failed since")
		// The exporter starts anew: its counters do, too.
		s.pages[0].page = page(bad, late, "failures_total,reason=tls 1")
		s.collect()
		require.Equal(t, "tls", s.provider().LastReason)
	})
}

func TestACapabilityIsRefutedByAnyExporterWhileItSaysSo(t *testing.T) {
	t.Parallel()
	s := newScene(t,
		page(good, early, "capability,capability=archive 1", "capability,capability=wallet 0"),
		page(good, early, "capability,capability=archive 0", "capability,capability=wallet 0"))
	require.Equal(t, []string{"archive", "wallet"}, s.provider().Refuted)
	s.pages[1].page = page(good, late)
	s.collect()
	require.Equal(t, []string{"wallet"}, s.provider().Refuted)
}

func TestAnExporterThatIsNotHeardHasNoVote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, page(good, early, right, "block_height 7"), page(bad, early, wrong))
		observed := "bifrost_chain_observed_height{chain=\"eth\"} 42\n"
		s.pages[0].page += observed
		s.collect()
		require.True(t, s.provider().Disproven)
		s.pages[1].err = errors.New("refused")
		time.Sleep(limit)
		s.collect()
		require.True(t, s.provider().Disproven, "it was heard within the limit")
		time.Sleep(time.Millisecond)
		s.collect()
		require.False(t, s.provider().Disproven)
		require.True(t, s.table.Fresh(time.Now()), "one can be heard")
		h, known := s.table.ObservedHeight("eth", time.Now())
		require.True(t, known)
		require.EqualValues(t, 42, h)

		s.pages[0].err = errors.New("refused")
		heard := time.Now()
		time.Sleep(limit + time.Millisecond)
		s.collect()
		require.Equal(t, observation.Provider{}, s.provider())
		require.False(t, s.table.Fresh(time.Now()))
		require.Equal(t, heard, s.table.Heard())
		_, known = s.table.ObservedHeight("eth", time.Now())
		require.False(t, known)
	})
}

func TestWhatIsGoneFromAPageIsGone(t *testing.T) {
	t.Parallel()
	s := newScene(t, page(good, early, right, "block_height 7", "latency_ms 3"))
	s.pages[0].page = page(good, late, right)
	s.collect()
	p := s.provider()
	require.False(t, p.HeightKnown || p.LatencyKnown)
	s.pages[0].page = ""
	s.collect()
	require.Equal(t, observation.Provider{}, s.provider(), "the provider left the configuration")
	require.True(t, s.table.Fresh(time.Now()))
}

func TestAnAnswerIsAsOldAsItsQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, page(good, early), page(good, early))
		first := time.Now()
		time.Sleep(time.Second)
		s.pages[1].err = errors.New("refused")
		s.collect()
		require.Equal(t, first, s.provider().Asked, "the oldest of the answers counts")
		s.pages[1].err = nil
		s.collect()
		require.Equal(t, time.Now(), s.provider().Asked)
	})
}

func TestNobodyWasHeardBeforeTheFirstAnswer(t *testing.T) {
	t.Parallel()
	table := observation.New(limit)
	w := table.Watch(&exporter{err: errors.New("refused")})
	_, err := w.Collect(t.Context(), nothing)
	require.Error(t, err)
	require.Zero(t, table.Heard())
	require.False(t, table.Fresh(time.Now()))
	require.Equal(t, evaluator.Target{Job: "j"}, w.Target())
}

// nothing is what rules want that read nothing: the table needs what it needs.
func nothing(string) bool { return false }
