package exporter

import (
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// registry is a prometheus.Registry that can gather a part of what it holds, for
// somebody who reads only a few of its families many times a second.
type registry struct {
	*prometheus.Registry

	mu      sync.Mutex
	entries []entry
	// part holds the collectors of the entries that were chosen last; nil before the
	// first time and after a change of the entries.
	part   *prometheus.Registry
	chosen []bool
}

// entry is a collector and the families that it describes. Without any, nobody
// knows beforehand what it collects.
type entry struct {
	collector prometheus.Collector
	families  []string
}

func newRegistry() *registry { return &registry{Registry: prometheus.NewRegistry()} }

// Register implements prometheus.Registerer.
func (r *registry) Register(c prometheus.Collector) error {
	if err := r.Registry.Register(c); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries, r.part = append(r.entries, entry{c, familiesOf(c)}), nil
	return nil
}

// MustRegister implements prometheus.Registerer.
func (r *registry) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if err := r.Register(c); err != nil {
			panic(err)
		}
	}
}

// Unregister implements prometheus.Registerer.
func (r *registry) Unregister(c prometheus.Collector) bool {
	gone := familiesOf(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = slices.DeleteFunc(r.entries, func(e entry) bool { return slices.Equal(e.families, gone) })
	r.part = nil
	return r.Registry.Unregister(c)
}

// choose makes a registry of the collectors that have a family which is wanted,
// or gives the last one if they are the same.
func (r *registry) choose(wanted func(string) bool) (*prometheus.Registry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	chosen := make([]bool, len(r.entries))
	for i, e := range r.entries {
		chosen[i] = len(e.families) == 0 || slices.ContainsFunc(e.families, wanted)
	}
	if r.part != nil && slices.Equal(chosen, r.chosen) {
		return r.part, nil
	}
	part := prometheus.NewRegistry()
	for i, e := range r.entries {
		if chosen[i] {
			if err := part.Register(e.collector); err != nil {
				return nil, err
			}
		}
	}
	r.part, r.chosen = part, chosen
	return part, nil
}

// familiesOf are the names of the families that a collector describes. A
// description tells its name only in its text; one that does not is of a family
// that anybody may want, as if it was not described.
func familiesOf(c prometheus.Collector) []string {
	descriptions := make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		c.Describe(descriptions)
	}()
	var names []string
	for d := range descriptions {
		_, rest, _ := strings.Cut(d.String(), `fqName: "`)
		name, _, _ := strings.Cut(rest, `"`)
		names = append(names, name)
	}
	if slices.Contains(names, "") {
		return nil
	}
	return names
}
