package console

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// hostile is text that a name, a reason or an alert could have.
var hostile = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "btc", "\x1b]0;title\a", "a\nb", "%s%n", "\u202e\xff"}))

// strange draws a chain as no sane controller gives it.
func strange(t *rapid.T) wire.Chain {
	text := func(label string) string { return hostile.Draw(t, label) }
	when := func(label string) time.Time {
		return time.Unix(rapid.Int64Range(-1e11, 1e11).Draw(t, label), 0)
	}
	until := func(label string) *time.Time {
		return rapid.SampledFrom([]*time.Time{nil, {}, new(when(label))}).Draw(t, label)
	}
	alerts := func() []wire.Alert {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) wire.Alert {
			return wire.Alert{
				Name: hostile.Draw(t, "alert"), FailureMode: hostile.Draw(t, "mode"), Source: hostile.Draw(t, "source"),
				Summary: hostile.Draw(t, "summary"), Counts: rapid.Bool().Draw(t, "counts"), Evidence: rapid.Bool().Draw(t, "evidence"),
			}
		}), 0, 3).Draw(t, "alerts")
	}
	c := wire.Chain{
		Chain: text("chain"), State: text("state"), Reason: text("reason"), Kept: text("kept"), Since: when("since"), Alerts: alerts(),
		Evaluator: wire.Evaluator{Source: text("evaluator"), WatchdogAgeSeconds: new(rapid.Float64().Draw(t, "age"))},
		Events:    []wire.Event{{Time: when("time"), Kind: text("kind"), Provider: text("about"), From: text("from"), To: text("to"), Reason: text("why"), Facts: []string{text("fact")}}},
	}
	if rapid.Bool().Draw(t, "served") {
		c.Active = new(text("active"))
	}
	if rapid.Bool().Draw(t, "pinned") {
		c.Pinned = &wire.Pin{Provider: text("pin"), Reason: text("pinned because"), Since: when("pinned since"), Until: until("pinned until")}
	}
	for range rapid.IntRange(0, 4).Draw(t, "providers") {
		p := wire.Provider{
			Name: text("name"), Type: text("type"), RPCHost: text("address"), Status: rapid.SampledFrom([]string{"", "healthy", "unhealthy", "recovering", "unknown", "\x1b"}).Draw(t, "status"),
			Active: rapid.Bool().Draw(t, "is active"), Identified: rapid.Bool().Draw(t, "identified"), Since: when("in state since"), Reason: text("state reason"),
			BlockLag: new(rapid.Int64().Draw(t, "lag")), LatencyMS: new(rapid.Float64().Draw(t, "latency")), ConsecutiveErrors: rapid.Uint64().Draw(t, "errors"),
			Recovery: wire.Recovery{Passed: rapid.Int().Draw(t, "passed"), Required: rapid.Int().Draw(t, "required"), NextCheck: until("next")},
			Alerts:   alerts(),
		}
		if rapid.Bool().Draw(t, "failed") {
			p.LastError = &wire.ProbeError{Reason: text("class"), Message: text("message"), Time: when("failed at")}
		}
		if rapid.Bool().Draw(t, "drained") {
			p.Drained = &wire.Drain{Reason: text("drained because"), Since: when("drained since"), Until: until("drained until")}
		}
		c.Providers = append(c.Providers, p)
	}
	return c
}

func TestWhateverAControllerAnswersIsPrintable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := strange(t)
		for _, text := range []string{Status([]wire.Chain{c, c}, now, Style{}), Explain(c, now, Style{})} {
			require.True(t, utf8.ValidString(text))
			require.True(t, strings.HasSuffix(text, "\n"))
			require.False(t, strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }), "%q", text)
		}
	})
}
