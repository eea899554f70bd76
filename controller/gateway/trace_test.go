package gateway

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// trace replays what happened to a keeper with two endpoints.
type trace struct {
	*world
	began time.Time
	down  [2]bool
}

func newTrace(t *testing.T, o Options) *trace {
	tr := &trace{world: newWorld(t, config.SorobanRPC, 2, o), began: time.Now()}
	return tr
}

// at waits until so many milliseconds have passed.
func (tr *trace) at(ms int) {
	time.Sleep(time.Until(tr.began.Add(time.Duration(ms) * time.Millisecond)))
}

func (tr *trace) setDown(a, b bool) {
	tr.down = [2]bool{a, b}
	for i, down := range tr.down {
		tr.providers[i].set(goodAnswer)
		if down {
			tr.providers[i].set(refuses)
		}
	}
}

// callTried makes a call and returns the endpoints that were tried, in order.
func (tr *trace) callTried() []int {
	before := [2]int{tr.a().asked(), tr.b().asked()}
	var order []int
	hook := tr.gateway.options.OnOutcome
	tr.gateway.options.OnOutcome = func(_, provider string, _ Outcome, _ time.Duration) {
		order = append(order, int(provider[0]-'a'))
	}
	defer func() { tr.gateway.options.OnOutcome = hook }()
	tr.call("getLatestLedger")
	require.Equal(tr.t, len(order), tr.a().asked()-before[0]+tr.b().asked()-before[1])
	return order
}

// check is a health check of both endpoints.
func (tr *trace) check() {
	for i, name := range []string{"a", "b"} {
		tr.gateway.Probed(theChain, name, !tr.down[i])
	}
}

// traceRow is a row of a trace.
type traceRow struct {
	active           int
	scores           [2]int
	unavailable      [2]bool
	consecutive      [2]int
	events, switches uint64
}

func (tr *trace) row() traceRow {
	s := tr.state()
	r := traceRow{active: s.ActiveIndex, events: s.events, switches: s.switches}
	for i, e := range s.Endpoints {
		r.scores[i], r.unavailable[i], r.consecutive[i] = e.Score, e.Unavailable, e.ConsecutiveFailures
	}
	return r
}

// cooldownUntil is when a cool-down ends, in milliseconds.
func (tr *trace) cooldownUntil(i int) int {
	until := tr.state().Endpoints[i].CooldownUntil
	require.NotNil(tr.t, until)
	return int(until.Sub(tr.began).Milliseconds())
}

func TestGoldenTraceA(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// The keeper never returns to an endpoint for its place in the list alone.
		tr := newTrace(t, Options{FailureThreshold: 3, Cooldown: 30 * time.Second, ReturnAfter: -1})
		tr.traceAUntilRecovery()
		tr.at(150000)
		tr.setDown(false, true)
		require.Equal(t, []int{1, 0}, tr.callTried())
		require.Equal(t, traceRow{active: 0, scores: [2]int{50, 70}, consecutive: [2]int{0, 1}, events: 4, switches: 2}, tr.row())
	})
}

// traceAUntilRecovery is the trace up to t=135000.
func (tr *trace) traceAUntilRecovery() {
	t := tr.t
	require.Equal(t, []int{0}, tr.callTried())
	require.Equal(t, traceRow{scores: [2]int{100, 100}}, tr.row())
	tr.at(1000)
	tr.setDown(true, false)
	require.Equal(t, []int{0, 1}, tr.callTried())
	require.Equal(t, traceRow{active: 1, scores: [2]int{70, 100}, consecutive: [2]int{1, 0}, events: 1, switches: 1}, tr.row())
	tr.at(2000)
	require.Equal(t, []int{1}, tr.callTried())
	require.Equal(t, traceRow{active: 1, scores: [2]int{70, 100}, consecutive: [2]int{1, 0}, events: 1, switches: 1}, tr.row())
	tr.at(15000)
	tr.check()
	require.Equal(t, traceRow{active: 1, scores: [2]int{40, 100}, consecutive: [2]int{2, 0}, events: 2, switches: 1}, tr.row())
	tr.at(30000)
	tr.check()
	require.Equal(t, traceRow{active: 1, scores: [2]int{10, 100}, unavailable: [2]bool{true, false}, consecutive: [2]int{3, 0}, events: 3, switches: 1}, tr.row())
	require.Equal(t, 60000, tr.cooldownUntil(0))
	tr.setDown(false, false)
	for at, score := 45000, 15; at <= 135000; at, score = at+15000, score+5 {
		tr.at(at)
		tr.check()
		require.Equal(t, traceRow{active: 1, scores: [2]int{score, 100}, events: 3, switches: 1}, tr.row())
	}
}

