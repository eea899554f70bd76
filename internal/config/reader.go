package config

import (
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxAliased bounds how many nodes are read through aliases, so that a few
// lines of aliases of aliases cannot fill the memory.
const maxAliased = 100_000

// reader turns the nodes of a YAML document into values, by the table of keys.
// It goes on after a mistake, so that all of them come out at once.
type reader struct {
	file string
	// lookup finds variables; without one, "${" stands for itself.
	lookup   func(string) (string, bool)
	mistakes Mistakes
	// foreign are further keys of an object that belong to somebody else and
	// are not read.
	foreign map[*branch][]string

	aliased  int
	inAlias  int
	open     map[*yaml.Node]bool
	overflow bool
}

// mistake notes that something is wrong at a place.
func (r *reader) mistake(at place, wrong, right string) {
	r.mistakes = append(r.mistakes, Mistake{
		File: r.file, Line: at.line, Column: at.column, Path: at.path, Wrong: wrong, Right: right,
	})
}

// blame notes a mistake in a value, and that nothing follows from it any more.
func (r *reader) blame(v *value, wrong, right string) {
	v.broken = true
	r.mistake(v.at, wrong, right)
}

// read reads one node as the value of a key.
func (r *reader) read(n *yaml.Node, b *branch, path string) *value {
	v := &value{at: place{n.Line, n.Column, path}, from: b}
	if n.Kind == yaml.AliasNode {
		if !r.enter(n, v) {
			return v
		}
		defer r.leave(n.Alias)
		n = n.Alias
	}
	if r.inAlias > 0 {
		if r.aliased++; r.aliased > maxAliased {
			if !r.overflow {
				r.overflow = true
				r.mistake(v.at, "the aliases of this file repeat too much", "write the repeated parts out")
			}
			v.broken = true
			return v
		}
	}
	switch b.shape {
	case shapeObject:
		r.readObject(n, v)
	case shapeTable:
		r.readTable(n, v)
	case shapeList:
		r.readList(n, v)
	default:
		r.readScalar(n, v)
	}
	return v
}

// enter follows an alias, unless it leads back into itself.
func (r *reader) enter(n *yaml.Node, v *value) bool {
	if n.Alias == nil || r.open[n.Alias] {
		r.blame(v, "the alias leads back to itself", "")
		return false
	}
	if r.open == nil {
		r.open = map[*yaml.Node]bool{}
	}
	r.open[n.Alias] = true
	r.inAlias++
	return true
}

func (r *reader) leave(n *yaml.Node) {
	delete(r.open, n)
	r.inAlias--
}

// readObject reads a mapping with known keys. An empty one, as is left when
// all its lines are commented out, is an object without members.
func (r *reader) readObject(n *yaml.Node, v *value) {
	v.members = map[string]*value{}
	if isNull(n) {
		r.requireMembers(v, nil)
		return
	}
	pairs, ok := r.pairs(n, v)
	if !ok {
		return
	}
	meant := map[string]bool{}
	for _, p := range pairs {
		child := v.from.child(p.name)
		at := place{p.key.Line, p.key.Column, join(v.at.path, shown(p.name))}
		switch {
		case child != nil:
			v.members[p.name] = r.read(p.value, child, at.path)
			v.names = append(v.names, p.name)
		case slices.Contains(r.foreign[v.from], p.name):
		default:
			right, probably := suggestKey(p.name, v.from, r.foreign[v.from])
			meant[probably] = true
			r.mistake(at, "the key is not known", right)
		}
	}
	r.requireMembers(v, meant)
}

// requireMembers notes the keys that have no default and are absent. A key
// with a mistake in it is there, and so is one that was probably meant.
func (r *reader) requireMembers(v *value, meant map[string]bool) {
	for _, c := range v.from.children {
		if c.required && v.members[c.name] == nil && !meant[c.name] {
			right := "add it"
			if c.example != "" {
				right = fmt.Sprintf("such as %s: %s", c.name, c.example)
			}
			r.mistake(v.below(c.name), "it is missing", right)
		}
	}
}

// readTable reads a mapping whose keys are names that the operator gives.
func (r *reader) readTable(n *yaml.Node, v *value) {
	v.members = map[string]*value{}
	if isNull(n) {
		return
	}
	pairs, ok := r.pairs(n, v)
	if !ok {
		return
	}
	for _, p := range pairs {
		v.members[p.name] = r.read(p.value, v.from.each, join(v.at.path, shown(p.name)))
		v.names = append(v.names, p.name)
	}
}

// readList reads a sequence.
func (r *reader) readList(n *yaml.Node, v *value) {
	if isNull(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		r.blame(v, "it is "+nodeWords(n)+", not a list", "write each item on a line of its own, after \"- \"")
		return
	}
	for i, item := range n.Content {
		if r.overflow {
			return
		}
		v.items = append(v.items, r.read(item, v.from.each, fmt.Sprintf("%s[%d]", v.at.path, i)))
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// nodeWords says in words what a node is, without repeating what stands there.
func nodeWords(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "empty"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	default:
		return "a text"
	}
}

// plainName is what a name of the operator's may look like to be repeated in a
// message. A missing blank can make a key of a whole URL.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$`)

// shown is a name as it may stand in a message.
func shown(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return "?"
}
