package facts

import (
	"maps"
	"time"
)

// Outcome is what became of an alert that was delivered.
type Outcome string

// The outcomes.
const (
	// OutcomeApplied changed the table.
	OutcomeApplied Outcome = "applied"
	// OutcomeDuplicate said what was known, and confirmed it.
	OutcomeDuplicate Outcome = "duplicate"
	// OutcomeStale was about an episode that is over.
	OutcomeStale Outcome = "stale"
	// OutcomeUnknown was about a chain or a provider that is not configured.
	OutcomeUnknown Outcome = "unknown"
	// OutcomeIrrelevant was about no chain at all.
	OutcomeIrrelevant Outcome = "irrelevant"
)

// Outcomes are all outcomes.
func Outcomes() []Outcome {
	return []Outcome{OutcomeApplied, OutcomeDuplicate, OutcomeStale, OutcomeUnknown, OutcomeIrrelevant}
}

// Stats count what happened since the start.
type Stats struct {
	// Requests are the webhooks by the status code of their answer.
	Requests map[int]uint64
	// Alerts are the alerts that webhooks delivered, by what became of them.
	Alerts map[Outcome]uint64
	// Facts are those that stand now, by their source.
	Facts map[Source]int
	// Truncations are the webhooks that left alerts out.
	Truncations uint64
	// Readings of Alertmanager's API: those that count as a whole, those that only
	// added facts as Alertmanager was not to be believed complete, and failures.
	Readings, PartialReadings, FailedReadings uint64
	// Expired are the facts that nobody confirmed.
	Expired uint64
}

func newStats() Stats {
	s := Stats{Requests: map[int]uint64{}, Alerts: map[Outcome]uint64{}}
	for _, o := range Outcomes() {
		s.Alerts[o] = 0
	}
	for _, code := range answered {
		s.Requests[code] = 0
	}
	return s
}

// Stats are the counts so far, and the facts that stand now.
func (t *Table) Stats(now time.Time) Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats
	s.Requests, s.Alerts = maps.Clone(s.Requests), maps.Clone(s.Alerts)
	s.Facts = map[Source]int{}
	for _, source := range Sources() {
		s.Facts[source] = 0
	}
	for _, c := range t.chains {
		var standing []Fact
		for f := range c.all {
			if f.stands(now) {
				standing = append(standing, f)
			}
		}
		for _, f := range merged(standing) {
			s.Facts[f.Source]++
		}
	}
	return s
}

// count notes the status code of an answer to a webhook.
func (t *Table) count(code int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats.Requests[code]++
}

// countFailedReading notes that Alertmanager's API could not be read.
func (t *Table) countFailedReading() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats.FailedReadings++
}
