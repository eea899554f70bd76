package integrity

import (
	"context"
	"log/slog"

	"github.com/understudy-rpc/understudy/exporter/prober"
)

// publish makes a round's results the known ones, unless the chain's definition
// has changed meanwhile, and logs what changed.
func (r *round) publish(ctx context.Context) {
	before, result, ok := r.replace()
	if !ok {
		return
	}
	for _, m := range r.spec.Members {
		r.logProvider(ctx, m.Key, before[m.Key].Result, r.records[m.Key].Result)
	}
	logger := r.checker.logger.With(slog.String("chain", r.spec.Name))
	switch {
	case r.result.Split && !result.Split:
		logger.WarnContext(ctx, "chain is split: no majority of operators has the same block",
			slog.Uint64("common_height", r.result.CommonHeight.Value), slog.Time("agreed_at", r.result.AgreedAt))
	case result.Split && !r.result.Split:
		logger.InfoContext(ctx, "chain is no longer split", slog.Uint64("height", r.result.AgreedHeight))
	}
}

// replace swaps the results and returns the ones before. It is false if the
// round came too late.
func (r *round) replace() (map[prober.Key]*record, ChainResult, bool) {
	c := r.checker
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.chains[r.spec.Name]
	if w == nil || w.generation != r.generation {
		return nil, ChainResult{}, false
	}
	records, result := w.records, w.result
	w.records, w.result = r.records, r.result
	return records, result, true
}

// logProvider logs the verdicts that changed.
func (r *round) logProvider(ctx context.Context, key prober.Key, before, after Result) {
	logger := r.checker.logger.With(slog.String("chain", key.Chain), slog.String("provider", key.Provider))
	for _, v := range []struct {
		check         string
		before, after Cause
	}{
		{"hash", before.HashCause, after.HashCause},
		{"transactions", before.TransactionsCause, after.TransactionsCause},
	} {
		switch {
		case v.after != "" && v.after != v.before:
			logger.WarnContext(ctx, "provider is inconsistent with the others", slog.String("check", v.check),
				slog.String("reason", string(v.after)), slog.Uint64("height", after.CheckedHeight))
		case v.after == "" && v.before != "":
			logger.InfoContext(ctx, "provider is consistent again", slog.String("check", v.check),
				slog.Uint64("height", after.CheckedHeight))
		}
	}
}
