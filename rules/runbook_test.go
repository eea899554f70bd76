package rules_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

var (
	heading = regexp.MustCompile(`(?m)^## (.+)$`)
	anchor  = regexp.MustCompile(`\]\(#([^)]*)\)`)
	command = regexp.MustCompile("(?m)(?:^|`)understudy ([a-z]+)(?: (config|rules)\\b)?")
)

// runbookURL is where the runbook is read. Whoever gets an alert at night has no
// checkout of the project: a path would lead nowhere.
const runbookURL = "https://github.com/understudy-rpc/understudy/blob/main/docs/runbook.md"

// runbook is the text of each section, by heading, and the headings in order.
func runbook(t *testing.T) (headings []string, sections map[string]string) {
	t.Helper()
	raw, err := os.ReadFile("../docs/runbook.md")
	require.NoError(t, err)
	text := string(raw)
	sections = map[string]string{}
	places := heading.FindAllStringSubmatchIndex(text, -1)
	for i, p := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		name := text[p[2]:p[3]]
		headings = append(headings, name)
		sections[name] = text[p[1]:end]
	}
	return headings, sections
}

func TestRunbookHasOneHeadingForEachAlert(t *testing.T) {
	t.Parallel()
	headings, _ := runbook(t)
	require.Equal(t, rules.Alerts(), headings)
}

func TestRunbookURLsLeadToTheirHeadings(t *testing.T) {
	t.Parallel()
	headings, _ := runbook(t)
	for _, a := range bundledAlerts(t) {
		file, fragment, ok := strings.Cut(a.Annotations[rules.AnnotationRunbook], "#")
		require.True(t, ok)
		require.Equal(t, runbookURL, file)
		i := slices.IndexFunc(headings, func(h string) bool { return strings.ToLower(h) == fragment })
		require.GreaterOrEqualf(t, i, 0, "no heading for #%s", fragment)
		require.Equal(t, a.Alert, headings[i])
	}
}

func TestRunbookSectionsSayWhatIsNeededAtNight(t *testing.T) {
	t.Parallel()
	headings, sections := runbook(t)
	for _, h := range headings {
		last := -1
		for _, part := range []string{"**Meaning.** ", "**Impact.** ", "**Diagnosis.**", "**Remedy.** "} {
			require.Equalf(t, 1, strings.Count(sections[h], part), "%s: %s", h, part)
			at := strings.Index(sections[h], part)
			require.Greaterf(t, at, last, "%s: %s is in its place", h, part)
			last = at
		}
	}
}

func TestRunbookNamesOnlyWhatThereIs(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../docs/runbook.md")
	require.NoError(t, err)
	text := string(raw)
	known := knownMetrics(t)
	for _, name := range namedInText.FindAllString(text, -1) {
		if name = strings.TrimSuffix(name, "_bucket"); name == "bifrost_provider_" {
			continue // The beginning of a pattern.
		}
		require.Contains(t, known, name)
	}
	headings, _ := runbook(t)
	for _, m := range anchor.FindAllStringSubmatch(text, -1) {
		require.Truef(t, slices.ContainsFunc(headings, func(h string) bool { return strings.ToLower(h) == m[1] }), "link to #%s", m[1])
	}
	commands := []string{"run", "probe", "status", "explain", "drain", "undrain", "pin", "unpin", "check config", "check rules"}
	for _, m := range command.FindAllStringSubmatch(text, -1) {
		require.Contains(t, commands, strings.TrimSpace(m[1]+" "+m[2]))
	}
}
