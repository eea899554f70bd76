package evaluator

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// unitTests is a file of unit tests of rules, in the format of promtool.
type unitTests struct {
	RuleFiles          []string       `yaml:"rule_files"`
	EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	GroupEvalOrder     []string       `yaml:"group_eval_order"`
	Tests              []unitTest     `yaml:"tests"`
}

type unitTest struct {
	Name           string            `yaml:"name"`
	Interval       model.Duration    `yaml:"interval"`
	InputSeries    []inputSeries     `yaml:"input_series"`
	AlertRuleTests []alertTest       `yaml:"alert_rule_test"`
	PromQLTests    []promQLTest      `yaml:"promql_expr_test"`
	ExternalLabels map[string]string `yaml:"external_labels"`
	ExternalURL    string            `yaml:"external_url"`
}

type inputSeries struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

type alertTest struct {
	EvalTime  model.Duration `yaml:"eval_time"`
	Alertname string         `yaml:"alertname"`
	ExpAlerts []struct {
		Labels      map[string]string `yaml:"exp_labels"`
		Annotations map[string]string `yaml:"exp_annotations"`
	} `yaml:"exp_alerts"`
}

type promQLTest struct {
	Expr       string         `yaml:"expr"`
	EvalTime   model.Duration `yaml:"eval_time"`
	ExpSamples []struct {
		Labels string  `yaml:"labels"`
		Value  float64 `yaml:"value"`
	} `yaml:"exp_samples"`
}

// loadUnitTests reads a file with the groups that it tests, in their order.
func loadUnitTests(t *testing.T, name string) (unitTests, []Group) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var file unitTests
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&file))
	if file.EvaluationInterval == 0 {
		file.EvaluationInterval = model.Duration(time.Minute)
	}
	for i, glob := range file.RuleFiles {
		file.RuleFiles[i] = filepath.Join(filepath.Dir(name), glob)
	}
	groups, err := LoadGroups(false, file.RuleFiles)
	require.NoError(t, err)
	require.NotEmpty(t, groups)
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Compare(slices.Index(file.GroupEvalOrder, a.Name), slices.Index(file.GroupEvalOrder, b.Name))
	})
	require.NotEmpty(t, file.Tests)
	return file, groups
}

// end is when the last of the checks is.
func (u unitTest) end() time.Duration {
	var last model.Duration
	for _, a := range u.AlertRuleTests {
		last = max(last, a.EvalTime)
	}
	for _, p := range u.PromQLTests {
		last = max(last, p.EvalTime)
	}
	return time.Duration(last)
}
