package api

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// reader is what somebody knows who reads a stream.
type reader struct {
	last     uint64
	actives  map[string]uint64
	statuses map[string]string
	// gone are chains that nobody serves.
	gone map[string]bool
}

// read takes in events up to where the connection breaks.
func (r *reader) read(t require.TestingT, events []*event, until int) {
	for _, e := range events[:until] {
		require.GreaterOrEqual(t, e.id, r.last, "ids never go back")
		r.last = e.id
		switch data := e.data(false).(type) {
		case wire.Active:
			r.actives[data.Chain] = data.Index
			r.gone[data.Chain] = data.Provider == nil
		case StatusChange:
			r.statuses[data.Chain+"/"+data.Provider.Name] = data.Provider.Status
		}
	}
}

// TestWhoBreaksOffAnywhereMissesNothing is the promise of ids: whatever happens
// and wherever connections break, who comes back knows in the end what is.
func TestWhoBreaksOffAnywhereMissesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := newFakeView()
		r := &reader{actives: map[string]uint64{}, statuses: map[string]string{}, gone: map[string]bool{}}
		now := look(v)
		r.read(t, now.after(0), len(now.active))
		for _, e := range now.status {
			r.read(t, []*event{e.under(r.last)}, 1)
		}
		for range rapid.IntRange(1, 8).Draw(t, "rounds") {
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				chain := rapid.SampledFrom([]string{"btc", "eth", "ltc"}).Draw(t, "chain")
				if rapid.IntRange(0, 3).Draw(t, "leaves") == 0 {
					v.remove(chain)
					continue
				}
				v.set(active(chain, "local-daemon"))
				status := rapid.SampledFrom(statuses).Draw(t, "status")
				v.edit(chain, func(c *wire.Chain) { c.Providers[1].Status = status })
			}
			before := now
			now = look(v)
			events := now.since(before)
			until := rapid.IntRange(0, len(events)).Draw(t, "read")
			r.read(t, events, until)
			for broken := until < len(events); broken; {
				events = now.after(r.last)
				until = rapid.IntRange(0, len(events)).Draw(t, "read again")
				r.read(t, events, until)
				broken = until < len(events)
			}
		}
		for _, a := range v.Actives().Chains {
			require.Equal(t, a.Index, r.actives[a.Chain], a.Chain)
		}
		for chain, gone := range r.gone {
			_, there := v.Active(chain, "")
			require.Equal(t, there, !gone, "%s: who left is not held to be there", chain)
		}
		for key, p := range now.statuses {
			require.Equal(t, p.Status, r.statuses[key.chain+"/"+key.provider], "%v", key)
		}
	})
}

func TestManyWhoWatchAtOnceAllSeeTheLastChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{})
		const last = 142
		done := make(chan error, 20)
		for range cap(done) {
			go func() {
				done <- func() error {
					for index := uint64(42); index < last; {
						w := get(a, fmt.Sprintf("/active/btc?index=%d&wait=1m", index))
						next := decoded[wire.Active](t, w).Index
						if next <= index {
							return fmt.Errorf("after %d came %d", index, next)
						}
						index = next
					}
					return nil
				}()
			}()
		}
		streams := []*listener{listen(t, a, "/events"), listen(t, a, "/events?chain=btc")}
		for range last - 42 {
			v.set(active("btc", "local-daemon"))
			time.Sleep(time.Millisecond)
		}
		for range cap(done) {
			require.NoError(t, <-done)
		}
		for _, s := range streams {
			events := s.events(t)
			require.Equal(t, fmt.Sprint(last), events[len(events)-1].id)
			s.leave()
		}
	})
}
