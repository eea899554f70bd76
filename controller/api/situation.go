package api

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// situation is what streams tell of, at a moment. It does not change any more.
type situation struct {
	// index is the highest that it has.
	index uint64
	// active has an event for each chain, in the order of their indexes, and
	// actives what they say without what changes from probe to probe. Chains that
	// left the configuration are among them.
	active  []*event
	actives map[string]wire.Active
	gone    map[string]bool
	// status and alert are the same of providers and alerts, in a settled order.
	status   []*event
	statuses map[providerKey]wire.Provider
	alert    []*event
	alerts   map[alertKey]weight
	// indexes are those of the chains.
	indexes map[string]uint64
}

// providerKey names a provider.
type providerKey struct{ chain, provider string }

// alertKey tells alerts apart. An alert that ends and comes again is another
// one.
type alertKey struct {
	providerKey
	name, mode, severity, source string
	// since is in nanoseconds of Unix time: equal times may differ as values.
	since int64
}

// weight is what may change about an alert.
type weight struct{ evidence, counts bool }

// look takes in the situation. The decisions are read first, so that what else
// is in it is not older than its index.
func look(v View) *situation {
	list := v.Actives()
	s := &situation{
		index: list.Index, actives: map[string]wire.Active{}, gone: map[string]bool{}, indexes: map[string]uint64{},
		statuses: map[providerKey]wire.Provider{}, alerts: map[alertKey]weight{},
	}
	for _, a := range list.Chains {
		s.addActive(a)
	}
	for _, a := range v.Gone() {
		// What left after the list was made is still on it.
		if _, there := s.actives[a.Chain]; !there && a.Index <= s.index {
			s.addActive(a)
			s.gone[a.Chain] = true
		}
	}
	slices.SortStableFunc(s.active, func(a, b *event) int { return cmp.Compare(a.id, b.id) })
	for _, c := range v.Chains() {
		s.addAlerts(c.Chain, "", c.Alerts)
		for _, p := range c.Providers {
			s.status = append(s.status, statusEvent(c.Chain, p))
			s.statuses[providerKey{c.Chain, p.Name}] = lastingProvider(p)
			s.addAlerts(c.Chain, p.Name, p.Alerts)
		}
	}
	return s
}

func (s *situation) addActive(a wire.Active) {
	s.active = append(s.active, activeEvent(a))
	s.actives[a.Chain] = lasting(a)
	s.indexes[a.Chain] = a.Index
}

func (s *situation) addAlerts(chain, provider string, alerts []wire.Alert) {
	for _, a := range alerts {
		e := alertEvent(chain, provider, a, AlertFiring)
		s.alert = append(s.alert, e)
		s.alerts[e.alert] = weight{a.Evidence, a.Counts}
	}
}

// lasting is an answer without what changes from probe to probe.
func lasting(a wire.Active) wire.Active {
	a.Height, a.Hash, a.EvidenceAgeSeconds, a.AgreementAgeSeconds = nil, "", nil, nil
	a.Since = a.Since.UTC().Round(0)
	return a
}

// lastingProvider is a provider without what changes from probe to probe, and
// without its alerts, of which there are events of their own.
func lastingProvider(p wire.Provider) wire.Provider {
	p.BlockHeight, p.BlockLag, p.BlockHash, p.LatencyMS = nil, nil, "", nil
	p.ErrorsTotal, p.ConsecutiveErrors, p.LastError, p.LastProbe = 0, 0, nil, time.Time{}
	p.Recovery.NextCheck, p.Alerts = nil, nil
	p.Since = p.Since.UTC().Round(0)
	return p
}

// since are the events that lead from another situation to this one. What a
// decision is about comes before it, under the index that all have seen: who
// breaks off in between is told again.
func (s *situation) since(before *situation) []*event {
	var events []*event
	for _, e := range s.status {
		key := providerKey{e.chain, e.provider}
		if old, known := before.statuses[key]; !known || !reflect.DeepEqual(old, s.statuses[key]) {
			events = append(events, e.under(before.index))
		}
	}
	for _, e := range s.alert {
		if old, known := before.alerts[e.alert]; !known || old != s.alerts[e.alert] {
			events = append(events, e.under(before.index))
		}
	}
	for _, e := range before.alert {
		if _, still := s.alerts[e.alert]; !still {
			events = append(events, e.resolved().under(before.index))
		}
	}
	for _, e := range s.active {
		if old, known := before.actives[e.chain]; !known || !reflect.DeepEqual(old, s.actives[e.chain]) {
			events = append(events, e)
		}
	}
	return events
}

// after are the events for a stream that begins: all chains for a new caller,
// and for one that has seen an index what has changed or left since, with the
// status of its providers and what speaks of them. An index that was never given out is
// that of a new caller.
func (s *situation) after(index uint64) []*event {
	if index == 0 || index > s.index {
		return slices.DeleteFunc(slices.Clone(s.active), func(e *event) bool { return s.gone[e.chain] })
	}
	var events []*event
	for _, e := range slices.Concat(s.status, s.alert) {
		if s.indexes[e.chain] > index {
			events = append(events, e.under(index))
		}
	}
	for _, e := range s.active {
		if e.id > index {
			events = append(events, e)
		}
	}
	return events
}
