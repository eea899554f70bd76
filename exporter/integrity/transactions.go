package integrity

import (
	"strconv"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/internal/config"
)

// norm is what the majority says about the transactions of one block. The zero
// value knows nothing, and by it only a provider that contradicts itself is
// blamed.
type norm struct {
	// count is unknown without a strict majority, or with a single teller.
	count chain.Optional[int]
	// digests are by provider type: those of different types do not compare.
	digests map[config.Type]string
}

// newNorm is the norm of those who have the right block. A provider that hands
// out fewer transactions than its own header says has no say.
func newNorm(right []statement) norm {
	var counts []vote
	digests := map[config.Type][]vote{}
	for _, s := range right {
		t := s.block.Transactions
		if !t.Known || t.Value.Missing > 0 {
			continue
		}
		counts = append(counts, vote{s.Operator, strconv.Itoa(t.Value.Count)})
		digests[s.Type] = append(digests[s.Type], vote{s.Operator, t.Value.Digest})
	}
	n := norm{digests: map[config.Type]string{}}
	if len(counts) < 2 {
		return n
	}
	if value, ok := elect(counts); ok {
		// The value is one that Itoa wrote.
		count, _ := strconv.Atoi(value)
		n.count = chain.Some(count)
	}
	for typ, votes := range digests {
		if digest, ok := elect(votes); ok {
			n.digests[typ] = digest
		}
	}
	return n
}

// judge compares the transactions of one provider with its own header and with
// the norm. The cause is "" if nothing is wrong with them; compared says whether
// there was anything to compare them with.
func (n norm) judge(typ config.Type, t chain.Transactions) (cause Cause, compared bool) {
	if t.Missing > 0 {
		return CauseIncomplete, true
	}
	if !n.count.Known {
		return "", false
	}
	digest := n.digests[typ]
	switch {
	case t.Count < n.count.Value:
		return CauseFewer, true
	case t.Count > n.count.Value:
		return CauseMore, true
	case digest != "" && t.Digest != "" && t.Digest != digest:
		return CauseDigest, true
	}
	return "", true
}
