package rulelint

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"maps"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

// promQL parses what Prometheus accepts without feature flags.
var promQL = parser.NewParser(parser.Options{})

// source is a file that was read as far as that was possible.
type source struct {
	file   File
	lines  []string
	groups []*yaml.Node
	rules  []*rule
	// unread: it is no rule file at all, so that nobody knows what it records.
	unread   bool
	mistakes []Finding
}

// rule is one rule with its places.
type rule struct {
	rulefmt.Rule
	source *source
	group  string
	// expr is nil if the expression cannot be parsed.
	expr parser.Expr
	// node and exprNode are nil where YAML merges hide them.
	node, exprNode *yaml.Node
	// labels are the rule's own and its group's.
	labels map[string]string
}

// name is the alert or the metric that is recorded.
func (r *rule) name() string {
	if r.Alert != "" {
		return r.Alert
	}
	return r.Record
}

// readSource reads a file and notes what Prometheus would refuse.
func readSource(f File) *source {
	s := &source{file: f, lines: linesOf(f.Data)}
	var document yaml.Node
	if yaml.Unmarshal(f.Data, &document) == nil && len(document.Content) > 0 {
		if groups := valueOf(document.Content[0], "groups"); groups != nil {
			s.groups = groups.Content
		}
	}
	parsed, wrong := rulefmt.Parse(f.Data, false, model.UTF8Validation, promQL, slog.New(slog.DiscardHandler))
	for _, err := range wrong {
		s.mistakes = append(s.mistakes, s.explain(err)...)
	}
	if parsed == nil {
		s.unread = true
		return s
	}
	s.furtherDocument()
	for i, g := range parsed.Groups {
		for k, r := range g.Rules {
			s.rules = append(s.rules, s.newRule(i, k, g, r))
		}
	}
	return s
}

// newRule makes the k-th rule of the i-th group.
func (s *source) newRule(i, k int, g rulefmt.RuleGroup, from rulefmt.Rule) *rule {
	r := &rule{Rule: from, source: s, group: g.Name, node: s.rule(i, k), labels: map[string]string{}}
	r.exprNode = valueOf(r.node, "expr")
	maps.Copy(r.labels, g.Labels)
	maps.Copy(r.labels, from.Labels)
	if expr, err := promQL.ParseExpr(from.Expr); err == nil {
		r.expr = expr
	}
	return r
}

// furtherDocument refuses a second document, which would be left out silently.
func (s *source) furtherDocument() {
	d := yaml.NewDecoder(bytes.NewReader(s.file.Data))
	var first, second yaml.Node
	if d.Decode(&first) != nil || errors.Is(d.Decode(&second), io.EOF) {
		return
	}
	s.mistakes = append(s.mistakes, Finding{
		Line: second.Line, Severity: Error, Check: checkSyntax,
		Message: "a second document begins here, and Prometheus reads the first one only: put all groups under one groups key",
	})
}
