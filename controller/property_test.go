package controller_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/rules"
)

// step is something that happens to a controller.
type step struct {
	what, provider string
	seconds        int
}

// steps draws what happens: mostly what providers do, and that time passes.
func steps(t *rapid.T) []step {
	one := rapid.Custom(func(t *rapid.T) step {
		return step{
			what: rapid.SampledFrom([]string{
				"fail", "fail", "well", "well", "pass", "pass", "pass", "inconsistent", "consistent", "wrong network", "right network",
				"slow", "quick", "split", "agree", "silent", "heard", "fire", "fire", "resolve", "accuse of lies", "late news", "drain", "undrain", "pin", "unpin",
				"failback", "move", "restart", "crash", "disk fails", "disk is well",
			}).Draw(t, "what"),
			provider: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "provider"),
			seconds:  rapid.IntRange(1, 45).Draw(t, "seconds"),
		}
	})
	return rapid.SliceOfN(one, 1, 10).Draw(t, "steps")
}

// story is a controller to which steps happen.
type story struct {
	*world
	text    string
	options func(*controller.Options)
	moved   int
	// starts are when the alert that is told of each provider began.
	starts map[string]time.Time
	// index and generation are those that were seen last, and leapt says that a
	// crash lies in between.
	index, generation uint64
	// highest is the highest generation that was seen.
	highest uint64
	leapt   bool
	// spoiled says that nothing can be written.
	spoiled bool
	// served is who served at which generation.
	served map[uint64]string
}

func (s *story) do(one step) {
	own := against(one.provider, "Hearsay", rules.ModeErrors)
	change := func(f func(*node)) { s.fleet.change("eth", one.provider, f) }
	// An order that is refused is one that changes nothing.
	switch one.what {
	case "fail":
		change(func(n *node) { n.failing = "timeout" })
	case "well":
		change(func(n *node) { n.failing = "" })
	case "inconsistent", "consistent":
		change(func(n *node) { n.inconsistent = one.what == "inconsistent" })
	case "wrong network", "right network":
		change(func(n *node) { n.mismatch = one.what == "wrong network" })
	case "slow":
		change(func(n *node) { n.latency = 60_000 })
	case "quick":
		change(func(n *node) { n.latency = 1 })
	case "split", "agree":
		s.fleet.setSplit("eth", one.what == "split")
	case "silent", "heard":
		s.fleet.silence(one.what == "silent")
	case "pass":
		time.Sleep(time.Duration(one.seconds) * time.Second)
	case "fire":
		s.starts[one.provider] = time.Now()
		s.post("firing", own, time.Now())
	case "resolve":
		s.post("resolved", own, s.starts[one.provider])
	case "late news":
		s.post("firing", own, s.starts[one.provider].Add(-time.Minute))
	case "accuse of lies":
		s.post("firing", against(one.provider, "Lies", rules.ModeInconsistent), time.Now())
	case "drain":
		_ = s.c.Drain(s.t.Context(), "eth", one.provider, api.Order{For: time.Duration(one.seconds) * time.Second})
	case "undrain":
		_ = s.c.Undrain(s.t.Context(), "eth", one.provider)
	case "pin":
		_ = s.c.Pin(s.t.Context(), "eth", one.provider, api.Order{For: time.Duration(one.seconds) * time.Second})
	case "unpin":
		_ = s.c.Unpin(s.t.Context(), "eth")
	case "failback":
		_ = s.c.Failback(s.t.Context(), "eth")
	case "move":
		s.moved++
		s.text = replaced(s.text, one.provider+".example", fmt.Sprintf("%d.%s.example", s.moved, one.provider))
		s.reload(s.text)
	case "restart", "crash":
		s.restart(one.what == "crash")
	case "disk fails":
		s.spoil()
	case "disk is well":
		s.mend()
	}
	s.look()
}

// spoil puts a file where the journal's folder was, and mend undoes that.
func (s *story) spoil() {
	if s.spoiled {
		return
	}
	s.spoiled = true
	require.NoError(s.t, os.Rename(s.dir, s.dir+".away"))
	require.NoError(s.t, os.WriteFile(s.dir, nil, 0o600))
}

func (s *story) mend() {
	if !s.spoiled {
		return
	}
	s.spoiled = false
	require.NoError(s.t, os.Remove(s.dir))
	require.NoError(s.t, os.Rename(s.dir+".away", s.dir))
}

// restart begins a controller where another ended. Decisions that were not
// written are forgotten by a crash.
func (s *story) restart(crash bool) {
	dir := s.t.TempDir()
	forgotten := s.spoiled
	s.mend()
	if crash {
		_ = os.CopyFS(dir, os.DirFS(s.dir))
	}
	_ = s.stop()
	if !crash {
		_ = os.CopyFS(dir, os.DirFS(s.dir))
	}
	fleet := s.fleet
	before := s.active()
	s.world = open(s.t, dir, s.text, s.options, func(o *controller.Options) { o.Exporters = sourcesOf(fleet) })
	s.fleet = fleet
	s.leapt = true
	if crash && forgotten {
		// What was served and never written is not known any more: the generation
		// goes back to one that is, and the next is one that nobody has seen.
		s.generation = 0
	}
	if shown, known := s.c.Overview().Active("eth", ""); known && !forgotten {
		require.Equal(s.t, before.Index, shown.Index)
		require.Equal(s.t, before.Provider, shown.Provider)
	}
	s.run()
}