// With the default the work returns to the provider that the controller holds for
// active, as soon as it has been well for a cool-down. This is deliberately
// different.
func TestGoldenTraceAReturnsToTheActiveProvider(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := newTrace(t, Options{FailureThreshold: 3, Cooldown: 30 * time.Second})
		tr.traceAUntilRecovery()
		tr.at(150000)
		tr.setDown(false, true)
		require.Equal(t, []int{0}, tr.callTried())
		require.Equal(t, traceRow{active: 0, scores: [2]int{50, 100}, events: 3, switches: 2}, tr.row())
	})
}

// The keeper's gauge goes on naming the dead endpoint here, since whoever answered
// stood at the head of the list. Ours names the one that answers.
func TestGoldenTraceB(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := newTrace(t, Options{FailureThreshold: 1, Cooldown: 30 * time.Second})
		tr.call("getHealth")
		tr.gateway.lanes[theChain].records["a"].score = 100
		tr.gateway.lanes[theChain].recordLocked(&tr.router.routes[theChain].Endpoints[1]).score = 70
		tr.setDown(true, false)
		tr.check()
		require.Equal(t, traceRow{active: 1, scores: [2]int{70, 75}, unavailable: [2]bool{true, false}, consecutive: [2]int{1, 0}, events: 1}, tr.row())
		tr.at(10)
		require.Equal(t, []int{1}, tr.callTried())
		require.Equal(t, traceRow{active: 1, scores: [2]int{70, 80}, unavailable: [2]bool{true, false}, consecutive: [2]int{1, 0}, events: 1, switches: 1}, tr.row())
		tr.at(20)
		require.Equal(t, []int{1}, tr.callTried())
		require.Equal(t, traceRow{active: 1, scores: [2]int{70, 85}, unavailable: [2]bool{true, false}, consecutive: [2]int{1, 0}, events: 1, switches: 1}, tr.row())
	})
}

func TestGoldenTraceC(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := newTrace(t, Options{FailureThreshold: 1, Cooldown: 30 * time.Second})
		tr.setDown(true, true)
		require.Equal(t, []int{0, 1}, tr.callTried())
		require.Equal(t, traceRow{scores: [2]int{70, 70}, unavailable: [2]bool{true, true}, consecutive: [2]int{1, 1}, events: 2}, tr.row())
		require.Equal(t, 30000, tr.cooldownUntil(0))
		tr.at(10)
		require.Equal(t, []int{0, 1}, tr.callTried())
		require.Equal(t, traceRow{scores: [2]int{40, 40}, unavailable: [2]bool{true, true}, consecutive: [2]int{2, 2}, events: 4}, tr.row())
		require.Equal(t, 30010, tr.cooldownUntil(0))
		tr.at(20)
		tr.setDown(true, false)
		require.Equal(t, []int{0, 1}, tr.callTried())
		require.Equal(t, traceRow{active: 1, scores: [2]int{10, 45}, unavailable: [2]bool{true, false}, consecutive: [2]int{3, 0}, events: 5, switches: 1}, tr.row())
	})
}
