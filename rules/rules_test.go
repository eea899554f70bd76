package rules_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

func TestEveryAlertHasItsNameAndEveryNameItsAlert(t *testing.T) {
	t.Parallel()
	var names []string
	for _, a := range bundledAlerts(t) {
		names = append(names, a.Alert)
	}
	require.Equal(t, rules.Alerts(), names)
}

func TestGroupsAreOurs(t *testing.T) {
	t.Parallel()
	groups := map[string]string{}
	for _, r := range bundledRules(t) {
		require.Regexp(t, `^understudy\.[a-z]+$`, r.group)
		file, ok := groups[r.group]
		require.Truef(t, !ok || file == r.file, "group %s stands in two files", r.group)
		groups[r.group] = r.file
	}
}

func TestAlertsAreLabelled(t *testing.T) {
	t.Parallel()
	for _, a := range bundledAlerts(t) {
		t.Run(a.Alert, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, rules.Severities(), a.Labels[rules.LabelSeverity])
			mode, hasMode := a.Labels[rules.LabelFailureMode]
			if hasMode {
				require.Contains(t, rules.FailureModes(), mode)
			}
			if slices.Contains(rules.FailoverAlerts(), a.Alert) {
				require.Equal(t, rules.FailoverTrue, a.Labels[rules.LabelFailover])
				require.True(t, hasMode, "evidence names the failure mode")
			} else {
				require.NotContains(t, a.Labels, rules.LabelFailover)
			}
			known := []string{rules.LabelSeverity, rules.LabelFailureMode, rules.LabelFailover}
			require.Subset(t, known, slices.Collect(maps.Keys(a.Labels)))
		})
	}
}

func TestEveryFailureModeHasEvidence(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, a := range bundledAlerts(t) {
		if a.Labels[rules.LabelFailover] == rules.FailoverTrue {
			seen[a.Labels[rules.LabelFailureMode]] = true
		}
	}
	require.ElementsMatch(t, rules.FailureModes(), slices.Collect(maps.Keys(seen)))
}

func TestAlertsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, a := range bundledAlerts(t) {
		t.Run(a.Alert, func(t *testing.T) {
			t.Parallel()
			require.ElementsMatch(t, []string{rules.AnnotationSummary, rules.AnnotationDescription, rules.AnnotationRunbook},
				slices.Collect(maps.Keys(a.Annotations)))
			summary, description := a.Annotations[rules.AnnotationSummary], a.Annotations[rules.AnnotationDescription]
			require.NotEmpty(t, summary)
			require.False(t, strings.HasSuffix(summary, "."), "a summary is a title")
			require.NotEmpty(t, description)
			require.NotContains(t, description, "\n")
			if a.Alert != rules.AlertWatchdog { // It has no label and only one value.
				require.Regexp(t, `\$(labels|value)`, description, "a description names what it is about")
			}
			require.Equal(t, runbookURL+"#"+strings.ToLower(a.Alert), a.Annotations[rules.AnnotationRunbook])
		})
	}
}

// levels are the labels that the level of a recording rule promises.
var levels = map[string][]string{
	"chain":          {rules.LabelChain},
	"chain_provider": {rules.LabelChain, rules.LabelProvider},
	"chain_operator": {rules.LabelChain, rules.LabelOperator},
}

var recordName = regexp.MustCompile(`^([a-z_]+):([a-z_]+):([a-z_]+)$`)

func TestRecordsAreNamedByLevelMetricAndOperation(t *testing.T) {
	t.Parallel()
	for _, r := range bundledRules(t) {
		if r.Record == "" {
			continue
		}
		parts := recordName.FindStringSubmatch(r.Record)
		require.NotNilf(t, parts, "%s is not level:metric:operations", r.Record)
		require.Containsf(t, levels, parts[1], "level of %s", r.Record)
		require.Emptyf(t, r.Labels, "labels of %s", r.Record)
	}
}

func TestExpressionsHaveTheLabelsThatTheyPromise(t *testing.T) {
	t.Parallel()
	inference := newInference()
	for _, r := range bundledRules(t) {
		labels, err := inference.labels(r.expr)
		require.NoErrorf(t, err, "%s of %s", r.name(), r.file)
		switch {
		case r.Record != "":
			level, _, _ := strings.Cut(r.Record, ":")
			require.ElementsMatchf(t, levels[level], labels, "labels of %s", r.Record)
			inference.recorded[r.Record] = labels
		case strings.HasPrefix(r.Alert, "Provider"):
			require.ElementsMatchf(t, []string{rules.LabelChain, rules.LabelProvider}, labels, "labels of %s", r.Alert)
		case strings.HasPrefix(r.Alert, "Chain"):
			require.ElementsMatchf(t, []string{rules.LabelChain}, labels, "labels of %s", r.Alert)
		}
	}
}

// namedInText finds names of our metrics in a text, such as a query in an
// annotation.
var namedInText = regexp.MustCompile(`\b(?:(?:bifrost|understudy|keeper)_[a-z_]+|chain[a-z_]*:[a-z_]+:[a-z_]+)\b`)

func TestRulesReadOnlyWhatIsPublishedOrRecorded(t *testing.T) {
	t.Parallel()
	known := knownMetrics(t)
	for _, r := range bundledRules(t) {
		for _, s := range selectors(r.expr) {
			require.Containsf(t, known, s.Name, "%s reads it", r.name())
		}
		for _, text := range r.Annotations {
			for _, name := range namedInText.FindAllString(text, -1) {
				require.Containsf(t, known, name, "%s names it", r.name())
			}
		}
	}
}

func TestEveryRecordIsReadByARule(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	for _, r := range bundledRules(t) {
		for _, s := range selectors(r.expr) {
			if s.Name != r.Record {
				read[s.Name] = true
			}
		}
	}
	for _, r := range bundledRules(t) {
		require.Truef(t, r.Record == "" || read[r.Record], "nobody reads %s", r.Record)
	}
}

// knownMetrics are the names of what is published or recorded, and of what
// Prometheus adds to each scrape and we read.
func knownMetrics(t *testing.T) []string {
	t.Helper()
	names := []string{"up"}
	for _, m := range slices.Concat(rules.Exporter(), rules.Controller()) {
		names = append(names, m.Name)
	}
	for _, r := range bundledRules(t) {
		if r.Record != "" {
			names = append(names, r.Record)
		}
	}
	return names
}
