package gateway

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

func TestEveryMetricAndOutcomeStandsInTheReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	for _, m := range rules.Gateway() {
		require.Contains(t, string(text), "| `"+m.Name+"` |")
	}
	for _, o := range Outcomes {
		require.Contains(t, string(text), "`"+o.String()+"`")
	}
}

func TestTheOutcomesThatCountAsEvidenceAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	text, err := rules.Files.ReadFile("providers.yml")
	require.NoError(t, err)
	for v, name := range map[verdict]string{failed: "failed", wellDone: "answered"} {
		words := ""
		for _, o := range []Outcome{OK, Refused, RateLimited, Unauthorized, Unavailable, Timeout, Connection, ServerError, BadResponse} {
			if o.verdict() == v {
				words += "|" + o.String()
			}
		}
		require.Contains(t, string(text), `outcome=~"`+words[1:]+`"}[2m]`, name)
	}
	for _, o := range []Outcome{Invalid, Missing, Unsupported, Cancelled, Local} {
		require.Equal(t, noVerdict, o.verdict(), "what the client did, or this machine, is no evidence")
	}
}
