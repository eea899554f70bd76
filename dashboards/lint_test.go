package dashboards_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

// unitsInUse are the units, by Grafana's words for them.
var unitsInUse = []string{"none", "short", "s", "ms", "percentunit", "reqps", "ops", "bytes"}

func TestPanelsSayWhatTheyShow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ board, p panel) {
		require.NotEmpty(t, p.Title)
		require.NotContains(t, p.Title, "$")
		require.Regexp(t, `^[A-Z].*\.$`, p.Description, "the description is a sentence")
		require.Contains(t, unitsInUse, p.FieldConfig.Defaults.Unit)
		require.NotEmpty(t, p.Targets)
		for _, q := range p.Targets {
			if p.Type != "table" {
				require.NotEmpty(t, q.LegendFormat)
			}
		}
	})
}

func TestPanelsDoNotCoverEachOther(t *testing.T) {
	t.Parallel()
	for _, b := range boards(t) {
		cells, ids := map[[2]int]string{}, map[int]bool{}
		for _, p := range b.Panels {
			require.Falsef(t, ids[p.ID] || p.ID == 0, "%s: %q has no id of its own", b.file, p.Title)
			ids[p.ID] = true
			require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, "%s: %s", b.file, p.Title)
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					require.Emptyf(t, cells[[2]int{x, y}], "%s: %q lies on it", b.file, p.Title)
					cells[[2]int{x, y}] = p.Title
				}
			}
		}
	}
}

func TestStatesAreShownInWordsAndColours(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ board, p panel) {
		if p.Type == "state-timeline" {
			require.NotEmpty(t, p.FieldConfig.Defaults.Mappings)
		}
	})
}

// queries are the expressions of a dashboard, those of its annotations included.
func queries(b board) []string {
	var all []string
	for _, p := range b.Panels {
		for _, q := range p.Targets {
			all = append(all, q.Expr)
		}
	}
	for _, a := range b.Annotations.List {
		all = append(all, a.Target.Expr)
	}
	return all
}

// visit runs a check for every selector, with the nodes above it.
func visit(t *testing.T, check func(b board, expr string, s *parser.VectorSelector, above []parser.Node)) {
	t.Helper()
	for _, b := range boards(t) {
		for _, expr := range queries(b) {
			parsed, err := promQL.ParseExpr(whole(expr))
			require.NoErrorf(t, err, "%s: %s", b.file, expr)
			seen := 0
			parser.Inspect(parsed, func(node parser.Node, above []parser.Node) error {
				if s, ok := node.(*parser.VectorSelector); ok {
					seen++
					check(b, expr, s, above)
				}
				return nil
			})
			require.NotZerof(t, seen, "%s: %s reads nothing", b.file, expr)
		}
	}
}

// runtime are the metrics of the libraries that the dashboards show, and
// ALERTS is Prometheus's own.
var runtime = map[string]rules.Type{
	"process_cpu_seconds_total": rules.Counter, "process_resident_memory_bytes": rules.Gauge, "process_open_fds": rules.Gauge,
	"process_max_fds": rules.Gauge, "go_goroutines": rules.Gauge, "understudy_build_info": rules.Gauge, "ALERTS": rules.Gauge,
}

// catalogue gives the type of every series that there is, by its name.
func catalogue() map[string]rules.Type {
	known := map[string]rules.Type{}
	for name, kind := range runtime {
		known[name] = kind
	}
	for _, m := range slices.Concat(rules.Exporter(), rules.Controller()) {
		if m.Type != rules.Histogram {
			known[m.Name] = m.Type
			continue
		}
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			known[m.Name+part] = rules.Counter
		}
	}
	return known
}

