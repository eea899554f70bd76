// Package facts holds what is said against providers: the alerts that fire, as
// Alertmanager delivers them and as the local evaluator finds them, and which of
// the two is to be believed.
//
// It takes in Alertmanager's webhooks, the readings of its API and the alerts of
// the local evaluator, and answers which facts stand for a provider now. What
// follows from a fact is no matter of this package: it knows no health and
// chooses nothing.
//
// Invariants: what is taken in is taken in whole or not at all. Lost, repeated,
// late and reordered messages end in the same table: each message is about an
// episode of an alert, an earlier episode never beats a later one, and every
// fact expires unless it is confirmed. A resolution removes a fact and says
// nothing good about anybody. A provider that is not configured has no facts.
// Silenced and inhibited alerts do not act: Alertmanager does not send them, and
// a reading of its API, which leaves them out, ends what stood before.
package facts

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/rules"
)

const (
	// DefaultTTL is three times the minute after which the shipped Alertmanager
	// configuration repeats what fires.
	DefaultTTL = 3 * time.Minute
	// DefaultGrace is how late a message may come, after one that was sent later:
	// Alertmanager tries a delivery for ten seconds or its group_interval, and the
	// second of a pair waits another 15 s.
	DefaultGrace = 30 * time.Second
	// maxRecords bounds the alerts that are kept of one chain.
	maxRecords = 10_000
)

// Options say how a table works. The zero value is that of a controller without
// an Alertmanager.
type Options struct {
	Mode Mode
	// Alertmanager says that its API is configured. Without, the local evaluator
	// always rules.
	Alertmanager bool
	// WatchdogLimit is the longest silence of the watchdog that is no failure;
	// zero: DefaultWatchdogLimit.
	WatchdogLimit time.Duration
	// ResendLimit is the longest time in which Prometheus tells Alertmanager again
	// of what fires; zero: DefaultResendLimit.
	ResendLimit time.Duration
	// TTL is how long a fact stands without being confirmed; zero: DefaultTTL.
	TTL time.Duration
	// Grace is how long after its end an alert that is told to fire in the same
	// episode is taken for a late message; zero: DefaultGrace.
	Grace time.Duration
}

// Table is the table of facts. Its methods may be called at the same time. Those
// that change it return the chains that have to be looked at again, sorted.
type Table struct {
	ttl   time.Duration
	grace time.Duration

	mu       sync.Mutex
	pipeline Pipeline
	// noticed is who ruled when chains were last told.
	noticed Source
	// covered are the alerts that the local evaluator has rules for.
	covered map[string]bool
	chains  map[string]*chain
	stats   Stats
}

// chain are the facts of one chain and its providers.
type chain struct {
	providers    map[string]bool
	alertmanager map[identity]*record
	local        map[identity]Fact
}

// identity tells alerts of one chain apart.
type identity struct{ provider, alert, fingerprint string }

func (f Fact) identity() identity { return identity{f.Provider, f.Alert, f.Fingerprint} }

// record is what is known of one alert of Alertmanager's: the fact while it
// fires, and afterwards, until it expires, that this episode is over.
type record struct {
	fact   Fact
	firing bool
	// episode is what others are compared with, the fact's or, where that lies in
	// the future, when it came.
	episode time.Time
	// changed is when it last began or ceased to fire, confirmed when it was last
	// heard of.
	changed, confirmed time.Time
}

// New makes an empty table that knows no chain.
func New(o Options, now time.Time) *Table {
	if o.TTL == 0 {
		o.TTL = DefaultTTL
	}
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	t := &Table{
		ttl: o.TTL, grace: o.Grace,
		pipeline: NewPipeline(o.Mode, o.Alertmanager, o.WatchdogLimit, now),
		covered:  map[string]bool{},
		chains:   map[string]*chain{},
		stats:    newStats(),
	}
	if o.ResendLimit != 0 {
		t.pipeline.resend = o.ResendLimit
	}
	for _, name := range rules.Alerts() {
		t.covered[name] = true
	}
	t.noticed = t.pipeline.Ruling(now).Source
	return t
}

// Apply makes the configured chains and their providers known. Facts about
// others vanish.
func (t *Table) Apply(targets map[string][]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := make(map[string]*chain, len(targets))
	for name, providers := range targets {
		c := t.chains[name]
		if c == nil {
			c = &chain{alertmanager: map[identity]*record{}, local: map[identity]Fact{}}
		}
		c.know(providers)
		next[name] = c
	}
	t.chains = next
}

// know keeps the facts about the chain itself and these providers only.
func (c *chain) know(providers []string) {
	c.providers = map[string]bool{"": true}
	for _, p := range providers {
		c.providers[p] = true
	}
	for id := range c.alertmanager {
		if !c.providers[id.provider] {
			delete(c.alertmanager, id)
		}
	}
	for id := range c.local {
		if !c.providers[id.provider] {
			delete(c.local, id)
		}
	}
}

// Standing are the facts that speak against a provider now, by the ruling. They
// are sorted by alert and source.
//
// While the local evaluator rules, an alert of Alertmanager's for which it has
// no rule still counts until it expires: nobody else could tell that it is over.
func (t *Table) Standing(chain, provider string, now time.Time) []Fact {
	return t.facts(chain, now, func(f Fact, r Ruling) bool {
		return f.Provider == provider && f.Evidence && t.counts(f, r)
	})
}

// All are all facts about a chain and its providers, of both sources, whether
// they count or not, sorted by provider, alert and source.
func (t *Table) All(chain string, now time.Time) []Fact {
	return t.facts(chain, now, func(Fact, Ruling) bool { return true })
}

// facts are the facts of a chain that stand and that want wants.
func (t *Table) facts(name string, now time.Time, want func(Fact, Ruling) bool) []Fact {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.chains[name]
	if c == nil {
		return nil
	}
	ruling := t.pipeline.Ruling(now)
	var found []Fact
	for f := range c.all {
		if f.stands(now) && want(f, ruling) {
			found = append(found, f)
		}
	}
	return merged(found)
}

// all gives every fact of the chain, also those that have expired.
func (c *chain) all(yield func(Fact) bool) {
	for _, r := range c.alertmanager {
		if r.firing && !yield(r.fact) {
			return
		}
	}
	for _, f := range c.local {
		if !yield(f) {
			return
		}
	}
}

// counts says whether a fact counts by a ruling. The lock is held.
func (t *Table) counts(f Fact, r Ruling) bool {
	return r.Counts(f.Source) || f.Source == Alertmanager && !t.covered[f.Alert]
}

// Ruling says which source rules now.
func (t *Table) Ruling(now time.Time) Ruling {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pipeline.Ruling(now)
}

// WantsReading says that only a reading of Alertmanager's API is missing for
// Alertmanager to rule.
func (t *Table) WantsReading(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pipeline.WantsReading(now)
}

// touchedLocked are the chains to look at: all of them when another source
// rules than before.
func (t *Table) touchedLocked(chains map[string]bool, now time.Time) []string {
	if source := t.pipeline.Ruling(now).Source; source != t.noticed {
		t.noticed = source
		for name := range t.chains {
			chains[name] = true
		}
	}
	return slices.Sorted(maps.Keys(chains))
}
