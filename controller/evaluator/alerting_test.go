package evaluator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnAlertFiresOnceItsConditionHasHeldForLongEnough(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- alert: High
  expr: height > 10
  for: 10s
  labels: {severity: page}
  annotations: {summary: 'it is {{ $value }}'}
`))
	require.Empty(t, s.after(0, `height{chain="btc"} 1`).Alerts)

	r := s.after(5*time.Second, `height{chain="btc"} 11`)
	active := s.at
	require.Equal(t, []string{`pending {alertname="High", chain="btc", instance="one:9478", job="understudy", severity="page"} 11`}, brief(r.Alerts))
	require.Equal(t, "it is 11", annotation(r.Alerts[0], "summary"))
	require.Equal(t, active, r.Alerts[0].ActiveAt)
	require.Zero(t, r.Alerts[0].FiredAt)

	r = s.after(5*time.Second, `height{chain="btc"} 12`)
	require.Equal(t, Pending, r.Alerts[0].State)
	require.Equal(t, "it is 12", annotation(r.Alerts[0], "summary"))
	require.Equal(t, active, r.Alerts[0].ActiveAt)

	r = s.after(5*time.Second, `height{chain="btc"} 13`)
	require.Equal(t, Firing, r.Alerts[0].State)
	require.Equal(t, s.at, r.Alerts[0].FiredAt)
	require.Equal(t, active, r.Alerts[0].ActiveAt)
	require.Equal(t, r.Alerts, s.Alerts())

	r = s.after(5*time.Second, `height{chain="btc"} 9`)
	require.Empty(t, r.Alerts)
	require.Empty(t, s.Alerts())
	require.Equal(t, []string{`inactive {alertname="High", chain="btc", instance="one:9478", job="understudy", severity="page"} 13`}, brief(r.Ended))
	require.Equal(t, s.at, r.Ended[0].ResolvedAt)

	require.Empty(t, s.after(5*time.Second).Ended, "an alert ends once")
	r = s.after(5*time.Second, `height{chain="btc"} 11`)
	require.Equal(t, Pending, r.Alerts[0].State, "it begins anew")
	require.Equal(t, s.at, r.Alerts[0].ActiveAt)
}

func TestAPendingAlertStartsAgainWhenItsConditionBreaksOff(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- alert: High
  expr: height > 10
  for: 10s
`))
	s.after(0, `height 11`)
	r := s.after(5*time.Second, `height 1`)
	require.Empty(t, r.Alerts)
	require.Empty(t, r.Ended, "it never fired")
	s.after(5*time.Second, `height 11`)
	require.Equal(t, Pending, s.after(5 * time.Second).Alerts[0].State)
	require.Equal(t, Firing, s.after(5 * time.Second).Alerts[0].State)
}

func TestAnAlertKeepsFiringForAWhile(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- alert: High
  expr: height > 10
  keep_firing_for: 10s
`))
	require.Equal(t, Firing, s.after(0, `height 11`).Alerts[0].State)
	r := s.after(5*time.Second, `height 1`)
	since := s.at
	require.Equal(t, Firing, r.Alerts[0].State)
	require.Equal(t, since, r.Alerts[0].KeepFiringSince)
	require.Equal(t, 11., r.Alerts[0].Value, "the last one that was given")
	require.Equal(t, Firing, s.after(5 * time.Second).Alerts[0].State, "10s count from the first time without")

	r = s.after(4*time.Second, `height 12`)
	require.Zero(t, r.Alerts[0].KeepFiringSince, "its condition holds again")
	s.after(time.Second, `height 1`)
	require.Equal(t, Firing, s.after(9 * time.Second).Alerts[0].State)
	r = s.after(time.Second)
	require.Empty(t, r.Alerts)
	require.Len(t, r.Ended, 1)
}

func TestAPendingAlertIsNotKept(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- alert: High
  expr: height > 10
  for: 10s
  keep_firing_for: 1m
`))
	s.after(0, `height 11`)
	require.Empty(t, s.after(5*time.Second, `height 1`).Alerts)
}

