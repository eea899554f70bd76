package integrity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/exporter/prober"
)

// at is a participant of an operator with a tip.
func at(provider, operator string, height uint64) participant {
	key := prober.Key{Chain: "c", Provider: provider}
	return participant{Member{Key: key, Operator: operator}, Tip{Key: key, Up: true, Height: height}}
}

func names(participants []participant) []string {
	all := []string{}
	for _, p := range participants {
		all = append(all, p.Key.Provider)
	}
	return all
}

func TestNewPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		participants  []participant
		height        uint64
		level, behind []string
	}{
		{"the lowest tip less the depth", []participant{at("a", "a", 105), at("b", "b", 103), at("c", "c", 104)}, 101, []string{"a", "b", "c"}, []string{}},
		{"a laggard does not drag the height down", []participant{at("a", "a", 105), at("b", "b", 73), at("c", "c", 104)}, 102, []string{"a", "c"}, []string{"b"}},
		{"exactly max_block_lead behind is level", []participant{at("a", "a", 105), at("b", "b", 74), at("c", "c", 104)}, 72, []string{"a", "b", "c"}, []string{}},
		{"of two operators neither is behind", []participant{at("a", "a", 50_000_000), at("b", "b", 100)}, 98, []string{"a", "b"}, []string{}},
		{"one liar far ahead does not make the rest laggards", []participant{at("a", "a", 50_000_000), at("b", "b", 100), at("c", "c", 101)}, 98, []string{"a", "b", "c"}, []string{}},
		{"nor do many URLs of one operator", []participant{at("a1", "a", 900), at("a2", "a", 900), at("a3", "a", 900), at("b", "b", 100), at("c", "c", 101)}, 98, []string{"a1", "a2", "a3", "b", "c"}, []string{}},
		{"an operator counts with its highest provider", []participant{at("a1", "a", 10), at("a2", "a", 200), at("b", "b", 200), at("c", "c", 201)}, 198, []string{"a2", "b", "c"}, []string{"a1"}},
		{"alone", []participant{at("a", "a", 105)}, 103, []string{"a"}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, ok := newPlan(c.participants, 2, 30)
			require.True(t, ok)
			require.Equal(t, c.height, p.height)
			require.Equal(t, c.level, names(p.level))
			require.Equal(t, c.behind, names(p.behind))
		})
	}
}

func TestNewPlanWithoutAHeight(t *testing.T) {
	t.Parallel()
	_, ok := newPlan(nil, 2, 30)
	require.False(t, ok, "nobody is up")
	_, ok = newPlan([]participant{at("a", "a", 2), at("b", "b", 9)}, 2, 30)
	require.False(t, ok, "only the genesis block is deep enough")
	p, ok := newPlan([]participant{at("a", "a", 3), at("b", "b", 9)}, 2, 30)
	require.True(t, ok)
	require.EqualValues(t, 1, p.height)
}

func TestNewPlanProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []participant
		for i, height := range rapid.SliceOfN(rapid.Uint64Range(0, 1<<53), 1, 9).Draw(t, "heights") {
			all = append(all, at(fmt.Sprint("p", i), rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "operator"), height))
		}
		depth := rapid.Uint64Range(0, 10).Draw(t, "depth")
		lead := rapid.Uint64Range(0, 100).Draw(t, "lead")
		p, ok := newPlan(all, depth, lead)
		other, otherOK := newPlan(rapid.Permutation(all).Draw(t, "order"), depth, lead)
		require.Equal(t, otherOK, ok)
		require.Equal(t, other.height, p.height)
		if !ok {
			return
		}
		require.Len(t, all, len(p.level)+len(p.behind))
		require.NotEmpty(t, p.level)
		require.Positive(t, p.height)
		for _, one := range p.level {
			require.GreaterOrEqual(t, one.tip.Height, p.height+depth, "everybody at the common height announced it")
		}
		for _, one := range p.behind {
			for _, level := range p.level {
				require.Less(t, one.tip.Height, level.tip.Height)
			}
		}
	})
}
