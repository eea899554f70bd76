// Package integrity compares what the providers of a chain say of the same
// thing: which network they serve (Networks), and which block stands at a height
// and with which transactions (Checker). It decides nothing about when
// providers are probed or chosen.
//
// One operator is one vote. An operator whose URLs disagree has none, and where
// none of its URLs says what the majority says, it counts as one against. Right
// is what a strict majority says; without one nobody is blamed.
//
// Each interval, at H = the lowest tip − depth, a round asks every provider that
// is up for its block. One further than max_block_lead behind the median
// operator does not drag H down: it is asked at its own tip − depth, and so is
// one of the majority. Who disagrees is asked again after suspect_check_interval
// together with one of the majority, and blamed only if both looks say so and
// the majority has not moved. Skipped, pruned and unanswered are no vote; a
// provider that twice lacks the same block, announcing a tip far enough above it
// in between, contradicts itself and is blamed without a vote. Transactions are
// compared among those with the right hash: fewer than the block's own header
// says, another number than the majority's or another digest than the majority
// of the same type.
//
// Without a majority in both looks, also of those who are not blamed for a fork
// already, the chain is split until one returns; the last common block is
// searched in at most searchBudget heights, of one provider a side. Who is blamed
// for a fork is not cleared by a block below it while its own chain reaches it. A
// leader is verified if its block at the highest tip of the other operators is
// theirs.
//
// A round of n providers asks n blocks, one more per laggard, and one of each
// leader whose tip does not tell; when in doubt, 1 more per suspect and 1 for
// each height with suspects; n more when a split begins. A verdict stands until
// a later check of that provider, or until nobody is left to compare it with.
package integrity
