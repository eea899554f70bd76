package api

import (
	"bytes"
	"errors"
	"github.com/understudy-rpc/understudy/rules"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
)

func TestAPanicEndsOneRequestOnly(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	v := newFakeView()
	v.broken = true
	a := newAPI(t, v, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	w := get(a, "/thorchain/providers")
	problemOf(t, w, http.StatusInternalServerError)
	require.NotContains(t, w.Body.String(), "fake View")
	require.Contains(t, log.String(), "the fake View is broken")
	require.InDelta(t, 1, valueOf(t, a.metrics.panics), 0)
	require.Equal(t, http.StatusOK, get(a, "/active/btc").Code)

	// The stream's own look at the View happens before anything is sent.
	problemOf(t, get(a, "/events"), http.StatusInternalServerError)
	require.Zero(t, a.watchers.now.Load(), "the place is given back")
	v.broken = false
	server := newServer(t, a)
	response, err := server.Client().Head(server.URL + "/events")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
}

func TestAPanicLeavesNoHeaderBehind(t *testing.T) {
	t.Parallel()
	a := newAPI(t, newFakeView(), Options{Webhook: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1")
		panic("before the answer")
	})})
	w := request(a, http.MethodPost, routeWebhook, "{}")
	problemOf(t, w, http.StatusInternalServerError)
	require.Empty(t, w.Header().Get("Content-Length"))
}

func TestAnAnswerThatBreaksOffIsNoWholeOne(t *testing.T) {
	t.Parallel()
	a := newAPI(t, newFakeView(), Options{Webhook: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half"))
		panic("mid-answer")
	})})
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { request(a, http.MethodPost, routeWebhook, "{}") })
	a = newAPI(t, newFakeView(), Options{Webhook: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })})
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { request(a, http.MethodPost, routeWebhook, "{}") })
	require.Zero(t, valueOf(t, a.metrics.panics), "that is how a handler breaks off on purpose")
}

func TestRequestsAreCountedByRouteAndCode(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewPedanticRegistry()
	a := newAPI(t, newFakeView(), Options{Registerer: registry})
	for _, path := range []string{"/active/btc", "/active/eth", "/active/nope", "/secret/path", "/active/btc?wait=x"} {
		get(a, path)
	}
	request(a, http.MethodPut, "/active/btc", "")
	problems, err := promlint.NewWithMetricFamilies(gathered(t, registry)).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
	counts := map[string]float64{}
	for _, f := range gathered(t, registry) {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			if f.GetName() == rules.HTTPRequests.Name {
				counts[strings.Join(labels, " ")] = m.GetCounter().GetValue()
			}
		}
	}
	require.InDelta(t, 2, counts["200 /active/{chain}"], 0)
	require.InDelta(t, 1, counts["404 /active/{chain}"], 0)
	require.InDelta(t, 1, counts["400 /active/{chain}"], 0)
	require.InDelta(t, 1, counts["404 unmatched"], 0)
	require.InDelta(t, 1, counts["405 unmatched"], 0)
	require.Contains(t, counts, "200 /events", "series exist from the start")

	_, err = New(Options{View: newFakeView(), Operator: &fakeOperator{}, Registerer: registry})
	require.ErrorContains(t, err, "metrics of the API")
}

// gathered is what a registry publishes.
func gathered(t *testing.T, g prometheus.Gatherer) []*dto.MetricFamily {
	t.Helper()
	families, err := g.Gather()
	require.NoError(t, err)
	return families
}

func TestAnAPINeedsItsParts(t *testing.T) {
	t.Parallel()
	_, err := New(Options{View: newFakeView()})
	require.Error(t, err)
	for _, url := range []string{"://", "understudy", "http://"} {
		_, err = New(Options{View: newFakeView(), Operator: &fakeOperator{}, ExternalURL: url})
		require.Error(t, err, url)
	}
	a, err := New(Options{View: newFakeView(), Operator: &fakeOperator{}})
	require.NoError(t, err)
	require.NotContains(t, get(a, "/active/btc").Body.String(), "SECRET", "nobody is trusted unless it is said who is")
}

func TestOtherMethodsAreRefusedWithThoseThereAre(t *testing.T) {
	t.Parallel()
	a := newAPI(t, newFakeView(), Options{Webhook: http.NotFoundHandler()})
	for path, allowed := range map[string]string{
		"/active": "GET, HEAD", "/active/btc": "GET, HEAD", "/events": "GET, HEAD", "/health": "GET, HEAD", "/-/healthy": "GET, HEAD", "/-/ready": "GET, HEAD",
		"/thorchain/providers": "GET, HEAD", "/thorchain/providers/btc": "GET, HEAD", "/openapi.yaml": "GET, HEAD",
		drainPath: "DELETE, PUT", pinPath: "DELETE, PUT", "/thorchain/providers/btc/failback": "POST", routeWebhook: "POST",
	} {
		for _, method := range []string{http.MethodPatch, http.MethodOptions, "BREW"} {
			w := request(a, method, path, "")
			problemOf(t, w, http.StatusMethodNotAllowed)
			require.Equal(t, allowed, w.Header().Get("Allow"), path)
		}
	}
	problemOf(t, get(a, "/"), http.StatusNotFound)
	problemOf(t, get(a, "/active/btc/"), http.StatusNotFound)
}

func TestReadyTellsEverythingThatIsMissing(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	a := newAPI(t, v, Options{})
	require.Equal(t, "Understudy is ready.\n", get(a, "/-/ready").Body.String())
	v.missing = []error{errors.New("no exporter answers"), errors.New("the first evaluation is not over.")} //nolint:staticcheck // Either way of ending a sentence.
	w := get(a, "/-/ready")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "Not ready: no exporter answers.\nNot ready: the first evaluation is not over.\n", w.Body.String())
	require.Equal(t, "Understudy is healthy.\n", get(a, "/-/healthy").Body.String())
}

func TestHealthIsThatOfTheWorstChain(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	a := newAPI(t, v, Options{})
	require.JSONEq(t, `{"status":"ok","chains":{"btc":"ok","eth":"ok"}}`, get(a, "/health").Body.String())
	degraded := active("btc", "local-daemon")
	degraded.State = "degraded"
	v.set(degraded)
	w := get(a, "/health")
	require.Equal(t, http.StatusOK, w.Code)
	require.JSONEq(t, `{"status":"degraded","chains":{"btc":"degraded","eth":"ok"}}`, w.Body.String())
	v.set(nobody("eth"))
	w = get(a, "/health")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.JSONEq(t, `{"status":"unhealthy","chains":{"btc":"degraded","eth":"none"}}`, w.Body.String())
}