func TestQueriesReadWhatIsPublishedOrRecorded(t *testing.T) {
	t.Parallel()
	known := catalogue()
	var recorded []string
	for _, name := range rules.FileNames() {
		text, err := rules.Files.ReadFile(name)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)- record: (\S+)$`).FindAllStringSubmatch(string(text), -1) {
			recorded = append(recorded, m[1])
		}
	}
	require.NotEmpty(t, recorded)
	visit(t, func(b board, expr string, s *parser.VectorSelector, _ []parser.Node) {
		_, published := known[s.Name]
		require.Truef(t, published || slices.Contains(recorded, s.Name), "%s: nobody publishes or records %s: %s", b.file, s.Name, expr)
	})
}

func TestCountersAreReadByTheirGrowth(t *testing.T) {
	t.Parallel()
	known := catalogue()
	visit(t, func(b board, expr string, s *parser.VectorSelector, above []parser.Node) {
		if known[s.Name] != rules.Counter {
			return
		}
		var growth bool
		for _, node := range above {
			if call, ok := node.(*parser.Call); ok {
				growth = growth || slices.Contains([]string{"rate", "increase"}, call.Func.Name)
			}
		}
		require.Truef(t, growth, "%s: %s is a counter: %s", b.file, s.Name, expr)
	})
}

func TestGrowthIsThatOfGrafanasInterval(t *testing.T) {
	t.Parallel()
	window := regexp.MustCompile(`\[([^\]]*)\]`)
	for _, b := range boards(t) {
		for _, expr := range queries(b) {
			for _, m := range window.FindAllStringSubmatch(expr, -1) {
				require.Containsf(t, []string{"$__rate_interval", "$__range"}, m[1], "%s: %s", b.file, expr)
			}
		}
	}
}

// An alert is evidence whatever it is called, so that tables of alerts leave none out
// for its name, but for the heartbeat.
func TestAlertsOfOnesOwnAreShown(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	visit(t, func(b board, _ string, s *parser.VectorSelector, _ []parser.Node) {
		if s.Name != "ALERTS" {
			return
		}
		all := true
		for _, m := range s.LabelMatchers {
			all = all && (m.Name != "alertname" || m.Matches("AcmeNodeIsOdd"))
		}
		shown[b.UID] = shown[b.UID] || all
	})
	require.Equal(t, map[string]bool{"understudy-overview": true, "understudy-chain": true}, shown)
}

// everywhere are the metrics that a dashboard of chains reads as they are: they
// are about the controller as a whole and have no chain.
var everywhere = map[string]string{"understudy_evaluator_active": "understudy-overview"}

func TestSelectorsFollowTheVariables(t *testing.T) {
	t.Parallel()
	for _, b := range boards(t) {
		names := []string{}
		for _, v := range b.Templating.List {
			names = append(names, v.Name)
			require.True(t, v.Name == "datasource" || v.Name == "chain" && b.UID == "understudy-chain" || v.Multi && v.IncludeAll, "%s: %s", b.file, v.Name)
		}
		want := []string{"datasource", "chain"}
		switch b.UID {
		case "understudy-chain":
			want = append(want, "provider")
		case "understudy-self":
			want = []string{"datasource", "job", "instance"}
		}
		require.Equal(t, want, names, b.file)
		for _, expr := range queries(b) {
			for _, s := range regexp.MustCompile(`\b[a-zA-Z_:]+\{[^}]*\}|\bunderstudy_evaluator_active\b`).FindAllString(expr, -1) {
				name, matchers, _ := strings.Cut(s, "{")
				if everywhere[name] == b.UID {
					continue
				}
				demanded := []string{`chain=~"$chain`}
				if b.UID == "understudy-self" {
					demanded = []string{`job=~"$job"`, `instance=~"$instance"`}
				}
				for _, d := range demanded {
					require.Containsf(t, matchers, d, "%s: %s", b.file, expr)
				}
			}
		}
	}
	visit(t, func(b board, expr string, s *parser.VectorSelector, _ []parser.Node) {
		require.Truef(t, len(s.LabelMatchers) > 1 || everywhere[s.Name] == b.UID, "%s: %s is read for everything: %s", b.file, s.Name, expr)
		for _, m := range s.LabelMatchers {
			require.Truef(t, m.Name == model.MetricNameLabel || m.Value != "", "%s: %s", b.file, expr)
		}
	})
}
