package rulelint

import (
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/understudy-rpc/understudy/rules"
)

// ofBuild tells the version of a process.
// Its labels are those of prometheus/common/version.
var ofBuild = rules.Metric{
	Name:   "understudy_build_info",
	Labels: []string{"branch", "goarch", "goos", "goversion", "revision", "tags", "version"},
}

// ofPrometheus are the metrics that Prometheus makes of each scrape.
var ofPrometheus = []string{
	"up", "scrape_duration_seconds", "scrape_samples_scraped", "scrape_samples_post_metric_relabeling",
	"scrape_series_added", "scrape_sample_limit", "scrape_timeout_seconds", "scrape_body_size_bytes",
}

// ofAlerts are the metrics that Prometheus makes of its alerts. Their labels are
// those of the alerts.
var ofAlerts = []string{"ALERTS", "ALERTS_FOR_STATE"}

// ofRuntimes begin the names that every Go process publishes.
var ofRuntimes = []string{"go_", "process_", "promhttp_"}

// ofOurs begin the names that belong to us: one that is not known is a mistake.
var ofOurs = []string{"bifrost_", "understudy_", "keeper_rpc_failover_"}

// exported are all metrics whose labels are known.
func exported() map[string]rules.Metric {
	all := map[string]rules.Metric{}
	for _, m := range slices.Concat(rules.Exporter(), rules.Controller(), []rules.Metric{ofBuild}) {
		all[m.Name] = m
		if m.Type == rules.Histogram {
			all[m.Name+"_count"] = rules.Metric{Name: m.Name + "_count", Type: rules.Counter, Labels: m.Labels}
			all[m.Name+"_sum"] = rules.Metric{Name: m.Name + "_sum", Type: rules.Counter, Labels: m.Labels}
			all[m.Name+"_bucket"] = rules.Metric{Name: m.Name + "_bucket", Type: rules.Counter, Labels: append(slices.Clone(m.Labels), "le")}
		}
	}
	for _, name := range ofPrometheus {
		all[name] = rules.Metric{Name: name}
	}
	return all
}

// scraped is the set of the series of an exported metric.
func (k *knowledge) scraped(m rules.Metric) labelSet {
	s := closedSet(append([]string{labelJob, labelInstance}, m.Labels...)...)
	s.open, s.except = true, k.vocabulary
	return s
}

// isKnown says whether a metric of that name can be there.
func (k *knowledge) isKnown(name string) bool {
	_, ofExporter := k.exported[name]
	_, ofRule := k.recorded[name]
	return ofExporter || ofRule || slices.Contains(ofAlerts, name) ||
		slices.ContainsFunc(ofRuntimes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// metrics finds metrics that nobody exports or records.
func (l *linter) metrics(r *rule) {
	parser.Inspect(r.expr, func(n parser.Node, _ []parser.Node) error {
		if v, ok := n.(*parser.VectorSelector); ok && nameOf(v) != "" {
			l.unknown(r, r.source.within(r.exprNode, int(v.PosRange.Start)), nameOf(v))
		}
		return nil
	})
}

// unknown says so if nobody exports or records a metric.
func (l *linter) unknown(r *rule, at place, name string) {
	if l.know.isKnown(name) {
		return
	}
	ours := slices.ContainsFunc(ofOurs, func(p string) bool { return strings.HasPrefix(name, p) })
	switch {
	case strings.Contains(name, ":"):
		if !l.know.incomplete {
			l.say(r, at, Error, checkUnknown, "no rule records %s%s", name, l.know.suggestion(name))
		}
	case ours:
		l.say(r, at, Error, checkUnknown, "nobody exports %s%s", name, l.know.suggestion(name))
	default:
		l.say(r, at, Warning, checkUnknown, "no exporter of ours publishes %s%s; a Prometheus may have it from elsewhere, but then the rule sleeps whenever the controller evaluates the rules itself", name, l.know.suggestion(name))
	}
}

// suggestion names the known metric that was probably meant.
func (k *knowledge) suggestion(name string) string {
	best, least := "", 1+len(name)/6
	for _, all := range [][]string{slices.Sorted(maps.Keys(k.exported)), slices.Sorted(maps.Keys(k.recorded))} {
		for _, candidate := range all {
			if d := distance(name, candidate, least); d < least {
				best, least = candidate, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is how many letters must be added, removed or changed, or at least
// bound if it is not less.
func distance(a, b string, bound int) int {
	if len(a)-len(b) >= bound || len(b)-len(a) >= bound {
		return bound
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
