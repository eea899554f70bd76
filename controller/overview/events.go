package overview

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/journal"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// maxEvents is how many the answer about a chain has.
const maxEvents = 50

// Events are what happened to a chain since a moment, newest first, at most
// limit of them.
func (o *Overview) Events(chain string, since time.Time, limit int) []wire.Event {
	events := []wire.Event{}
	for _, e := range slices.Backward(o.Recent(chain, since)) {
		for _, c := range slices.Backward(changesOf(e)) {
			if len(events) == limit {
				return events
			}
			events = append(events, wire.Event{
				Time: e.Time, Index: e.Index, Kind: c.Kind, Provider: c.Provider, From: c.From, To: c.To,
				Reason: c.Reason, Facts: c.Facts,
			})
		}
	}
	return events
}

// changesOf are the changes that an entry of the journal tells of. What cannot
// be read is left out: the journal may have been written by a later version.
func changesOf(e journal.Entry) []decision.Change {
	var data struct {
		Changes []decision.Change `json:"changes"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return nil
	}
	return data.Changes
}
