package evaluator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

// mistakes are the errors of the files in testdata/bad, each with one mistake.
var mistakes = map[string]string{
	"bad-group-label":    `bad-group-label.yml:3:15: invalid label name: __name__`,
	"bad-interval":       `bad-interval.yml:3:15: not a valid duration string: "soon"`,
	"bad-label-template": `bad-label-template.yml:7:16: group "a", rule 1, "A": label "who": template: __alert_A:1: function "nobody" not defined`,
	"bad-label":          `bad-label.yml:4:9: group "a", rule 1, "A": invalid label name: __name__`,
	"bad-promql-block":   `bad-promql-block.yml:7:22: group "a", rule 1, "a:b": could not parse expression: expected type range vector in call to function "rate", got instant vector`,
	"bad-promql-quoted":  `bad-promql-quoted.yml:5:15: group "a", rule 1, "a:b": could not parse expression: unclosed left parenthesis`,
	"bad-promql":         `bad-promql.yml:5:26: group "a", rule 1, "A": could not parse expression: unclosed left parenthesis`,
	"bad-template":       `bad-template.yml:8:17: group "a", rule 1, "A": annotation "text": template: __alert_A:1: unexpected "}" in operand`,
	"both":               `both.yml:4:9: group "a", rule 1, "A": only one of 'record' and 'alert' must be set`,
	"duplicate-record":   `duplicate-record.yml:6:9: "a:b" is recorded already at duplicate-record.yml:4:9; give it another name or labels`,
	"fixed-time":         `fixed-time.yml:5:15: height @ 1700000000.000 is read at a fixed time, which only a database can serve`,
	"for-in-recording":   `for-in-recording.yml:4:9: group "a", rule 1, "a:b": invalid field 'for' in recording rule`,
	"html":               "html.yml:1:1: cannot unmarshal !!str `<html> ...` into a file of groups",
	"list":               `list.yml:1:1: cannot unmarshal !!seq into a file of groups`,
	"neither":            `neither.yml:4:9: group "a", rule 1, "": one of 'record' or 'alert' must be set`,
	"no-expr":            `no-expr.yml:4:9: group "a", rule 1, "A": field 'expr' must be set in rule`,
	"no-name":            `no-name.yml:1:1: Groupname must not be empty`,
	"not-yaml":           `not-yaml.yml:1:1: did not find expected '-' indicator`,
	"record-name":        `record-name.yml:4:9: group "a", rule 1, "up{}": braces present in the recording rule name; should it be in expr?: up{}`,
	"repeated-group":     `repeated-group.yml:6:5: groupname: "a" is repeated in the same file`,
	"too-far-back":       `too-far-back.yml:5:15: height is read 2d back; the most is 1d`,
	"two-documents":      `two-documents.yml:4:1: a file holds one document, and this begins a second`,
	"unknown-field":      `unknown-field.yml:6:9: unknown field "fore"`,
}

