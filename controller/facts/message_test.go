package facts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestPayloadsOfRealAlertmanagersAreRead(t *testing.T) {
	t.Parallel()
	split := Alert{
		Labels: map[string]string{
			"alertname": "ChainSplit", "chain": "btc", "failure_mode": "inconsistent", "severity": "critical",
		},
		Annotations: map[string]string{"summary": "btc is split"},
		StartsAt:    time.Date(2026, 11, 30, 2, 0, 1, 0, time.UTC), Firing: true,
	}
	dead := Alert{
		Labels: map[string]string{
			"alertname": "ProviderDown", "chain": "btc", "provider": "local-daemon", "failover": "true",
			"failure_mode": "down", "severity": "critical", "exporter": "one",
		},
		Annotations: map[string]string{
			"summary": "local-daemon is down", "description": "5 errors in a row: connection_refused.",
			"runbook_url": "docs/runbook.md#providerdown",
		},
		StartsAt: time.Date(2026, 11, 30, 2, 0, 0, 123e6, time.UTC), Firing: true,
	}
	alive := Alert{
		Labels:      map[string]string{"alertname": "UnderstudyWatchdog", "severity": "none"},
		Annotations: map[string]string{"summary": "The way works"},
		StartsAt:    time.Date(2026, 11, 30, 1, 0, 0, 0, time.UTC), Firing: true,
	}
	for _, release := range []string{"0.25", "0.35"} {
		for kind, want := range map[string][]Alert{
			"firing": {split, dead}, "resolved": {split, dead.over()}, "watchdog": {alive},
		} {
			m, err := Decode(golden(t, "webhook", release+"-"+kind+".json"))
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(Message{Alerts: want}, m), "%s of %s", kind, release)
		}
	}
}

func TestFingerprintsAreThoseOfAlertmanager(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/webhook/*.json")
	require.NoError(t, err)
	require.Len(t, files, 6)
	for _, file := range files {
		body := golden(t, "webhook", filepath.Base(file))
		m, err := Decode(body)
		require.NoError(t, err)
		var sent struct {
			Alerts []struct{ Fingerprint string }
		}
		require.NoError(t, json.Unmarshal(body, &sent))
		for i, a := range m.Alerts {
			require.Equal(t, sent.Alerts[i].Fingerprint, a.fingerprint())
		}
	}
}

func TestBodiesThatAreNoWebhookAreRefused(t *testing.T) {
	t.Parallel()
	const alert = `{"status":"firing","labels":{"alertname":"A"},"startsAt":"2026-11-30T12:00:00Z"}`
	for name, c := range map[string]struct{ body, want string }{
		"an empty body":               {"", "no JSON"},
		"no JSON":                     {"hush", "no JSON"},
		"half a body":                 {`{"version":"4","alerts":[`, "no JSON"},
		"two bodies":                  {`{"version":"4","alerts":[]}{}`, "no JSON"},
		"a list":                      {`[]`, "does not belong"},
		"null":                        {`null`, "version is not"},
		"no version":                  {`{"alerts":[` + alert + `]}`, "version is not"},
		"another version":             {`{"version":"3","alerts":[` + alert + `]}`, "version is not"},
		"a version that is a number":  {`{"version":4,"alerts":[` + alert + `]}`, "version is not"},
		"no alerts":                   {`{"version":"4"}`, "no list of alerts"},
		"alerts that are null":        {`{"version":"4","alerts":null}`, "no list of alerts"},
		"an alert that is a text":     {`{"version":"4","alerts":["hush"]}`, "alerts"},
		"an alert without a status":   {`{"version":"4","alerts":[` + alert + `,{"labels":{"alertname":"A"},"startsAt":"2026-11-30T12:00:00Z"}]}`, "alerts[1]: status"},
		"a pending alert":             {`{"version":"4","alerts":[` + strings.Replace(alert, "firing", "pending", 1) + `]}`, "alerts[0]: status"},
		"an alert without a name":     {`{"version":"4","alerts":[` + strings.Replace(alert, "alertname", "name", 1) + `]}`, "alertname"},
		"an alert without an episode": {`{"version":"4","alerts":[{"status":"firing","labels":{"alertname":"A"}}]}`, "startsAt"},
		"a time that is none":         {`{"version":"4","alerts":[{"status":"firing","startsAt":"hush"}]}`, "as a time"},
		"a label that is a number":    {`{"version":"4","alerts":[{"status":"firing","labels":{"alertname":4711}}]}`, "a JSON number does not belong"},
		"fewer than none left out":    {`{"version":"4","alerts":[],"truncatedAlerts":-4711}`, "a JSON number does not belong"},
		"too many alerts":             {`{"version":"4","alerts":[` + strings.Repeat("{},", maxAlerts) + `{}]}`, "10001 alerts"},
		"a depth without end":         {strings.Repeat("[", 100_000), "no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := Decode([]byte(c.body))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "hush")
			require.NotContains(t, err.Error(), "4711")
			require.Empty(t, m)
		})
	}
}

func TestMembersOfLaterReleasesDoNotMatter(t *testing.T) {
	t.Parallel()
	m, err := Decode([]byte(`{"version":"4","news":{"a":[1]},"alerts":[{"status":"resolved","labels":{"alertname":"A"},
		"startsAt":"2026-11-30T12:00:00Z","endsAt":"2026-11-30T12:01:00Z","later":1}],"truncatedAlerts":3}`))
	require.NoError(t, err)
	require.Equal(t, Message{Alerts: []Alert{{Labels: map[string]string{"alertname": "A"}, StartsAt: noon}}, Truncated: 3}, m)
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"0.25-firing", "0.25-resolved", "0.35-firing", "0.35-watchdog"} {
		f.Add(golden(f, "webhook", name+".json"))
	}
	f.Add([]byte(`{"version":"4","alerts":[{"status":"firing","labels":{"alertname":"A","chain":"btc","provider":"a","failover":"true"},"startsAt":"9999-12-31T23:59:59Z"}]}`))
	f.Add([]byte(`{"version":"4","alerts":[{}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := Decode(body)
		if err != nil {
			require.Empty(t, m)
			require.Less(t, len(err.Error()), 500+len(body))
			return
		}
		require.True(t, json.Valid(body))
		require.True(t, bytes.Contains(body, []byte("4")))
		table := newTable(Options{})
		r, err := table.Receive(m, noon)
		require.NoError(t, err)
		require.Equal(t, len(m.Alerts), r.Applied+r.Duplicate+r.Ignored)
		for _, chain := range []string{"btc", "eth"} {
			for _, fact := range table.All(chain, noon) {
				require.Equal(t, chain, fact.Chain)
				require.Contains(t, []string{"", "a", "b"}, fact.Provider)
				require.LessOrEqual(t, len(fact.Description), maxDescription)
			}
		}
		again, err := table.Receive(m, noon)
		require.NoError(t, err)
		require.Equal(t, r.Applied+r.Duplicate+r.Ignored, again.Applied+again.Duplicate+again.Ignored, fmt.Sprint(m))
	})
}
