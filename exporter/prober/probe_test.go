package prober

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// judge judges by a table; what is not in it is unknown.
type judge struct {
	mu    sync.Mutex
	table map[string]Verdict
}

func newJudge(table map[string]Verdict) *judge { return &judge{table: table} }

func (j *judge) Judge(_ Key, identity string) Verdict {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.table[identity]
}

// now judges the main network otherwise.
func (j *judge) now(v Verdict) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.table["main"] = v
}

// seconds collects durations.
type seconds struct {
	mu  sync.Mutex
	all []float64
}

func (s *seconds) Observe(v float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, v)
}

func TestJudgeDecides(t *testing.T) {
	bubble(t, Options{Judge: newJudge(map[string]Verdict{"main": NetworkRight, "test": NetworkWrong})}, func(t *testing.T, s *Set) {
		serves := func(identity string) Key {
			return Key{"btc", "serving " + identity}
		}
		var targets []Target
		for _, identity := range []string{"main", "test", "other"} {
			targets = append(targets, targetOf(serves(identity), &fakeAsker{answer: func(context.Context, int) (chain.Observation, error) {
				o, err := goodAnswer(1)
				o.Identity = identity
				return o, err
			}}))
		}
		s.Apply(targets)
		pass(time.Second)
		right, wrong, unknown := statusOf(t, s, serves("main")), statusOf(t, s, serves("test")), statusOf(t, s, serves("other"))
		require.Equal(t, []bool{true, false, false}, []bool{right.Up, wrong.Up, unknown.Up})
		require.Equal(t, []uint64{0, 1, 0}, []uint64{right.Errors, wrong.Errors, unknown.Errors})
		require.Equal(t, []Verdict{NetworkRight, NetworkWrong, NetworkUnknown}, []Verdict{right.Network, wrong.Network, unknown.Network})
	})
}

func TestJudgeMayChangeItsMind(t *testing.T) {
	verdicts := newJudge(map[string]Verdict{})
	bubble(t, Options{Judge: verdicts}, func(t *testing.T, s *Set) {
		s.Apply([]Target{targetOf(local, &fakeAsker{})})
		pass(time.Second)
		require.False(t, statusOf(t, s, local).Up)
		verdicts.now(NetworkRight)
		pass(1500 * time.Millisecond)
		require.True(t, statusOf(t, s, local).Up, "judged anew in the next probe")
		verdicts.now(NetworkWrong)
		pass(14 * time.Second)
		require.Equal(t, uint64(1), statusOf(t, s, local).Failures(chain.WrongNetwork))
	})
}

func TestDurationAndResultsAreTold(t *testing.T) {
	var told, missed []Key
	options := Options{
		OnResult: func(k Key) { told = append(told, k) },
		OnMissed: func(k Key) { missed = append(missed, k) },
	}
	bubble(t, options, func(t *testing.T, s *Set) {
		durations := &seconds{}
		target := targetOf(local, &fakeAsker{answer: func(_ context.Context, n int) (chain.Observation, error) {
			time.Sleep(time.Duration(n+1) * time.Second)
			switch n {
			case 0:
				return goodAnswer(1)
			case 1:
				return chain.Observation{}, &chain.Failure{Reason: chain.Timeout}
			}
			return chain.Observation{}, &chain.NoVerdict{Cause: chain.CauseCancelled, Err: context.Canceled}
		}})
		target.Duration = durations
		s.Apply([]Target{target})
		pass(11 * time.Second)
		require.Equal(t, []float64{1, 2}, durations.all, "without those that reached no verdict")
		require.Equal(t, []Key{local, local}, told)
		require.Equal(t, []Key{local}, missed)
		require.Equal(t, uint64(1), statusOf(t, s, local).NoVerdicts(chain.CauseCancelled))
	})
}

