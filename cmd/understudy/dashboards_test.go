package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/dashboards"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
	"github.com/understudy-rpc/understudy/rules"
)

func TestEveryQueryOfTheDashboardsFindsSomething(t *testing.T) {
	t.Parallel()
	path, first := faltering(t)
	p := startCommand(t, "run", nil, "--config.file="+path, "--storage.path="+t.TempDir(), "--alertmanager.url="+alertmanager(t))
	p.ready()
	h := newHistory(t)
	h.scrape(p)
	require.Equal(t, http.StatusOK, p.post("/webhooks/alertmanager", heartbeat(t)))
	// What clients ask for while the first provider falters, so that the gateway
	// has something to tell.
	first.SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	p.eventually(func() bool {
		p.post("/rpc/eth", `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`)
		status, body := p.get("/active/eth")
		return status == http.StatusOK && strings.Contains(body, `"provider":"second"`)
	}, "the second provider serves")
	for range 3 {
		h.scrape(p)
	}
	for _, name := range dashboards.FileNames() {
		for _, q := range queriesOf(t, name) {
			result := h.ask(filled(q.expr))
			require.NotEmptyf(t, result, "%s, %s: %s finds nothing", name, q.panel, q.expr)
			for _, label := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(q.legend, -1) {
				require.NotEmptyf(t, result[0].Metric.Get(label[1]), "%s, %s: the legend %q names a label that is not there", name, q.panel, q.legend)
			}
		}
	}
}

// faltering starts simulated providers and describes them in a file. The first
// one is there to be broken.
func faltering(t *testing.T) (string, *simulator.Provider) {
	t.Helper()
	chain := simulator.NewChain(simulator.ChainOptions{Name: "eth", Kind: config.EVM, BaseHeight: 1000, BlockTime: time.Second})
	var server simulator.Server
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	var b strings.Builder
	b.WriteString("chains:\n  eth:\n    failover: {health_check_interval: 200ms, suspect_check_interval: 100ms, error_window: 5s, integrity: {interval: 200ms}}\n    providers:\n")
	var first *simulator.Provider
	for _, name := range []string{"first", "second", "third"} {
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: name, Type: config.EVMRPC, Remember: -1})
		if first == nil {
			first = p
		}
		url, err := server.Listen(p)
		require.NoError(t, err)
		fmt.Fprintf(&b, "      - {name: %s, type: evm-rpc, rpc_host: %q, capabilities: [archive]}\n", name, url)
	}
	return file(t, "understudy.yml", b.String()), first
}

// alertmanager is one that never heard of any alert.
func alertmanager(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/status") {
			_, _ = w.Write([]byte(`{"uptime":"2020-01-01T00:00:00Z"}`))
			return
		}
		_, _ = w.Write([]byte("[]"))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// heartbeat is a webhook with the watchdog.
func heartbeat(t *testing.T) string {
	t.Helper()
	now := time.Now().UTC()
	text, err := json.Marshal(map[string]any{
		"version": "4", "groupKey": "watchdog", "status": "firing", "receiver": "understudy",
		"alerts": []map[string]any{{
			"status": "firing", "labels": map[string]string{"alertname": rules.AlertWatchdog, "severity": rules.SeverityNone},
			"annotations": map[string]string{}, "startsAt": now.Add(-time.Hour), "endsAt": time.Time{}, "fingerprint": "1",
		}},
	})
	require.NoError(t, err)
	return string(text)
}

// post sends JSON and gives the status.
func (p *process) post(path, body string) int {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.address+path, strings.NewReader(body))
	require.NoError(p.t, err)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(p.t, err)
	require.NoError(p.t, res.Body.Close())
	return res.StatusCode
}

// shown is a query of a dashboard with where it stands.
type shown struct{ panel, expr, legend string }

// queriesOf are the queries of a dashboard, those of its annotations included.
func queriesOf(t *testing.T, name string) []shown {
	t.Helper()
	text, err := dashboards.Files.ReadFile(name)
	require.NoError(t, err)
	var b struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
		Annotations struct {
			List []struct {
				Name, TitleFormat string
				Target            struct{ Expr string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &b))
	var all []shown
	for _, p := range b.Panels {
		for _, q := range p.Targets {
			all = append(all, shown{p.Title, q.Expr, q.LegendFormat})
		}
	}
	for _, a := range b.Annotations.List {
		all = append(all, shown{a.Name, a.Target.Expr, a.TitleFormat})
	}
	require.NotEmpty(t, all)
	return all
}

// filled is a query as Grafana sends it, with everything chosen.
func filled(expr string) string {
	return strings.NewReplacer("$__rate_interval", "1m", "$__range", "1h", "$chain", ".+", "$provider", ".+", "$job", ".+", "$instance", ".+").Replace(expr)
}
