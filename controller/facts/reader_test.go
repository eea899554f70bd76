package facts

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// memory is a transport to a handler, without a network.
type memory struct {
	mu       sync.Mutex
	readings []time.Duration
	start    time.Time
	down     bool
}

func (m *memory) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if strings.Contains(r.URL.RawQuery, "chain") {
		m.readings = append(m.readings, time.Since(m.start))
	}
	if m.down {
		return nil, errors.New("down")
	}
	api := &fakeAPI{alerts: "[]", watchdogs: dogOnAPI, status: longSince, now: noon}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w.Result(), nil
}

func (m *memory) set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// at are the times of the readings so far, in seconds after the start.
func (m *memory) at() []float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var seconds []float64
	for _, d := range m.readings {
		seconds = append(seconds, d.Seconds())
	}
	return seconds
}

// running starts a reader with a transport, and returns what it logs.
func running(t *testing.T, transport http.RoundTripper, o ReaderOptions) (*Reader, *bytes.Buffer, func()) {
	t.Helper()
	client, err := NewClient(ClientOptions{
		URL: &url.URL{Scheme: "http", Host: "am", Path: "/prefix"}, HTTP: &http.Client{Transport: transport},
	})
	require.NoError(t, err)
	var log bytes.Buffer
	o.Client, o.Logger = client, slog.New(slog.NewTextHandler(&log, nil))
	reader := NewReader(o)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- reader.Run(ctx) }()
	return reader, &log, func() {
		cancel()
		require.NoError(t, <-done)
	}
}

func TestAlertmanagerIsReadAtTheStartAgainAndWhenAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := New(Options{Alertmanager: true}, time.Now())
		table.Apply(map[string][]string{"btc": {"a"}})
		receive(t, table, time.Now(), down("a", 0))
		time.Sleep(time.Second)
		m := &memory{start: time.Now()}
		var reconciled [][]string
		reader, log, stop := running(t, m, ReaderOptions{
			Table: table, Reconciled: func(chains []string) { reconciled = append(reconciled, chains) },
		})
		synctest.Wait()
		require.Empty(t, table.All("btc", time.Now()), "Alertmanager knows of nothing")
		time.Sleep(40 * time.Second)
		reader.Ask()
		reader.Ask()
		synctest.Wait()
		reader.Ask()
		time.Sleep(20 * time.Second)
		stop()
		require.Equal(t, []float64{0, 30, 40, 40.25}, m.at())
		require.Equal(t, [][]string{{"btc"}, nil, nil, nil}, reconciled)
		require.EqualValues(t, 4, table.Stats(time.Now()).Readings)
		require.Empty(t, log.String())
	})
}

func TestAReadingThatFailsIsTriedAgainAndLoggedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := New(Options{Alertmanager: true}, time.Now())
		table.Apply(map[string][]string{"btc": {"a"}})
		receive(t, table, time.Now(), down("a", 0))
		m := &memory{start: time.Now(), down: true}
		_, log, stop := running(t, m, ReaderOptions{Table: table})
		time.Sleep(12 * time.Second)
		synctest.Wait()
		require.Len(t, table.All("btc", time.Now()), 1, "what is not read ends nothing")
		require.Equal(t, 1, strings.Count(log.String(), "can't be read"))
		require.Contains(t, log.String(), "component=facts")
		m.set(false)
		time.Sleep(20 * time.Second)
		stop()
		require.Equal(t, []float64{0, 5, 10, 15}, m.at())
		require.Equal(t, 1, strings.Count(log.String(), "can be read again"))
		require.EqualValues(t, 3, table.Stats(time.Now()).FailedReadings)
	})
}

func TestAReadingHasATimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := New(Options{Alertmanager: true}, time.Now())
		_, log, stop := running(t, hanging{}, ReaderOptions{Table: table})
		time.Sleep(DefaultReadTimeout + time.Second)
		synctest.Wait()
		require.Contains(t, log.String(), "no answer within 10s")
		require.EqualValues(t, 1, table.Stats(time.Now()).FailedReadings)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		stop()
		require.EqualValues(t, 1, table.Stats(time.Now()).FailedReadings, "that we stopped is no failure")

		_, log, stop = running(t, hanging{}, ReaderOptions{Table: table})
		synctest.Wait()
		stop()
		require.Empty(t, log.String())
	})
}

func TestHowOftenIsReadFollowsTheWatchdogsLimit(t *testing.T) {
	t.Parallel()
	require.Equal(t, DefaultReadInterval, ReadIntervalFor(0))
	require.Equal(t, DefaultReadInterval, ReadIntervalFor(DefaultWatchdogLimit))
	require.Equal(t, 2*time.Second, ReadIntervalFor(5*time.Second))
	require.Equal(t, DefaultReadInterval, ReadIntervalFor(time.Hour))
}
