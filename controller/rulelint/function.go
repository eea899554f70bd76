package rulelint

import (
	"regexp"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// call is the set of the result of a function.
func (r reader) call(c *parser.Call) labelSet {
	var of []labelSet
	for _, arg := range c.Args {
		of = append(of, r.read(arg))
	}
	if len(of) == 0 {
		return labelSet{}
	}
	first, last := of[0], of[len(of)-1]
	switch c.Func.Name {
	case "absent", "absent_over_time":
		return absent(c.Args[0])
	case "label_replace":
		return replaced(c, first)
	case "label_join":
		return labelsJoined(c, first)
	case "histogram_quantile", "histogram_fraction":
		return last.drop([]string{model.BucketLabel})
	case "histogram_quantiles", "info":
		return anything()
	case "quantile_over_time":
		return last
	}
	if c.Func.ReturnType != parser.ValueTypeVector || c.Args[0].Type() == parser.ValueTypeScalar {
		return labelSet{}
	}
	return first
}

// absent is the set of the one series that absent() makes: it has the labels that
// the selector demands by equality, each once.
func absent(arg parser.Expr) labelSet {
	arg = unwrap(arg)
	if m, ok := arg.(*parser.MatrixSelector); ok {
		arg = m.VectorSelector
	}
	v, ok := arg.(*parser.VectorSelector)
	if !ok {
		return labelSet{}
	}
	s, seen := closedSet(), map[string]bool{}
	for _, m := range v.LabelMatchers {
		switch {
		case m.Name == model.MetricNameLabel:
		case m.Type == labels.MatchEqual && m.Value != "" && !seen[m.Name]:
			s = s.with(m.Name, fixed)
		default:
			s = s.with(m.Name, never)
		}
		seen[m.Name] = true
	}
	return s
}

var (
	// everything are the regular expressions that match every text.
	everything = []string{"", ".*", "(.*)"}
	// something are those that match every text but the empty one.
	something = []string{".+", "(.+)"}
	// reference is a part of a replacement that depends on the source.
	reference = regexp.MustCompile(`\$\{?(\w+)\}?`)
)

// replaced is the set after label_replace.
func replaced(c *parser.Call, s labelSet) labelSet {
	target, replacement, origin, pattern := text(c.Args[1]), text(c.Args[2]), text(c.Args[3]), text(c.Args[4])
	if s.none {
		return s
	}
	from := never // No label has an empty name.
	if origin != "" {
		from = s.presence(origin)
	}
	always := (from == never && matches(pattern, "")) || (pattern != "" && slices.Contains(everything, pattern)) ||
		(from >= sure && slices.Contains(something, pattern))
	// filled: the replacement is not empty where the pattern matches.
	constant := reference.ReplaceAllString(replacement, "")
	filled := constant != "" || (from >= sure && replacement == "$1" && slices.Contains([]string{"(.*)", "(.+)"}, pattern))
	switch before := s.presence(target); {
	case replacement == "" && always:
		return s.with(target, never)
	case filled && constant == replacement && always:
		return s.with(target, fixed)
	case filled && (always || before >= sure):
		return s.with(target, sure)
	case before == never && replacement == "":
		return s
	}
	return s.with(target, maybe)
}

// matches says whether a pattern matches the whole of a text, as Prometheus does.
func matches(pattern, whole string) bool {
	re, err := regexp.Compile("^(?s:" + pattern + ")$")
	return err == nil && re.MatchString(whole)
}

// labelsJoined is the set after label_join.
func labelsJoined(c *parser.Call, s labelSet) labelSet {
	if s.none {
		return s
	}
	origins := c.Args[3:]
	there := never
	for _, origin := range origins {
		there = max(there, min(sure, s.presence(text(origin))))
	}
	if len(origins) > 1 && text(c.Args[2]) != "" {
		there = sure
	}
	return s.with(text(c.Args[1]), there)
}
