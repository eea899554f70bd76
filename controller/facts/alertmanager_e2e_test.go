//go:build e2e

package facts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
	"github.com/understudy-rpc/understudy/rules"
)

const alertmanagerConfig = `
route:
  receiver: understudy
  group_by: [chain]
  group_wait: 0s
  group_interval: 1s
  repeat_interval: 2s
  routes:
    - receiver: understudy
      matchers: [alertname="UnderstudyWatchdog"]
      repeat_interval: 1s
receivers:
  - name: understudy
    webhook_configs:
      - url: %s/webhooks/alertmanager
        http_config: {authorization: {credentials: s3cret}}
`

// pipe is a real Alertmanager that delivers to a table.
type pipe struct {
	*testing.T
	manager *node.AlertmanagerNode
	table   *Table
}

// newPipe starts an Alertmanager whose API is read twice a second.
func newPipe(t *testing.T) *pipe {
	t.Helper()
	p := &pipe{T: t, table: New(Options{Alertmanager: true, WatchdogLimit: 5 * time.Second}, time.Now())}
	p.table.Apply(map[string][]string{"btc": {"a", "b"}})
	var reader *Reader
	receiver := httptest.NewUnstartedServer(NewWebhook(WebhookOptions{
		Table: p.table, Token: "s3cret",
		Received: func(r Receipt) {
			if r.Read {
				reader.Ask()
			}
		},
	}))
	p.manager = node.Alertmanager(t, fmt.Sprintf(alertmanagerConfig, "http://"+receiver.Listener.Addr().String()))
	reader = NewReader(ReaderOptions{Client: p.client(time.Millisecond), Table: p.table, Interval: time.Second / 2})
	receiver.Start()
	t.Cleanup(receiver.Close)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- reader.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
		http.DefaultClient.CloseIdleConnections()
	})
	return p
}

// client reads the Alertmanager, which is to be believed after settle.
func (p *pipe) client(settle time.Duration) *Client {
	c, err := NewClient(ClientOptions{URL: p.manager.URL, Settle: settle})
	require.NoError(p, err)
	return c
}

// ask calls Alertmanager's API.
func (p *pipe) ask(method, path string, body any) []byte {
	p.Helper()
	text, err := json.Marshal(body)
	require.NoError(p, err)
	r, err := http.NewRequestWithContext(p.Context(), method, p.manager.URL.JoinPath("api", "v2", path).String(), bytes.NewReader(text))
	require.NoError(p, err)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	require.NoError(p, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(p, err)
	require.Equal(p, http.StatusOK, response.StatusCode, string(answer))
	return answer
}

// fire posts alerts as Prometheus does. Those that are over end now.
func (p *pipe) fire(alerts ...Alert) {
	p.Helper()
	posted := make([]map[string]any, 0, len(alerts))
	for _, a := range alerts {
		one := map[string]any{"labels": a.Labels, "annotations": a.Annotations, "startsAt": a.StartsAt}
		if !a.Firing {
			one["endsAt"] = time.Now()
		}
		posted = append(posted, one)
	}
	p.ask(http.MethodPost, "alerts", posted)
}

// await waits until the facts that stand against a are these, by this source.
func (p *pipe) await(source Source, alerts ...string) {
	p.Helper()
	node.Await(p, fmt.Sprintf("%v by %s", alerts, source), func(context.Context) error {
		now := time.Now()
		got, ruling := names(p.table.Standing("btc", "a", now)), p.table.Ruling(now).Source
		if fmt.Sprint(got) != fmt.Sprint(alerts) || ruling != source {
			return fmt.Errorf("%v by %s", got, ruling)
		}
		return nil
	})
}

// since is an alert that has fired for a minute.
func since(a Alert) Alert {
	a.StartsAt = time.Now().Add(-time.Minute)
	return a
}

func TestARealAlertmanagerRulesFallsAndComesBack(t *testing.T) {
	t.Parallel()
	p := newPipe(t)
	dog, dead := since(watchdog()), since(down("a", 0))
	split := since(down("", 0).with(rules.LabelAlert, rules.AlertChainSplit).with(rules.LabelFailover, ""))
	own := since(down("a", 0).with(rules.LabelAlert, "BillingLimitNear"))
	p.fire(dead, split, own)
	p.await(Local, "BillingLimitNear")
	p.fire(dog)
	p.await(Alertmanager, "BillingLimitNear", "ProviderDown")
	require.Equal(t, []string{"ChainSplit"}, names(ofChain(p.table.All("btc", time.Now()))))

	p.fire(own.over())
	p.await(Alertmanager, "ProviderDown")

	var silence struct{ SilenceID string }
	require.NoError(t, json.Unmarshal(p.ask(http.MethodPost, "silences", map[string]any{
		"matchers": []any{map[string]any{"name": "alertname", "value": "ProviderDown", "isRegex": false, "isEqual": true}},
		"startsAt": time.Now(), "endsAt": time.Now().Add(time.Hour), "createdBy": "operator", "comment": "maintenance",
	}), &silence))
	p.await(Alertmanager)
	p.ask(http.MethodDelete, "silence/"+silence.SilenceID, nil)
	p.await(Alertmanager, "ProviderDown")

	p.manager.Kill()
	p.await(Local)
	require.Contains(t, names(p.table.All("btc", time.Now())), "ProviderDown", "what can't be read ends nothing")

	p.manager.Restart()
	young, err := p.client(time.Hour).Read(t.Context())
	require.NoError(t, err)
	require.False(t, young.Complete)
	require.Empty(t, young.Alerts, "an Alertmanager forgets its alerts")
	require.False(t, young.Watchdog)
	p.fire(dog, dead)
	p.await(Alertmanager, "ProviderDown")
	p.fire(dog.over())
	p.await(Local)
	stats := p.table.Stats(time.Now())
	require.Zero(t, stats.Requests[http.StatusUnauthorized]+stats.Requests[http.StatusBadRequest])
	require.NotZero(t, stats.FailedReadings)
	require.NotZero(t, stats.PartialReadings)
}

func TestAlertmanagerIsTurnedAwayWithoutTheToken(t *testing.T) {
	t.Parallel()
	table := New(Options{}, time.Now())
	table.Apply(map[string][]string{"btc": {"a"}})
	receiver := httptest.NewServer(NewWebhook(WebhookOptions{Table: table, Token: "another"}))
	t.Cleanup(receiver.Close)
	p := &pipe{T: t, table: table, manager: node.Alertmanager(t, fmt.Sprintf(alertmanagerConfig, receiver.URL))}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	p.fire(since(down("a", 0)))
	node.Await(t, "Alertmanager to try", func(context.Context) error {
		if table.Stats(time.Now()).Requests[http.StatusUnauthorized] == 0 {
			return fmt.Errorf("it has not")
		}
		return nil
	})
	require.Empty(t, table.All("btc", time.Now()))
	require.NotContains(t, p.manager.Log(), "another")
}
