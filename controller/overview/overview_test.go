package overview_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/journal"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/controller/overview"
	"github.com/understudy-rpc/understudy/controller/selection"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const text = `chains:
  eth:
    network: "1"
    failover: {recovery_check_interval: 10s, min_recovery_checks: 2}
    providers:
      - {name: a, type: evm-rpc, operator: one, priority: 1, capabilities: [archive], rpc_host: "https://u:p@a.example/key"}
      - {name: b, type: evm-rpc, operator: two, priority: 2, capabilities: [archive, receipts], rpc_host: "https://b.example"}
`

// scene is an overview of the chain eth, of which a test decides.
type scene struct {
	t        *testing.T
	now      time.Time
	board    *board.Board
	facts    *facts.Table
	seen     *observation.Table
	exporter evaluator.Source
	overview *overview.Overview
	look     decision.Look
	state    decision.State
	entries  []journal.Entry
	chain    config.Chain
}

// details know the hash of every newest block.
type details struct{ failed time.Time }

func (d details) Detail(_, provider string) (overview.Detail, bool) {
	if provider != "a" {
		return overview.Detail{}, false
	}
	return overview.Detail{Hash: "0xabc", LastError: &overview.ProbeError{Reason: "timeout", Message: "no answer in time", Time: d.failed}}, true
}

// page is an exporter.
type page string

func (p page) Target() evaluator.Target { return evaluator.Target{Job: "j", Instance: "i"} }

func (p page) Collect(context.Context, evaluator.Wanted) ([]*dto.MetricFamily, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(p)))
	var all []*dto.MetricFamily
	for _, f := range families {
		all = append(all, f)
	}
	return all, err
}

const published = `bifrost_provider_up{chain="eth",provider="a"} 1
bifrost_provider_last_probe_timestamp_seconds{chain="eth",provider="a"} 1796000000
bifrost_provider_block_height{chain="eth",provider="a"} 1000
bifrost_provider_latency_ms{chain="eth",provider="a"} 12.5
bifrost_provider_errors_total{chain="eth",provider="a"} 3
bifrost_provider_tip_timestamp_seconds{chain="eth",provider="a"} 1796000000
bifrost_provider_up{chain="eth",provider="b"} 1
bifrost_provider_last_probe_timestamp_seconds{chain="eth",provider="b"} 1796000000
bifrost_provider_block_height{chain="eth",provider="b"} 998
`

