package integrity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// maxConcurrentPerChain and maxConcurrent bound the questions under way, of one
// chain and of all; the latter bounds memory, since a block with its
// transactions may take megabytes.
const (
	maxConcurrentPerChain = 8
	maxConcurrent         = 32
)

// standing is what kind of answer a provider gave.
type standing uint8

const (
	// silent: no answer that says anything about the block: pruned, an error,
	// or no verdict.
	silent standing = iota
	// told: the block.
	told
	// missing: the provider says that it has no such block.
	missing
	// skipped: the provider says that the chain has none at that height.
	skipped
)

// statement is what one provider says of one height.
type statement struct {
	participant
	height   uint64
	standing standing
	block    chain.Block
}

// question is one provider and one height.
type question struct {
	participant
	height       uint64
	transactions bool
}

// ask asks all questions, a bounded number at once, and returns the statements
// in the order of the questions.
func (r *round) ask(ctx context.Context, questions []question) []statement {
	statements := make([]statement, len(questions))
	waits := make([]time.Duration, len(questions))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(len(questions), maxConcurrentPerChain) {
		wg.Go(func() {
			for i := range next {
				statements[i], waits[i] = r.askOne(ctx, questions[i])
			}
		})
	}
	for i := range questions {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, wait := range waits {
		if wait > 0 {
			r.records[questions[i].Key].quiet = r.checker.now().Add(wait)
		}
	}
	return statements
}

// askOne asks one question, and says how long the provider wants to be left
// alone.
func (r *round) askOne(ctx context.Context, q question) (statement, time.Duration) {
	s := statement{participant: q.participant, height: q.height, standing: silent}
	select {
	case <-ctx.Done():
		return s, 0
	case r.checker.slots <- struct{}{}:
	}
	defer func() { <-r.checker.slots }()
	r.records[q.Key].asked.Add(1)
	block, err := fenced(ctx, q)
	if err == nil && (block.Hash == "" || block.Height != q.height) {
		err = errors.New("the block has no hash or another height")
	}
	if err == nil {
		s.standing, s.block = told, block
		return s, 0
	}
	r.checker.logger.Debug("no block to compare", slog.String("chain", q.Key.Chain),
		slog.String("provider", q.Key.Provider), slog.Uint64("height", q.height), slog.Any("err", err))
	var wait time.Duration
	if f, ok := errors.AsType[*chain.Failure](err); ok {
		wait = f.Wait
		if f.Reason == chain.Missing {
			s.standing = missing
		}
	}
	if errors.Is(err, chain.ErrSkipped) {
		s.standing = skipped
	}
	return s, wait
}

// fenced asks for a block and turns a panic into an error.
func fenced(ctx context.Context, q question) (b chain.Block, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &chain.NoVerdict{Cause: chain.CausePanic, Err: fmt.Errorf("%v", p)}
		}
	}()
	return q.Blocks.Block(ctx, q.height, q.transactions)
}

// blocksOf are the questions for one height.
func blocksOf(participants []participant, height uint64, transactions bool) []question {
	questions := make([]question, len(participants))
	for i, p := range participants {
		questions[i] = question{p, height, transactions}
	}
	return questions
}

// with are the statements of one standing.
func with(statements []statement, st standing) []statement {
	var chosen []statement
	for _, s := range statements {
		if s.standing == st {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// electHash is the hash that the majority says.
func electHash(statements []statement) (string, bool) {
	var votes []vote
	for _, s := range with(statements, told) {
		votes = append(votes, vote{s.Operator, s.block.Hash})
	}
	return elect(votes)
}

// BlockSource asks one provider for a block; a *chain.Provider is one. Its
// dynamic type must be comparable: another source under the same key is another
// provider, whose results begin anew.
type BlockSource interface {
	Block(ctx context.Context, height uint64, transactions bool) (chain.Block, error)
}

var _ BlockSource = (*chain.Provider)(nil)
