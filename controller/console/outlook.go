package console

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/rules"
)

// outlook is what would happen next, as far as it follows from what is known. The
// policy of the chain is not part of that, so where it decides, it is named.
func outlook(c wire.Chain, now time.Time) []string {
	ranked := slices.Clone(c.Providers)
	slices.SortStableFunc(ranked, func(a, b wire.Provider) int { return cmp.Compare(a.Priority, b.Priority) })
	all := []string{succession(c, ranked)}
	for _, p := range ranked {
		if p.Active {
			break
		}
		all = append(all, comeback(c, p, now))
	}
	all = append(all, ends(c, ranked, now)...)
	return append(all, takeover(c.Evaluator)...)
}

// fit says whether a provider may begin to serve.
func fit(p wire.Provider) bool {
	return p.Status == wire.StatusHealthy && p.Identified && p.Drained == nil
}

// succession says who takes over if who serves fails.
func succession(c wire.Chain, ranked []wire.Provider) string {
	var next []string
	for _, p := range ranked {
		switch {
		case p.Active || !fit(p):
		case c.Pinned != nil && c.Pinned.Provider == p.Name:
			next = slices.Insert(next, 0, Line(p.Name))
		default:
			next = append(next, Line(p.Name))
		}
	}
	split := slices.ContainsFunc(c.Alerts, func(a wire.Alert) bool { return a.Name == rules.AlertChainSplit })
	switch {
	case split && c.Active != nil:
		return fmt.Sprintf("The operators contradict each other. Until they agree, no provider takes over from %s.", Line(*c.Active))
	case split:
		return "The operators contradict each other. Until they agree, no provider begins to serve."
	case c.Active == nil:
		return "The first provider that becomes healthy serves; of several, the preferred one."
	case c.State == wire.StateDegraded:
		return fmt.Sprintf("As soon as a provider is healthy, the work goes to it. Until then %s goes on.", Line(*c.Active))
	case len(next) == 0:
		return fmt.Sprintf("If %s fails, nobody can take over: no other provider is fit to serve. Whether it goes on all the same is for `on_all_unhealthy` to say.", Line(*c.Active))
	case len(next) == 1:
		return fmt.Sprintf("If %s fails, %s takes over. There is no other behind it.", Line(*c.Active), next[0])
	}
	return fmt.Sprintf("If %s fails, %s takes over, and after it %s.", Line(*c.Active), next[0], list(next[1:]))
}

// comeback says what keeps a provider from serving, though nobody serves or it is
// preferred to who does.
func comeback(c wire.Chain, p wire.Provider, now time.Time) string {
	name, then := Line(p.Name), ""
	if c.Active != nil {
		name += ", which is preferred,"
		then = " Then `failback` decides whether the work goes back to it."
	}
	counting, _ := sortedOut(p.Alerts)
	switch {
	case p.Drained != nil:
		return name + " is drained and does not serve meanwhile."
	case c.Pinned != nil && c.Active != nil && c.Pinned.Provider == *c.Active:
		return fmt.Sprintf("%s waits for the end of the pin to %s.", name, Line(*c.Active))
	case fit(p) && c.AwaitsApproval == p.Name:
		return fmt.Sprintf("%s is healthy and waits for an operator: `understudy failback %s` lets it serve again.", name, Line(c.Chain))
	case fit(p) && c.Active != nil:
		return fmt.Sprintf("%s is healthy. What keeps the work where it is stands under Kept.", name)
	case fit(p):
		return name + " is healthy."
	case len(counting) > 0:
		return fmt.Sprintf("%s is healthy again once %s ends and %s passed in a row.%s", name, list(namesOf(counting)), checks(p.Recovery.Required), then)
	case p.Status == wire.StatusHealthy:
		return name + " does not serve before its network is proven."
	case p.Status == wire.StatusUnknown:
		return name + " has no verdict yet; a good probe makes it healthy."
	}
	text := fmt.Sprintf("%s is healthy again after %s more", name, count(uint64(max(p.Recovery.Required-p.Recovery.Passed, 0)), "good check"))
	if p.Recovery.NextCheck != nil {
		text += ", the next " + in(*p.Recovery.NextCheck, now)
	}
	return text + "." + then
}

// checks is a number of checks in a sentence.
func checks(n int) string {
	if n == 1 {
		return "1 check has"
	}
	return fmt.Sprintf("%d checks have", n)
}

// ends says when orders end, and what a pin that is passed over waits for.
func ends(c wire.Chain, ranked []wire.Provider, now time.Time) []string {
	var all []string
	if pin := c.Pinned; pin != nil {
		name := Line(pin.Provider)
		if c.Active == nil || *c.Active != pin.Provider {
			all = append(all, name+" is pinned but not fit to serve; it takes over when it is.")
		}
		all = append(all, until("The pin to "+name, pin.Until, "understudy unpin "+Line(c.Chain), now))
	}
	for _, p := range ranked {
		if p.Drained != nil {
			all = append(all, until("The drain of "+Line(p.Name), p.Drained.Until, "understudy undrain "+target(c, p.Name), now))
		}
	}
	return all
}

// until says when an order ends.
func until(order string, end *time.Time, back string, now time.Time) string {
	if end == nil {
		return order + " holds until `" + back + "`."
	}
	return order + " ends at " + clock(*end, now) + " UTC, " + in(*end, now) + ", or by `" + back + "`."
}

// takeover says when others' facts would count.
func takeover(e wire.Evaluator) []string {
	switch {
	case e.Source == "alertmanager":
		return []string{"If Alertmanager's watchdog stays away, the local rules decide."}
	case e.Source == "local" && e.WatchdogAgeSeconds != nil:
		return []string{"When Alertmanager's watchdog has come again several times, Alertmanager decides."}
	}
	return nil
}
