package console

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// well is a provider that is fit to serve.
func well(name string, priority int) wire.Provider {
	return wire.Provider{Name: name, Priority: priority, Status: wire.StatusHealthy, Identified: true, Recovery: wire.Recovery{Required: 3}}
}

// servedBy is a chain, and who of its providers serves; "" is nobody.
func servedBy(name string, providers ...wire.Provider) wire.Chain {
	c := wire.Chain{Chain: "btc", State: wire.StateNone, Providers: providers, Evaluator: wire.Evaluator{Source: "local"}}
	for i := range providers {
		if providers[i].Name == name {
			c.State, c.Active, providers[i].Active = wire.StateOK, new(name), true
		}
	}
	return c
}

func TestWhatWouldHappenNext(t *testing.T) {
	t.Parallel()
	later := now.Add(90 * time.Second)
	is := func(p wire.Provider, change func(*wire.Provider)) wire.Provider { change(&p); return p }
	down := func(p *wire.Provider) { p.Status = wire.StatusUnhealthy }
	drained := func(p *wire.Provider) { p.Drained = &wire.Drain{Since: now} }
	with := func(c wire.Chain, change func(*wire.Chain)) wire.Chain { change(&c); return c }
	pin := func(name string, until *time.Time) func(*wire.Chain) {
		return func(c *wire.Chain) { c.Pinned = &wire.Pin{Provider: name, Since: now, Until: until} }
	}
	for _, c := range []struct {
		name  string
		chain wire.Chain
		says  []string
		never []string
	}{
		{"one behind it", servedBy("a", well("a", 1), well("b", 2)), []string{"If a fails, b takes over. There is no other behind it."}, []string{"preferred"}},
		{"several behind it, by priority", servedBy("a", well("a", 1), well("c", 3), well("b", 2)), []string{"If a fails, b takes over, and after it c."}, nil},
		{"equal priorities, by their order", servedBy("a", well("a", 1), well("z", 2), well("b", 2)), []string{"z takes over, and after it b"}, nil},
		{"a pinned one that does not serve goes first", with(servedBy("a", well("a", 1), well("b", 2), well("c", 3)), pin("c", nil)), []string{"c takes over, and after it b", "c is pinned but not fit"}, nil},
		{"the unfit are passed over", servedBy("a", well("a", 1), is(well("b", 2), down), is(well("c", 3), drained), is(well("d", 4), func(p *wire.Provider) { p.Identified = false })), []string{"nobody can take over"}, []string{"b takes", "c takes", "d takes"}},
		{"a split", with(servedBy("a", well("a", 1), well("b", 2)), func(c *wire.Chain) { c.Alerts = []wire.Alert{{Name: "ChainSplit"}} }), []string{"no provider takes over from a"}, []string{"b takes over"}},
		{"a split and nobody serves", with(servedBy("", well("a", 1)), func(c *wire.Chain) { c.Alerts = []wire.Alert{{Name: "ChainSplit"}} }), []string{"no provider begins to serve"}, nil},
		{"degraded", with(servedBy("a", is(well("a", 1), down)), func(c *wire.Chain) { c.State = wire.StateDegraded }), []string{"Until then a goes on"}, nil},
		{"nobody serves, and one is far on", servedBy("", is(well("a", 1), func(p *wire.Provider) {
			p.Status, p.Recovery = wire.StatusRecovering, wire.Recovery{Passed: 2, Required: 3, NextCheck: &later}
		})), []string{"The first provider that becomes healthy serves", "a is healthy again after 1 good check more, the next in 1m30s"}, []string{"preferred,", "failback"}},
		{"nobody serves, and there is no verdict", servedBy("", is(well("a", 1), func(p *wire.Provider) { p.Status = wire.StatusUnknown })), []string{"a has no verdict yet"}, nil},
		{"a preferred one waits for approval", with(servedBy("b", well("a", 1), well("b", 2)), func(c *wire.Chain) { c.AwaitsApproval = "a" }), []string{"a, which is preferred, is healthy and waits for an operator: `understudy failback btc`"}, []string{"Kept"}},
		{"a preferred one is not asked back", servedBy("b", well("a", 1), well("b", 2)), []string{"a, which is preferred, is healthy. What keeps the work where it is stands under Kept."}, []string{"understudy failback"}},
		{"a preferred one has facts against it", servedBy("b", is(well("a", 1), func(p *wire.Provider) {
			p.Status, p.Alerts = wire.StatusUnhealthy, []wire.Alert{{Name: "ProviderDown", Counts: true}, {Name: "ProviderSlow", Evidence: true}}
		}), well("b", 2)), []string{"once ProviderDown ends and 3 checks have passed", "`failback` decides"}, []string{"ProviderSlow"}},
		{"a preferred one of an unproven network", servedBy("b", is(well("a", 1), func(p *wire.Provider) { p.Identified = false }), well("b", 2)), []string{"before its network is proven"}, nil},
		{"a preferred one is drained", servedBy("b", is(well("a", 1), drained), well("b", 2)), []string{"a, which is preferred, is drained", "`understudy undrain btc/a`"}, nil},
		{"the active one is pinned for a while", with(servedBy("b", well("a", 1), well("b", 2)), pin("b", &later)), []string{"waits for the end of the pin to b", "The pin to b ends at 02:04:42 UTC, in 1m30s, or by `understudy unpin btc`."}, []string{"understudy failback"}},
		{"Alertmanager decides", with(servedBy("a", well("a", 1)), func(c *wire.Chain) { c.Evaluator.Source = "alertmanager" }), []string{"the local rules decide"}, nil},
		{"Alertmanager was there", with(servedBy("a", well("a", 1)), func(c *wire.Chain) { c.Evaluator.WatchdogAgeSeconds = new(300.0) }), []string{"Alertmanager decides"}, nil},
		{"there is no Alertmanager", servedBy("a", well("a", 1)), nil, []string{"Alertmanager"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Join(outlook(c.chain, now), "\n")
			for _, words := range c.says {
				require.Contains(t, text, words)
			}
			for _, words := range c.never {
				require.NotContains(t, text, words)
			}
		})
	}
}
