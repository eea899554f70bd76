package config

import (
	"go.yaml.in/yaml/v3"
)

// pair is one member of a mapping, after merge keys ("<<") have been followed.
type pair struct {
	name  string
	key   *yaml.Node
	value *yaml.Node
}

// pairs are the members of a mapping: its own first, then those that are
// merged into it and that it does not have itself. A key that stands twice is a
// mistake, as YAML has it.
func (r *reader) pairs(n *yaml.Node, v *value) ([]pair, bool) {
	if n.Kind != yaml.MappingNode {
		r.blame(v, "it is "+nodeWords(n)+", not a mapping", "write its keys below it, indented")
		return nil, false
	}
	var own []pair
	seen := map[string]int{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.AliasNode && k.Alias != nil {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			r.mistake(place{k.Line, k.Column, v.at.path}, "a key is "+nodeWords(k)+", not a text", "")
			continue
		}
		if k.ShortTag() == "!!merge" {
			merges = append(merges, val)
			continue
		}
		if first, twice := seen[k.Value]; twice {
			r.mistake(place{k.Line, k.Column, join(v.at.path, shown(k.Value))},
				"the key stands twice", "it is already on line "+itoa(first))
			continue
		}
		seen[k.Value] = k.Line
		own = append(own, pair{k.Value, k, val})
	}
	for _, m := range merges {
		own = r.merge(own, seen, m, v)
	}
	return own, true
}

// merge adds what a merge key brings. The value of "<<" is a mapping, an alias
// of one, or a list of those; the earlier wins.
func (r *reader) merge(own []pair, seen map[string]int, m *yaml.Node, v *value) []pair {
	at := place{m.Line, m.Column, v.at.path}
	if m.Kind == yaml.SequenceNode {
		for _, each := range m.Content {
			if each.Kind == yaml.SequenceNode {
				r.mistake(at, "the merge key << holds a list within a list", "")
				continue
			}
			own = r.merge(own, seen, each, v)
		}
		return own
	}
	source := &value{at: at, from: v.from}
	if m.Kind == yaml.AliasNode {
		if !r.enter(m, source) {
			return own
		}
		defer r.leave(m.Alias)
		m = m.Alias
	}
	if m.Kind != yaml.MappingNode {
		r.mistake(at, "the merge key << needs a mapping", "such as <<: *name")
		return own
	}
	if r.aliased += len(m.Content); r.aliased > maxAliased {
		r.overflow = true
		r.mistake(at, "the aliases of this file repeat too much", "write the repeated parts out")
		return own
	}
	merged, _ := r.pairs(m, source)
	for _, p := range merged {
		if _, there := seen[p.name]; !there {
			seen[p.name] = p.key.Line
			own = append(own, p)
		}
	}
	return own
}
