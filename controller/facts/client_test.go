package facts

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

// fakeAPI answers as Alertmanager's API does.
type fakeAPI struct {
	alerts, watchdogs, status string
	now                       time.Time
	queries                   []url.Values
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", f.now.Format(http.TimeFormat))
	body := f.alerts
	switch r.URL.Path {
	case "/prefix/api/v2/alerts":
		f.queries = append(f.queries, r.URL.Query())
		if strings.Contains(r.URL.Query().Get("filter"), rules.AlertWatchdog) {
			body = f.watchdogs
		}
	case "/prefix/api/v2/status":
		body = f.status
	default:
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write([]byte(body))
}

const (
	dogOnAPI  = `[{"labels":{"alertname":"UnderstudyWatchdog"},"startsAt":"2026-11-30T01:00:00.000Z","updatedAt":"2026-11-30T11:59:20.000Z","status":{"state":"active","silencedBy":[],"inhibitedBy":[]}}]`
	longSince = `{"uptime":"2026-11-30T11:00:00.000Z","versionInfo":{}}`
)

// newAPI is an Alertmanager that has run for an hour, and a client of it.
func newAPI(t *testing.T) (*fakeAPI, *Client) {
	t.Helper()
	api := &fakeAPI{alerts: string(golden(t, "api", "0.25-alerts.json")), watchdogs: dogOnAPI, status: longSince, now: noon}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return api, clientOf(t, server, "/prefix")
}

func clientOf(t *testing.T, server *httptest.Server, path string) *Client {
	t.Helper()
	u, err := url.Parse(server.URL + path)
	require.NoError(t, err)
	u.User = url.UserPassword("user", "hush")
	c, err := NewClient(ClientOptions{URL: u, HTTP: server.Client()})
	require.NoError(t, err)
	return c
}

func TestTheAPIOfARealAlertmanagerIsRead(t *testing.T) {
	t.Parallel()
	api, c := newAPI(t)
	before := time.Now()
	r, err := c.Read(t.Context())
	require.NoError(t, err)
	require.False(t, r.Began.Before(before))
	require.True(t, r.Complete)
	require.True(t, r.Watchdog)
	require.Equal(t, 40*time.Second, r.WatchdogAge)
	hook, err := Decode(golden(t, "webhook", "0.25-firing.json"))
	require.NoError(t, err)
	require.ElementsMatch(t, hook.Alerts, r.Alerts, "the API and the webhook tell the same")
	require.Len(t, api.queries, 2)
	for _, q := range api.queries {
		require.Equal(t, "true false false", q.Get("active")+" "+q.Get("silenced")+" "+q.Get("inhibited"))
	}
	require.Equal(t, `chain=~".+"`, api.queries[0].Get("filter"))
}

func TestAReadingSaysWhatItIsWorth(t *testing.T) {
	t.Parallel()
	other := strings.ReplaceAll(dogOnAPI, "11:59:20", "11:50:00")
	for name, c := range map[string]struct {
		change             func(*fakeAPI)
		complete, watchdog bool
		age                time.Duration
	}{
		"Alertmanager has just started": {func(f *fakeAPI) { f.status = `{"uptime":"2026-11-30T11:58:46Z"}` }, false, true, 40 * time.Second},
		"it has run for long enough":    {func(f *fakeAPI) { f.status = `{"uptime":"2026-11-30T11:58:45Z"}` }, true, true, 40 * time.Second},
		"there is no watchdog":          {func(f *fakeAPI) { f.watchdogs = "[]" }, true, false, 0},
		"the watchdog is silenced":      {func(f *fakeAPI) { f.watchdogs = strings.Replace(dogOnAPI, `"silencedBy":[]`, `"silencedBy":["x"]`, 1) }, true, false, 0},
		"the watchdog is suppressed":    {func(f *fakeAPI) { f.watchdogs = strings.Replace(dogOnAPI, `"active"`, `"suppressed"`, 1) }, true, false, 0},
		"the younger watchdog counts":   {func(f *fakeAPI) { f.watchdogs = other[:len(other)-1] + "," + dogOnAPI[1:] }, true, true, 40 * time.Second},
		"an age is never negative":      {func(f *fakeAPI) { f.watchdogs = strings.ReplaceAll(dogOnAPI, "11:59:20", "12:00:01") }, true, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api, client := newAPI(t)
			c.change(api)
			r, err := client.Read(t.Context())
			require.NoError(t, err)
			require.Equal(t, []any{c.complete, c.watchdog, c.age}, []any{r.Complete, r.Watchdog, r.WatchdogAge})
		})
	}
}

