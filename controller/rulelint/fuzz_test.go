package rulelint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/rulelint"
)

// FuzzLint gives it any file: it never panics, and whatever it says has a place
// within the file, a check and a message.
func FuzzLint(f *testing.F) {
	names, err := filepath.Glob("testdata/*.yml")
	require.NoError(f, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	for _, file := range bundled(f) {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return
		}
		lines := strings.Count(string(text), "\n") + 1
		for _, found := range rulelint.Lint([]rulelint.File{{Name: "a.yml", Data: text}}) {
			if found.Line < 1 || found.Line > lines+1 || found.Column < 1 || found.Check == "" || strings.TrimSpace(found.Message) == "" {
				t.Errorf("%+v in a file of %d lines", found, lines)
			}
		}
	})
}

// FuzzLintExpression gives it any expression within an alert that is evidence.
func FuzzLintExpression(f *testing.F) {
	for _, expr := range []string{
		"bifrost_provider_up == 0", `absent(up{job="a"})`, `label_replace(up, "a", "$1", "b", "(.*)")`, `label_join(up, "a", ",", "b", "c")`,
		"count_values by (chain) (\"a\", up) > 1", "topk(1, up) / ignoring (job) group_right (chain) up", "max_over_time(up[5m:1m] @ end())",
		"histogram_quantile(0.9, sum by (le) (bifrost_provider_probe_duration_seconds_bucket))", "-(up) unless on () vector(1)", `{__name__=~".+"}`,
	} {
		f.Add(expr, "{{ $labels.chain }}")
	}
	f.Fuzz(func(_ *testing.T, expr, template string) {
		if len(expr)+len(template) > 1<<12 {
			return
		}
		indented := strings.ReplaceAll(expr, "\n", "\n          ")
		rulelint.Lint([]rulelint.File{{Name: "a.yml", Data: []byte("groups:\n  - name: a\n    rules:\n      - alert: A\n        expr: |\n          " +
			indented + "\n        labels: {failover: \"true\"}\n        annotations:\n          summary: |\n            " +
			strings.ReplaceAll(template, "\n", "\n            ") + "\n")}})
	})
}
