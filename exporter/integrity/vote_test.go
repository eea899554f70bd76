package integrity

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestElect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		votes []vote
		want  string
	}{
		{"nobody votes", nil, ""},
		{"an empty value is no vote", []vote{{"a", ""}}, ""},
		{"a single operator is its own majority", []vote{{"a", "x"}}, "x"},
		{"two of three", []vote{{"a", "x"}, {"b", "y"}, {"c", "x"}}, "x"},
		{"one against one is a tie", []vote{{"a", "x"}, {"b", "y"}}, ""},
		{"two against two is a tie", []vote{{"a", "x"}, {"b", "y"}, {"c", "x"}, {"d", "y"}}, ""},
		{"half is no strict majority", []vote{{"a", "x"}, {"b", "x"}, {"c", "y"}, {"d", "z"}}, ""},
		{"URLs of one operator are one vote", []vote{{"a", "x"}, {"a", "x"}, {"a", "x"}, {"b", "y"}, {"c", "y"}}, "y"},
		{"a single operator that disagrees with itself says nothing", []vote{{"a", "x"}, {"a", "x"}, {"a", "y"}}, ""},
		{"half of a divided operator supports another one", []vote{{"a", "x"}, {"b", "x"}, {"b", "y"}}, "x"},
		{"one operator is no majority against one of two minds about something else", []vote{{"a", "x"}, {"b", "y"}, {"b", "z"}}, ""},
		{"a divided operator does not tip the balance", []vote{{"a", "x"}, {"b", "y"}, {"c", "x"}, {"c", "x"}, {"c", "y"}}, ""},
		{"a provider without an answer does not divide its operator", []vote{{"a", "x"}, {"a", ""}, {"b", "x"}, {"c", "y"}}, "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := elect(c.votes)
			require.Equal(t, c.want, got)
			require.Equal(t, c.want != "", ok)
		})
	}
}

func TestWinnerWithoutOneOperator(t *testing.T) {
	t.Parallel()
	votes := []vote{{"a", "x"}, {"b", "y"}, {"c", "x"}, {"d", "y"}, {"d", "z"}}
	for _, without := range []string{"a", "b", "c", "d", "unknown"} {
		rest := slices.DeleteFunc(slices.Clone(votes), func(v vote) bool { return v.operator == without })
		want, wantOK := elect(rest)
		got, ok := count(votes).winner(&without)
		require.Equal(t, want, got, without)
		require.Equal(t, wantOK, ok, without)
	}
}

// drawVotes draws votes of a few operators about a few values, so that ties and
// divided operators are frequent.
func drawVotes(t *rapid.T) []vote {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) vote {
		return vote{
			operator: rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "operator"),
			value:    rapid.SampledFrom([]string{"", "x", "y", "z"}).Draw(t, "value"),
		}
	}), 0, 12).Draw(t, "votes")
}

// minds are the operators with all that their providers say.
func minds(votes []vote) map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for _, v := range votes {
		if v.value == "" {
			continue
		}
		if m[v.operator] == nil {
			m[v.operator] = map[string]bool{}
		}
		m[v.operator][v.value] = true
	}
	return m
}

func TestElectProperties(t *testing.T) {
	t.Parallel()
	t.Run("the order of votes does not matter, nor do repeated ones", rapid.MakeCheck(func(t *rapid.T) {
		votes := drawVotes(t)
		want, wantOK := elect(votes)
		got, ok := elect(rapid.Permutation(append(votes, votes...)).Draw(t, "again"))
		require.Equal(t, want, got)
		require.Equal(t, wantOK, ok)
	}))
	t.Run("what more than half of all operators say is right", rapid.MakeCheck(func(t *rapid.T) {
		votes := drawVotes(t)
		operators := minds(votes)
		support := map[string]int{}
		for _, values := range operators {
			if len(values) == 1 {
				for value := range values {
					support[value]++
				}
			}
		}
		got, ok := elect(votes)
		for value, n := range support {
			if 2*n > len(operators) {
				require.True(t, ok)
				require.Equal(t, value, got)
			}
		}
	}))
	t.Run("what is right is contradicted by fewer operators than say it", rapid.MakeCheck(func(t *rapid.T) {
		votes := drawVotes(t)
		right, ok := elect(votes)
		if !ok {
			return
		}
		whole, against := 0, 0
		for _, values := range minds(votes) {
			switch {
			case !values[right]:
				against++
			case len(values) == 1:
				whole++
			}
		}
		require.Greater(t, whole, against)
	}))
	t.Run("equal numbers of operators are a tie", rapid.MakeCheck(func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "operators each")
		var votes []vote
		for i := range n {
			votes = append(votes, vote{fmt.Sprint("a", i), "x"}, vote{fmt.Sprint("b", i), "y"})
		}
		_, ok := elect(rapid.Permutation(votes).Draw(t, "order"))
		require.False(t, ok)
	}))
	t.Run("one operator with many URLs never outvotes two", rapid.MakeCheck(func(t *rapid.T) {
		votes := []vote{{"b", "y"}, {"c", "y"}}
		for range rapid.IntRange(1, 50).Draw(t, "URLs") {
			votes = append(votes, vote{"a", "x"})
		}
		got, ok := elect(rapid.Permutation(votes).Draw(t, "order"))
		require.True(t, ok)
		require.Equal(t, "y", got)
	}))
}
