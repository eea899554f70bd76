package integrity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/internal/config"
)

// holder is a statement about the right block with some transactions.
func holder(provider, operator string, typ config.Type, t chain.Optional[chain.Transactions]) statement {
	m := Member{Key: prober.Key{Chain: "c", Provider: provider}, Operator: operator, Type: typ}
	return statement{
		participant: participant{Member: m}, height: 7, standing: told,
		block: chain.Block{Height: 7, Hash: "right", Transactions: t},
	}
}

func transactions(count, missing int, digest string) chain.Optional[chain.Transactions] {
	return chain.Some(chain.Transactions{Count: count, Missing: missing, Digest: digest})
}

func TestNorm(t *testing.T) {
	t.Parallel()
	const a, b = config.BitcoinRPC, config.EsploraREST
	type verdict struct {
		cause    Cause
		compared bool
	}
	for _, c := range []struct {
		name    string
		holders []statement
		want    []verdict
	}{
		{"all the same", []statement{
			holder("1", "a", a, transactions(5, 0, "d")), holder("2", "b", a, transactions(5, 0, "d")),
		}, []verdict{{"", true}, {"", true}}},
		{"fewer than the majority", []statement{
			holder("1", "a", a, transactions(5, 0, "d")), holder("2", "b", a, transactions(4, 0, "e")), holder("3", "c", a, transactions(5, 0, "d")),
		}, []verdict{{"", true}, {CauseFewer, true}, {"", true}}},
		{"more than the majority", []statement{
			holder("1", "a", a, transactions(5, 0, "")), holder("2", "b", a, transactions(6, 0, "")), holder("3", "c", a, transactions(5, 0, "")),
		}, []verdict{{"", true}, {CauseMore, true}, {"", true}}},
		{"one against one is no majority", []statement{
			holder("1", "a", a, transactions(5, 0, "d")), holder("2", "b", a, transactions(4, 0, "e")),
		}, []verdict{{"", false}, {"", false}}},
		{"fewer than the own header, alone", []statement{
			holder("1", "a", a, transactions(4, 1, "")),
		}, []verdict{{CauseIncomplete, true}}},
		{"fewer than the own header has no say", []statement{
			holder("1", "a", a, transactions(4, 1, "")), holder("2", "b", a, transactions(4, 1, "")), holder("3", "c", a, transactions(5, 0, "")), holder("4", "d", a, transactions(5, 0, "")),
		}, []verdict{{CauseIncomplete, true}, {CauseIncomplete, true}, {"", true}, {"", true}}},
		{"alone there is nothing to compare with", []statement{
			holder("1", "a", a, transactions(5, 0, "d")),
		}, []verdict{{"", false}}},
		{"nor beside one that tells no transactions", []statement{
			holder("1", "a", a, transactions(5, 0, "d")), holder("2", "b", a, chain.Optional[chain.Transactions]{}),
		}, []verdict{{"", false}, {"", false}}},
		{"the same number, but others", []statement{
			holder("1", "a", a, transactions(5, 0, "d")), holder("2", "b", a, transactions(5, 0, "e")), holder("3", "c", a, transactions(5, 0, "d")),
		}, []verdict{{"", true}, {CauseDigest, true}, {"", true}}},
		{"digests of different types do not compare", []statement{
			holder("1", "a", a, transactions(5, 0, "d")), holder("2", "b", b, transactions(5, 0, "e")), holder("3", "c", a, transactions(5, 0, "d")),
		}, []verdict{{"", true}, {"", true}, {"", true}}},
		{"a tie of digests blames nobody", []statement{
			holder("1", "a", a, transactions(5, 0, "d")), holder("2", "b", a, transactions(5, 0, "e")),
		}, []verdict{{"", true}, {"", true}}},
		{"URLs of one operator are one vote", []statement{
			holder("1", "a", a, transactions(4, 0, "")), holder("2", "a", a, transactions(4, 0, "")), holder("3", "b", a, transactions(5, 0, "")), holder("4", "c", a, transactions(5, 0, "")),
		}, []verdict{{CauseFewer, true}, {CauseFewer, true}, {"", true}, {"", true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := newNorm(c.holders)
			for i, s := range c.holders {
				if !s.block.Transactions.Known {
					continue
				}
				cause, compared := n.judge(s.Type, s.block.Transactions.Value)
				require.Equal(t, c.want[i], verdict{cause, compared}, s.Key)
			}
		})
	}
}

func TestNormNeverBlamesAMajority(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		honest := rapid.IntRange(2, 5).Draw(t, "honest operators")
		var holders []statement
		for i := range honest {
			holders = append(holders, holder(fmt.Sprint("h", i), fmt.Sprint("h", i), config.EVMRPC, transactions(9, 0, "d")))
		}
		for i := range rapid.IntRange(0, honest-1).Draw(t, "other operators") {
			for j := range rapid.IntRange(1, 4).Draw(t, "URLs") {
				other := transactions(rapid.IntRange(0, 20).Draw(t, "count"), rapid.IntRange(0, 1).Draw(t, "missing"), rapid.SampledFrom([]string{"", "d", "e"}).Draw(t, "digest"))
				holders = append(holders, holder(fmt.Sprint("o", i, j), fmt.Sprint("o", i), config.EVMRPC, other))
			}
		}
		n := newNorm(rapid.Permutation(holders).Draw(t, "order"))
		cause, compared := n.judge(config.EVMRPC, chain.Transactions{Count: 9, Digest: "d"})
		require.Empty(t, cause)
		require.True(t, compared)
	})
}
