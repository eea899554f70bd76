package gateway

import (
	"net/url"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// State is what the gateway knows of a chain's providers, in the keeper's shape.
type State struct {
	// ActiveIndex is the place, counted from 0 in the order of the configuration, of
	// the provider that requests go to first.
	ActiveIndex  int    `json:"activeIndex"`
	ActiveRegion string `json:"activeRegion"`
	// ActiveURL is scheme and host, like every URL here.
	ActiveURL string `json:"activeUrl"`
	// HealthyEndpoints is how many of the TotalEndpoints requests may go to.
	HealthyEndpoints int             `json:"healthyEndpoints"`
	TotalEndpoints   int             `json:"totalEndpoints"`
	Endpoints        []EndpointState `json:"endpoints"`

	events, switches uint64
}

// Events counts the requests and probes that failed, Switches the changes of whom
// requests go to first.
func (s State) Events() uint64 { return s.events }

// Switches is described at Events.
func (s State) Switches() uint64 { return s.switches }

// EndpointState is what the gateway knows of one provider.
type EndpointState struct {
	Index    int    `json:"index"`
	Region   string `json:"region"`
	Provider string `json:"provider"`
	URL      string `json:"url"`
	Score    int    `json:"score"`
	// Unavailable: requests do not go to it, because of the gateway's own quarantine
	// or by the controller's decision.
	Unavailable         bool       `json:"unavailable"`
	ConsecutiveFailures int        `json:"consecutiveFailures"`
	TotalFailures       uint64     `json:"totalFailures"`
	TotalSuccesses      uint64     `json:"totalSuccesses"`
	LastFailureAt       *time.Time `json:"lastFailureAt"`
	LastSuccessAt       *time.Time `json:"lastSuccessAt"`
	CooldownUntil       *time.Time `json:"cooldownUntil"`
	// AvgLatencyMs and ErrorRate (in percent) are over the Samples answers of the
	// last minute.
	AvgLatencyMs float64 `json:"avgLatencyMs"`
	ErrorRate    float64 `json:"errorRate"`
	Samples      int     `json:"samples"`
	// LatestLedger is the height that it reported last; nil if it is not known.
	// LedgerLag is how far that is behind the highest of those that may serve.
	LatestLedger *uint64 `json:"latestLedger"`
	LedgerLag    *uint64 `json:"ledgerLag"`

	quarantined bool
	outcomes    [outcomeCount]uint64
}

// State is what is known of a chain; false if it is not configured, or nothing is
// forwarded to it.
func (g *Gateway) State(chain string) (State, bool) {
	route, ok := g.options.Router.Route(chain)
	if !ok {
		return State{}, false
	}
	l := g.lane(&route)
	if l.settings.Load().Off {
		return State{}, false
	}
	return g.state(l, &route), true
}

func (g *Gateway) state(l *lane, route *Route) State {
	now := g.options.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followLocked(route)
	s := State{TotalEndpoints: route.Total, events: l.events, switches: l.switches}
	names := route.Order
	if len(names) == 0 {
		for i := range route.Endpoints {
			names = append(names, route.Endpoints[i].Provider)
		}
	}
	s.TotalEndpoints = max(s.TotalEndpoints, len(names))
	tip := tipOf(route)
	s.Endpoints = make([]EndpointState, 0, len(names))
	for i, name := range names {
		e := l.endpointLocked(route, name, tip, now)
		e.Index = i
		if !e.Unavailable {
			s.HealthyEndpoints++
		}
		s.Endpoints = append(s.Endpoints, e)
	}
	if s.ActiveIndex = max(0, slices.Index(names, l.servingLocked(route, now))); s.ActiveIndex < len(s.Endpoints) {
		s.ActiveRegion, s.ActiveURL = s.Endpoints[s.ActiveIndex].Region, s.Endpoints[s.ActiveIndex].URL
	}
	return s
}

// servingLocked is whom the next request goes to first.
func (l *lane) servingLocked(route *Route, now time.Time) string {
	fit := func(name string) bool {
		r := l.records[name]
		return r == nil || r.ready(now) && !r.unavailable
	}
	if l.first == "" || route.has(l.first) && fit(l.first) {
		return l.first
	}
	for i := range route.Endpoints {
		if name := route.Endpoints[i].Provider; fit(name) {
			return name
		}
	}
	return l.first
}

// endpointLocked is what is known of one provider.
func (l *lane) endpointLocked(route *Route, name string, tip uint64, now time.Time) EndpointState {
	s := EndpointState{Provider: name, Region: name, Score: scoreMax, Unavailable: true}
	if at := slices.Index(route.Order, name); at >= 0 && at < len(route.URLs) {
		s.URL, s.Region = route.URLs[at].String(), region(route.URLs[at], name)
	}
	i := slices.IndexFunc(route.Endpoints, func(e Endpoint) bool { return e.Provider == name })
	if i >= 0 {
		e := &route.Endpoints[i]
		s.URL, s.Region, s.Unavailable = e.URL.String(), region(e.URL, name), false
		if e.HeightKnown {
			height, lag := e.Height, tip-e.Height
			s.LatestLedger, s.LedgerLag = &height, &lag
		}
	}
	r := l.records[name]
	if r == nil {
		return s
	}
	s.quarantined = r.unavailable || r.resting(now) || r.doubted(now)
	s.Unavailable = s.Unavailable || s.quarantined
	s.Score, s.ConsecutiveFailures = r.score, r.consecutive
	s.TotalFailures, s.TotalSuccesses = r.failures, r.successes
	s.LastFailureAt, s.LastSuccessAt, s.CooldownUntil = moment(r.lastFailure), moment(r.lastSuccess), moment(r.cooldownUntil)
	average, count, bad := r.recent.over(now)
	s.AvgLatencyMs, s.Samples, s.ErrorRate = float64(average)/float64(time.Millisecond), count, bad
	for o := range s.outcomes {
		s.outcomes[o] = r.outcomes[o].Load()
	}
	return s
}

// tipOf is the highest height of those that may serve.
func tipOf(route *Route) uint64 {
	var tip uint64
	for i := range route.Endpoints {
		if e := &route.Endpoints[i]; e.HeightKnown {
			tip = max(tip, e.Height)
		}
	}
	return tip
}

// firstRegion is whom requests go to first, in the keeper's word.
func (l *lane) firstRegion() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.records[l.first]; r != nil && r.target != nil {
		return region(r.target.url, l.first)
	}
	return l.first
}

// region is the keeper's name for a provider: its host name.
func region(u config.URL, otherwise string) string {
	if u.IsZero() {
		return otherwise
	}
	host := (&url.URL{Host: u.Host()}).Hostname()
	if host == "" {
		return otherwise
	}
	return host
}

// moment is a time for JSON, nil for none.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Millisecond)
	return &t
}
