package rulelint

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

var (
	ofLine       = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
	ofPlace      = regexp.MustCompile(`^(\d+):(\d+): (.*)$`)
	ofTemplate   = regexp.MustCompile(`^(label|annotation) "([^"]+)": `)
	unknownField = regexp.MustCompile(`^field (\S+) not found in type \S+$`)
	wrongKind    = regexp.MustCompile(`^cannot unmarshal !!(\w+)( .*)? into \S+$`)
	repeatedName = regexp.MustCompile(`^groupname: "(.*)" is repeated`)
)

// explain turns an error of Prometheus's reader into findings with their place.
func (s *source) explain(err error) []Finding {
	if wrong, ok := errors.AsType[*rulefmt.Error](err); ok {
		return []Finding{s.explainRule(wrong)}
	}
	var found []Finding
	for text := range strings.SplitSeq(err.Error(), "\n") {
		if text = strings.TrimSpace(text); text != "" && text != "yaml: unmarshal errors:" {
			found = append(found, s.explainLine(text))
		}
	}
	return found
}

// explainLine explains what is wrong with a file as a whole: its YAML, unknown
// fields, the names of groups.
func (s *source) explainLine(text string) Finding {
	f := Finding{Severity: Error, Check: checkSyntax}
	if found := ofLine.FindStringSubmatch(text); found != nil {
		f.Line, _ = strconv.Atoi(found[1])
		text = found[2]
	} else if found := ofPlace.FindStringSubmatch(text); found != nil {
		f.Line, _ = strconv.Atoi(found[1])
		f.Column, _ = strconv.Atoi(found[2])
		text = found[3]
	}
	if found := unknownField.FindStringSubmatch(text); found != nil {
		f.Column = strings.Index(s.line(f.Line), found[1]) + 1
		text = fmt.Sprintf("there is no field %q here", found[1])
	} else if found := wrongKind.FindStringSubmatch(text); found != nil {
		kind, ok := map[string]string{"seq": "a list", "map": "a mapping", "str": "the text"}[found[1]]
		if !ok {
			kind = "the value"
		}
		text = kind + found[2] + " cannot stand here"
	} else if found := repeatedName.FindStringSubmatch(text); found != nil {
		at := s.repeated(found[1])
		f.Line, f.Column = at.line, at.column
		text = fmt.Sprintf("group %q is in this file already; its name must be its own", found[1])
	}
	f.Message = strings.TrimPrefix(text, "yaml: ")
	return f
}

// repeated is the place of the second group of a name.
func (s *source) repeated(name string) place {
	seen := false
	for _, n := range s.groups {
		if v := valueOf(n, "name"); v != nil && v.Value == name {
			if seen {
				return placeOf(v)
			}
			seen = true
		}
	}
	return place{}
}

// explainRule explains what is wrong with one rule.
func (s *source) explainRule(err *rulefmt.Error) Finding {
	group := 0
	for i, n := range s.groups {
		if name := valueOf(n, "name"); name != nil && name.Value == err.Group {
			group = i
			break
		}
	}
	r := &rule{source: s, node: s.rule(group, err.Rule-1)}
	r.exprNode = valueOf(r.node, "expr")
	inner := err.Err.Unwrap()
	at, text := r.at(), inner.Error()
	if syntax, ok := errors.AsType[parser.ParseErrors](inner); ok && len(syntax) > 0 {
		at = s.within(r.exprNode, int(syntax[0].PositionRange.Start))
		text = "the expression cannot be parsed: " + syntax[0].Err.Error()
	} else if found := ofTemplate.FindStringSubmatch(text); found != nil {
		at = r.at(found[1]+"s", found[2])
	}
	return Finding{
		Line: at.line, Column: at.column, Severity: Error, Check: checkSyntax, Rule: err.RuleName,
		Message: strings.Join(strings.Fields(text), " "),
	}
}
