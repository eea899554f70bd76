package controller_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/rules"
)

// alertmanager is one in the same process: it answers its API, and posts
// webhooks when a test says so.
type alertmanager struct {
	mu      sync.Mutex
	started time.Time
	dead    bool
	// alerts are those that fire; the watchdog among them is renewed at each beat.
	alerts map[string]*told
}

// told is an alert that Alertmanager was told of.
type told struct {
	labels            map[string]string
	starts, refreshed time.Time
}

func newAlertmanager() *alertmanager {
	return &alertmanager{started: time.Now().Add(-time.Hour), alerts: map[string]*told{}}
}

// heard makes a controller read the API of the Alertmanager.
func (a *alertmanager) heard(t testing.TB, mode facts.Mode) func(*controller.Options) {
	client, err := facts.NewClient(facts.ClientOptions{
		URL: &url.URL{Scheme: "http", Host: "alertmanager.example"}, HTTP: &http.Client{Transport: a},
	})
	require.NoError(t, err)
	return func(o *controller.Options) { o.Alertmanager, o.Mode = client, mode }
}

// RoundTrip answers a request without a network.
func (a *alertmanager) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead {
		return nil, errors.New("connection refused")
	}
	w := httptest.NewRecorder()
	var answer any = map[string]any{"uptime": a.started}
	if strings.HasSuffix(r.URL.Path, "/alerts") {
		watchdog := strings.Contains(r.URL.Query().Get("filter"), rules.AlertWatchdog)
		all := []map[string]any{}
		for _, one := range a.alerts {
			if (one.labels[rules.LabelAlert] == rules.AlertWatchdog) == watchdog {
				all = append(all, map[string]any{
					"labels": one.labels, "annotations": map[string]string{}, "startsAt": one.starts, "updatedAt": one.refreshed,
					"status": map[string]any{"state": "active", "silencedBy": []string{}, "inhibitedBy": []string{}},
				})
			}
		}
		answer = all
	}
	_ = json.NewEncoder(w).Encode(answer)
	return w.Result(), nil
}

// kill makes it answer nobody any more; revive starts it again, without a memory
// of what fired.
func (a *alertmanager) kill() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dead = true
}

func (a *alertmanager) revive() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dead, a.started, a.alerts = false, time.Now(), map[string]*told{}
}

// fire is told of an alert by Prometheus, and posts it.
func (a *alertmanager) fire(w *world, labels map[string]string) int {
	a.mu.Lock()
	key := labels[rules.LabelAlert] + "/" + labels[rules.LabelChain] + "/" + labels[rules.LabelProvider]
	one := a.alerts[key]
	if one == nil {
		one = &told{labels: labels, starts: time.Now()}
		a.alerts[key] = one
	}
	one.refreshed = time.Now()
	starts := one.starts
	a.mu.Unlock()
	return w.post("firing", labels, starts)
}

// resolve ends an alert, and posts that.
func (a *alertmanager) resolve(w *world, labels map[string]string) int {
	a.mu.Lock()
	key := labels[rules.LabelAlert] + "/" + labels[rules.LabelChain] + "/" + labels[rules.LabelProvider]
	starts := a.alerts[key].starts
	delete(a.alerts, key)
	a.mu.Unlock()
	return w.post("resolved", labels, starts)
}

// beat posts the watchdog.
func (a *alertmanager) beat(w *world) {
	a.fire(w, map[string]string{rules.LabelAlert: rules.AlertWatchdog, "severity": "none"})
}

// bring lets the watchdog beat until Alertmanager rules.
func (a *alertmanager) bring(w *world) {
	for range 4 {
		w.pass(10 * time.Second)
		a.beat(w)
	}
	w.pass(2 * time.Second)
	require.Equal(w.t, "alertmanager", w.chain().Evaluator.Source)
}

// beating lets time pass with a watchdog that beats.
func (a *alertmanager) beating(w *world, d time.Duration) {
	for ; d > 0; d -= 10 * time.Second {
		w.pass(10 * time.Second)
		a.beat(w)
	}
}

// post delivers one alert as a webhook does.
func (w *world) post(status string, labels map[string]string, starts time.Time) int {
	body, err := json.Marshal(map[string]any{
		"version": "4", "groupKey": "{}", "status": status, "receiver": "understudy", "truncatedAlerts": 0,
		"alerts": []any{map[string]any{
			"status": status, "labels": labels, "annotations": map[string]string{"summary": "It is said so"},
			"startsAt": starts, "endsAt": "0001-01-01T00:00:00Z", "fingerprint": "", "generatorURL": "",
		}},
	})
	require.NoError(w.t, err)
	r := httptest.NewRequest(http.MethodPost, "/webhooks/alertmanager", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	w.c.Webhook().ServeHTTP(answer, r)
	settle()
	return answer.Code
}

// against is an alert against a provider of eth.
func against(provider, alert, mode string) map[string]string {
	return map[string]string{
		rules.LabelAlert: alert, rules.LabelChain: "eth", rules.LabelProvider: provider,
		rules.LabelFailover: "true", rules.LabelFailureMode: mode, "severity": "warning",
	}
}

func TestAWebhookIsAFactAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		m := newAlertmanager()
		w := begin(t, three, m.heard(t, facts.ModeFallback))
		require.Equal(t, "local", w.chain().Evaluator.Source)
		m.bring(w)
		own := against("a", "DiskOfTheNodeIsFull", "errors")
		require.Equal(t, http.StatusOK, m.fire(w, own))
		require.Equal(t, "failover: a failing", w.serves("b", wire.StateOK).Reason)
		require.Equal(t, []string{"DiskOfTheNodeIsFull alertmanager true"}, alertsOf(w.status("a")))

		require.Equal(t, http.StatusOK, m.resolve(w, own))
		m.beating(w, 10*time.Second)
		require.Empty(t, w.status("a").Alerts)
		w.serves("b", wire.StateOK)
		m.beating(w, 30*time.Second)
		w.serves("a", wire.StateOK)
	})
}

