package rulelint

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// presence says whether the series of an expression carry a label.
type presence uint8

const (
	// never: no series has it.
	never presence = iota
	// maybe: nobody can tell, or some have it and some not.
	maybe
	// sure: every series has it.
	sure
	// fixed: every series has it, with one and the same value.
	fixed
)

// labelSet is what is known of the labels of the series of an expression. The
// zero value is that of series without any label.
type labelSet struct {
	// none: no series is known yet. It is the neutral element of union.
	none  bool
	known map[string]presence
	// open: labels beside the known ones may be there, but for those in except.
	open   bool
	except map[string]bool
}

// anything is the set of which nothing is known.
func anything() labelSet { return labelSet{open: true} }

// closedSet has the given labels and no other.
func closedSet(names ...string) labelSet {
	known := map[string]presence{}
	for _, name := range names {
		known[name] = sure
	}
	return labelSet{known: known}
}

// presence looks a label up.
func (s labelSet) presence(name string) presence {
	if p, ok := s.known[name]; ok {
		return p
	}
	if s.open && !s.except[name] {
		return maybe
	}
	return never
}

// with is the set with one label told anew.
func (s labelSet) with(name string, p presence) labelSet {
	known := maps.Clone(s.known)
	if known == nil {
		known = map[string]presence{}
	}
	known[name] = p
	s.known = known
	return s
}

// keep is the set of the same series with these labels only.
func (s labelSet) keep(names []string) labelSet {
	kept := labelSet{none: s.none, known: map[string]presence{}}
	for _, name := range names {
		if p := s.presence(name); p != never {
			kept.known[name] = p
		}
	}
	return kept
}

// drop is the set of the same series without these labels.
func (s labelSet) drop(names []string) labelSet {
	for _, name := range names {
		s = s.with(name, never)
	}
	return s
}

// union is the set of the series of both.
func union(a, b labelSet) labelSet {
	switch {
	case a.none:
		return b
	case b.none:
		return a
	}
	both := labelSet{known: map[string]presence{}, open: a.open || b.open}
	for _, name := range slices.Concat(a.names(never), b.names(never)) {
		p, q := a.presence(name), b.presence(name)
		switch {
		case p >= sure && q >= sure:
			both.known[name] = sure
		case p == never && q == never:
			both.known[name] = never
		default:
			both.known[name] = maybe
		}
	}
	switch {
	case a.open && b.open && (a.except == nil || b.except == nil):
	case a.open && a.except != nil:
		both.except = a.except
	case b.open:
		both.except = b.except
	}
	return both
}

// names are the known labels whose presence is at least that, sorted.
func (s labelSet) names(least presence) []string {
	var names []string
	for name, p := range s.known {
		if p >= least {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// String tells two sets apart.
func (s labelSet) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%t %t %t", s.none, s.open, s.except == nil)
	for _, name := range s.names(never) {
		if p := s.known[name]; p != never || s.open {
			fmt.Fprintf(&b, " %s=%d", name, p)
		}
	}
	return b.String()
}

// list names labels in a sentence.
func list(names []string) string {
	if len(names) == 0 {
		return "no label"
	}
	return strings.Join(names, ", ")
}
