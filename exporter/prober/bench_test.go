package prober

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// instant answers at once with heights that grow.
type instant struct{ height uint64 }

func (i *instant) Observe(context.Context, chain.Ask) (chain.Observation, error) {
	i.height++
	return chain.Observation{Tip: chain.Tip{Height: i.height}, HasTip: true, Latency: time.Millisecond, Identity: "main"}, nil
}

// heapInUse is the heap after a collection, in bytes.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// fleet is that many providers at an interval, with instant Askers.
func fleet(n int, interval time.Duration) []Target {
	targets := make([]Target, n)
	for i := range targets {
		targets[i] = targetOf(Key{"eth", fmt.Sprintf("provider-%05d", i)}, &instant{})
		targets[i].Interval = interval
	}
	return targets
}

// BenchmarkProbe is the cost of one probe beside the Asker's own, its timer and
// goroutine included, and the memory of one provider at rest with a full
// history.
func BenchmarkProbe(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprintf("providers=%d", n), func(b *testing.B) {
			targets := fleet(n, time.Hour)
			empty := heapInUse()
			done := make(chan struct{}, n)
			s := New(Options{OnResult: func(Key) { done <- struct{}{} }})
			s.Apply(targets)
			round := func() {
				for _, p := range *s.order.Load() {
					p.mu.Lock()
					p.planLocked(time.Now())
					p.mu.Unlock()
				}
				for range n {
					<-done
				}
			}
			for range 2 * HistorySize {
				round()
			}
			b.ReportAllocs()
			rounds := 0
			for b.Loop() {
				round()
				rounds++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds*n), "ns/probe")
			b.ReportMetric(float64(heapInUse()-empty)/float64(n), "B/provider")
			s.halt()
		})
	}
}

// BenchmarkSnapshot is the cost of reading all of 10,000 providers.
func BenchmarkSnapshot(b *testing.B) {
	s := New(Options{})
	s.Apply(fleet(10_000, time.Hour))
	b.ReportAllocs()
	for b.Loop() {
		if len(s.Snapshot()) != 10_000 {
			b.Fatal("a provider is missing")
		}
	}
	s.halt()
}

// BenchmarkApply is the cost of a reload that changes nothing of 10,000
// providers.
func BenchmarkApply(b *testing.B) {
	s := New(Options{})
	targets := fleet(10_000, time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		s.Apply(targets)
	}
	s.halt()
}