func TestSilencedAlertsDoNotAct(t *testing.T) {
	t.Parallel()
	api, client := newAPI(t)
	api.alerts = strings.Replace(api.alerts, `"silencedBy":[]`, `"silencedBy":["x"]`, 1)
	r, err := client.Read(t.Context())
	require.NoError(t, err)
	require.Len(t, r.Alerts, 1)
	api.alerts = strings.Replace(api.alerts, `"inhibitedBy":[],"silencedBy":[]`, `"inhibitedBy":["x"],"silencedBy":[]`, 1)
	r, err = client.Read(t.Context())
	require.NoError(t, err)
	require.Empty(t, r.Alerts)
	api.alerts = strings.NewReplacer(`["x"]`, `[]`, `"active"`, `"unprocessed"`).Replace(api.alerts)
	r, err = client.Read(t.Context())
	require.NoError(t, err)
	require.Len(t, r.Alerts, 2, "Alertmanager is about to deliver them")
}

func TestAnAnswerThatIsNotWholeIsNoReading(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*fakeAPI)
		want   string
	}{
		"a page":                        {func(f *fakeAPI) { f.alerts = "<html>hush</html>" }, "no JSON"},
		"an object":                     {func(f *fakeAPI) { f.alerts = "{}" }, "does not belong"},
		"half an answer":                {func(f *fakeAPI) { f.alerts = f.alerts[:100] }, "no JSON"},
		"an alert without a name":       {func(f *fakeAPI) { f.alerts = strings.Replace(f.alerts, "alertname", "hush", 1) }, "without alertname"},
		"an alert without a status":     {func(f *fakeAPI) { f.alerts = strings.Replace(f.alerts, `"status"`, `"hush"`, 1) }, "status"},
		"an alert without an episode":   {func(f *fakeAPI) { f.alerts = strings.Replace(f.alerts, "startsAt", "hush", 1) }, "startsAt"},
		"a watchdog that nobody renews": {func(f *fakeAPI) { f.watchdogs = strings.Replace(dogOnAPI, "updatedAt", "hush", 1) }, "updatedAt"},
		"a status without a start":      {func(f *fakeAPI) { f.status = "{}" }, "since when"},
		"a large answer":                {func(f *fakeAPI) { f.alerts = "[" + strings.Repeat(" ", maxAnswer) + "]" }, "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api, client := newAPI(t)
			c.change(api)
			_, err := client.Read(t.Context())
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "of Alertmanager at http://127.0.0.1:")
			require.NotContains(t, err.Error(), "hush")
			require.NotContains(t, err.Error(), "prefix")
		})
	}
}

func TestAReadingThatFailsNamesNoSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"an error": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "hush", http.StatusInternalServerError) }, "status 500"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/hush", http.StatusFound)
		}, "status 302"},
		"a hang-up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.handler)
			t.Cleanup(server.Close)
			_, err := clientOf(t, server, "/hush").Read(t.Context())
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "hush")
		})
	}
	t.Run("nobody answers", func(t *testing.T) {
		t.Parallel()
		gone := httptest.NewServer(http.NotFoundHandler())
		c := clientOf(t, gone, "/hush")
		gone.Close()
		_, err := c.Read(t.Context())
		require.ErrorContains(t, err, "refused")
		require.NotContains(t, err.Error(), "hush")
	})
}

func TestAClientNeedsAURL(t *testing.T) {
	t.Parallel()
	for _, u := range []*url.URL{nil, {}, {Scheme: "ftp", Host: "am"}, {Scheme: "http"}} {
		_, err := NewClient(ClientOptions{URL: u})
		require.ErrorContains(t, err, "URL of Alertmanager")
	}
}

// hanging is a transport whose answers never come.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}
