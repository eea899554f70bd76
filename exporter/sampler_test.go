package exporter

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

// familyNames are the names of families.
func familyNames(all []*dto.MetricFamily) []string {
	names := []string{}
	for _, f := range all {
		names = append(names, f.GetName())
	}
	return names
}

// among wants the families named.
func among(names ...string) func(string) bool {
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	return func(name string) bool { return wanted[name] }
}

func TestASamplerThatAsksAgainGetsWhatIsThereThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text := func(all []*dto.MetricFamily) string {
			var b bytes.Buffer
			encoder := expfmt.NewEncoder(&b, expfmt.NewFormat(expfmt.TypeTextPlain))
			for _, f := range all {
				require.NoError(t, encoder.Encode(f))
			}
			return b.String()
		}
		s := Sampler{view: *sampleView(t), pieces: make([]piece, len(families))}
		everything := func(string) bool { return true }
		for range 3 {
			s.fill(everything)
			require.Equal(t, exposition(t, &s.view), text(s.gathered))
			// A provider fewer, a value that is gone, and then more than ever.
			s.view.providers = s.view.providers[:2]
			s.view.providers[0].integrity.TipVerified = chain.Optional[bool]{}
		}
		for range 100 {
			s.view.providers = append(s.view.providers, s.view.providers[1])
		}
		for range 2 {
			s.fill(everything)
			require.Equal(t, exposition(t, &s.view), text(s.gathered))
		}
		s.fill(among(rules.ProviderUp.Name, rules.ChainSplit.Name))
		require.Equal(t, []string{rules.ProviderUp.Name, rules.ChainSplit.Name}, familyNames(s.gathered))
	})
}

func TestAPartOfARegistryIsTheCollectorsThatAreWanted(t *testing.T) {
	t.Parallel()
	r := newRegistry()
	a := prometheus.NewGauge(prometheus.GaugeOpts{Name: "a", Help: "A."})
	b := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "b_total", Help: "B, \"quoted\"."}, []string{"x"})
	r.MustRegister(a, b, collectors.NewGoCollector())
	gathered := func(names ...string) []string {
		part, err := r.choose(among(names...))
		require.NoError(t, err)
		all, err := part.Gather()
		require.NoError(t, err)
		return familyNames(all)
	}
	require.Equal(t, []string{"a"}, gathered("a", "b_total"), "b has no series yet")
	b.WithLabelValues("1").Inc()
	require.Equal(t, []string{"a", "b_total"}, gathered("a", "b_total"))
	require.Empty(t, gathered("c"))
	require.Contains(t, gathered("go_goroutines"), "go_goroutines")
	require.NotContains(t, gathered("go_goroutines"), "a")

	c := prometheus.NewGauge(prometheus.GaugeOpts{Name: "c", Help: "C."})
	require.NoError(t, r.Register(c))
	require.Equal(t, []string{"c"}, gathered("c"), "it came later")
	require.Error(t, r.Register(c))
	require.Equal(t, []string{"c"}, gathered("c"), "it is there once")
	require.True(t, r.Unregister(c))
	require.Empty(t, gathered("c"))
	require.Panics(t, func() { r.MustRegister(a) })
}

// undescribed is a collector of which nobody knows beforehand what it collects.
type undescribed struct{ prometheus.Collector }

func (undescribed) Describe(chan<- *prometheus.Desc) {}

func TestWhatIsNotDescribedIsAlwaysCollected(t *testing.T) {
	t.Parallel()
	r := newRegistry()
	r.MustRegister(undescribed{prometheus.NewGauge(prometheus.GaugeOpts{Name: "a", Help: "A."})})
	part, err := r.choose(among("b"))
	require.NoError(t, err)
	all, err := part.Gather()
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, familyNames(all))
	require.Nil(t, familiesOf(odd{}), "its description is none")
}

// odd is a collector with a description that cannot be read.
type odd struct{}

func (odd) Describe(to chan<- *prometheus.Desc) { to <- prometheus.NewInvalidDesc(errors.New("odd")) }
func (odd) Collect(to chan<- prometheus.Metric) {}

func TestSamplesOfTheProcessAreASecondOldAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Options{Load: func() (config.Config, error) {
			return config.Parse("test.yml", []byte(sampleConfig), func(string) (string, bool) { return "", false })
		}})
		require.NoError(t, err)
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "g", Help: "G."})
		require.NoError(t, e.Registerer().Register(g))
		s := e.NewSampler()
		samples := func() (names []string, value float64) {
			all, err := s.Samples(among("g", rules.ProviderUp.Name))
			require.NoError(t, err)
			return familyNames(all), all[len(all)-1].GetMetric()[0].GetGauge().GetValue()
		}
		for want := range 3 {
			g.Set(float64(want))
			names, value := samples()
			require.Equal(t, []string{rules.ProviderUp.Name, "g"}, names)
			require.InDelta(t, float64(want), value, 0)
			g.Set(99)
			_, value = samples()
			require.InDelta(t, float64(want), value, 0, "within the second")
			s.Expire()
			_, value = samples()
			require.InDelta(t, 99, value, 0, "unless it has expired")
			time.Sleep(ownAge)
		}
		require.NoError(t, e.Registerer().Register(prometheus.NewGauge(prometheus.GaugeOpts{Name: "h", Help: "H."})))
		_, _ = samples()
		all, err := s.Samples(among("g", "h"))
		require.NoError(t, err)
		require.Equal(t, []string{"g", "h"}, familyNames(all), "other rules want another one, within the second")
	})
}
