// Package history remembers how providers did of late: latency, lag and whether
// probes were good, for small charts beside the figures of now.
//
// It is a memory for eyes. It decides nothing, is on no disk, and is no
// substitute for Prometheus: it holds the last ten minutes, at one point in five
// seconds.
//
// Invariants: of each provider there are Points points at most, oldest first, a
// Step apart at least. A provider that is not told of any more is forgotten, so
// that memory is bounded by what is configured: two kilobytes for each provider.
package history

import (
	"math"
	"sync"
	"time"
)

const (
	// Points is how many points are kept of a provider.
	Points = 120
	// Step is the least time between two of them.
	Step = 5 * time.Second
)

// Sample is how a provider did at a moment. Figures that are not known are nil.
type Sample struct {
	// Time is in whole seconds.
	Time time.Time
	// LatencyMS is the rolling average of the exporters, in milliseconds.
	LatencyMS *float64
	// Lag is how many blocks it was behind the tip; negative: ahead.
	Lag *int64
	// Good says that its last probe was good.
	Good bool
}

// Reading is a sample of a provider.
type Reading struct {
	Chain, Provider string
	Sample
}

// Memory holds the samples. Make it with New; its methods may be called at the
// same time.
type Memory struct {
	mu    sync.RWMutex
	last  time.Time
	rings map[key]*ring
}

type key struct{ chain, provider string }

// New makes an empty memory.
func New() *Memory { return &Memory{rings: map[key]*ring{}} }

// Due says whether it is time for the next readings.
func (m *Memory) Due(now time.Time) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	// A clock that was set back must not stop the charts for as long.
	return m.last.IsZero() || now.Sub(m.last) >= Step || now.Before(m.last)
}

// Take adds a reading of each provider, and forgets the providers that have
// none. What comes before Step has passed is dropped.
func (m *Memory) Take(now time.Time, readings []Reading) {
	if !m.Due(now) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	back := now.Before(m.last)
	m.last = now
	kept := make(map[key]*ring, len(readings))
	for _, r := range readings {
		k := key{r.Chain, r.Provider}
		own := m.rings[k]
		if own == nil || back {
			own = &ring{}
		}
		own.add(compact(now, r.Sample))
		kept[k] = own
	}
	m.rings = kept
}

// Of are the samples of a provider, oldest first.
func (m *Memory) Of(chain, provider string) []Sample {
	m.mu.RLock()
	defer m.mu.RUnlock()
	own := m.rings[key{chain, provider}]
	if own == nil {
		return nil
	}
	return own.samples()
}

// ring holds the last points of a provider.
type ring struct {
	points [Points]point
	// next is where the next one goes, count how many there are.
	next, count uint16
}

func (r *ring) add(p point) {
	r.points[r.next] = p
	r.next = (r.next + 1) % Points
	r.count = min(r.count+1, Points)
}

func (r *ring) samples() []Sample {
	all := make([]Sample, 0, r.count)
	for i := range r.count {
		all = append(all, r.points[(r.next+Points-r.count+i)%Points].sample())
	}
	return all
}

// point is a sample in sixteen bytes.
type point struct {
	seconds uint32
	// latency is NaN, and lag noLag, if it is not known.
	latency float32
	lag     int32
	good    bool
}

const noLag = math.MinInt32

func compact(now time.Time, s Sample) point {
	p := point{seconds: uint32(max(now.Unix(), 0)), latency: float32(math.NaN()), lag: noLag, good: s.Good}
	if s.LatencyMS != nil {
		p.latency = float32(*s.LatencyMS)
	}
	if s.Lag != nil {
		p.lag = int32(min(max(*s.Lag, noLag+1), math.MaxInt32))
	}
	return p
}

func (p point) sample() Sample {
	s := Sample{Time: time.Unix(int64(p.seconds), 0).UTC(), Good: p.good}
	if latency := float64(p.latency); !math.IsNaN(latency) {
		s.LatencyMS = &latency
	}
	if lag := int64(p.lag); lag != noLag {
		s.Lag = &lag
	}
	return s
}