func TestErrorsAreSorted(t *testing.T) {
	t.Parallel()
	secret := &url.Error{Op: "Get", URL: "https://user:hunter2@host/", Err: errors.New("refused")}
	cases := []struct {
		name   string
		err    error
		hangs  bool
		reason chain.Reason
		cause  string
	}{
		{name: "a failure", err: &chain.Failure{Reason: chain.TLS}, reason: chain.TLS},
		{name: "a wrapped failure", err: fmt.Errorf("tip: %w", &chain.Failure{Reason: chain.TLS}), reason: chain.TLS},
		{name: "our own fault", err: &chain.NoVerdict{Cause: chain.CauseNoResources, Err: errors.New("no files")}, cause: chain.CauseNoResources},
		{name: "no class at all", err: secret, reason: chain.BadResponse},
		{name: "the time of the probe ran out, told as such", err: context.DeadlineExceeded, hangs: true, reason: chain.Timeout},
		{name: "the time of the probe ran out, told as a cancellation", err: &chain.NoVerdict{Cause: chain.CauseCancelled, Err: context.Canceled}, hangs: true, reason: chain.Timeout},
		{name: "our own fault in the end", err: &chain.NoVerdict{Cause: chain.CauseNoNetwork, Err: errors.New("unreachable")}, hangs: true, cause: chain.CauseNoNetwork},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, Options{}, func(t *testing.T, s *Set) {
				s.Apply([]Target{targetOf(local, &fakeAsker{answer: func(ctx context.Context, _ int) (chain.Observation, error) {
					if c.hangs {
						<-ctx.Done()
					}
					return chain.Observation{}, c.err
				}})})
				pass(time.Second)
				if c.hangs {
					require.False(t, statusOf(t, s, local).Probed)
					pass(20 * time.Second)
				}
				status := statusOf(t, s, local)
				if c.cause != "" {
					require.Equal(t, uint64(1), status.NoVerdicts(c.cause))
					require.False(t, status.Probed)
					return
				}
				require.Equal(t, uint64(1), status.Failures(c.reason))
				require.NotContains(t, status.LastFailure.Error(), "hunter2")
			})
		})
	}
}

func TestPanicIsFencedIn(t *testing.T) {
	var log bytes.Buffer
	bubble(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(t *testing.T, s *Set) {
		asker := &fakeAsker{answer: func(_ context.Context, n int) (chain.Observation, error) {
			switch n {
			case 1:
				var heights []uint64
				return goodAnswer(heights[n])
			case 2:
				panic(&url.Error{URL: "https://user:hunter2@host/"})
			}
			return goodAnswer(uint64(n) + 1)
		}}
		neighbour := Key{"btc", "neighbour"}
		start := time.Now()
		s.Apply([]Target{targetOf(local, asker), targetOf(neighbour, &fakeAsker{})})
		pass(9 * time.Second)
		status := statusOf(t, s, local)
		require.Equal(t, uint64(2), status.NoVerdicts(chain.CausePanic))
		require.True(t, status.Up, "a defect of ours is not the provider's")
		require.Equal(t, uint64(1), status.Probes)
		pass(time.Minute)
		require.Equal(t, []string{"1ms", "5.892s", "7.892s", "9.892s", "15.892s"}, asker.times(start)[:5])
		require.True(t, statusOf(t, s, local).Up)
		require.True(t, statusOf(t, s, neighbour).Up)
		require.Equal(t, 1, strings.Count(log.String(), "level=ERROR"), "logged once")
		require.Contains(t, log.String(), "index out of range")
		require.Contains(t, log.String(), "probe_test.go")
		require.NotContains(t, log.String(), "hunter2")
	})
}

func TestPanickingJudgeIsFencedIn(t *testing.T) {
	var table map[string]func() Verdict
	bubble(t, Options{Judge: judgeFunc(func() Verdict { return table["nobody"]() })}, func(t *testing.T, s *Set) {
		s.Apply([]Target{targetOf(local, &fakeAsker{})})
		pass(time.Second)
		require.Equal(t, uint64(1), statusOf(t, s, local).NoVerdicts(chain.CausePanic))
	})
}

// judgeFunc judges by a function.
type judgeFunc func() Verdict

func (j judgeFunc) Judge(Key, string) Verdict { return j() }

func TestWaitingForATurnIsNeitherSlowNorLate(t *testing.T) {
	bubble(t, Options{Concurrency: 2}, func(t *testing.T, s *Set) {
		var mu sync.Mutex
		var running, most int
		durations := &seconds{}
		var targets []Target
		for i := range 20 {
			target := targetOf(Key{"btc", fmt.Sprint(i)}, &fakeAsker{answer: func(ctx context.Context, n int) (chain.Observation, error) {
				mu.Lock()
				running++
				most = max(most, running)
				mu.Unlock()
				deadline, ok := ctx.Deadline()
				time.Sleep(3 * time.Second)
				mu.Lock()
				running--
				mu.Unlock()
				if !ok || time.Until(deadline) != 17*time.Second {
					return chain.Observation{}, &chain.Failure{Reason: chain.Timeout}
				}
				return goodAnswer(uint64(n) + 1)
			}})
			target.Duration = durations
			targets = append(targets, target)
		}
		s.Apply(targets)
		pass(30*time.Second + 100*time.Millisecond)
		require.Equal(t, 2, most, "probes at once")
		for _, status := range s.Snapshot() {
			require.True(t, status.Up, "%s had its full time", status.Key)
		}
		for _, d := range durations.all {
			require.InDelta(t, 3, d, 1e-9)
		}
		require.GreaterOrEqual(t, len(durations.all), 20, "each had its turn")
	})
}

