package rules_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/understudy-rpc/understudy/rules"
)

// scenarioFile is the part of promtool's test files that is looked at here.
type scenarioFile struct {
	RuleFiles []string   `yaml:"rule_files"`
	GroupEval []string   `yaml:"group_eval_order"`
	Tests     []scenario `yaml:"tests"`
}

type scenario struct {
	Name        string `yaml:"name"`
	InputSeries []struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	} `yaml:"input_series"`
	Alerts []struct {
		At       model.Duration `yaml:"eval_time"`
		Name     string         `yaml:"alertname"`
		Expected []struct {
			Annotations map[string]string `yaml:"exp_annotations"`
		} `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
	Expressions []struct {
		At       model.Duration `yaml:"eval_time"`
		Expr     string         `yaml:"expr"`
		Expected []struct {
			Labels string `yaml:"labels"`
		} `yaml:"exp_samples"`
	} `yaml:"promql_expr_test"`
}

// vanishing finds series that end with a staleness marker.
var vanishing = regexp.MustCompile(`stale( _(x[0-9]+)?)?$`)

// allThatFire stands in the expressions that look at all providers and chains.
const allThatFire = `ALERTS{alertname!~"Understudy.+", alertstate="firing"}`

var alertInLabels = regexp.MustCompile(`alertname="([A-Za-z]+)"`)

// look is when an alert was looked at, and how many fired.
type look struct {
	at     time.Duration
	firing int
}

// looks are those at one alert, in the order of time: those at it alone, and
// those at all that fire.
func (s scenario) looks(alert string) []look {
	var all []look
	for _, a := range s.Alerts {
		if a.Name == alert {
			all = append(all, look{time.Duration(a.At), len(a.Expected)})
		}
	}
	for _, e := range s.Expressions {
		if !strings.Contains(e.Expr, allThatFire) {
			continue
		}
		l := look{at: time.Duration(e.At)}
		for _, x := range e.Expected {
			if strings.Contains(x.Labels, `alertname="`+alert+`"`) {
				l.firing++
			}
		}
		all = append(all, l)
	}
	slices.SortStableFunc(all, func(a, b look) int { return int(a.at - b.at) })
	return all
}

// ends says whether the alert fires and later does not.
func (s scenario) ends(alert string) bool {
	fired := 0
	for _, l := range s.looks(alert) {
		if l.firing < fired {
			return true
		}
		fired = l.firing
	}
	return false
}

// vanishes says whether series end that do not end in the course of things, as
// the one that tells the reason of a failure.
func (s scenario) vanishes() bool {
	for _, i := range s.InputSeries {
		if vanishing.MatchString(i.Values) && !strings.HasPrefix(i.Series, rules.ProviderFailing.Name) {
			return true
		}
	}
	return false
}

// pending says whether the alert was seen pending.
func (s scenario) pending(alert string) bool {
	for _, e := range s.Expressions {
		for _, x := range e.Expected {
			if strings.Contains(x.Labels, `alertname="`+alert+`"`) && strings.Contains(x.Labels, `alertstate="pending"`) {
				return true
			}
		}
	}
	return false
}

// expected are the alerts that a scenario wants to see, and the last time at
// which it looks.
func (s scenario) expected() (alerts []string, end time.Duration) {
	for _, a := range s.Alerts {
		end = max(end, time.Duration(a.At))
		if len(a.Expected) > 0 {
			alerts = append(alerts, a.Name)
		}
	}
	for _, e := range s.Expressions {
		end = max(end, time.Duration(e.At))
		for _, x := range e.Expected {
			if m := alertInLabels.FindStringSubmatch(x.Labels); m != nil {
				alerts = append(alerts, m[1])
			}
		}
	}
	return alerts, end
}

func scenarios(t *testing.T) []scenario {
	t.Helper()
	files, err := filepath.Glob("*_test.yml")
	require.NoError(t, err)
	var all []scenario
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		var f scenarioFile
		require.NoError(t, yaml.Unmarshal(raw, &f), name)
		require.Equal(t, rules.FileNames(), f.RuleFiles, name)
		require.Len(t, f.GroupEval, len(rules.FileNames()), "without an order, promtool takes one by chance: %s", name)
		all = append(all, f.Tests...)
	}
	return all
}

func TestScenariosHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range scenarios(t) {
		require.NotEmpty(t, s.Name)
		require.Falsef(t, seen[s.Name], "two are called %q", s.Name)
		seen[s.Name] = true
	}
}

func TestEveryAlertIsSeenQuietPendingFiringAndResolved(t *testing.T) {
	t.Parallel()
	all := scenarios(t)
	seen := func(what func(scenario) bool) bool { return slices.ContainsFunc(all, what) }
	for _, a := range bundledAlerts(t) {
		t.Run(a.Alert, func(t *testing.T) {
			t.Parallel()
			firing := func(s scenario) bool {
				return slices.ContainsFunc(s.looks(a.Alert), func(l look) bool { return l.firing > 0 })
			}
			require.True(t, seen(firing), "firing")
			if a.For > 0 {
				require.True(t, seen(func(s scenario) bool { return s.pending(a.Alert) }), "pending")
			}
			if a.Alert == rules.AlertWatchdog {
				return // It always fires.
			}
			require.True(t, seen(func(s scenario) bool {
				l := s.looks(a.Alert)
				return len(l) > 0 && l[0].firing == 0 && firing(s)
			}), "quiet before it fires")
			require.True(t, seen(func(s scenario) bool { return !s.vanishes() && s.ends(a.Alert) }), "resolved")
			if a.Alert != rules.AlertExporterDown { // It is about series that vanish.
				require.True(t, seen(func(s scenario) bool { return s.vanishes() && s.ends(a.Alert) }), "resolved as the series vanish")
			}
		})
	}
}

func TestDescriptionsAreOneOrTwoSentences(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios(t) {
		for _, a := range s.Alerts {
			for _, x := range a.Expected {
				description := x.Annotations[rules.AnnotationDescription]
				sentences := strings.Count(strings.TrimSuffix(description, "."), ". ") + 1
				require.LessOrEqualf(t, sentences, 2, "%s: %s", a.Name, description)
				require.NotContains(t, description, "e+", "a large number stands in full")
			}
		}
	}
}
