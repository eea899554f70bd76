// Package rulelint reads rule files and says what is wrong with them before
// anybody relies on them: what Prometheus would refuse, and what it would accept
// although it can never do what its author meant.
//
// It knows which labels every metric of ours has and follows them through
// expressions and recorded rules. So it finds a join that cannot match, evidence
// that names no provider, and a template that shows nothing. Of metrics from
// elsewhere it knows nothing and assumes that every label may be there: a finding
// is certain, silence is not.
//
// It is pure: it opens no file, evaluates nothing and keeps nothing.
package rulelint

import (
	"cmp"
	"fmt"
	"slices"
)

// File is a rule file.
type File struct {
	// Name is what findings call it.
	Name string
	Data []byte
	// Beside marks a file that is only loaded together with the others: what it
	// records is known, what it lacks is not said. It stands back for a file under
	// test that has all its groups, which is its replacement.
	Beside bool
}

// Severity is how bad a finding is.
type Severity uint8

// The severities.
const (
	// Warning: the rule works, but hardly as it was meant.
	Warning Severity = iota
	// Error: the file is refused, or the rule can never do its work.
	Error
)

// String is the severity as a report writes it.
func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// Finding is one thing that is wrong.
type Finding struct {
	File string
	// Line and Column count from 1. They are those of the word in question where
	// an expression stands in the file as it is (after "|", or on one line), else
	// those of the expression.
	Line, Column int
	Severity     Severity
	// Check is the name of the check, as in the documentation.
	Check string
	// Rule is the alert or the recorded metric. It is empty if the file as a whole
	// is concerned.
	Rule string
	// Message says what is wrong and what would be right.
	Message string
}

// String is the finding on one line.
func (f Finding) String() string {
	rule := ""
	if f.Rule != "" {
		rule = f.Rule + ": "
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s%s [%s]", f.File, f.Line, f.Column, f.Severity, rule, f.Message, f.Check)
}

// The names of the checks.
const (
	checkSyntax       = "syntax"
	checkDuplicate    = "duplicate"
	checkUnknown      = "unknown-metric"
	checkSelector     = "impossible-selector"
	checkJoin         = "impossible-join"
	checkManyMatches  = "many-matches"
	checkComparison   = "no-comparison"
	checkEvidence     = "evidence"
	checkTemplate     = "template-label"
	checkRateOfGauge  = "rate-of-gauge"
	checkRawCounter   = "raw-counter"
	checkFailureModes = "failure-mode"
)

// Lint says what is wrong with the files, in their order and by place. The files
// are taken to be loaded together.
func Lint(files []File) []Finding {
	l := &linter{}
	for _, f := range files {
		l.sources = append(l.sources, readSource(f))
	}
	l.sources = slices.DeleteFunc(l.sources, l.replaced)
	l.know = learn(l.sources)
	for _, s := range l.sources {
		for _, m := range s.mistakes {
			l.add(s, m)
		}
		for _, r := range s.rules {
			l.rule(r)
		}
	}
	l.duplicates()
	return l.sorted()
}

// linter collects findings.
type linter struct {
	sources  []*source
	know     *knowledge
	findings []Finding
}

// replaced says whether a file under test has all groups of one beside it.
func (l *linter) replaced(s *source) bool {
	if !s.file.Beside || len(s.rules) == 0 {
		return false
	}
	under := map[string]bool{}
	for _, other := range l.sources {
		for _, r := range other.rules {
			under[r.group] = under[r.group] || !other.file.Beside
		}
	}
	return !slices.ContainsFunc(s.rules, func(r *rule) bool { return !under[r.group] })
}

// add notes a finding, unless the file only stands beside those under test.
func (l *linter) add(s *source, f Finding) {
	if !s.file.Beside {
		f.File, f.Line, f.Column = s.file.Name, max(1, f.Line), max(1, f.Column)
		l.findings = append(l.findings, f)
	}
}

// say notes a finding about a rule.
func (l *linter) say(r *rule, at place, s Severity, check, format string, values ...any) {
	l.add(r.source, Finding{
		Line: at.line, Column: at.column, Severity: s, Check: check, Rule: r.name(),
		Message: fmt.Sprintf(format, values...),
	})
}

// sorted are the findings by file and place, each once.
func (l *linter) sorted() []Finding {
	order := map[string]int{}
	for i, s := range l.sources {
		order[s.file.Name] = i
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Check, b.Check), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(l.findings)
}

// rule applies every check to one rule.
func (l *linter) rule(r *rule) {
	if r.expr == nil {
		return
	}
	set := l.know.labels(r.expr, func(f remark) {
		l.say(r, r.source.within(r.exprNode, f.position), f.severity, f.check, "%s", f.message)
	})
	l.metrics(r)
	l.rates(r)
	if r.Alert != "" {
		l.comparison(r)
		l.counters(r)
		l.evidence(r, set)
		l.templates(r, set)
	}
}