func TestWhoWatchesIsToldWhatAReadingBrings(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		m := newAlertmanager()
		w := begin(t, three, m.heard(t, facts.ModeFallback))
		m.bring(w)
		changed, end := w.c.Overview().Watch()
		defer end()
		news := func() bool {
			m.beating(w, facts.DefaultReadInterval)
			select {
			case <-changed:
				return true
			default:
				return false
			}
		}
		// The alert acts on nothing, so that no decision tells of it.
		labels := against("a", "CertificateOfTheNode", "errors")
		delete(labels, rules.LabelFailover)
		m.mu.Lock()
		m.alerts["lost"] = &told{labels: labels, starts: time.Now(), refreshed: time.Now()}
		m.mu.Unlock()
		require.True(t, news(), "its webhook was lost")
		require.Equal(t, []string{"CertificateOfTheNode alertmanager false"}, alertsOf(w.status("a")))
		m.mu.Lock()
		delete(m.alerts, "lost")
		m.mu.Unlock()
		require.True(t, news(), "that of its end was lost, too")
		require.Empty(t, w.status("a").Alerts)
	})
}

// alertsOf are the alerts of a provider with their source, and whether they
// count.
func alertsOf(p wire.Provider) []string {
	var all []string
	for _, a := range p.Alerts {
		counts := " false"
		if a.Counts {
			counts = " true"
		}
		all = append(all, a.Name+" "+a.Source+counts)
	}
	return all
}

func TestTheLocalEvaluatorTakesOverWhenTheWatchdogFallsSilent(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		m := newAlertmanager()
		w := begin(t, three, m.heard(t, facts.ModeFallback))
		m.bring(w)
		// Alertmanager rules: what the local evaluator alone sees does not act.
		w.fail("a", "timeout")
		m.beating(w, 10*time.Second)
		w.serves("a", wire.StateOK)
		require.Equal(t, []string{"ProviderDown local false"}, alertsOf(w.status("a")))

		m.kill()
		w.pass(60 * time.Second)
		w.serves("a", wire.StateOK)
		w.pass(20 * time.Second)
		w.serves("b", wire.StateOK)
		require.Equal(t, "local", w.chain().Evaluator.Source)
		require.Len(t, w.log.lines("Other facts rule now"), 2)

		// It comes back without a memory: however often the watchdog beats, it
		// rules only once it must have been told of everything again.
		m.revive()
		m.beat(w)
		m.beating(w, time.Minute)
		require.Equal(t, "local", w.chain().Evaluator.Source)
		m.fire(w, against("a", rules.AlertProviderDown, rules.ModeDown))
		m.beating(w, time.Minute)
		require.Equal(t, "alertmanager", w.chain().Evaluator.Source)
		m.beating(w, 2*time.Minute)
		w.serves("b", wire.StateOK)
		require.EqualValues(t, 2, w.active().Generation, "nothing flapped")
	})
}

func TestAWatchdogThatResolvesHandsOverAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		m := newAlertmanager()
		w := begin(t, three, m.heard(t, facts.ModeFallback))
		m.bring(w)
		down := against("a", rules.AlertProviderDown, rules.ModeDown)
		w.fail("a", "timeout")
		w.look()
		m.fire(w, down)
		w.serves("b", wire.StateOK)
		// Prometheus dies: all that fired resolves, the watchdog included.
		m.resolve(w, down)
		m.resolve(w, map[string]string{rules.LabelAlert: rules.AlertWatchdog, "severity": "none"})
		require.Equal(t, "local", w.chain().Evaluator.Source)
		w.pass(time.Minute)
		w.serves("b", wire.StateOK)
		require.Equal(t, wire.StatusUnhealthy, w.status("a").Status, "a dying Prometheus heals nobody")
	})
}

func TestBothCountWhereToldSo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		m := newAlertmanager()
		w := begin(t, three, m.heard(t, facts.ModeAlways))
		m.beat(w)
		require.Equal(t, "both", w.chain().Evaluator.Source)
		w.fail("a", "timeout")
		w.look()
		w.serves("b", wire.StateOK)
		m.fire(w, against("b", rules.AlertProviderDown, rules.ModeDown))
		w.serves("c", wire.StateOK)
	})
}

func TestAFactThatNobodyConfirmsExpires(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three, func(o *controller.Options) { o.Mode = facts.ModeAlways })
		require.Equal(t, http.StatusOK, w.post("firing", against("a", "Hearsay", "errors"), time.Now()))
		w.serves("b", wire.StateOK)
		w.pass(facts.DefaultTTL - 2*time.Second)
		require.Len(t, w.status("a").Alerts, 1)
		w.pass(5 * time.Second)
		require.Empty(t, w.status("a").Alerts)
		w.pass(30 * time.Second)
		w.serves("a", wire.StateOK)
	})
}

func TestALostResolutionIsFoundByTheNextReading(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		m := newAlertmanager()
		w := begin(t, three, m.heard(t, facts.ModeFallback))
		m.bring(w)
		m.fire(w, against("a", rules.AlertProviderDown, rules.ModeDown))
		w.serves("b", wire.StateOK)
		m.mu.Lock()
		delete(m.alerts, rules.AlertProviderDown+"/eth/a")
		m.mu.Unlock()
		m.beating(w, 40*time.Second)
		require.Empty(t, w.status("a").Alerts)
		m.beating(w, 30*time.Second)
		w.serves("a", wire.StateOK)
	})
}