func TestStopWhileWaitingForATurn(t *testing.T) {
	bubble(t, Options{Concurrency: 1}, func(t *testing.T, s *Set) {
		second := &fakeAsker{}
		s.Apply([]Target{targetOf(local, &fakeAsker{answer: hang}), targetOf(Key{"eth", "c"}, second)})
		pass(2 * time.Second)
		probes, _ := second.seen()
		require.Zero(t, probes)
		s.Apply([]Target{targetOf(Key{"eth", "c"}, &fakeAsker{answer: hang})})
		pass(time.Second)
		probes, _ = second.seen()
		require.Zero(t, probes, "replaced while it waited")
	})
}

func TestLookMovesNothing(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker := &fakeAsker{answer: script(&chain.Failure{Reason: chain.RateLimited, Wait: time.Minute}, nil, &chain.Failure{Reason: chain.TLS})}
		start := time.Now()
		s.Apply([]Target{targetOf(local, asker)})
		pass(10 * time.Second)
		before := statusOf(t, s, local)

		o, err := s.Look(t.Context(), local)
		require.NoError(t, err)
		require.Equal(t, uint64(2), o.Height)
		require.Equal(t, chain.Ask{Identity: true, Hints: true, Capabilities: true}, asker.asks[1])
		_, err = s.Look(t.Context(), local)
		failure, ok := errors.AsType[*chain.Failure](err)
		require.True(t, ok)
		require.Equal(t, chain.TLS, failure.Reason)
		require.Equal(t, before, statusOf(t, s, local))

		pass(time.Minute)
		require.Equal(t, []string{"1ms", "10s", "10s", "1m3.536s"}, asker.times(start), "nor the schedule")
		_, err = s.Look(t.Context(), Key{"btc", "nobody"})
		require.ErrorIs(t, err, ErrUnknownProvider)
		require.EqualError(t, err, "btc/nobody: no such provider")
	})
}

func TestLookIsFencedAndHasADeadline(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker := &fakeAsker{answer: func(ctx context.Context, n int) (chain.Observation, error) {
			switch n {
			case 0:
				return goodAnswer(1)
			case 1:
				panic("a defect")
			}
			return hang(ctx, n)
		}}
		target := targetOf(local, asker)
		target.Interval = time.Hour
		s.Apply([]Target{target})
		pass(time.Second)
		_, err := s.Look(t.Context(), local)
		none, ok := errors.AsType[*chain.NoVerdict](err)
		require.True(t, ok)
		require.Equal(t, chain.CausePanic, none.Cause)
		start := time.Now()
		_, err = s.Look(t.Context(), local)
		require.Error(t, err)
		require.Equal(t, 20*time.Second, time.Since(start))
	})
}

func TestChangesBetweenUpAndDownAreLogged(t *testing.T) {
	var log bytes.Buffer
	handler := slog.NewTextHandler(&log, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})
	verdicts := newJudge(map[string]Verdict{"main": NetworkRight})
	bubble(t, Options{Logger: slog.New(handler), Judge: verdicts}, func(t *testing.T, s *Set) {
		refused := &chain.Failure{Reason: chain.ConnectionRefused, Request: "eth_chainId"}
		s.Apply([]Target{targetOf(local, &fakeAsker{answer: script(refused, refused, nil, nil, refused, nil)})})
		pass(40 * time.Second)
		verdicts.now(NetworkUnknown)
		pass(6 * time.Second)
	})
	require.Equal(t, strings.TrimLeft(`
level=WARN msg="provider is down" chain=btc provider=local reason=connection_refused err="eth_chainId: connection_refused"
level=DEBUG msg="probe failed" chain=btc provider=local reason=connection_refused err="eth_chainId: connection_refused"
level=INFO msg="provider is up" chain=btc provider=local
level=WARN msg="provider is down" chain=btc provider=local reason=connection_refused err="eth_chainId: connection_refused"
level=INFO msg="provider is up" chain=btc provider=local
level=WARN msg="provider is down" chain=btc provider=local reason=network_unknown
`, "\n"), log.String())
}
