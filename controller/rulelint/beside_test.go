package rulelint_test

import (
	"regexp"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/controller/rulelint"
)

func TestFilesBesideAreKnownAndNotJudged(t *testing.T) {
	t.Parallel()
	beside := rulelint.File{Name: "beside.yml", Beside: true, Data: []byte(`
groups:
  - name: theirs
    rules:
      - record: chain:theirs:max
        expr: max by (chain) (bifrost_provider_up) > no_such_metric
`)}
	reading := `
groups:
  - name: mine
    rules:
      - alert: Mine
        expr: chain:theirs:max > 0
        annotations: {summary: '{{ $labels.chain }} {{ $labels.provider }}'}
`
	again := reading + `
      - record: chain:theirs:max
        expr: max by (chain) (bifrost_provider_syncing)
`
	replacement := `
groups:
  - name: theirs
    rules:
      - record: chain:theirs:max
        expr: max by (chain) (bifrost_provider_syncing)
`
	for _, c := range []struct{ name, text, want string }{
		{"what it records is known, labels and all", reading,
			"mine.yml:7:63: error: Mine: $labels.provider is always empty: the result of the expression has chain [template-label]\n"},
		{"what it records is not to be recorded again", again,
			"mine.yml:7:63: error: Mine: $labels.provider is always empty: the result of the expression has chain [template-label]\n" +
				"mine.yml:9:17: error: chain:theirs:max: this is recorded with the same labels at beside.yml:5 already, and which value counts is a matter of chance; give it another name or labels [duplicate]\n"},
		{"a file with its groups replaces it", replacement, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, report(beside, rulelint.File{Name: "mine.yml", Data: []byte(c.text)}))
		})
	}
	require.Contains(t, report(rulelint.File{Name: "mine.yml", Data: []byte(reading)}), "no rule records chain:theirs:max")
}

func TestWhatAnUnreadableFileRecordsIsNotMissed(t *testing.T) {
	t.Parallel()
	got := report(
		rulelint.File{Name: "unreadable.yml", Data: []byte("groups: 7")},
		rulelint.File{Name: "mine.yml", Data: []byte(`groups: [{name: a, rules: [{alert: Mine, expr: "chain:theirs:max > 0"}]}]`)},
	)
	require.Contains(t, got, "unreadable.yml:1:1")
	require.NotContains(t, got, "mine.yml")
}

func TestRecordsThatFeedOnThemselvesAndOnLaterOnes(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a.yml:6:33: error: Sum: $labels.provider is always empty: the result of the expression has chain [template-label]\n",
		report(rulelint.File{Name: "a.yml", Data: []byte(`groups:
  - name: a
    rules:
      - alert: Sum
        expr: chain:a:sum > 0
        labels: {of: '{{ $labels.provider }}'}
      - record: chain:a:sum
        expr: sum by (chain) (chain_provider:b:max)
      - record: chain_provider:b:max
        expr: last_over_time(chain_provider:b:max[5m]) or max by (chain, provider) (bifrost_provider_up)
`)}))
}

// names notes the metrics that are registered.
type names struct {
	prometheus.Registerer
	found []string
}

var quotedName = regexp.MustCompile(`fqName: "([^"]+)"`)

func (n *names) Register(c prometheus.Collector) error {
	descriptions := make(chan *prometheus.Desc, 100)
	c.Describe(descriptions)
	close(descriptions)
	for d := range descriptions {
		n.found = append(n.found, quotedName.FindStringSubmatch(d.String())[1])
	}
	return nil
}

func TestTheEvaluatorsOwnMetricsAreKnown(t *testing.T) {
	t.Parallel()
	var registered names
	exporter := evaluator.FromGatherer("understudy-exporter", "a", prometheus.NewRegistry())
	_, err := evaluator.New(evaluator.Options{Sources: []evaluator.Source{exporter}, Registerer: &registered}, nil)
	require.NoError(t, err)
	require.NotEmpty(t, registered.found)
	for _, name := range registered.found {
		require.Empty(t, report(rulelint.File{Name: "a.yml", Data: []byte("groups: [{name: a, rules: [{record: a, expr: " + name + "}]}]")}))
	}
}
