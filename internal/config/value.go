package config

import "time"

// value is what stands at one place of the file, checked against its key. A nil
// value is a key that is absent; every method takes it as that.
type value struct {
	at   place
	from *branch
	// broken says that a mistake in this very value has been reported, so that
	// it must not be reasoned about.
	broken bool

	text   string
	number int64
	flag   bool
	span   time.Duration
	// address is set for shapeAddress.
	address URL

	members map[string]*value
	// names are the keys of members in the order of the file.
	names []string
	items []*value
}

// place is where something stands.
type place struct {
	line, column int
	path         string
}

// below is the place of an absent member: where its parent stands, by its own
// name.
func (v *value) below(name string) place {
	at := v.at
	at.path = join(at.path, name)
	return at
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// get is a member, or nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	return v.members[name]
}

// set says whether there is a value that can be reasoned about.
func (v *value) set() bool { return v != nil && !v.broken }

// textOr, numberOr, flagOr and spanOr are the value, or a default where it is
// absent or broken.
func (v *value) textOr(d string) string {
	if v.set() {
		return v.text
	}
	return d
}

func (v *value) numberOr(d int64) int64 {
	if v.set() {
		return v.number
	}
	return d
}

func (v *value) flagOr(d bool) bool {
	if v.set() {
		return v.flag
	}
	return d
}

func (v *value) spanOr(d time.Duration) time.Duration {
	if v.set() {
		return v.span
	}
	return d
}

// list are the items; none for an absent list.
func (v *value) list() []*value {
	if v == nil {
		return nil
	}
	return v.items
}

// sound says that none of the values is broken: what follows from several keys
// is only judged when each of them is right by itself.
func sound(vs ...*value) bool {
	for _, v := range vs {
		if v != nil && v.broken {
			return false
		}
	}
	return true
}

// firstSet is the first value that is there: the one to blame when several
// together are wrong.
func firstSet(vs ...*value) *value {
	for _, v := range vs {
		if v != nil {
			return v
		}
	}
	return nil
}
