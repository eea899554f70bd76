//go:build e2e

package rules_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/understudy-rpc/understudy/internal/node"
	"github.com/understudy-rpc/understudy/rules"
)

// mutation is one change of a rule that has to make a scenario fail.
type mutation struct {
	rule bundledRule
	what string
	// from is the text of the expression, to is what it becomes.
	from, to string
	// compared is the comparison that is changed.
	compared parser.Expr
}

// TestScenariosNoticeEveryChangedThreshold takes each comparison of the rules
// away, and makes it strict or lax, one at a time. Where no scenario fails, there
// is a threshold that nobody tests.
func TestScenariosNoticeEveryChangedThreshold(t *testing.T) {
	t.Parallel()
	scenarios := singles(t)
	var changes []mutation
	for _, r := range bundledRules(t) {
		changes = append(changes, mutations(r)...)
	}
	require.Greater(t, len(changes), 50)
	for i, m := range changes {
		t.Run(fmt.Sprintf("%d %s %s", i, m.rule.name(), m.what), func(t *testing.T) {
			t.Parallel()
			dir := mutated(t, m)
			for _, s := range byRelevance(t, m, scenarios) {
				file := filepath.Join(dir, s.name)
				require.NoError(t, os.WriteFile(file, []byte(s.text), 0o600))
				output, err := exec.CommandContext(t.Context(), node.Binary(t, "promtool"), "test", "rules", file).CombinedOutput()
				if err != nil {
					require.Containsf(t, string(output), "got:", "promtool refuses the change instead of noticing it")
					t.Logf("noticed by %s", s.name)
					return
				}
			}
			t.Errorf("no scenario fails when\n%s\nbecomes\n%s", m.from, m.to)
		})
	}
}

// mutations are the changes of one rule.
func mutations(r bundledRule) []mutation {
	var all []mutation
	change := func(what string, c *parser.BinaryExpr, text string) {
		at := c.PositionRange()
		all = append(all, mutation{r, what, r.Expr, r.Expr[:at.Start] + text + r.Expr[at.End:], c})
	}
	for _, c := range comparisons(r.expr) {
		left, right := textOf(r.Expr, c.LHS), textOf(r.Expr, c.RHS)
		operator := r.Expr[c.LHS.PositionRange().End:c.RHS.PositionRange().Start]
		op := c.Op.String()
		switch {
		case c.ReturnBool:
			change("is always true: "+op, c, "(0 * "+left+" + 1)")
		case c.VectorMatching != nil && c.VectorMatching.Card == parser.CardOneToMany:
			// The left side alone would have other labels.
			change("is always true: "+op, c, left+strings.Replace(operator, op, "- 1e9 <", 1)+right)
		default:
			change("is always true: "+op, c, left)
		}
		if other, ok := opposite[op]; ok {
			change("becomes "+other, c, left+strings.Replace(operator, op, other, 1)+right)
		}
	}
	return all
}

// opposite makes a strict comparison lax and a lax one strict.
var opposite = map[string]string{">": ">=", ">=": ">", "<": "<=", "<=": "<", "==": "!="}

// textOf is the text of a part of an expression.
func textOf(text string, part parser.Expr) string {
	at := part.PositionRange()
	return text[at.Start:at.End]
}

// single is a file with one scenario.
type single struct {
	name, text string
	// alerts are the alerts that fire, or are pending, in it.
	alerts []string
	// end is the last time that is looked at, and so what the run costs.
	end time.Duration
}

// singles are all scenarios, the quickest first.
func singles(t *testing.T) []single {
	t.Helper()
	names, err := filepath.Glob("*_test.yml")
	require.NoError(t, err)
	var all []single
	for _, name := range names {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		var whole map[string]any
		require.NoError(t, yaml.Unmarshal(raw, &whole))
		var typed scenarioFile
		require.NoError(t, yaml.Unmarshal(raw, &typed))
		for i, test := range whole["tests"].([]any) {
			part := maps.Clone(whole)
			part["tests"] = []any{test}
			text, err := yaml.Marshal(part)
			require.NoError(t, err)
			one := single{name: fmt.Sprintf("%d_%s", i, name), text: string(text)}
			one.alerts, one.end = typed.Tests[i].expected()
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b single) int { return cmp.Compare(a.end, b.end) })
	return all
}

// mutated is a folder with all files, one rule of which is changed.
func mutated(t *testing.T, m mutation) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range rules.FileNames() {
		text, err := rules.Files.ReadFile(name)
		require.NoError(t, err)
		if name == m.rule.file {
			text = []byte(withExpression(t, string(text), m))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return dir
}

// withExpression is a rule file in which a rule has the changed expression.
func withExpression(t *testing.T, file string, m mutation) string {
	t.Helper()
	_, err := promQL.ParseExpr(m.to)
	require.NoErrorf(t, err, "the change is no PromQL:\n%s", m.to)
	head := "- alert: " + m.rule.Alert + "\n"
	if m.rule.Record != "" {
		head = "- record: " + m.rule.Record + "\n"
	}
	before, rule, ok := strings.Cut(file, head)
	require.True(t, ok)
	at := strings.Index(rule, "expr: ")
	require.GreaterOrEqual(t, at, 0)
	changed := strings.Join(strings.Fields(m.to), " ")
	rest := rule[at:]
	end := strings.Index(rest, "\n") + 1
	if strings.HasPrefix(rest, "expr: |") {
		for strings.HasPrefix(rest[end:], "          ") {
			end += strings.Index(rest[end:], "\n") + 1
		}
	}
	return before + head + rule[:at] + "expr: '" + strings.ReplaceAll(changed, "'", "''") + "'\n" + rest[end:]
}

// byRelevance puts those scenarios first in which an alert is expected that
// depends on the rule, and of these, those that set most of what is compared.
func byRelevance(t *testing.T, m mutation, all []single) []single {
	t.Helper()
	names := []string{m.rule.name()}
	for _, r := range bundledRules(t) {
		for _, s := range selectors(r.expr) {
			if slices.Contains(names, s.Name) {
				names = append(names, r.name())
				break
			}
		}
	}
	distance := func(s single) int {
		if strings.Contains(s.text, m.rule.name()) {
			return 0
		}
		if slices.ContainsFunc(s.alerts, func(a string) bool { return slices.Contains(names, a) }) {
			return 1
		}
		return 2
	}
	read := published(t, m.compared)
	unset := func(s single) (n int) {
		for _, metric := range read {
			if !strings.Contains(s.text, metric) {
				n++
			}
		}
		return n
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b single) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(unset(a), unset(b)))
	})
}

// published are the metrics that an expression reads, by itself or through
// records, which may read themselves.
func published(t *testing.T, expr parser.Expr) []string {
	t.Helper()
	records := map[string]parser.Expr{}
	for _, r := range bundledRules(t) {
		if r.Record != "" {
			records[r.Record] = r.expr
		}
	}
	found, followed := map[string]bool{}, map[string]bool{}
	for open := []parser.Expr{expr}; len(open) > 0; open = open[1:] {
		for _, s := range selectors(open[0]) {
			switch record := records[s.Name]; {
			case record == nil:
				found[s.Name] = true
			case !followed[s.Name]:
				followed[s.Name] = true
				open = append(open, record)
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
