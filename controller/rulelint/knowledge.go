package rulelint

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/understudy-rpc/understudy/rules"
)

// The labels that a scrape adds to every sample.
const (
	labelJob      = "job"
	labelInstance = "instance"
)

// knowledge is what is known of metrics: those that are exported, and those that
// the rules record.
type knowledge struct {
	exported map[string]rules.Metric
	recorded map[string]result
	// vocabulary are the labels of our metrics and rules. A metric of ours that is
	// not said to have one of them has it not; any other label may have been added
	// where the metric was scraped.
	vocabulary map[string]bool
	// incomplete: a file could not be read, so that anything may be recorded in it.
	incomplete bool
}

// result is what is known of a recorded metric.
type result struct {
	labels labelSet
	// filtered: a series is there only while a condition holds.
	filtered bool
}

// maxPasses bounds how often recorded rules are gone through again. Each pass
// carries labels one more step along rules that stand in the wrong order or feed
// on themselves; real files need two or three.
const maxPasses = 12

// learn reads off the rules what they record.
func learn(sources []*source) *knowledge {
	k := &knowledge{exported: exported(), recorded: map[string]result{}, vocabulary: map[string]bool{labelJob: true, labelInstance: true}}
	for _, m := range k.exported {
		k.speak(m.Labels)
	}
	var recording []*rule
	for _, s := range sources {
		k.incomplete = k.incomplete || s.unread
		for _, r := range s.rules {
			k.speakOf(r)
			if r.Record != "" {
				recording = append(recording, r)
				k.recorded[r.Record] = result{labelSet{none: true}, true}
			}
		}
	}
	for range maxPasses {
		if !k.pass(recording) {
			break
		}
	}
	return k
}

// pass derives the results of all recording rules from those of the last pass and
// says whether one has changed.
func (k *knowledge) pass(recording []*rule) bool {
	next := map[string]result{}
	for _, r := range recording {
		now := result{anything(), false}
		if r.expr != nil {
			now = result{ruleLabels(k.labels(r.expr, nil), r.labels), k.filtered(r.expr)}
		}
		if before, ok := next[r.Record]; ok {
			now = result{union(before.labels, now.labels), before.filtered && now.filtered}
		}
		next[r.Record] = now
	}
	changed := false
	for name, now := range next {
		before := k.recorded[name]
		changed = changed || before.filtered != now.filtered || before.labels.String() != now.labels.String()
	}
	k.recorded = next
	return changed
}

// ruleLabels is the set of the series after the rule's labels were set. An empty
// value takes a label away.
func ruleLabels(s labelSet, add map[string]string) labelSet {
	for name, value := range add {
		switch {
		case value == "":
			s = s.with(name, never)
		case strings.Contains(value, "{{"):
			s = s.with(name, sure)
		default:
			s = s.with(name, fixed)
		}
	}
	return s
}

// speak adds labels to the vocabulary.
func (k *knowledge) speak(names []string) {
	for _, name := range names {
		k.vocabulary[name] = true
	}
}

// speakOf adds the labels that a rule makes.
func (k *knowledge) speakOf(r *rule) {
	for name := range r.labels {
		k.vocabulary[name] = true
	}
	if r.expr == nil {
		return
	}
	parser.Inspect(r.expr, func(n parser.Node, _ []parser.Node) error {
		if call, ok := n.(*parser.Call); ok && len(call.Args) > 1 && slices.Contains([]string{"label_replace", "label_join"}, call.Func.Name) {
			k.vocabulary[text(call.Args[1])] = true
		}
		return nil
	})
}

// text is the value of a constant text.
func text(e parser.Expr) string {
	if s, ok := unwrap(e).(*parser.StringLiteral); ok {
		return s.Val
	}
	return ""
}

// unwrap takes the parentheses off.
func unwrap(e parser.Expr) parser.Expr {
	for {
		p, ok := e.(*parser.ParenExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}
