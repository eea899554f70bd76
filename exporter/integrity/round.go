package integrity

import (
	"context"
	"time"

	"github.com/understudy-rpc/understudy/exporter/prober"
)

// maxSkips is how many heights below H are tried while all say that the chain
// has no block there. A Solana leader that is offline skips its four slots in a
// row, and two of them may follow each other.
const maxSkips = 8

// round is one look at a chain. It works on copies of the records and is used
// by one goroutine.
type round struct {
	checker    *Checker
	spec       Chain
	generation uint64
	began      time.Time
	members    map[prober.Key]Member
	records    map[prober.Key]*record
	result     ChainResult
}

// newRound begins a round, or is nil if the chain is no longer what it was.
func (c *Checker) newRound(spec Chain, generation uint64) *round {
	r := &round{
		checker: c, spec: spec, generation: generation, began: c.now(),
		members: map[prober.Key]Member{}, records: map[prober.Key]*record{},
	}
	for _, m := range spec.Members {
		r.members[m.Key] = m
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.chains[spec.Name]
	if w == nil || w.generation != generation {
		return nil
	}
	r.result = w.result
	for key, rec := range w.records {
		kept := *rec
		r.records[key] = &kept
	}
	return r
}

// run looks at the leaders and then compares blocks.
func (r *round) run(ctx context.Context) {
	participants := r.participants()
	r.verifyLeaders(ctx, participants)
	var due []participant
	for _, p := range participants {
		if r.due(p) {
			r.records[p.Key].begun = r.began
			due = append(due, p)
		}
	}
	r.askMissed(ctx, due)
	p, ok := newPlan(due, r.spec.Integrity.Depth, r.spec.MaxBlockLead)
	if ok {
		r.compare(ctx, p)
	}
	r.result.CheckedAt = r.checker.now()
}

// participants are the members that may be asked now, with their newest tips.
func (r *round) participants() []participant {
	now := r.checker.now()
	var all []participant
	for _, tip := range r.checker.tips(r.spec.Name) {
		m, ok := r.members[tip.Key]
		if ok && tip.Up && !r.records[tip.Key].quiet.After(now) {
			all = append(all, participant{m, tip})
		}
	}
	return ordered(all)
}

// due says whether a member's own interval has passed since it was last asked.
// Half of the chain's interval of grace lets rounds come a little early.
func (r *round) due(p participant) bool {
	begun := r.records[p.Key].begun
	return begun.IsZero() || r.began.Sub(begun) > p.Interval-r.spec.Integrity.Interval/2
}

// compare is the first look, and what follows from it.
func (r *round) compare(ctx context.Context, p plan) {
	height, first := r.look(ctx, p)
	tellers := with(first, told)
	right, agreed := r.elect(first)
	if !agreed && len(tellers) > 1 {
		r.dispute(ctx, height, first)
		return
	}
	std := standard{height: height}
	if len(tellers) > 1 {
		std = newStandard(height, right, tellers)
		r.agree(height)
	}
	suspects := r.settleAll(first, std)
	if std.hash != "" {
		suspects = append(suspects, r.compareBehind(ctx, p.behind, std)...)
	}
	r.confirm(ctx, suspects, std.holders)
}

// look asks everybody for the block at the common height. While all say that
// there is none, one after the other is asked for the next lower height, until
// one has it; then the rest are asked for that.
func (r *round) look(ctx context.Context, p plan) (uint64, []statement) {
	wanted := r.spec.Integrity.Transactions
	statements := r.ask(ctx, blocksOf(p.level, p.height, wanted))
	for step := uint64(1); step <= maxSkips && allSkipped(statements) && p.height > step; step++ {
		height := p.height - step
		scout := int(step) % len(p.level)
		found := r.ask(ctx, blocksOf(p.level[scout:scout+1], height, wanted))
		if found[0].standing != told {
			continue
		}
		var rest []participant
		rest = append(append(rest, p.level[:scout]...), p.level[scout+1:]...)
		return height, append(found, r.ask(ctx, blocksOf(rest, height, wanted))...)
	}
	return p.height, statements
}

// allSkipped says whether those who answered all say that there is no block.
func allSkipped(statements []statement) bool {
	return len(with(statements, skipped)) > 0 && len(with(statements, told)) == 0 && len(with(statements, missing)) == 0
}

// compareBehind compares each laggard at its own height with one of those who
// are right at the common height. Transactions are left out.
func (r *round) compareBehind(ctx context.Context, behind []participant, std standard) []suspect {
	var questions []question
	var heights []uint64
	for _, b := range behind {
		if b.tip.Height > r.spec.Integrity.Depth {
			heights = append(heights, b.tip.Height-r.spec.Integrity.Depth)
			questions = append(questions, question{b, heights[len(heights)-1], false})
		}
	}
	laggards := len(questions)
	if laggards == 0 {
		return nil
	}
	for _, height := range heights {
		questions = append(questions, question{std.holders[0].participant, height, false})
	}
	statements := r.ask(ctx, questions)
	var suspects []suspect
	for i, s := range statements[:laggards] {
		own := standard{height: s.height}
		if reference := statements[laggards+i]; reference.standing == told {
			own.hash, own.holders = reference.block.Hash, []statement{reference}
		}
		if cause := r.settle(s, own, ""); cause != "" {
			suspects = append(suspects, suspect{s, own, cause})
		}
	}
	return suspects
}

// agree notes that the chain has a majority.
func (r *round) agree(height uint64) {
	r.result = ChainResult{AgreedAt: r.checker.now(), AgreedHeight: height}
}
