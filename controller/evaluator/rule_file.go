package evaluator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

// ruleFile finds the places of mistakes in a rule file.
type ruleFile struct {
	name   string
	text   []byte
	lines  []string
	groups []*yaml.Node
}

// place is a line and a column, from 1. The zero value is unknown.
type place struct {
	line, column int
	node         *yaml.Node
}

func newRuleFile(name string, text []byte) *ruleFile {
	f := &ruleFile{name: name, text: text, lines: strings.Split(string(text), "\n")}
	var document yaml.Node
	if yaml.Unmarshal(text, &document) == nil && len(document.Content) > 0 {
		if groups := valueOf(document.Content[0], "groups"); groups != nil {
			f.groups = groups.Content
		}
	}
	return f
}

// valueOf is the value of a key in a mapping; nil if it is not there.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	if n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i+1]
			}
		}
	}
	return nil
}

// at is the place as it is printed.
func (f *ruleFile) at(p place) string {
	return fmt.Sprintf("%s:%d:%d", f.name, max(1, p.line), max(1, p.column))
}

func placeOf(n *yaml.Node) place {
	if n == nil {
		return place{}
	}
	return place{n.Line, n.Column, n}
}

// group is the place of the i-th group, from 0.
func (f *ruleFile) group(i int) place {
	if i < 0 || i >= len(f.groups) {
		return place{}
	}
	return placeOf(f.groups[i])
}

// rule is the place of the k-th rule of the i-th group, both from 0.
func (f *ruleFile) rule(i, k int) place {
	if all := valueOf(f.group(i).node, "rules"); all != nil && k < len(all.Content) {
		return placeOf(all.Content[k])
	}
	return f.group(i)
}

// key is the place of the value under some keys of a rule, or of the rule.
func (f *ruleFile) key(rule place, keys ...string) place {
	n := rule.node
	for _, key := range keys {
		if n = valueOf(n, key); n == nil {
			return rule
		}
	}
	return placeOf(n)
}

// furtherDocuments refuses a second document, which would be left out silently.
func (f *ruleFile) furtherDocuments() []error {
	d := yaml.NewDecoder(bytes.NewReader(f.text))
	var first, second yaml.Node
	if d.Decode(&first) != nil || errors.Is(d.Decode(&second), io.EOF) {
		return nil
	}
	return []error{fmt.Errorf("yaml: line %d: a file holds one document, and this begins a second", max(1, second.Line))}
}

// explain turns the mistakes that were found into lines with their place.
func (f *ruleFile) explain(wrong []error) []error {
	var lines []string
	for _, err := range wrong {
		if rule, ok := errors.AsType[*rulefmt.Error](err); ok {
			lines = append(lines, f.explainRule(rule))
		} else {
			lines = append(lines, f.explainFile(err)...)
		}
	}
	var all []error
	for i, line := range lines {
		if !slices.Contains(lines[:i], line) {
			all = append(all, errors.New(line))
		}
	}
	return all
}

// ofTemplate is a mistake in the template of a label or annotation.
var ofTemplate = regexp.MustCompile(`^(label|annotation) "([^"]+)": `)

func (f *ruleFile) explainRule(err *rulefmt.Error) string {
	group := slices.IndexFunc(f.groups, func(n *yaml.Node) bool {
		name := valueOf(n, "name")
		return name != nil && name.Value == err.Group
	})
	rule := f.rule(group, err.Rule-1)
	inner := err.Err.Unwrap()
	at, text := rule, inner.Error()
	if syntax, ok := errors.AsType[parser.ParseErrors](inner); ok && len(syntax) > 0 {
		at = f.inExpression(f.key(rule, "expr"), syntax[0])
		text = "could not parse expression: " + syntax[0].Err.Error()
	} else if found := ofTemplate.FindStringSubmatch(text); found != nil {
		at = f.key(rule, found[1]+"s", found[2])
	}
	return fmt.Sprintf("%s: group %q, rule %d, %q: %s", f.at(at), err.Group, err.Rule, err.RuleName, oneLine(text))
}

