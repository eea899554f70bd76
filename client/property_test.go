package client_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/client"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// whims are what a controller, or something before it, may do that tells
// nothing.
var whims = map[string]func(now wire.Active) http.HandlerFunc{
	"garbage": func(wire.Active) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\x00<html>{")) }
	},
	"empty":        func(wire.Active) http.HandlerFunc { return func(http.ResponseWriter, *http.Request) {} },
	"not modified": func(wire.Active) http.HandlerFunc { return status(http.StatusNotModified) },
	"500":          func(wire.Active) http.HandlerFunc { return status(http.StatusInternalServerError) },
	"503":          func(wire.Active) http.HandlerFunc { return status(http.StatusServiceUnavailable) },
	"404":          func(wire.Active) http.HandlerFunc { return status(http.StatusNotFound) },
	"redirect":     func(wire.Active) http.HandlerFunc { return status(http.StatusMovedPermanently) },
	"silence": func(wire.Active) http.HandlerFunc {
		return func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	},
	"slow": func(now wire.Active) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(9 * time.Second):
				answer(w, http.StatusOK, now)
			case <-r.Context().Done():
			}
		}
	},
	"nobody": func(now wire.Active) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusServiceUnavailable, nobody(now.Index, now.Generation))
		}
	},
	"older": func(now wire.Active) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, serves(now.Index-1, now.Generation-1, "superseded"))
		}
	},
	"another chain": func(now wire.Active) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			other := serves(now.Index+1, now.Generation+1, "stranger")
			other.Chain = "eth"
			answer(w, http.StatusOK, other)
		}
	},
	"no address": func(now wire.Active) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			// It has the index of now, so that what follows is not older.
			odd := serves(now.Index, now.Generation, "nowhere")
			odd.RPCHost = "://"
			answer(w, http.StatusOK, odd)
		}
	},
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// inBubble hides from rapid that a test has a deadline, which may not be asked for
// in a bubble.
type inBubble struct{ *testing.T }

func TestWhateverTheControllerAnswersTheLastGoodProviderServes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(inBubble{t}, func(r *rapid.T) {
			f := newFakeController(serves(10, 10, "a"))
			c, err := client.New(client.Options{
				URL:        "http://controller.example",
				HTTPClient: &http.Client{Transport: inProcess{"controller.example": f}},
				Settle:     24 * time.Hour,
			})
			require.NoError(r, err)
			defer func() { require.NoError(r, c.Close()) }()
			rt := c.Transport("btc", client.TransportOptions{Base: &fakeProviders{}})
			good := serves(10, 10, "a")
			r.Repeat(map[string]func(*rapid.T){
				"whim": func(r *rapid.T) {
					kind := rapid.SampledFrom(kinds).Draw(r, "kind")
					f.breaks(whims[kind](good))
					time.Sleep(time.Duration(rapid.IntRange(0, 20_000).Draw(r, "ms")) * time.Millisecond)
				},
				"change": func(*rapid.T) {
					n := good.Index + 1
					good = serves(n, n, string(rune('a'+n%5)))
					f.breaks(nil)
					f.say(good)
					// It takes the longest silence, the longest pause and the question itself.
					for range 58 {
						if rt.Status().Active.Index == n {
							break
						}
						time.Sleep(time.Second)
					}
				},
				"": func(r *rapid.T) {
					text, err := ask(t.Context(), rt)
					require.NoError(r, err)
					require.Equal(r, *good.Provider, text)
				},
			})
		})
	})
}

var kinds = []string{
	"garbage", "empty", "not modified", "500", "503", "404", "redirect", "silence", "slow", "nobody", "older", "another chain", "no address",
}