// check holds what must be true whatever happened.
func (s *story) check() {
	t := s.t
	c, a := s.chain(), s.active()
	require.GreaterOrEqual(t, c.Index, s.index, "an index never goes back")
	require.GreaterOrEqual(t, a.Generation, s.generation, "a generation never goes back")
	var serving []string
	fit := 0
	for _, p := range c.Providers {
		if p.Active {
			serving = append(serving, p.Name)
			require.Equal(t, p.Name, *a.Provider)
			require.True(t, p.Identified, "who serves has proven its network")
			require.Nil(t, p.Drained, "who is drained does not serve")
			require.NotContains(t, lies(p), true, "nobody serves against whom an integrity fact stands")
		}
		if p.Status == wire.StatusHealthy && p.Drained == nil && p.Identified && !slices.Contains(lies(p), true) {
			fit++
		}
		require.NotEmpty(t, p.Reason)
	}
	require.LessOrEqual(t, len(serving), 1, "never two")
	split := len(c.Alerts) > 0 && a.AgreementAgeSeconds != nil
	if fit > 0 && !split {
		require.NotEmpty(t, serving, "somebody is fit")
		require.Equal(t, wire.StateOK, a.State, "a fit one serves while there is one")
	}
	require.NotEmpty(t, a.Reason)
	require.Contains(t, []string{"", strings.Join(serving, "")}, s.served[a.Generation], "a generation stands for one provider")
	s.served[a.Generation] = strings.Join(serving, "")
	s.checkSwitches(c)
	// A generation is skipped at the first switch after a crash.
	s.leapt = s.leapt && a.Generation <= s.highest
	s.index, s.generation, s.highest = c.Index, a.Generation, max(s.highest, a.Generation)
}

// lies are true for each integrity fact against a provider that counts.
func lies(p wire.Provider) []bool {
	var all []bool
	for _, a := range p.Alerts {
		if a.Counts && a.FailureMode == rules.ModeInconsistent {
			all = append(all, true)
		}
	}
	return all
}

// checkSwitches holds that each switch has a reason and takes one generation.
func (s *story) checkSwitches(c wire.Chain) {
	switched := uint64(0)
	for _, e := range c.Events {
		if e.Index <= s.index {
			break
		}
		require.NotEmpty(s.t, e.Reason, "nothing happens without a reason")
		switch e.Kind {
		case rules.KindStart, rules.KindFailover, rules.KindFailback, rules.KindSwitchover:
			switched++
			require.NotEqual(s.t, e.From, e.To)
		}
	}
	if s.leapt {
		require.GreaterOrEqual(s.t, c.Generation-s.generation, switched)
		return
	}
	require.Equal(s.t, switched, c.Generation-s.generation, "a generation for each switch")
}

// judge is a test whose failure is one of rapid's, so that it can be shrunk.
type judge struct {
	testing.TB
	verdict string
}

// Errorf takes the verdict down.
func (j *judge) Errorf(format string, args ...any) { j.verdict += fmt.Sprintf(format, args...) }

// FailNow ends the test.
func (j *judge) FailNow() { panic(j) }

// Helper does nothing: the verdict has its place in it.
func (j *judge) Helper() {}

// tried runs a test in a bubble and returns why it failed; "": it did not.
func tried(t *testing.T, test func(t testing.TB)) string {
	var verdict string
	synctest.Test(t, func(t *testing.T) {
		j := &judge{TB: t}
		defer func() {
			if got := recover(); got != nil && got != any(j) {
				panic(got)
			}
			verdict = j.verdict
		}()
		test(j)
	})
	return verdict
}

func TestWhateverHappensTheRightOneServes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		all := steps(rt)
		policy := rapid.SampledFrom([]string{
			"", ", failback: sticky", ", failback: manual", ", on_all_unhealthy: last", ", min_active_time: 20s", ", flap_penalty: false",
		}).Draw(rt, "policy")
		text := with("min_recovery_checks: 2", "min_recovery_checks: 2"+policy)
		if verdict := tried(t, func(t testing.TB) {
			options := func(o *controller.Options) { o.Mode, o.Interval = facts.ModeAlways, 20*time.Second }
			s := &story{world: begin(t, text, options), text: text, options: options, starts: map[string]time.Time{}, served: map[uint64]string{}}
			s.check()
			for _, one := range all {
				s.do(one)
				s.check()
			}
		}); verdict != "" {
			rt.Fatal(verdict)
		}
	})
}

func TestTheOrderOfFactsDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		told := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) step {
			return step{
				what:     rapid.SampledFrom([]string{"Hearsay", "Rumour", rules.AlertProviderDown}).Draw(t, "alert"),
				provider: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "provider"),
			}
		}), 1, 6, func(s step) string { return s.what + s.provider }).Draw(rt, "facts")
		other := slices.Concat(rapid.Permutation(told).Draw(rt, "another order"), told[:1])
		var ends []string
		for _, order := range [][]step{told, other} {
			verdict := tried(t, func(t testing.TB) {
				w := begin(t, three, func(o *controller.Options) { o.Mode = facts.ModeAlways })
				began := time.Now()
				for _, f := range order {
					w.post("firing", against(f.provider, f.what, rules.ModeErrors), began)
				}
				end := fmt.Sprint(w.active().State, w.active().Fallbacks)
				for _, p := range w.chain().Providers {
					end += fmt.Sprint(p.Name, p.Status, p.Active, alertsOf(p), p.Recovery.Required)
				}
				ends = append(ends, end)
			})
			if verdict != "" {
				rt.Fatal(verdict)
			}
		}
		if ends[0] != ends[1] {
			rt.Fatalf("%s\nis not\n%s", ends[0], ends[1])
		}
	})
}
