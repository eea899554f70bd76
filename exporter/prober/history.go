package prober

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// HistorySize is the number of results and, apart from them, of failures
// that are kept of each provider.
const HistorySize = 10

// Record is one probe that reached a verdict.
type Record struct {
	// Start is when the provider was asked, Duration how long the whole probe
	// took and Latency how long its height request.
	Start             time.Time
	Duration, Latency time.Duration
	// Height is what the provider told, if it did.
	Height chain.Optional[uint64]
	// Network is the verdict about the provider's network.
	Network Verdict
	// Failure is nil unless the probe failed. It must not be changed.
	Failure *chain.Failure
}

// String is one line for people.
func (r Record) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s took %s", r.Start.UTC().Format(time.RFC3339), r.Duration.Round(time.Microsecond))
	if r.Height.Known {
		fmt.Fprintf(&b, " height %d in %s", r.Height.Value, r.Latency.Round(time.Microsecond))
	}
	switch {
	case r.Failure != nil:
		b.WriteString(" failed: " + r.Failure.Error())
	case r.Network == NetworkUnknown:
		b.WriteString(" network unknown")
	default:
		b.WriteString(" good")
	}
	return b.String()
}

// History holds the last results of one provider and, kept apart so that a run
// of successes does not push them out of sight, its last failures. Both are
// oldest first and at most HistorySize long.
type History struct{ Results, Failures []Record }

// add takes in one result.
func (h *History) add(r Record) {
	h.Results = push(h.Results, r, HistorySize)
	if r.Failure != nil {
		h.Failures = push(h.Failures, r, HistorySize)
	}
}

// clone is a copy that later results do not touch.
func (h *History) clone() History {
	return History{Results: slices.Clone(h.Results), Failures: slices.Clone(h.Failures)}
}

// push appends an item in place, letting go of the oldest ones beyond the
// bound. Memory grows as it is needed and never beyond the bound.
func push[T any](items []T, item T, bound int) []T {
	if over := len(items) + 1 - bound; over > 0 {
		items = slices.Delete(items, 0, over)
	}
	if len(items) == cap(items) {
		grown := make([]T, len(items), min(bound, max(2, 2*len(items))))
		copy(grown, items)
		items = grown
	}
	return append(items, item)
}
