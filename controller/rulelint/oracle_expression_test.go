package rulelint

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// one draws one of some words.
func one(t *rapid.T, words ...string) string { return rapid.SampledFrom(words).Draw(t, "word") }

// someLabels draws a list of labels.
func someLabels(t *rapid.T) string {
	return strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"chain", "provider", "reason", "operator", "instance", "new"}), 0, 3, rapid.ID).Draw(t, "labels"), ", ")
}

// expression draws an expression of some depth.
func expression(t *rapid.T, depth int) string {
	if depth == 0 {
		return one(t, metricsOfWorld...) + one(t, "", "", "", `{chain="btc"}`, `{chain!=""}`, `{provider=""}`, `{provider=~"a|b"}`, `{reason="dns", chain=~".*"}`, `{operator!~"o"}`)
	}
	inner := expression(t, rapid.IntRange(0, depth-1).Draw(t, "depth"))
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0, 1:
		return fmt.Sprintf("%s %s (%s) (%s)", one(t, "sum", "max", "count"), one(t, "by", "by", "without"), someLabels(t), inner)
	case 2:
		return fmt.Sprintf("topk %s (%s) (1, %s)", one(t, "by", "without"), someLabels(t), inner)
	case 3:
		return fmt.Sprintf("label_replace(%s, %q, %q, %q, %q)", inner, one(t, "chain", "provider", "new"), one(t, "", "x", "$1", "x$1"),
			one(t, "", "chain", "provider", "reason", "new"), one(t, "", ".*", "(.*)", ".+", "(.+)", "(a)", "b|(a)"))
	case 4:
		return one(t,
			fmt.Sprintf("label_join(%s, %q, %q, %q, %q)", inner, one(t, "provider", "new"), one(t, "", "-", " "), one(t, "chain", "new"), one(t, "reason", "provider")),
			fmt.Sprintf("count_values by (%s) (\"new\", %s)", someLabels(t), inner),
			fmt.Sprintf("absent(%s)", inner), "vector(1)", fmt.Sprintf("-(%s)", inner), fmt.Sprintf("abs(%s)", inner),
			fmt.Sprintf("last_over_time((%s)[1m:10s])", inner), fmt.Sprintf("(%s) > 0", inner), fmt.Sprintf("1 - (%s)", inner))
	}
	other := expression(t, rapid.IntRange(0, depth-1).Draw(t, "depth of the other"))
	matching := one(t, "", "on", "on", "ignoring")
	if matching != "" {
		matching += " (" + someLabels(t) + ")"
	}
	operator := one(t, "and", "or", "unless", "+", "==", ">= bool")
	if matching != "" && strings.ContainsAny(operator, "+=") {
		matching += one(t, "", " group_left ("+someLabels(t)+")", " group_right ("+someLabels(t)+")")
	}
	return fmt.Sprintf("(%s) %s %s (%s)", inner, operator, matching, other)
}
