package rulelint

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/understudy-rpc/understudy/rules"
)

// isEvidence says whether alerts with these labels are meant to speak against a
// provider.
func isEvidence(labels map[string]string) bool {
	return labels[rules.LabelFailover] == rules.FailoverTrue || strings.Contains(labels[rules.LabelFailover], "{{")
}

// evidence finds alerts that are meant to speak against a provider and cannot, as
// their labels do not name one.
func (l *linter) evidence(r *rule, of labelSet) {
	if mode, ok := r.labels[rules.LabelFailureMode]; ok && !strings.Contains(mode, "{{") && !slices.Contains(rules.FailureModes(), mode) {
		l.say(r, r.at("labels", rules.LabelFailureMode), Warning, checkFailureModes, "%s %q is none of %s", rules.LabelFailureMode, mode, strings.Join(rules.FailureModes(), ", "))
	}
	value, marked := r.labels[rules.LabelFailover]
	if marked && !isEvidence(r.labels) && value != "false" && value != "" {
		l.say(r, r.at("labels", rules.LabelFailover), Warning, checkEvidence, "%s is %q, and only %q makes an alert evidence", rules.LabelFailover, value, rules.FailoverTrue)
	}
	if !isEvidence(r.labels) || of.none {
		return
	}
	left := list(of.names(maybe))
	of = ruleLabels(of, r.labels)
	for _, name := range []string{rules.LabelChain, rules.LabelProvider} {
		switch of.presence(name) {
		case never:
			l.say(r, placeOf(r.exprNode), Error, checkEvidence, "an alert with %s=%q is evidence against one provider of one chain, but the result has no label %q: the expression leaves %s; keep it, as in by (chain, provider)",
				rules.LabelFailover, rules.FailoverTrue, name, left)
		case maybe:
			l.say(r, placeOf(r.exprNode), Warning, checkEvidence, "an alert with %s=%q is evidence only where the result has the label %q, and nobody can tell here that it always has; see to it, as in by (chain, provider), or set it under labels",
				rules.LabelFailover, rules.FailoverTrue, name)
		case sure, fixed:
		}
	}
	if of.presence(rules.LabelProvider) != never && of.presence(labelInstance) == sure && isOfExporter(r.expr) {
		l.say(r, placeOf(r.exprNode), Warning, checkEvidence, "the result has a series per %s, so that one exporter with a broken network condemns a provider by itself; let them vote, as in avg by (chain, provider) (… > bool …) > 0.5", labelInstance)
	}
}

// isOfExporter says whether an expression reads what exporters publish of
// providers, each for itself.
func isOfExporter(e parser.Expr) bool {
	found := false
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		v, ok := n.(*parser.VectorSelector)
		found = found || ok && strings.HasPrefix(nameOf(v), "bifrost_provider_")
		return nil
	})
	return found
}
