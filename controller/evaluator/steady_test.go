package evaluator

import (
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
)

// A steady source gives the same pairs of labels again, in whatever order, and with
// some that come and go. What is taken in must be what another source's would be.
func TestTheSeriesOfASteadySourceAreTakenForWhatTheyAre(t *testing.T) {
	t.Parallel()
	pairs := map[string]*dto.LabelPair{}
	for _, v := range []string{"a", "b", "c"} {
		name, value := "p", v
		pairs[v] = &dto.LabelPair{Name: &name, Value: &value}
	}
	var now []*dto.MetricFamily
	steady := FromFunc("understudy", "one:9478", func(Wanted) ([]*dto.MetricFamily, error) { return now, nil })
	e, err := New(Options{Sources: []Source{steady}}, groupsOf(t, rulesOf(`- {alert: Any, expr: height > 0}`, `- {alert: Other, expr: depth > 0}`)))
	require.NoError(t, err)
	family := func(name string, of ...string) *dto.MetricFamily {
		kind := dto.MetricType_GAUGE
		f := &dto.MetricFamily{Name: &name, Type: &kind}
		for i, p := range of {
			v := float64(i + 1)
			f.Metric = append(f.Metric, &dto.Metric{Label: []*dto.LabelPair{pairs[p]}, Gauge: &dto.Gauge{Value: &v}})
		}
		return f
	}
	at := start
	for _, c := range []struct {
		families []*dto.MetricFamily
		want     []string
	}{
		{[]*dto.MetricFamily{family("height", "a", "b")}, []string{"Any a 1", "Any b 2"}},
		{[]*dto.MetricFamily{family("height", "a", "b")}, []string{"Any a 1", "Any b 2"}},
		{[]*dto.MetricFamily{family("height", "b", "a")}, []string{"Any a 2", "Any b 1"}},
		{[]*dto.MetricFamily{family("depth", "b", "a")}, []string{"Other a 2", "Other b 1"}},
		{[]*dto.MetricFamily{family("height", "c"), family("depth", "b", "a")}, []string{"Any c 1", "Other a 2", "Other b 1"}},
		{[]*dto.MetricFamily{family("height", "c", "b")}, []string{"Any b 2", "Any c 1"}},
	} {
		now, at = c.families, at.Add(5*time.Second)
		r, err := e.Evaluate(t.Context(), at)
		require.NoError(t, err)
		got := []string{}
		for _, a := range r.Alerts {
			got = append(got, a.Name()+" "+a.Labels.Get("p")+" "+formatted(a.Value))
		}
		require.Equal(t, c.want, got)
	}
}
