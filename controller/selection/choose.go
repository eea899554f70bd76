package selection

import (
	"cmp"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/controller/health"
)

// Choose is who is to serve the chain, and why. It takes any input.
//
// Fit is who is healthy, has proven its network, has no integrity fact against
// it, is not drained and has what is asked for. The most preferred is the one
// with the lowest priority value, and of equals the first in the file. A fit
// provider is kept unless a fit one is pinned, or a preferred one is fit and
// the policy lets the work return to it. A pinned one that is not fit is
// passed over as long as it is not.
//
// During a split no provider takes over from another, not even a pinned one:
// who served goes on, degraded and whatever its health, as long as it is not
// itself known to be wrong and no operator drained it.
func Choose(s Situation) (Choice, Reason) {
	v := s.survey()
	switch {
	case s.Split:
		return s.hold(v)
	case v.best == nil:
		return s.withoutFit(v)
	case v.current == nil || !s.fit(v.current):
		return s.replace(v)
	}
	return s.keepOrMove(v)
}

// survey are the candidates that a choice is between. Each is nil if there is
// none such.
type survey struct {
	// current is the candidate that serves, last who does or did so last.
	current, last *Candidate
	// best is the most preferred of the fit.
	best *Candidate
	// pinned is the pinned one, if it is fit.
	pinned *Candidate
	// unjudged says that there are candidates without a verdict.
	unjudged bool
}

func (s *Situation) survey() survey {
	var v survey
	for i := range s.Candidates {
		c := &s.Candidates[i]
		if c.Name == "" {
			continue
		}
		if c.Name == s.Current.Provider {
			v.current = c
		}
		if c.Name == s.last() {
			v.last = c
		}
		v.unjudged = v.unjudged || c.State == health.Unknown
		if !s.fit(c) {
			continue
		}
		if v.best == nil || rank(c, v.best) < 0 {
			v.best = c
		}
		if c.Name == s.Pin {
			v.pinned = c
		}
	}
	return v
}

// last is who serves or served last.
func (s *Situation) last() string { return cmp.Or(s.Current.Provider, s.Current.Last) }

// fit says whether a candidate may begin to serve.
func (s *Situation) fit(c *Candidate) bool {
	return c.State == health.Healthy && s.harmless(c)
}

// harmless says whether a candidate may go on to serve if there is no other.
func (s *Situation) harmless(c *Candidate) bool {
	return c.Proven && !c.Integrity && !c.Drained && s.capable(c)
}

func (s *Situation) capable(c *Candidate) bool {
	return s.Request.Capability == "" || slices.Contains(c.Capabilities, s.Request.Capability)
}

// rank orders candidates by preference.
func rank(a, b *Candidate) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Order, b.Order), cmp.Compare(a.Name, b.Name))
}

// hold is the choice during a split.
func (s *Situation) hold(v survey) (Choice, Reason) {
	switch {
	case s.Current.Provider == "":
		return Choice{Last: s.last()}, NoneAgreed
	case v.current == nil || !s.harmless(v.current):
		return s.abandon(v)
	}
	return Choice{Provider: v.current.Name, State: Degraded, Last: v.current.Name}, KeptSplit
}

// withoutFit is the choice when nobody is fit.
func (s *Situation) withoutFit(v survey) (Choice, Reason) {
	if s.Policy.OnAllUnhealthy == ServeLast && v.last != nil && s.harmless(v.last) {
		c := Choice{Provider: v.last.Name, State: Degraded, Last: v.last.Name}
		if v.current != nil {
			return c, KeptLast
		}
		c.Kind = KindStart
		return c, LastResort
	}
	switch {
	case s.Current.Provider != "":
		return s.abandon(v)
	case v.unjudged && s.Current.Last == "":
		return Choice{}, NoneJudged
	}
	return Choice{Last: s.last()}, NoneFit
}

// abandon leaves the current provider for nobody.
func (s *Situation) abandon(v survey) (Choice, Reason) {
	kind, why := s.leave(v.current)
	return Choice{Kind: kind, Last: s.last()}, why
}

// replace puts a fit provider in the place of one that is not, or of nobody.
func (s *Situation) replace(v survey) (Choice, Reason) {
	target := cmp.Or(v.pinned, v.best)
	switch {
	case s.Current.Provider != "":
		kind, why := s.leave(v.current)
		return s.serve(target, kind), why
	case s.Current.Last != "":
		return s.serve(target, KindStart), FitAgain
	}
	return s.serve(target, KindStart), FirstFit
}

// leave is why the current provider, which is not fit, is left. What an
// operator did counts before what happened meanwhile.
func (s *Situation) leave(current *Candidate) (Kind, Reason) {
	switch {
	case current == nil:
		return KindSwitchover, LeftRemoved
	case current.Drained:
		return KindSwitchover, LeftDrained
	case !s.capable(current):
		return KindSwitchover, LeftIncapable
	case current.Integrity:
		return KindFailover, LeftInconsistent
	case current.State == health.Unknown:
		return KindFailover, LeftUnjudged
	case !current.Proven:
		return KindFailover, LeftUnidentified
	}
	return KindFailover, LeftUnhealthy
}

// keepOrMove is the choice while the current provider is fit.
func (s *Situation) keepOrMove(v survey) (Choice, Reason) {
	switch {
	case v.pinned == v.current:
		return s.serve(v.current, KindNone), KeptPinned
	case v.pinned != nil:
		return s.serve(v.pinned, KindSwitchover), Pinned
	case v.best == v.current:
		return s.serve(v.current, KindNone), KeptBest
	case s.Approved:
		return s.serve(v.best, KindFailback), Approved
	case s.Policy.Failback == FailbackSticky:
		return s.serve(v.current, KindNone), KeptSticky
	case s.Policy.Failback != FailbackAuto:
		return s.serve(v.current, KindNone), KeptForApproval
	}
	if until, wait := s.dwell(); wait {
		c := s.serve(v.current, KindNone)
		c.Revisit = until
		return c, KeptForNow
	}
	return s.serve(v.best, KindFailback), Preferred
}

// dwell is until when the current provider is kept from a failback, if it is. A
// clock that was set back keeps nobody.
func (s *Situation) dwell() (time.Time, bool) {
	until := s.Current.Since.Add(s.Policy.MinActiveTime)
	return until, s.Now.Before(until) && !s.Now.Before(s.Current.Since)
}

// serve is the choice of a fit provider.
func (s *Situation) serve(chosen *Candidate, kind Kind) Choice {
	return Choice{Provider: chosen.Name, Fallbacks: s.fallbacks(chosen), State: OK, Kind: kind, Last: chosen.Name}
}

// fallbacks are the other fit ones by preference.
func (s *Situation) fallbacks(chosen *Candidate) []string {
	others := make([]*Candidate, 0, len(s.Candidates))
	for i := range s.Candidates {
		if c := &s.Candidates[i]; c != chosen && c.Name != "" && s.fit(c) {
			others = append(others, c)
		}
	}
	if len(others) == 0 {
		return nil
	}
	slices.SortFunc(others, rank)
	names := make([]string, len(others))
	for i, c := range others {
		names[i] = c.Name
	}
	return names
}
