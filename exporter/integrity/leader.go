package integrity

import (
	"context"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// claim is what a leader has to prove: that its block at a height is theirs.
type claim struct {
	leader participant
	height uint64
	hash   string
	// verified is known where the leader's tip alone tells.
	verified chain.Optional[bool]
}

// verifyLeaders says of the leaders whether their chain contains the highest
// tip of the other operators, and of nobody else anything. It asks at most one
// block of each leader that is due.
func (r *round) verifyLeaders(ctx context.Context, participants []participant) {
	for _, rec := range r.records {
		rec.TipVerified = chain.Optional[bool]{}
	}
	var questions []question
	var open []claim
	for _, c := range claims(participants) {
		switch {
		case c.verified.Known:
			r.records[c.leader.Key].TipVerified = c.verified
		case r.due(c.leader):
			open = append(open, c)
			questions = append(questions, question{c.leader, c.height, false})
		}
	}
	for i, s := range r.ask(ctx, questions) {
		if s.standing == told {
			r.records[s.Key].TipVerified = chain.Some(s.block.Hash == open[i].hash)
		}
	}
}

// claims are those of the leaders: the providers with the highest tip. One to
// which no other operator compares, or whose others do not tell their hash or
// disagree about it, has none.
func claims(participants []participant) []claim {
	heights := reached(participants)
	var highest, next uint64
	for _, h := range heights {
		if h > highest {
			highest, next = h, highest
		} else if h > next {
			next = h
		}
	}
	// With two operators at the highest tip, the others' tip is that as well,
	// since next is then equal to it.
	tips := count(tipsAt(participants, next))
	var all []claim
	for _, p := range participants {
		if p.tip.Height != highest || len(heights) < 2 {
			continue
		}
		if hash, ok := tips.winner(&p.Operator); ok {
			all = append(all, claim{p, next, hash, proof(p.tip, next, hash)})
		}
	}
	return all
}

// tipsAt are the votes of those whose tip has a height.
func tipsAt(participants []participant, height uint64) []vote {
	var votes []vote
	for _, p := range participants {
		if p.tip.Height == height {
			votes = append(votes, vote{p.Operator, p.tip.Hash})
		}
	}
	return votes
}

// proof is what a leader's tip tells of its block at a height, without asking.
func proof(tip Tip, height uint64, hash string) chain.Optional[bool] {
	switch {
	case tip.Height == height && tip.Hash != "":
		return chain.Some(tip.Hash == hash)
	case tip.Height == height+1 && tip.Parent != "":
		return chain.Some(tip.Parent == hash)
	}
	return chain.Optional[bool]{}
}