func TestEveryMistakeIsNamedWithItsPlace(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/bad/*.yml")
	require.NoError(t, err)
	for _, name := range files {
		_, err := LoadGroups(false, []string{name})
		require.Error(t, err, name)
		want, ok := mistakes[strings.TrimSuffix(filepath.Base(name), ".yml")]
		require.True(t, ok, name)
		require.Equal(t, want, strings.ReplaceAll(err.Error(), "testdata/bad/", ""))
	}
	require.Len(t, files, len(mistakes))
}

func TestTheBundledRulesComeFirstAndInOrder(t *testing.T) {
	t.Parallel()
	groups, err := LoadGroups(true, []string{"testdata/good/*.yml", "testdata/good/full.yml"})
	require.NoError(t, err)
	var files []string
	for _, g := range groups {
		if !slices.Contains(files, g.File) {
			files = append(files, g.File)
		}
	}
	require.Equal(t, []string{"rules/providers.yml", "rules/chains.yml", "rules/pipeline.yml", "testdata/good/full.yml"}, files)
	var alerts []string
	for _, g := range groups {
		for _, r := range g.Rules {
			if r.Alert != "" && g.File != "testdata/good/full.yml" {
				alerts = append(alerts, r.Name())
			}
		}
	}
	require.Equal(t, rules.Alerts(), alerts)
	require.Equal(t, Group{
		File: "testdata/good/full.yml", Name: "mine", Interval: time.Minute, QueryOffset: 3 * time.Second, Limit: 7,
		Rules: []Rule{
			{Record: "a:b", Expr: "sum(up)", Labels: map[string]string{"team": "blue", "severity": "info"}, Line: 8},
			{
				Alert: "A", Expr: "a:b == 0", For: 5 * time.Minute, KeepFiringFor: time.Minute, Line: 10,
				Labels: map[string]string{"team": "blue", "severity": "page"}, Annotations: map[string]string{"summary": "text"},
			},
		},
	}, groups[len(groups)-1])
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yml")
	require.NoError(t, os.WriteFile(large, []byte("groups: []\n#"+strings.Repeat("x", maxRuleFile)), 0o600))
	for glob, want := range map[string]string{
		"testdata/good/none.yml": "testdata/good/none.yml: there is no such file",
		"testdata/[":             "testdata/[: it is not a pattern of file names",
		large:                    large + ": it has more than 16 MiB",
		"testdata/goo?":          "read testdata/good: is a directory",
	} {
		_, err := LoadGroups(false, []string{glob})
		require.EqualError(t, err, want)
	}
	groups, err := LoadGroups(false, []string{filepath.Join(dir, "*.yaml")})
	require.NoError(t, err, "a folder may be empty")
	require.Empty(t, groups)
}

func TestTheSameRecordInTwoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, labels string) string {
		path := filepath.Join(dir, name)
		text := "groups:\n- name: g\n  rules:\n  - record: chain_provider:bifrost_provider_up:ratio\n    expr: vector(1)\n    labels: {" + labels + "}\n"
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	one, two := write("one.yml", "a: b"), write("two.yml", "a: b")
	_, err := LoadGroups(false, []string{one, two})
	require.EqualError(t, err, two+`:4:5: "chain_provider:bifrost_provider_up:ratio" is recorded already at `+one+`:4:5; give it another name or labels`)
	groups, err := LoadGroups(true, []string{one})
	require.NoError(t, err, "other labels are another series")
	_, err = LoadGroups(true, []string{write("three.yml", "")})
	require.ErrorContains(t, err, `is recorded already at rules/providers.yml:`)

	_, err = New(Options{Sources: []Source{newFakeSource(t, "one")}}, groups)
	require.NoError(t, err)
}

func TestAllMistakesOfAllFilesAreFoundAtOnce(t *testing.T) {
	t.Parallel()
	_, err := LoadGroups(true, []string{"testdata/bad/bad-[lt]*.yml", "none.yml", "testdata/good/full.yml"})
	require.Equal(t, []string{
		"none.yml: there is no such file",
		mistakes["bad-label-template"], mistakes["bad-label"], mistakes["bad-template"],
	}, strings.Split(strings.ReplaceAll(err.Error(), "testdata/bad/", ""), "\n"))
}

func FuzzRuleFile(f *testing.F) {
	for _, name := range rules.FileNames() {
		text, err := rules.Files.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	for _, glob := range []string{"testdata/bad/*.yml", "testdata/good/*.yml"} {
		files, err := filepath.Glob(glob)
		require.NoError(f, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(f, err)
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		groups, wrong := parseGroups("fuzz.yml", text, map[string]string{})
		for _, err := range wrong {
			require.Regexp(t, `^fuzz\.yml:\d+:\d+: .`, err.Error())
			require.NotContains(t, err.Error(), "\n")
		}
		if len(wrong) == 0 {
			_, _, _, err := compile(groups)
			require.NoError(t, err, "what is loaded can be evaluated")
		}
	})
}
