package controller_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/rules"
)

var update = flag.Bool("update", false, "write the golden files")

// failedOver is a controller with a failover behind it, by a fact of both ways.
func failedOver(t testing.TB) *world {
	m := newAlertmanager()
	w := begin(t, three, m.heard(t, facts.ModeAlways))
	m.beat(w)
	w.fail("a", "timeout")
	w.look()
	m.fire(w, against("a", rules.AlertProviderDown, rules.ModeDown))
	require.NoError(t, w.c.Drain(t.Context(), "eth", "c", order("disk swap")))
	return w
}

// decided is the page without the evaluator's own figures, and without what
// depends on the machine.
func (w *world) decided() string {
	names := map[string]bool{}
	for _, m := range rules.Controller() {
		names[m.Name] = m.Name != rules.JournalSize.Name && !strings.Contains(m.Name, "_rule_") && !strings.Contains(m.Name, "_scrape") &&
			!strings.Contains(m.Name, "_evaluation_") && !strings.HasPrefix(m.Name, "understudy_evaluator_s") && !strings.Contains(m.Name, "_template_")
	}
	for _, m := range rules.Evaluator() {
		names[m.Name] = false
	}
	var kept []string
	for line := range strings.Lines(w.metrics()) {
		name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
		if end := strings.IndexAny(name, "{ "); end >= 0 && names[name[:end]] {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestTheMetricsOfAFailover(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		page := failedOver(t).decided()
		const golden = "testdata/failover.prom"
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(page), 0o600))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), page)
	})
}

func TestTheMetricsAreOnesThatPrometheusLikes(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := failedOver(t)
		families, err := w.registry.Gather()
		require.NoError(t, err)
		problems, err := promlint.NewWithMetricFamilies(families).Lint()
		require.NoError(t, err)
		require.Empty(t, problems)
		for _, m := range rules.Controller() {
			i := slices.IndexFunc(w.names(), func(name string) bool { return name == m.Name })
			require.Equal(t, !elsewhere(m.Name), i >= 0, m.Name)
		}
	})
}

// names are those of the metrics that are published.
func (w *world) names() []string {
	families, err := w.registry.Gather()
	require.NoError(w.t, err)
	var names []string
	for _, f := range families {
		names = append(names, f.GetName())
	}
	return names
}

// elsewhere says whether a metric of the controller is published by the gateway,
// by the HTTP interface, by the process or only with exporters at a distance.
func elsewhere(name string) bool {
	return strings.HasPrefix(name, "understudy_http_") || strings.HasPrefix(name, "keeper_") || strings.HasPrefix(name, "understudy_gateway_") || strings.HasPrefix(name, "understudy_config_") || name == rules.Ready.Name
}

func TestAFailoverIsOneWarning(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.fail("a", "timeout")
		w.look()
		w.pass(3 * time.Second)
		lines := w.log.lines("Active provider changed")
		require.Equal(t, []map[string]any{
			{"level": "INFO", "chain": "eth", "kind": "start", "from": "", "to": "a", "reason": "start: a is the first fit to serve", "facts": nil, "generation": 1.0},
			{"level": "WARN", "chain": "eth", "kind": "failover", "from": "a", "to": "b", "reason": "failover: a down (timeout)", "facts": []any{"ProviderDown"}, "generation": 2.0},
		}, lines)
		require.Equal(t, []map[string]any{
			{"level": "WARN", "chain": "eth", "provider": "a", "from": "healthy", "to": "unhealthy", "reason": "a down (timeout)", "facts": []any{"ProviderDown"}},
		}, w.log.lines("Provider state changed")[3:])
		for _, name := range []string{"b", "c"} {
			w.fail(name, "timeout")
		}
		w.look()
		require.Equal(t, "ERROR", w.log.lines("Active provider changed")[2]["level"], "that nobody serves is worse than a failover")
	})
}

func TestNoSecretLeavesTheController(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := failedOver(t)
		w.reload(with("PATHSECRET?key", "PATHSECRET/v2?key"))
		w.pass(2 * time.Second)
		page := w.metrics()
		require.NoError(t, w.stop())
		// The snapshot is there only after a stop.
		entries, err := os.ReadDir(w.dir)
		require.NoError(t, err)
		written := ""
		for _, e := range entries {
			text, err := os.ReadFile(w.dir + "/" + e.Name())
			require.NoError(t, err)
			written += string(text)
		}
		require.Contains(t, written, `"failover: a down (timeout)"`)
		require.Contains(t, w.log.String(), "failover: a down (timeout)")
		for _, secret := range secrets {
			require.NotContains(t, page, secret)
			require.NotContains(t, w.log.String(), secret)
			require.NotContains(t, written, secret)
		}
		_, err = controller.New(controller.Options{Config: parse(t, three), StoragePath: w.dir})
		require.Error(t, err)
		for _, secret := range secrets {
			require.NotContains(t, err.Error(), secret)
		}
	})
}

func TestAChainThatIsNotDecidedYetHasARouteWithNobody(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := open(t, t.TempDir(), three)
		route, known := w.c.Route("eth")
		require.True(t, known, "it is configured")
		require.Empty(t, route.Endpoints)
		require.Equal(t, []string{"a", "b", "c"}, route.Order, "whose counters begin at zero before any request")
		_, known = w.c.Route("btc")
		require.False(t, known)
	})
}