func newScene(t *testing.T) *scene {
	cfg, err := config.Parse("test.yml", []byte(text), func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	s := &scene{t: t, now: time.Unix(1796000010, 0).UTC(), board: board.New(40), chain: cfg.Chains[0], seen: observation.New(time.Hour)}
	s.facts = facts.New(facts.Options{Mode: facts.ModeAlways}, s.now)
	s.facts.Apply(map[string][]string{"eth": {"a", "b"}})
	s.exporter = s.seen.Watch(page(published))
	s.overview = overview.New(overview.Options{
		Board: s.board, Facts: s.facts, Observations: s.seen, Details: details{s.now.Add(-time.Minute)},
		Recent: func(string, time.Time) []journal.Entry { return s.entries }, Now: func() time.Time { return s.now },
	})
	s.look = decision.Look{
		Evidence: map[string]decision.Evidence{},
		Policy: decision.Policy{
			Recovery:  health.Policy{RecoveryCheckInterval: 10 * time.Second, MinRecoveryChecks: 2},
			Selection: selection.Policy{Failback: selection.FailbackAuto, OnAllUnhealthy: selection.ServeNone},
		},
	}
	for _, p := range s.chain.Providers {
		s.look.Providers = append(s.look.Providers, decision.Provider{Name: p.Name, Priority: p.Priority, Capabilities: p.Capabilities})
		s.look.Evidence[p.Name] = decision.Evidence{Evidence: health.Evidence{Fresh: true, Probed: true, Good: true, Proven: true, ProbedAt: s.now}}
	}
	return s
}

// hear collects from the exporter, so that it can be heard for an hour by the
// clock of the table and of the overview.
func (s *scene) hear() {
	_, err := s.exporter.Collect(s.t.Context(), eachFamily)
	require.NoError(s.t, err)
	s.now = time.Now().UTC()
}

// decide decides by what the look says, and shows it.
func (s *scene) decide() {
	s.look.Now = s.now
	out := decision.Decide(s.state, s.look)
	s.state = out.State
	index := s.board.Reserve()
	data, err := json.Marshal(map[string]any{"changes": out.Changes})
	require.NoError(s.t, err)
	s.entries = append(s.entries, journal.Entry{Time: s.now, Chain: "eth", Index: index, Data: data})
	s.board.Post(index, "eth", &board.Decision{Config: s.chain, Providers: s.look.Providers, Policy: s.look.Policy, State: out.State})
}

// accuse lets a fact stand against a provider.
func (s *scene) accuse(provider string) {
	labels := map[string]string{"alertname": "ProviderDown", "chain": "eth", "provider": provider, "failover": "true", "failure_mode": "down", "severity": "warning"}
	s.facts.SetLocal([]facts.Alert{{Labels: labels, Annotations: map[string]string{"summary": "It does not answer"}, StartsAt: s.now, Firing: true}}, s.now)
	e := s.look.Evidence[provider]
	e.Facts, e.Words = []string{"ProviderDown"}, "down (timeout)"
	s.look.Evidence[provider] = e
}

// golden compares an answer with a file.
func golden(t *testing.T, name string, got any) {
	t.Helper()
	text, err := json.MarshalIndent(got, "", "  ")
	require.NoError(t, err)
	path := "testdata/" + name + ".json"
	if *update {
		require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(text)+"\n")
}

func TestAnswersAboutAChain(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*scene){
		"start":    func(s *scene) { s.decide() },
		"failover": func(s *scene) { s.decide(); s.now = s.now.Add(time.Second); s.accuse("a"); s.decide() },
		"none":     func(s *scene) { s.decide(); s.accuse("b"); s.accuse("a"); s.decide() },
		"split":    func(s *scene) { s.decide(); s.look.Split = true; s.decide(); s.now = s.now.Add(90 * time.Second) },
		"ordered": func(s *scene) {
			s.decide()
			s.look.Command = &decision.Command{Kind: decision.Drain, Provider: "a", Reason: "disk swap", Until: s.now.Add(time.Hour)}
			s.decide()
			s.look.Command = &decision.Command{Kind: decision.SetPin, Provider: "b", Reason: "test"}
			s.decide()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			change(s)
			c, ok := s.overview.Chain("eth")
			require.True(t, ok)
			golden(t, "chain_"+name, c)
			golden(t, "active_"+name, s.overview.Actives())
		})
	}
}

func TestWhoAwaitsApprovalIsNamed(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.look.Policy.Selection.Failback = selection.FailbackManual
	awaits := func() string {
		s.decide()
		c, _ := s.overview.Chain("eth")
		return c.AwaitsApproval
	}
	require.Empty(t, awaits())
	s.look.Command = &decision.Command{Kind: decision.Drain, Provider: "a"}
	require.Empty(t, awaits(), "a is drained, and b serves")
	s.look.Command = &decision.Command{Kind: decision.Undrain, Provider: "a"}
	require.Equal(t, "a", awaits())
	s.look.Command = &decision.Command{Kind: decision.Failback}
	require.Empty(t, awaits(), "it serves")
}

func TestWhatTheExporterReportsIsShownWhileItIsHeard(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.decide()
	a, _ := s.overview.Active("eth", "")
	require.True(t, a.Stale)
	require.Nil(t, a.Height)
	require.Error(t, s.overview.Blind(s.now))
	s.hear()
	s.decide()
	s.overview.SetFigures(overview.Figures{
		Tips: map[string]uint64{"eth": 1000}, Lags: map[observation.Key]int64{{Chain: "eth", Provider: "b"}: 2},
	})
	a, _ = s.overview.Active("eth", "")
	require.False(t, a.Stale)
	require.EqualValues(t, 1000, *a.Height)
	require.Equal(t, "0xabc", a.Hash)
	require.Nil(t, a.EvidenceAgeSeconds, "fresh and healthy needs no age")
	c, _ := s.overview.Chain("eth")
	require.EqualValues(t, 1000, *c.Tip.Height)
	require.Equal(t, wire.TipConsensus, c.Tip.Source)
	require.EqualValues(t, 2, *c.Providers[1].BlockLag)
	require.InDelta(t, 12.5, *c.Providers[0].LatencyMS, 1e-9)
	require.Equal(t, "no answer in time", c.Providers[0].LastError.Message)
	require.NoError(t, s.overview.Blind(s.now))
	s.now = s.now.Add(2 * time.Hour)
	a, _ = s.overview.Active("eth", "")
	require.True(t, a.Stale)
}

