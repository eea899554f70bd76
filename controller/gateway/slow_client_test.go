package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// slowBody is the body of a client that takes its time; meanwhile something
// happens.
type slowBody struct {
	io.Reader
	takes     time.Duration
	meanwhile func()
}

func (s *slowBody) Read(b []byte) (int, error) {
	time.Sleep(s.takes)
	s.takes = 0
	if s.meanwhile != nil {
		s.meanwhile()
		s.meanwhile = nil
	}
	return s.Reader.Read(b)
}

func (w *world) postSlowly(takes time.Duration, meanwhile func()) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/rpc/"+theChain, &slowBody{strings.NewReader(oneCall), takes, meanwhile})
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

func TestASlowClientIsNoProvidersFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.BitcoinRPC, 2, Options{})
		w.a().set(func(r *http.Request, body []byte) (*http.Response, error) {
			select {
			case <-r.Context().Done():
				return nil, r.Context().Err()
			case <-time.After(100 * time.Millisecond):
				return goodAnswer(r, body)
			}
		})
		for _, takes := range []time.Duration{DefaultRequestTimeout - time.Millisecond, 2 * DefaultRequestTimeout} {
			rec := w.postSlowly(takes, nil)
			require.Equal(t, 200, rec.Code, rec.Body.String())
			require.Equal(t, "a", rec.Header().Get(ProviderHeader))
		}
		require.Zero(t, w.state().Endpoints[0].TotalFailures)
	})
}

func TestWhoMayAnswerIsSettledWhenTheRequestIsThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(*Route)
		provider  string
		status    int
	}{
		"the active one was left":                  {func(r *Route) { r.Active, r.Generation, r.Endpoints = "b", 2, r.Endpoints[1:] }, "b", 200},
		"nobody may answer any more":               {func(r *Route) { r.Active, r.Generation, r.Endpoints = "", 2, nil }, "", 503},
		"the chain is not configured any more":     {nil, "", 404},
		"another one came, and was preferred to a": {func(r *Route) { r.Active, r.Generation = "b", 2 }, "b", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.BitcoinRPC, 2, Options{})
			rec := w.postSlowly(0, func() {
				if c.meanwhile != nil {
					w.router.change(theChain, c.meanwhile)
				} else {
					w.router.mu.Lock()
					defer w.router.mu.Unlock()
					delete(w.router.routes, theChain)
				}
			})
			require.Equal(t, c.status, rec.Code)
			require.Equal(t, c.provider, rec.Header().Get(ProviderHeader))
			require.Zero(t, w.a().asked())
		})
	}
}

// room is a body that notes how much room is made for its beginning.
type room struct{ first int }

func (r *room) Read(b []byte) (int, error) {
	r.first = len(b)
	return 0, io.ErrUnexpectedEOF
}

func TestALongBodyTakesRoomOnlyAsItComes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.BitcoinRPC, 1, Options{})
	body := &room{}
	r := httptest.NewRequest(http.MethodPost, "/rpc/"+theChain, body)
	r.ContentLength = 8 << 20
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	require.Equal(t, http.StatusBadRequest, rec.Code)
	require.Positive(t, body.first)
	require.LessOrEqual(t, body.first, trusted)
	require.Zero(t, w.a().asked())
}
