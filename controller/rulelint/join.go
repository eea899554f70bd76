package rulelint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// join finds pairs that can never match, and those of which one has to match
// many.
func (r reader) join(b *parser.BinaryExpr, left, right labelSet) {
	m := b.VectorMatching
	if m.FillValues.LHS != nil || m.FillValues.RHS != nil {
		return // Who finds no partner gets one made up.
	}
	if m.On {
		r.joinOn(b, left, right)
	} else {
		r.joinAll(b, left, right)
	}
	if !b.Op.IsSetOperator() {
		r.many(b, left, right)
	}
}

// effect is what comes of a join that never matches.
func effect(op parser.ItemType) string {
	if op == parser.LUNLESS {
		return "unless takes nothing away"
	}
	return fmt.Sprintf("%q never has a result", op.String())
}

// joinOn looks at the labels that are named with on.
func (r reader) joinOn(b *parser.BinaryExpr, left, right labelSet) {
	for _, name := range b.VectorMatching.MatchingLabels {
		p, q := left.presence(name), right.presence(name)
		side, has := "right", right
		if p == never {
			side, has = "left", left
		}
		switch {
		case p == never && q == never:
			r.say(b, Warning, checkJoin, "neither side of %q has the label %q, so that on() has no use for it", b.Op.String(), name)
		case (p == never && q >= sure) || (q == never && p >= sure):
			r.say(b, Error, checkJoin, "%s: the %s side cannot have the label %q, it has %s; join on labels that both sides have%s",
				effect(b.Op), side, name, list(has.names(maybe)), r.hint(left, right))
		}
	}
}

// joinAll looks at the labels that all have to agree, as nothing is named with on.
func (r reader) joinAll(b *parser.BinaryExpr, left, right labelSet) {
	ignored := b.VectorMatching.MatchingLabels
	lone := func(have, lack labelSet) []string {
		return slices.DeleteFunc(have.names(sure), func(name string) bool {
			return lack.presence(name) != never || slices.Contains(ignored, name)
		})
	}
	onlyLeft, onlyRight := lone(left, right), lone(right, left)
	if len(onlyLeft)+len(onlyRight) == 0 {
		return
	}
	var why []string
	if len(onlyLeft) > 0 {
		why = append(why, "only the left side has "+list(onlyLeft))
	}
	if len(onlyRight) > 0 {
		why = append(why, "only the right side has "+list(onlyRight))
	}
	r.say(b, Error, checkJoin, "%s: the labels of both sides must agree, and %s%s", effect(b.Op), strings.Join(why, ", "), r.hint(left, right))
}

// hint names the labels to join on.
func (r reader) hint(left, right labelSet) string {
	var both []string
	for _, name := range left.names(sure) {
		if right.presence(name) >= sure && name != labelInstance && name != labelJob {
			both = append(both, name)
		}
	}
	if len(both) == 0 {
		return ""
	}
	return fmt.Sprintf("; here: on (%s)", strings.Join(both, ", "))
}

// many finds a side of which several series would match the same partner, which
// ends the evaluation with an error.
func (r reader) many(b *parser.BinaryExpr, left, right labelSet) {
	m := b.VectorMatching
	if m.Card != parser.CardManyToOne {
		r.single(b, b.LHS, left, "left")
	}
	if m.Card != parser.CardOneToMany {
		r.single(b, b.RHS, right, "right")
	}
}

// single says so if a side of which one series may match is told apart by more
// labels than those of the match.
func (r reader) single(b *parser.BinaryExpr, side parser.Expr, s labelSet, name string) {
	if isSelection(side) {
		return
	}
	m := b.VectorMatching
	further := slices.DeleteFunc(s.names(sure), func(label string) bool {
		return s.presence(label) == fixed || slices.Contains(m.MatchingLabels, label) == m.On
	})
	switch {
	case len(further) == 0:
	case len(slices.DeleteFunc(slices.Clone(further), func(l string) bool { return l == labelInstance || l == labelJob })) == 0:
		r.say(b, Warning, checkManyMatches, "the %s side of %q has a series per %s, so that the rule fails as soon as two exporters are scraped; aggregate it, as in max by (%s) (…)",
			name, b.Op.String(), strings.Join(further, " and "), matchedOn(m, s))
	default:
		r.say(b, Warning, checkManyMatches, "the %s side of %q may have several series with the same %s, as it also has %s, and then the rule fails; aggregate it, or let that side be the many with group_%s ()",
			name, b.Op.String(), list(matchedLabels(m, s)), list(further), name)
	}
}

// isSelection says whether an expression picks series out, of which nobody can
// tell here how many.
func isSelection(e parser.Expr) bool {
	a, ok := unwrap(e).(*parser.AggregateExpr)
	return ok && slices.Contains([]parser.ItemType{parser.TOPK, parser.BOTTOMK, parser.LIMITK, parser.LIMIT_RATIO}, a.Op)
}

// matchedLabels are those that have to agree.
func matchedLabels(m *parser.VectorMatching, s labelSet) []string {
	if m.On {
		return m.MatchingLabels
	}
	return slices.DeleteFunc(s.names(sure), func(l string) bool { return slices.Contains(m.MatchingLabels, l) })
}

// matchedOn are the labels to aggregate by.
func matchedOn(m *parser.VectorMatching, s labelSet) string {
	return strings.Join(matchedLabels(m, s), ", ")
}
