package evaluator

import (
	"context"
	"fmt"
	"strings"
	"text/template/parse"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/timestamp"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/template"
)

// expansion expands the templates of the alerts that a rule gives at one time.
type expansion struct {
	e    *Evaluator
	ctx  context.Context
	rule *rule
	at   time.Time
	// data is what each alert's templates may use.
	vector vector
	data   []any
}

func (e *Evaluator) newExpansion(ctx context.Context, r *rule, result vector, at time.Time) *expansion {
	return &expansion{e: e, ctx: ctx, rule: r, at: at, vector: result}
}

// all expands templates. Of each it returns the text of the i-th alert.
func (x *expansion) all(templates []text) []func(i int) string {
	expanded := make([]func(int) string, len(templates))
	for k, t := range templates {
		if t.constant {
			expanded[k] = func(int) string { return t.value }
			continue
		}
		var texts []string
		ok := t.simple && x.vector.len() > 1
		if ok {
			texts, ok = x.together(t.value)
		}
		if !ok {
			texts = x.eachAlone(t.value)
		}
		expanded[k] = func(i int) string { return texts[i] }
	}
	return expanded
}

// text is the template of a label or annotation.
type text struct {
	name, value string
	// constant says that it gives itself, as it has no action; simple that it is
	// a well-formed template that defines no other.
	constant, simple bool
}

func newText(name, value string) text {
	trees := map[string]*parse.Tree{}
	tree := parse.New("text")
	tree.Mode = parse.SkipFuncCheck
	_, err := tree.Parse(definitions+value, "", "", trees)
	return text{name, value, !strings.Contains(value, "{{"), err == nil && len(trees) == 1}
}

// prepare makes the data of all alerts.
func (x *expansion) prepare() {
	if x.data != nil {
		return
	}
	x.data = make([]any, x.vector.len())
	for i, ls := range x.vector.labels {
		sample := promql.Sample{Metric: ls, F: x.vector.values[i]}
		x.data[i] = template.AlertTemplateData(ls.Map(), x.e.externalLabels, x.e.externalURL.String(), sample)
	}
}

// border separates the texts of alerts that are expanded together.
const border = "\x00border\x00"

// together expands a template for all alerts in one go, as a template that is
// called for each: a thousand alerts would else parse it a thousand times. If it
// fails for one, that is not ok, and each is expanded alone.
func (x *expansion) together(text string) ([]string, bool) {
	x.prepare()
	called := `{{define "one"}}` + definitions + text + `{{end}}{{range .}}{{template "one" .}}` + border + `{{end}}`
	joined, err := x.expand(called, x.data)
	if err != nil {
		return nil, false
	}
	texts := strings.Split(joined, border)
	return texts, len(texts) == x.vector.len()+1
}

// eachAlone expands a template for each alert. If that fails, the text is the
// one that Prometheus puts there: the alert matters more than its words.
func (x *expansion) eachAlone(text string) []string {
	x.prepare()
	texts := make([]string, x.vector.len())
	for i := range x.data {
		expanded, err := x.expand(definitions+text, x.data[i])
		if err != nil {
			x.e.metrics.templateFailures.Inc()
			x.e.logger.Debug("A template cannot be expanded", "rule", x.rule.name, "err", err)
			expanded = fmt.Sprintf("<error expanding template: %s>", err)
		}
		texts[i] = expanded
	}
	return texts
}

func (x *expansion) expand(text string, data any) (string, error) {
	return template.NewTemplateExpander(x.ctx, text, "__alert_"+x.rule.name, data,
		model.Time(timestamp.FromTime(x.at)), x.e.query, x.e.externalURL, nil).Expand()
}
