package rules_test

import (
	"slices"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

// The reasons why a number may stand in a rule.
const (
	indicator = "an indicator is 0 or 1"
	majority  = "more than half of the exporters, or half where a fault can cost stakes"
	presence  = "is there any"
)

// literals are all comparisons with a number, by rule. Every other threshold is
// the policy of a chain, which operators set where they set everything else.
var literals = []struct{ rule, comparison, reason string }{
	{"chain_provider:bifrost_provider_block_height:max", "== 1", indicator},
	{"chain_provider:bifrost_provider_block_height:max", ">= 0.5", majority},
	{"chain_provider:bifrost_provider_last_advance_timestamp_seconds:max", ">= 0.5", majority},
	{"chain_provider:bifrost_provider_last_probe_timestamp_seconds:max", "== 1", indicator},
	{"chain:bifrost_block_height:tip", "== 1", "with one provider the scanner is the baseline; and quorum one"},
	{"chain:bifrost_block_height:tip", "== 2", "quorum two: topk() takes no vector for its number"},
	{"chain:bifrost_block_height:verified", "== 1", indicator},
	{"chain_provider:bifrost_provider_block_height:near_tip", "== 0", indicator},
	{"ProviderDown", "> 0.5", majority},
	{"chain_provider:bifrost_provider_failed:ratio", "> 0", presence},
	{"ProviderErrors", "> 0.5", majority},
	{"ProviderErrors", "== 1", indicator},
	{"ProviderErrors", "> 0", presence},
	{"ProviderRateLimited", "> 0.5", majority},
	{"ProviderUnauthorized", "> 0.5", majority},
	{"ProviderSlow", "> 0.5", majority},
	{"ProviderInconsistent", ">= 0.5", majority},
	{"ProviderWrongNetwork", ">= 0.5", majority},
	{"ProviderSyncing", "> 0.5", majority},
	{"ProviderAheadOfTip", "== 1", indicator},
	{"ProviderAheadOfTip", "< 3", "two votes are one against the other"},
	{"ProviderCertificateExpiring", "< 14 * 86400", "two weeks are what it takes to renew a certificate by hand"},
	{"chain:bifrost_provider_healthy:count", ">= 0.5", majority},
	{"ChainAllProvidersUnhealthy", "== 0", presence},
	{"ChainTipStalled", "== 1", indicator},
	{"ChainSplit", ">= 0.5", majority},
	{"ChainNoRedundancy", "== 1", "one is left"},
	{"ChainNoRedundancy", "> 1", "of several"},
	{"ChainFlapping", "> 3", "failovers within an hour that are no accidents; for people only"},
	{"ChainFailover", "> 0", presence},
	{"UnderstudyExporterDown", "== 0", indicator},
	{"UnderstudyConfigReloadFailed", "== 0", indicator},
	{"UnderstudyOnFallback", "== 1", indicator},
	{"UnderstudyOnFallback", "== 0", indicator},
	{"UnderstudyEvaluatorsDisagree", "> 0", presence},
	{"UnderstudyJournalFailing", "== 0", presence},
}

func TestThresholdsArePolicyButForAList(t *testing.T) {
	t.Parallel()
	type found struct{ rule, comparison string }
	var want, got []found
	for _, l := range literals {
		require.NotEmpty(t, l.reason)
		want = append(want, found{l.rule, l.comparison})
	}
	for _, r := range bundledRules(t) {
		for _, c := range comparisons(r.expr) {
			for _, side := range []parser.Expr{c.LHS, c.RHS} {
				f := found{r.name(), c.Op.String() + " " + side.String()}
				if number(side) && !slices.Contains(got, f) {
					got = append(got, f)
				}
			}
		}
	}
	require.ElementsMatch(t, want, got)
}

// comparisons are the comparing operators of an expression.
func comparisons(expr parser.Expr) []*parser.BinaryExpr {
	var all []*parser.BinaryExpr
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if b, ok := node.(*parser.BinaryExpr); ok && b.Op.IsComparisonOperator() {
			all = append(all, b)
		}
		return nil
	})
	return all
}

// number says whether an expression is made of numbers alone.
func number(expr parser.Expr) bool {
	alone := true
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch node.(type) {
		case *parser.VectorSelector, *parser.Call:
			alone = false
		}
		return nil
	})
	return alone
}
