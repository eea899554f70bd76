package evaluator

import (
	"regexp"
	"strings"
	"text/template/parse"
	"time"

	"github.com/prometheus/common/model"
)

// definitions are the variables that Prometheus puts before each template.
const definitions = "{{$labels := .Labels}}" +
	"{{$externalLabels := .ExternalLabels}}" +
	"{{$externalURL := .ExternalURL}}" +
	"{{$value := .Value}}"

var (
	nameInText   = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*`)
	lengthInText = regexp.MustCompile(`\b(?:[0-9]+(?:ms|s|m|h|d|w|y))+\b`)
)

// addTemplate notes what the queries in a template may read. A query is put
// together when the template is expanded, so every word in a constant text of a
// template with a query is taken for a metric, and every length of time there
// for a range. A word too many costs nothing, as nobody exports such a metric.
func (r *reads) addTemplate(text string) {
	if !strings.Contains(text, "query") {
		return
	}
	tree := parse.New("template")
	tree.Mode = parse.SkipFuncCheck
	sets := map[string]*parse.Tree{}
	if _, err := tree.Parse(definitions+text, "", "", sets); err != nil {
		return // It was refused when it was loaded, or gives its error when expanded.
	}
	for _, t := range sets {
		for _, constant := range constants(t.Root) {
			var distance time.Duration
			for _, length := range lengthInText.FindAllString(constant, -1) {
				if d, err := model.ParseDuration(length); err == nil {
					distance += time.Duration(d)
				}
			}
			for _, name := range nameInText.FindAllString(constant, -1) {
				r.add(name, min(distance, maxBack))
			}
		}
	}
}

// constants are the constant texts in the actions of a template.
func constants(node parse.Node) []string {
	var found []string
	visit := func(nodes ...parse.Node) {
		for _, n := range nodes {
			found = append(found, constants(n)...)
		}
	}
	branch := func(n *parse.BranchNode) {
		visit(n.Pipe, n.List)
		if n.ElseList != nil {
			visit(n.ElseList)
		}
	}
	switch n := node.(type) {
	case *parse.StringNode:
		return []string{n.Text}
	case *parse.ListNode:
		visit(n.Nodes...)
	case *parse.ActionNode:
		visit(n.Pipe)
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			visit(c)
		}
	case *parse.CommandNode:
		visit(n.Args...)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			visit(n.Pipe)
		}
	case *parse.ChainNode:
		visit(n.Node)
	}
	return found
}
