package evaluator

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkRound is one round with all bundled rules: samples taken in, rules
// evaluated, alerts published. If faulty, one in ten providers is down and one in
// ten is behind, so that there are alerts with templates and queries in them; if
// restless, it is others in each round. The processor's time is of the round alone,
// with the garbage collected during it, and tells more than the clock where
// others work too.
func BenchmarkRound(b *testing.B) {
	groups, err := LoadGroups(true, nil)
	require.NoError(b, err)
	for _, providers := range []int{10, 100, 1000, 2000} {
		for _, state := range []string{"well", "faulty", "restless"} {
			b.Run(fmt.Sprintf("providers=%d/%s", providers, state), func(b *testing.B) {
				source := &oneShot{}
				e, err := New(Options{Sources: []Source{source}}, groups)
				require.NoError(b, err)
				at, rounds := start, 0
				prepare := func() {
					at = at.Add(DefaultInterval)
					source.next = newFleet(providers, at)
					source.next.advance(at, float64(at.Unix()))
					switch rounds++; state {
					case "faulty":
						source.next.fail(0, providers, 10)
					case "restless":
						source.next.fail(rounds%10, providers, 10)
					}
				}
				round := func() {
					r, err := e.Evaluate(b.Context(), at)
					require.NoError(b, err)
					require.Empty(b, r.Failures)
				}
				for range 10 {
					prepare()
					round()
				}
				b.ReportAllocs()
				var busy time.Duration
				for b.Loop() {
					b.StopTimer()
					prepare()
					b.StartTimer()
					before := processorTime(b)
					round()
					busy += processorTime(b) - before
				}
				b.ReportMetric(float64(busy)/float64(b.N), "cpu-ns/op")
				b.ReportMetric(float64(len(e.Alerts())), "alerts")
			})
		}
	}
}

// BenchmarkMemory is what the memory holds once it is full: after the longest
// time that a rule reads a metric of the fleet back.
func BenchmarkMemory(b *testing.B) {
	groups, err := LoadGroups(true, nil)
	require.NoError(b, err)
	for _, providers := range []int{100, 1000, 2000} {
		b.Run(fmt.Sprintf("providers=%d", providers), func(b *testing.B) {
			for b.Loop() {
				before := inUse()
				source := &oneShot{}
				e, err := New(Options{Sources: []Source{source}}, groups)
				require.NoError(b, err)
				longest := time.Minute
				for at := start; at.Before(start.Add(longest)); at = at.Add(DefaultInterval) {
					source.next = newFleet(providers, at)
					source.next.advance(at, float64(at.Unix()))
					_, err := e.Evaluate(b.Context(), at)
					require.NoError(b, err)
					for _, m := range e.memory.metrics {
						longest = max(longest, time.Duration(m.retention)*time.Millisecond)
					}
				}
				b.ReportMetric(float64(inUse()-before)/(1<<20), "MiB")
				b.ReportMetric(float64(e.memory.count), "series")
				b.ReportMetric(float64(e.memory.points), "samples")
				b.ReportMetric(longest.Minutes(), "minutes")
				runtime.KeepAlive(e)
			}
		})
	}
}

// processorTime is how long this process has used a processor.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// inUse is how much memory is in use.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
