package rulelint

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template/parse"
)

// definitions are the variables that Prometheus puts before each template.
const definitions = "{{$labels := .Labels}}" +
	"{{$externalLabels := .ExternalLabels}}" +
	"{{$externalURL := .ExternalURL}}" +
	"{{$value := .Value}}"

// ourMetric finds names of ours in the queries of a template.
var ourMetric = regexp.MustCompile(`\b(?:bifrost|understudy|keeper_rpc_failover)_[a-z0-9_]+|\b[a-z_]+:[a-z0-9_]+(?::[a-z0-9_]+)?`)

// templates finds labels that a template shows and the expression has not, and
// metrics that a template asks for and nobody exports.
func (l *linter) templates(r *rule, of labelSet) {
	for key, texts := range map[string]map[string]string{"labels": r.Labels, "annotations": r.Annotations} {
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			l.template(r, of, texts[name], key, name)
		}
	}
}

// template looks at one template.
func (l *linter) template(r *rule, of labelSet, written, key, name string) {
	tree := parse.New("template")
	tree.Mode = parse.SkipFuncCheck
	sets := map[string]*parse.Tree{}
	if _, err := tree.Parse(definitions+written, "", "", sets); err != nil {
		return // The reader of rule files has refused it.
	}
	node := valueOf(valueOf(r.node, key), name)
	at := func(p parse.Pos) place {
		if node == nil {
			return r.at(key, name)
		}
		return r.source.within(node, int(p)-len(definitions))
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		use := usage{outermost: name == "template"}
		use.visit(sets[name].Root)
		for _, label := range use.labels {
			if !of.none && of.presence(label.text) == never {
				l.say(r, at(label.pos), Error, checkTemplate, "$labels.%s is always empty: the result of the expression has %s", label.text, list(of.names(maybe)))
			}
		}
		if !use.queries {
			continue
		}
		for _, constant := range use.constants {
			for _, metric := range ourMetric.FindAllString(constant.text, -1) {
				l.unknown(r, at(constant.pos), metric)
			}
		}
	}
}

// word is a part of a template with its position.
type word struct {
	text string
	pos  parse.Pos
}

// usage is what a template uses.
type usage struct {
	// outermost: the dot is that of the alert.
	outermost         bool
	labels, constants []word
	// queries: the template asks for metrics.
	queries bool
}

// visit goes through a part of a template.
func (u *usage) visit(nodes ...parse.Node) {
	for _, node := range nodes {
		switch n := node.(type) {
		case *parse.ListNode:
			if n != nil {
				u.visit(n.Nodes...)
			}
		case *parse.ActionNode:
			u.visit(n.Pipe)
		case *parse.PipeNode:
			if n != nil {
				for _, c := range n.Cmds {
					u.command(c)
				}
			}
		case *parse.ChainNode:
			u.visit(n.Node)
		case *parse.IfNode:
			u.visit(n.Pipe, n.List, n.ElseList)
		case *parse.WithNode:
			u.moved(n.BranchNode)
		case *parse.RangeNode:
			u.moved(n.BranchNode)
		case *parse.TemplateNode:
			u.visit(n.Pipe)
		case *parse.StringNode:
			u.constants = append(u.constants, word{n.Text, n.Pos})
		case *parse.IdentifierNode:
			u.queries = u.queries || n.Ident == "query"
		case *parse.VariableNode:
			if len(n.Ident) > 1 && n.Ident[0] == "$labels" {
				u.labels = append(u.labels, word{n.Ident[1], n.Pos})
			}
		case *parse.FieldNode:
			if u.outermost && len(n.Ident) > 1 && n.Ident[0] == "Labels" {
				u.labels = append(u.labels, word{n.Ident[1], n.Pos})
			}
		}
	}
}

// moved visits a branch within which the dot is another one.
func (u *usage) moved(n parse.BranchNode) {
	u.visit(n.Pipe)
	before := u.outermost
	u.outermost = false
	u.visit(n.List)
	u.outermost = before
	u.visit(n.ElseList)
}

// command visits a call: index $labels "name" uses a label too.
func (u *usage) command(c *parse.CommandNode) {
	if len(c.Args) == 3 && c.Args[0].String() == "index" && slices.Contains([]string{"$labels", ".Labels"}, c.Args[1].String()) {
		if name, ok := c.Args[2].(*parse.StringNode); ok && (u.outermost || strings.HasPrefix(c.Args[1].String(), "$")) {
			u.labels = append(u.labels, word{name.Text, name.Pos})
		}
	}
	u.visit(c.Args...)
}