func TestLabelsOfAlerts(t *testing.T) {
	t.Parallel()
	s := newScript(t, `
groups:
- name: test
  labels: {team: blue, severity: info, alertname: Wrong}
  rules:
  - alert: High
    expr: height > 10
    labels:
      severity: page
      who: '{{ $labels.provider }} of {{ $externalLabels.region }}'
      gone: '{{ if false }}x{{ end }}'
      provider: ''
      alertname: AlsoWrong
    annotations:
      url: '{{ $externalURL }} {{ externalURL }}{{ pathPrefix }}'
      empty: ''
`, func(o *Options) {
		o.ExternalLabels = map[string]string{"region": "eu"}
		o.ExternalURL = "https://watch.example/understudy"
	})
	r := s.after(0, `height{chain="btc",provider="a"} 11`)
	require.Equal(t, []string{
		`firing {alertname="High", chain="btc", instance="one:9478", job="understudy", severity="page", team="blue", who="a of eu"} 11`,
	}, brief(r.Alerts), "no metric name, no empty label, the rule's before the group's, alertname last")
	require.Equal(t, "https://watch.example/understudy https://watch.example/understudy/understudy", annotation(r.Alerts[0], "url"))
	require.Equal(t, "High", r.Alerts[0].Name())
}

func TestTwoSamplesThatGiveTheSameAlertAreAnErrorOfThatRule(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- alert: Same
  expr: height > 0
  labels: {provider: all}
- alert: Other
  expr: vector(1)
`))
	s.after(0, `height{provider="a"} 1`)
	r := s.after(5*time.Second, `height{provider="a"} 1`, `height{provider="b"} 1`)
	require.Len(t, r.Failures, 1)
	require.Equal(t, "Same", r.Failures[0].Rule)
	require.EqualError(t, r.Failures[0].Err, "vector contains metrics with the same labelset after applying alert labels")
	require.Len(t, r.Alerts, 2, "the alert before the failure stays, and so does the other rule's")
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	const prefix = `<error expanding template: error executing template __alert_A: template: __alert_A:1:`
	for name, c := range map[string]struct{ text, want string }{
		"no action":             {`100 %`, "100 %"},
		"value":                 {`{{ $value | printf "%.1f" }}`, "11.0"},
		"label":                 {`{{ $labels.chain }}`, "btc"},
		"label that is not":     {`[{{ $labels.nothing }}]`, "[]"},
		"query":                 {`{{ with query "height" }}{{ . | first | value }}{{ end }}`, "11"},
		"query sees recordings": {`{{ query "chain:height:max" | first | value }}`, "11"},
		"query of a computed name": {
			`{{ with printf "other{chain=%q}" $labels.chain | query }}{{ . | first | label "provider" }}{{ end }}`, "b",
		},
		"query over time":   {`{{ query "count_over_time(other[1m])" | first | value }}`, "1"},
		"query without end": {`{{ query "count(height" }}`, prefix + `115: executing "__alert_A" at <query "count(height">: error calling query: 1:13: parse error: unclosed left parenthesis>`},
		"query of what nobody could know": {
			`{{ printf "%s%s" "hei" "ght2" | query }}`,
			prefix + `144: executing "__alert_A" at <query>: error calling query: expanding series: no sample of height2 is kept, as no rule names it outside of a computed text>`,
		},
		"first of nothing":    {`{{ query "height > 100" | first }}`, prefix + `138: executing "__alert_A" at <first>: error calling first: first() called on vector with no elements>`},
		"template in it":      {`{{ define "x" }}{{ . }}!{{ end }}{{ template "x" $labels.chain }}`, "btc!"},
		"humanized":           {`{{ 1234567 | humanize }} {{ 0.25 | humanizePercentage }} {{ 90 | humanizeDuration }}`, "1.235M 25% 1m 30s"},
		"without an URL":      {`[{{ externalURL }}]`, "[]"},
		"whitespace trimmed":  {`a {{- " b " -}} c`, "a b c"},
		"dollar is the alert": {`{{ $.Labels.chain }} {{ .Value }}`, "btc 11"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			groups := groupsOf(t, rulesOf(`
- record: chain:height:max
  expr: max by (chain) (height)
- alert: A
  expr: height{chain="btc"} > 10
- alert: All
  expr: height > 10
`))
			for i := range groups[0].Rules {
				if groups[0].Rules[i].Alert != "" {
					groups[0].Rules[i].Annotations = map[string]string{"text": c.text}
				}
			}
			s := newScript(t, rulesOf("- record: a\n  expr: vector(1)"))
			require.NoError(t, s.SetGroups(groups))
			r := s.after(0, `height{chain="btc"} 11`, `height{chain="eth"} 12`, `other{chain="btc",provider="b"} 1`, `other{chain="eth",provider="c"} 1`)
			require.Empty(t, r.Failures, "a template that fails is no failure of its rule")
			require.Equal(t, c.want, annotation(r.Alerts[0], "text"))
			if c.want[0] != '<' {
				require.Equal(t, c.want, annotation(r.Alerts[1], "text"), "expanded together with another")
			}
		})
	}
}

func TestTheLimitOfAGroupEndsTheAlertsOfARuleThatGivesMore(t *testing.T) {
	t.Parallel()
	s := newScript(t, `
groups:
- name: test
  limit: 1
  rules:
  - alert: High
    expr: height > 10
  - record: chain:height:max
    expr: max by (chain) (height)
  - alert: Recorded
    expr: count(chain:height:max) > 0
`)
	require.Len(t, s.after(0, `height{chain="btc"} 11`).Alerts, 2)
	r := s.after(5*time.Second, `height{chain="btc"} 11`, `height{chain="eth"} 11`)
	require.Len(t, r.Failures, 2)
	require.EqualError(t, r.Failures[0].Err, "exceeded limit of 1 with 2 alerts")
	require.EqualError(t, r.Failures[1].Err, "exceeded limit of 1 with 2 series")
	require.Equal(t, []string{`firing {alertname="Recorded"} 1`}, brief(r.Alerts))
	require.Len(t, r.Ended, 2)
}

func TestAlertsAreSeriesForOtherRules(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- alert: High
  expr: height > 10
  for: 5s
  labels: {severity: page, raw: '{{ if false }}x{{ end }}'}
- alert: Pending
  expr: ALERTS{alertname="High",alertstate="pending"}
- alert: Firing
  expr: ALERTS{alertname="High",alertstate="firing"}
- alert: Since
  expr: ALERTS_FOR_STATE
`))
	at := s.at.Add(5 * time.Second)
	s.after(5*time.Second, `height 11`)
	raw := `raw="{{ if false }}x{{ end }}"`
	require.Equal(t, []string{`{__name__="ALERTS", alertname="High", alertstate="pending", instance="one:9478", job="understudy", ` + raw + `, severity="page"} 1`},
		s.ask(`ALERTS{alertname="High"}`))
	require.Equal(t, []string{`{} ` + formatted(float64(at.Unix()))}, s.ask(`sum(ALERTS_FOR_STATE{alertname="High"})`))

	r := s.after(5 * time.Second)
	require.Contains(t, brief(r.Alerts)[1], `firing {alertname="Firing", alertstate="firing"`)
	require.Equal(t, []string{`{alertstate="firing"} 1`}, s.ask(`count by (alertstate) (ALERTS{alertname="High"})`), "the series of the state before has ended")

	s.after(5*time.Second, `height 1`)
	require.Empty(t, s.ask(`ALERTS{alertname="High"}`))
}
