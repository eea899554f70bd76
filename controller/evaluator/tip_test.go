package evaluator

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// chainView is what one exporter sees of one chain.
type chainView struct {
	providers []providerView
	observed  *int // Of the chain scanner; nil: it does not say.
}

type providerView struct {
	up     bool
	height *int // nil: it was never seen.
}

// chainOfViews is a chain as all exporters see it.
type chainOfViews struct {
	name      string
	operators []string // By provider.
	quorum    int
	exporters []chainView
}

// TestTheTipIsTheHeightThatEnoughOperatorsReached compares the tip rule with the
// definition of the tip, written down a second time.
func TestTheTipIsTheHeightThatEnoughOperatorsReached(t *testing.T) {
	t.Parallel()
	groups, err := LoadGroups(true, nil)
	require.NoError(t, err)
	groups = slices.DeleteFunc(groups, func(g Group) bool { return g.File != "rules/providers.yml" })
	rapid.Check(t, func(t *rapid.T) {
		exporters := rapid.IntRange(1, 3).Draw(t, "exporters")
		chains := []chainOfViews{drawChain(t, "btc", exporters), drawChain(t, "eth", exporters)}
		var sources []Source
		for i := range exporters {
			s := newFakeSource(nil, fmt.Sprintf("exporter-%d", i))
			s.say(append(chains[0].exposition(i), chains[1].exposition(i)...)...)
			sources = append(sources, s)
		}
		e, err := New(Options{Sources: sources}, groups)
		require.NoError(t, err)
		r, err := e.Evaluate(t.Context(), start)
		require.NoError(t, err)
		require.Empty(t, r.Failures)
		var want []string
		for _, c := range chains {
			if tip, ok := c.tip(); ok {
				want = append(want, fmt.Sprintf(`{__name__="chain:bifrost_block_height:tip", chain=%q} %v`, c.name, float64(tip)))
			}
		}
		var got []string
		vector, err := e.query(t.Context(), "chain:bifrost_block_height:tip", start)
		require.NoError(t, err)
		for _, one := range vector {
			got = append(got, fmt.Sprintf("%s %v", one.Metric, one.F))
		}
		require.ElementsMatch(t, want, got)
	})
}

func drawChain(t *rapid.T, name string, exporters int) chainOfViews {
	c := chainOfViews{name: name, quorum: rapid.IntRange(1, 3).Draw(t, "quorum")}
	height := rapid.OneOf(rapid.IntRange(100, 106), rapid.IntRange(0, 1_000_000))
	for range rapid.IntRange(1, 7).Draw(t, "providers") {
		c.operators = append(c.operators, rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "operator"))
	}
	for range exporters {
		var v chainView
		for range c.operators {
			p := providerView{up: rapid.IntRange(0, 3).Draw(t, "up") > 0}
			if p.up || rapid.Bool().Draw(t, "seen") {
				h := height.Draw(t, "height")
				p.height = &h
			}
			v.providers = append(v.providers, p)
		}
		if rapid.Bool().Draw(t, "scanner") {
			h := height.Draw(t, "observed")
			v.observed = &h
		}
		c.exporters = append(c.exporters, v)
	}
	return c
}

// exposition is what an exporter publishes of the chain.
func (c chainOfViews) exposition(exporter int) []string {
	v := c.exporters[exporter]
	lines := []string{fmt.Sprintf(`bifrost_failover_tip_quorum{chain=%q} %d`, c.name, c.quorum)}
	if v.observed != nil {
		lines = append(lines, fmt.Sprintf(`bifrost_chain_observed_height{chain=%q} %d`, c.name, *v.observed))
	}
	for i, p := range v.providers {
		labels := fmt.Sprintf(`chain=%q,provider="p%d"`, c.name, i)
		up := 0
		if p.up {
			up = 1
		}
		lines = append(lines, fmt.Sprintf("bifrost_provider_up{%s} %d", labels, up),
			fmt.Sprintf(`bifrost_provider_info{%s,operator=%q,type="evm-rpc"} 1`, labels, c.operators[i]))
		if p.height != nil {
			lines = append(lines, fmt.Sprintf("bifrost_provider_block_height{%s} %d", labels, *p.height))
		}
	}
	return lines
}

// tip is the definition: every operator has one vote, the highest height of its
// providers that at least half of the exporters see up, as the highest of those
// exporters sees it; so has the chain scanner. The tip is the quorum-th highest
// vote, or the lowest if there are fewer. With one configured provider it is
// what the scanner says, if it says something.
func (c chainOfViews) tip() (int, bool) {
	observed := -1
	for _, v := range c.exporters {
		if v.observed != nil {
			observed = max(observed, *v.observed)
		}
	}
	if len(c.operators) == 1 && observed >= 0 {
		return observed, true
	}
	byOperator := map[string]int{}
	for i, operator := range c.operators {
		seenUp, height := 0, -1
		for _, v := range c.exporters {
			if p := v.providers[i]; p.up {
				seenUp++
				height = max(height, *p.height)
			}
		}
		if best, ok := byOperator[operator]; 2*seenUp >= len(c.exporters) && height >= 0 && (!ok || height > best) {
			byOperator[operator] = height
		}
	}
	var votes []int
	for _, height := range byOperator {
		votes = append(votes, height)
	}
	if observed >= 0 {
		votes = append(votes, observed)
	}
	if len(votes) == 0 {
		return 0, false
	}
	slices.Sort(votes)
	slices.Reverse(votes)
	return votes[min(c.quorum, len(votes))-1], true
}