func TestACapabilityChoosesAmongTheHealthy(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.decide()
	for capability, want := range map[string]string{"": "a", "archive": "a", "receipts": "b", "wallet": ""} {
		a, ok := s.overview.Active("eth", capability)
		require.True(t, ok)
		if want == "" {
			require.Nil(t, a.Provider)
			require.Equal(t, wire.StateNone, a.State)
			require.Equal(t, "none: no healthy provider has the capability wallet", a.Reason)
			continue
		}
		require.Equal(t, want, *a.Provider, capability)
		require.EqualValues(t, 1, a.Generation, "asking is no switch")
	}
	_, ok := s.overview.Active("doge", "archive")
	require.False(t, ok)
}

func TestEventsAreNewestFirstAndNotTooMany(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.decide()
	s.now = s.now.Add(time.Second)
	s.accuse("a")
	s.decide()
	s.entries = append(s.entries, journal.Entry{Time: s.now, Chain: "eth", Index: 99, Data: []byte(`{"changes":7}`)})
	events := s.overview.Events("eth", time.Time{}, 100)
	require.Equal(t, "failover", events[0].Kind)
	require.Equal(t, "configuration", events[len(events)-1].Kind)
	for i := 1; i < len(events); i++ {
		require.LessOrEqual(t, events[i].Index, events[i-1].Index)
	}
	require.Len(t, s.overview.Events("eth", time.Time{}, 2), 2)
	require.Empty(t, s.overview.Events("eth", time.Time{}, 0))
}

func TestAStampChangesWithTheAnswer(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	require.Nil(t, s.overview.Stamp("eth"))
	s.hear()
	s.decide()
	first := s.overview.Stamp("eth")
	require.Equal(t, first, s.overview.Stamp("eth"))
	s.now = s.now.Add(time.Second)
	require.True(t, first == s.overview.Stamp("eth"), "time alone changes no good answer")
	s.accuse("a")
	s.decide()
	require.False(t, first == s.overview.Stamp("eth"))
	s.now = s.now.Add(2 * time.Hour)
	stale := s.overview.Stamp("eth")
	s.now = s.now.Add(time.Second)
	require.False(t, stale == s.overview.Stamp("eth"), "a stale answer has an age in it")
}

func TestWatchersAreToldThatNoExporterAnswersAndThatOneDoesAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.hear()
	s.decide()
	s.overview.SetFigures(overview.Figures{})
	changed, end := s.overview.Watch()
	defer end()
	told := func() bool {
		s.overview.SetFigures(overview.Figures{})
		select {
		case <-changed:
			return true
		default:
			return false
		}
	}
	require.False(t, told(), "it is heard as before")
	s.now = s.now.Add(2 * time.Hour)
	require.True(t, told())
	require.False(t, told(), "it is still not heard")
	s.hear()
	require.True(t, told())
	require.False(t, told())
}

func TestAChainThatLeftIsAnsweredForAsServedByNobody(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.decide()
	require.Empty(t, s.overview.Gone())
	index := s.board.Reserve()
	s.board.Remove(index, "eth")
	require.Equal(t, []wire.Active{{
		Chain: "eth", State: wire.StateNone, Generation: 1, Index: index, Reason: "the chain is no longer configured", LastProvider: "a",
	}}, s.overview.Gone())
	s.decide()
	require.Empty(t, s.overview.Gone())
}

func TestTimesAreInUTCWhereverTheMachineIs(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	there := s.now.In(time.FixedZone("there", 9*3600))
	s.overview.Facts = facts.New(facts.Options{Mode: facts.ModeAlways}, there)
	s.overview.Details = details{there}
	s.decide()
	c, ok := s.overview.Chain("eth")
	require.True(t, ok)
	text, err := json.Marshal(c)
	require.NoError(t, err)
	require.NotContains(t, string(text), "+09:00")
	require.True(t, there.Equal(c.Evaluator.Since))
	require.True(t, there.Equal(c.Providers[0].LastError.Time))
}

func TestWatchersAreToldWithoutBlockingAnybody(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	changed, end := s.overview.Watch()
	require.Empty(t, changed)
	s.overview.Changed()
	s.overview.Changed()
	require.Len(t, changed, 1)
	<-changed
	end()
	s.overview.Changed()
	require.Empty(t, changed)
}
