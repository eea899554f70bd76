package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// tip is a participant with a whole tip.
func tip(provider, operator string, height uint64, hash, parent string) participant {
	p := at(provider, operator, height)
	p.tip.Hash, p.tip.Parent = hash, parent
	return p
}

func TestClaims(t *testing.T) {
	t.Parallel()
	yes, no, open := chain.Some(true), chain.Some(false), chain.Optional[bool]{}
	type want struct {
		leader   string
		height   uint64
		hash     string
		verified chain.Optional[bool]
	}
	for _, c := range []struct {
		name         string
		participants []participant
		want         []want
	}{
		{"nobody", nil, nil},
		{"one operator has nobody to compare with", []participant{tip("a1", "a", 9, "h9", "h8"), tip("a2", "a", 8, "h8", "h7")}, nil},
		{"equal heights and hashes are free", []participant{tip("a", "a", 9, "h9", "h8"), tip("b", "b", 9, "h9", "h8")}, []want{{"a", 9, "h9", yes}, {"b", 9, "h9", yes}}},
		{"equal heights with other hashes refute both", []participant{tip("a", "a", 9, "h9", "h8"), tip("b", "b", 9, "x9", "x8")}, []want{{"a", 9, "x9", no}, {"b", 9, "h9", no}}},
		{"one ahead with their block as parent is free", []participant{tip("a", "a", 10, "h10", "h9"), tip("b", "b", 9, "h9", "h8")}, []want{{"a", 9, "h9", yes}}},
		{"one ahead with another parent", []participant{tip("a", "a", 10, "x10", "x9"), tip("b", "b", 9, "h9", "h8")}, []want{{"a", 9, "h9", no}}},
		{"one ahead without a parent has to be asked", []participant{tip("a", "a", 10, "h10", ""), tip("b", "b", 9, "h9", "h8")}, []want{{"a", 9, "h9", open}}},
		{"further ahead has to be asked", []participant{tip("a", "a", 14, "h14", "h13"), tip("b", "b", 9, "h9", "h8"), tip("c", "c", 8, "h8", "h7")}, []want{{"a", 9, "h9", open}}},
		{"without a hash of its own it has to be asked", []participant{tip("a", "a", 9, "", ""), tip("b", "b", 9, "h9", "")}, []want{{"a", 9, "h9", open}}},
		{"others without a hash prove nothing", []participant{tip("a", "a", 10, "h10", "h9"), tip("b", "b", 9, "", "")}, nil},
		{"others that disagree prove nothing", []participant{tip("a", "a", 10, "h10", "h9"), tip("b", "b", 9, "h9", ""), tip("c", "c", 9, "x9", "")}, nil},
		{"the majority of the others counts", []participant{tip("a", "a", 10, "h10", "h9"), tip("b", "b", 9, "h9", ""), tip("c", "c", 9, "x9", ""), tip("d", "d", 9, "h9", "")}, []want{{"a", 9, "h9", yes}}},
		{"the leader's own operator is no other", []participant{tip("a1", "a", 10, "x10", "x9"), tip("a2", "a", 9, "x9", ""), tip("b", "b", 9, "h9", "")}, []want{{"a1", 9, "h9", no}}},
		{"two leaders of one operator", []participant{tip("a1", "a", 10, "h10", "h9"), tip("a2", "a", 10, "x10", "x9"), tip("b", "b", 9, "h9", "")}, []want{{"a1", 9, "h9", yes}, {"a2", 9, "h9", no}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []want
			for _, one := range claims(c.participants) {
				got = append(got, want{one.leader.Key.Provider, one.height, one.hash, one.verified})
			}
			require.Equal(t, c.want, got)
		})
	}
}