// inExpression is the place of a syntax error. It is exact where the text stands
// in the file as it is: in a block after | and on one line without quotes.
func (f *ruleFile) inExpression(expr place, err parser.ParseErr) place {
	n := expr.node
	if n == nil {
		return expr
	}
	before := n.Value[:min(max(0, int(err.PositionRange.Start)), len(n.Value))]
	line := strings.Count(before, "\n")
	column := len(before) - (strings.LastIndex(before, "\n") + 1)
	switch {
	case n.Style&yaml.LiteralStyle != 0 && n.Line+line < len(f.lines):
		source := f.lines[n.Line+line] // The block begins on the line after its sign.
		return place{line: n.Line + line + 1, column: len(source) - len(strings.TrimLeft(source, " ")) + column + 1}
	case n.Style == 0 && line == 0 && strings.Contains(f.lineAt(n.Line), n.Value):
		return place{line: n.Line, column: n.Column + column}
	}
	return expr
}

// lineAt is a line of the file, from 1.
func (f *ruleFile) lineAt(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	return f.lines[n-1]
}

var (
	ofLine       = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
	ofPlace      = regexp.MustCompile(`^\d+:\d+: `)
	unknownField = regexp.MustCompile(`^field (\S+) not found in type .*$`)
	repeatedName = regexp.MustCompile(`^groupname: "(.*)" is repeated`)
	lastWord     = regexp.MustCompile(`([^\s":]+)"?$`)
)

// kinds puts words for the types that the decoder names.
var kinds = strings.NewReplacer(
	"[]rulefmt.RuleGroupNode", "a list of groups", "[]rulefmt.RuleGroup", "a list of groups",
	"[]rulefmt.RuleNode", "a list of rules", "[]rulefmt.Rule", "a list of rules",
	"rulefmt.RuleGroups", "a file of groups", "rulefmt.ruleGroups", "a file of groups",
	"rulefmt.RuleGroupNode", "a group", "rulefmt.RuleGroup", "a group",
	"rulefmt.RuleNode", "a rule", "rulefmt.Rule", "a rule", "map[string]string", "a mapping of texts",
)

// explainFile explains what is wrong with a file as a whole: its YAML, unknown
// fields, what concerns a group.
func (f *ruleFile) explainFile(err error) []string {
	var lines []string
	for text := range strings.SplitSeq(err.Error(), "\n") {
		text = strings.TrimSpace(text)
		if text != "" && text != "yaml: unmarshal errors:" {
			lines = append(lines, f.explainLine(text))
		}
	}
	return lines
}

func (f *ruleFile) explainLine(text string) string {
	at := place{}
	if found := ofLine.FindStringSubmatch(text); found != nil {
		at.line, _ = strconv.Atoi(found[1])
		text = found[2]
	}
	text = kinds.Replace(strings.TrimPrefix(ofPlace.ReplaceAllString(text, ""), "yaml: "))
	if found := unknownField.FindStringSubmatch(text); found != nil {
		at.column = strings.Index(f.lineAt(at.line), found[1]) + 1
		text = fmt.Sprintf("unknown field %q", found[1])
	} else if found := repeatedName.FindStringSubmatch(text); found != nil {
		at = f.repeated(found[1])
	} else if found := lastWord.FindStringSubmatch(text); found != nil && at.line == 0 {
		at = f.mentioned(found[1])
	}
	return f.at(at) + ": " + oneLine(text)
}

// mentioned is the first place at which a word stands, for mistakes that come
// without a place but name what is wrong.
func (f *ruleFile) mentioned(word string) place {
	for i, line := range f.lines {
		if column := strings.Index(line, word); column >= 0 {
			return place{line: i + 1, column: column + 1}
		}
	}
	return place{}
}

// repeated is the place of the second group of a name.
func (f *ruleFile) repeated(name string) place {
	seen := false
	for i, n := range f.groups {
		if v := valueOf(n, "name"); v != nil && v.Value == name {
			if seen {
				return f.group(i)
			}
			seen = true
		}
	}
	return place{}
}

// oneLine keeps a message on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
