package evaluator

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	reg := prometheus.NewRegistry()
	up := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "bifrost_provider_up"}, []string{"chain", "provider"})
	errs := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "bifrost_provider_consecutive_errors"}, []string{"chain", "provider"})
	failing := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "bifrost_provider_failing"}, []string{"chain", "provider", "reason"})
	th := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "bifrost_failover_error_threshold"}, []string{"chain"})
	reg.MustRegister(up, errs, failing, th)
	up.WithLabelValues("btc", "a").Set(0)
	errs.WithLabelValues("btc", "a").Set(7)
	failing.WithLabelValues("btc", "a", "timeout").Set(1)
	th.WithLabelValues("btc").Set(5)
	groups, err := LoadGroups(true, nil)
	require.NoError(t, err)
	e, err := New(Options{Sources: []Source{FromGatherer("understudy", "here", reg)}, Registerer: prometheus.NewRegistry()}, groups)
	require.NoError(t, err)
	r, err := e.Evaluate(t.Context(), time.Unix(1000, 0))
	require.NoError(t, err)
	for _, f := range r.Failures {
		t.Log(f)
	}
	for _, a := range r.Alerts {
		t.Log(a.State, a.Labels, a.Annotations, a.Value)
	}
}
