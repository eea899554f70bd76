package evaluator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
)

// start is when the time of the tests begins.
var start = time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)

// fakeSource answers with what the test says. It is a Source.
type fakeSource struct {
	t      testing.TB
	target Target

	mu   sync.Mutex
	text string
	err  error
	// hang is closed when the source may answer; nil: it answers at once.
	hang  chan struct{}
	asked int
	// wanted is what was wanted last.
	wanted Wanted
}

func newFakeSource(t testing.TB, instance string) *fakeSource {
	return &fakeSource{t: t, target: Target{"understudy", instance}}
}

// Target is always the same.
func (f *fakeSource) Target() Target { return f.target }

// Collect answers with the text or the error in force.
func (f *fakeSource) Collect(ctx context.Context, wanted Wanted) ([]*dto.MetricFamily, error) {
	f.mu.Lock()
	text, err, hang := f.text, f.err, f.hang
	f.asked++
	f.wanted = wanted
	f.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	return familiesOf(f.t, text), nil
}

// say sets what the source answers from now on.
func (f *fakeSource) say(lines ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text, f.err, f.hang = strings.Join(lines, "\n")+"\n", nil, nil
}

// fail lets the source fail from now on.
func (f *fakeSource) fail(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.hang = errors.New(text), nil
}

// block lets the source hang from now on, until the function is called.
func (f *fakeSource) block() (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	hang := make(chan struct{})
	f.hang = hang
	return func() { close(hang) }
}

func (f *fakeSource) timesAsked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// familiesOf parses an exposition, also one with the same series twice.
func familiesOf(t testing.TB, text string) []*dto.MetricFamily {
	families, err := decodeText(strings.NewReader(text), expfmt.NewFormat(expfmt.TypeTextPlain))
	require.NoError(t, err, "the text of the test's own source")
	return families
}

// script is an evaluator with one source, under the clock of the test.
type script struct {
	t      *testing.T
	source *fakeSource
	*Evaluator
	at       time.Time
	registry *prometheus.Registry
}

// newScript makes one with the rules of a file whose groups are given as YAML.
func newScript(t *testing.T, groups string, change ...func(*Options)) *script {
	t.Helper()
	s := &script{t: t, source: newFakeSource(t, "one:9478"), at: start, registry: prometheus.NewRegistry()}
	o := Options{Sources: []Source{s.source}, Registerer: s.registry}
	for _, c := range change {
		c(&o)
	}
	var err error
	s.Evaluator, err = New(o, groupsOf(t, groups))
	require.NoError(t, err)
	return s
}

// groupsOf parses rules.
func groupsOf(t testing.TB, text string) []Group {
	t.Helper()
	groups, wrong := parseGroups("test.yml", []byte(text), map[string]string{})
	require.Empty(t, wrong)
	return groups
}

// rulesOf puts rules, given as YAML lists, into one group.
func rulesOf(lists ...string) string {
	var text strings.Builder
	text.WriteString("groups:\n- name: test\n  rules:\n")
	for _, list := range lists {
		for line := range strings.Lines(strings.Trim(list, "\n") + "\n") {
			text.WriteString("  " + strings.ReplaceAll(line, "\t", "  "))
		}
	}
	return text.String()
}

// after lets time pass and does a round over what the source says.
func (s *script) after(d time.Duration, lines ...string) Result {
	s.t.Helper()
	if lines != nil {
		s.source.say(lines...)
	}
	s.at = s.at.Add(d)
	r, err := s.Evaluate(s.t.Context(), s.at)
	require.NoError(s.t, err)
	return r
}

// ask evaluates a query at the time of the last round. What it reads must be
// kept by the rules.
func (s *script) ask(query string) []string {
	s.t.Helper()
	vector, err := s.query(s.t.Context(), query, s.at)
	require.NoError(s.t, err)
	found := []string{}
	for _, one := range vector {
		found = append(found, fmt.Sprintf("%s %v", one.Metric, one.F))
	}
	return found
}

// brief are alerts in short: state, labels, value.
func brief(alerts []Alert) []string {
	found := []string{}
	for _, a := range alerts {
		found = append(found, fmt.Sprintf("%s %s %v", a.State, a.Labels, a.Value))
	}
	return found
}

// annotation is one of an alert.
func annotation(a Alert, name string) string { return a.Annotations.Get(name) }

// formatted is a number as ask prints it.
func formatted(v float64) string { return fmt.Sprint(v) }

// counted is the value of a metric of the evaluator's own, of the series that
// has all the label values.
func counted(t testing.TB, g prometheus.Gatherer, name string, values ...string) float64 {
	t.Helper()
	families, err := g.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && hasValues(m, values) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	require.Failf(t, "no such metric", "%s %v", name, values)
	return 0
}

func hasValues(m *dto.Metric, values []string) bool {
	for _, v := range values {
		if !slices.ContainsFunc(m.GetLabel(), func(p *dto.LabelPair) bool { return p.GetValue() == v }) {
			return false
		}
	}
	return true
}
