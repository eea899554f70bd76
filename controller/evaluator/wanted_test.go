package evaluator

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestASourceIsToldWhatTheRulesRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules         string
		wanted, other []string
	}{
		"a gauge":                       {`- {alert: A, expr: height > 1}`, []string{"height"}, []string{"heights", "errors_total"}},
		"a counter over time":           {`- {alert: A, expr: "rate(errors_total[1m]) > 1"}`, []string{"errors_total"}, []string{"errors"}},
		"the parts of a histogram":      {`- {alert: A, expr: "sum(took_bucket) + a_count + b_sum > 1"}`, []string{"took", "a", "b"}, []string{"c"}},
		"a query in an annotation":      {`- {alert: A, expr: height > 1, annotations: {x: '{{ query "peers" }}'}}`, []string{"height", "peers"}, []string{"c"}},
		"a selector without a name":     {`- {alert: A, expr: 'count({__name__=~"a.*"}) > 1'}`, []string{"a", "about"}, []string{"c"}},
		"how many samples a source has": {`- {alert: A, expr: scrape_samples_scraped < 10}`, []string{"anything"}, nil},
		"what another rule records":     {`- {alert: A, expr: "chain:tip > 1"}`, []string{"chain:tip"}, []string{"tip"}},
		"nothing of any source":         {`- {alert: A, expr: vector(1)}`, nil, []string{"height", "up"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, rulesOf(c.rules))
			s.after(0, "height 1")
			for _, family := range c.wanted {
				require.True(t, s.source.wanted(family), family)
			}
			for _, family := range c.other {
				require.False(t, s.source.wanted(family), family)
			}
		})
	}
}

// What was collected for other rules may lack what the new ones read, and that
// would look as if it was gone.
func TestAnAnswerToOtherRulesIsNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, rulesOf(`- {alert: High, expr: height > 1}`))
		s.after(0, "height 2")
		require.Len(t, s.Alerts(), 1)

		release := s.source.block()
		before := s.at
		done := make(chan Result, 1)
		go func() {
			r, err := s.Evaluate(context.Background(), before.Add(5*time.Second))
			if err == nil {
				done <- r
			}
			close(done)
		}()
		synctest.Wait()
		require.NoError(t, s.SetGroups(groupsOf(t, rulesOf(`- {alert: High, expr: height > 1}`, `- {alert: Silent, expr: absent(peers)}`))))
		s.source.say("height 2", "peers 1")
		release()
		r := <-done
		require.False(t, r.Evaluated, "it was asked for the families of other rules")
		require.Len(t, r.Alerts, 1, "nothing changes for that")

		r, err := s.Evaluate(t.Context(), before.Add(10*time.Second))
		require.NoError(t, err)
		require.False(t, r.Sources[0].Late)
		require.Equal(t, []string{`firing {alertname="High", instance="one:9478", job="understudy"} 2`}, brief(r.Alerts))
	})
}
