package rulelint

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// place is a line and a column, from 1. The zero value is unknown.
type place struct{ line, column int }

// linesOf are the lines of a file without their ends.
func linesOf(text []byte) []string {
	lines := strings.Split(string(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// valueOf is the value of a key in a mapping; nil if it is not there.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	if n = resolved(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return resolved(n.Content[i+1])
		}
	}
	return nil
}

// resolved follows an alias to what it stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// rule is the k-th rule of the i-th group, both from 0; the group if there is no
// such rule, or nil.
func (s *source) rule(i, k int) *yaml.Node {
	if i < 0 || i >= len(s.groups) {
		return nil
	}
	if all := valueOf(s.groups[i], "rules"); all != nil && k >= 0 && k < len(all.Content) {
		return resolved(all.Content[k])
	}
	return resolved(s.groups[i])
}

// placeOf is where a node begins.
func placeOf(n *yaml.Node) place {
	if n == nil {
		return place{}
	}
	return place{n.Line, n.Column}
}

// at is the place of the value under some keys of the rule, or of the rule.
func (r *rule) at(keys ...string) place {
	n := r.node
	for _, key := range keys {
		if n = valueOf(n, key); n == nil {
			return placeOf(r.node)
		}
	}
	return placeOf(n)
}

// within is the place of a position, in bytes, within a text value. It is exact
// where the text stands in the file as it is, else it is where the value begins.
func (s *source) within(n *yaml.Node, position int) place {
	if n == nil || position < 0 || position > len(n.Value) {
		return placeOf(n)
	}
	before := n.Value[:position]
	down := strings.Count(before, "\n")
	across := len(before) - (strings.LastIndex(before, "\n") + 1)
	switch {
	case n.Style&yaml.LiteralStyle != 0:
		// The block begins on the line after its sign, indented.
		written, text := s.line(n.Line+down+1), lineOf(n.Value, down)
		if strings.HasSuffix(written, text) {
			return place{n.Line + down + 1, len(written) - len(text) + across + 1}
		}
	case n.Style&yaml.FoldedStyle != 0 || strings.Contains(n.Value, "\n"):
	default:
		quote := 0
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			quote = 1
		}
		written := s.line(n.Line)
		if start := n.Column - 1 + quote; start <= len(written) && strings.HasPrefix(written[start:], n.Value) {
			return place{n.Line, start + across + 1}
		}
	}
	return placeOf(n)
}

// line is a line of the file, from 1.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// lineOf is a line of a text, from 0.
func lineOf(text string, n int) string {
	for i := 0; ; i++ {
		line, rest, more := strings.Cut(text, "\n")
		if i == n || !more {
			return line
		}
		text = rest
	}
}
