package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/journal"
)

// entryData is what an entry of the journal holds besides what the journal
// itself understands: enough to decide the same again.
type entryData struct {
	Look    decision.Look     `json:"look"`
	Changes []decision.Change `json:"changes,omitempty"`
	State   decision.State    `json:"state"`
}

// kindRenewed is the kind of an entry about a chain in which nothing happened
// but that it is decided by another configuration, or by another process.
const kindRenewed = "renewed"

// kindProgress is the kind of an entry without a change of anybody's state, as
// when a recovery check was passed.
const kindProgress = "progress"

// write puts a decision into the journal. If the disk fails, the journal keeps
// it in memory and says so; deciding goes on.
func (c *Controller) write(chain string, index uint64, l decision.Look, out decision.Outcome) {
	data, err := json.Marshal(entryData{Look: l, Changes: out.Changes, State: out.State})
	if err != nil {
		c.logger.Error("A decision cannot be written down", "chain", chain, "index", index, "err", err)
		return
	}
	e := journal.Entry{Time: l.Now, Chain: chain, Index: index, Generation: out.State.Generation, Data: data}
	main := mainChange(out)
	e.Kind, e.From, e.To, e.Reason = main.Kind, main.From, main.To, main.Reason
	// That an entry waits for the disk the journal tells by itself, once.
	if err := c.journal.Append(e); err != nil && !errors.Is(err, journal.ErrUnconfirmed) {
		c.logger.Error("A decision was not written down", "chain", chain, "index", index, "err", err)
	}
}

// mainChange is the one that an outcome is filed under.
func mainChange(out decision.Outcome) decision.Change {
	for _, c := range out.Changes {
		if c.Switch() {
			return c
		}
	}
	switch {
	case len(out.Changes) > 0:
		return out.Changes[0]
	case out.Changed:
		return decision.Change{Kind: kindProgress}
	}
	return decision.Change{Kind: kindRenewed}
}

// snapshotEvery is how often the state is put on disk for a fast start, if there
// was a decision.
const snapshotEvery = time.Minute

// keepSnapshots puts the state on disk again and again.
func (c *Controller) keepSnapshots(ctx context.Context) error {
	tick := time.NewTicker(snapshotEvery)
	defer tick.Stop()
	saved := c.board.Sheet().Index
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if index := c.board.Sheet().Index; index != saved {
				c.saveState()
				saved = index
			}
		}
	}
}

// saveState puts the state on disk. A failure is told by the journal.
func (c *Controller) saveState() {
	s := snapshot{Chains: map[string]savedChain{}, Facts: c.facts.Export(time.Now())}
	indexes := map[string]uint64{}
	// The board is read first: a chain that is taken down meanwhile is remembered
	// before, and one that comes back stays remembered.
	for name, p := range c.board.Sheet().Chains {
		s.Chains[name] = savedChain{Index: p.Index, State: p.Decision.State}
	}
	c.mu.Lock()
	for name, m := range c.remembered {
		if m.index > s.Chains[name].Index {
			s.Chains[name] = savedChain{Index: m.index, State: m.state}
		}
	}
	c.mu.Unlock()
	for name, chain := range s.Chains {
		indexes[name] = chain.Index
	}
	_ = c.journal.Snapshot(s, indexes)
}

// Replay decides again what a journal tells of, and yields each entry with what
// is different. Of each chain the first entry is taken as it is, and so is one
// that follows a gap: what was before it is not known.
func Replay(path string) func(yield func(Replayed, error) bool) {
	return func(yield func(Replayed, error) bool) {
		states := map[string]decision.State{}
		for e, err := range journal.Read(path) {
			if err != nil {
				if !yield(Replayed{}, err) {
					return
				}
				continue
			}
			if !yield(replay(states, e), nil) {
				return
			}
		}
	}
}

// Replayed is an entry that was decided again.
type Replayed struct {
	Entry journal.Entry
	// Changes are what the entry tells of.
	Changes []decision.Change
	// First says that nothing is known of what was before it, so that it could not
	// be decided again.
	First bool
	// Difference says what came out differently; empty: nothing.
	Difference string
}

// replay decides one entry again.
func replay(states map[string]decision.State, e journal.Entry) Replayed {
	r := Replayed{Entry: e}
	var data entryData
	if err := json.Unmarshal(e.Data, &data); err != nil {
		r.Difference = fmt.Sprintf("the entry cannot be read: %v", err)
		return r
	}
	r.Changes = data.Changes
	before, known := states[e.Chain]
	states[e.Chain] = data.State
	if !known {
		r.First = true
		return r
	}
	out := decision.Decide(before, data.Look)
	switch {
	case !out.State.Equal(data.State):
		r.Difference = fmt.Sprintf("decided again, %q serves (generation %d), and the entry has %q (generation %d)",
			out.State.Current.Provider, out.State.Generation, data.State.Current.Provider, data.State.Generation)
	case !sameChanges(out.Changes, data.Changes):
		r.Difference = fmt.Sprintf("decided again, the changes are %v, and the entry has %v", out.Changes, data.Changes)
	}
	return r
}

func sameChanges(a, b []decision.Change) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Kind != b[i].Kind || a[i].Provider != b[i].Provider || a[i].From != b[i].From || a[i].To != b[i].To || a[i].Reason != b[i].Reason {
			return false
		}
	}
	return true
}
