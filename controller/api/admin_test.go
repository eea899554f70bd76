package api

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

const (
	drainPath = "/thorchain/providers/btc/quicknode/drain"
	pinPath   = "/thorchain/providers/btc/pin"
	jsonType  = "application/json"
)

func TestOrdersReachTheOperatorAndAreAnsweredWithTheChain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, body, order string
		given                     Order
	}{
		{"PUT", drainPath, "", "drain btc quicknode", Order{}},
		{"PUT", drainPath, "{}", "drain btc quicknode", Order{}},
		{"PUT", drainPath, `{"reason":"maintenance","for":"2h"}`, "drain btc quicknode", Order{"maintenance", 2 * time.Hour}},
		{"PUT", drainPath, " \n{\"for\" : \"\"}\n", "drain btc quicknode", Order{}},
		{"PUT", drainPath, `{"for":"365d"}`, "drain btc quicknode", Order{"", maxFor}},
		{"PUT", drainPath, `{"for":"1.5h"}`, "drain btc quicknode", Order{"", 90 * time.Minute}},
		{"PUT", drainPath, `{"for":"1d2h"}`, "drain btc quicknode", Order{"", 26 * time.Hour}},
		{"DELETE", drainPath, "", "undrain btc quicknode", Order{}},
		{"DELETE", drainPath, "{}", "undrain btc quicknode", Order{}},
		{"PUT", pinPath, `{"provider":"quicknode","reason":"Prüfung ✓","for":"30m"}`, "pin btc quicknode", Order{"Prüfung ✓", 30 * time.Minute}},
		{"DELETE", pinPath, "", "unpin btc", Order{}},
		{"POST", "/thorchain/providers/btc/failback", "", "failback btc", Order{}},
	} {
		o := &fakeOperator{}
		w := request(newAPI(t, newFakeView(), Options{Operator: o}), c.method, c.path, c.body, "Content-Type", jsonType)
		require.Equal(t, http.StatusOK, w.Code, "%s %s %s: %s", c.method, c.path, c.body, w.Body)
		require.Equal(t, []string{c.order}, o.orders)
		require.Equal(t, c.given, o.last)
		require.Equal(t, "btc", decoded[wire.Chain](t, w).Chain)
	}
}

func TestBodiesThatAreNotUnderstoodAreRefusedWithThePlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, body string
		status     int
		detail     string
	}{
		{drainPath, `{"fro":"2h"}`, 400, `unknown member "fro" (line 1, column 6); it may have for, reason`},
		{drainPath, `{"Reason":"x"}`, 400, `unknown member "Reason"`},
		{drainPath, "{\n \"reason\": 5}", 400, `"reason" that is not a string (line 2, column 12)`},
		{drainPath, `{"reason":null}`, 400, "not a string"},
		{drainPath, `{"reason":["x"]}`, 400, "not a string"},
		{drainPath, `{"reason":{"reason":"x"}}`, 400, "not a string"},
		{drainPath, `{"reason":"x","reason":"y"}`, 400, `"reason" twice`},
		{drainPath, `{} {}`, 400, "something after the object (line 1, column 2)"},
		{drainPath, `{}x`, 400, "something after the object"},
		{drainPath, `{"reason":"x"`, 400, "ends too early"},
		{drainPath, `{"reason":`, 400, "ends too early"},
		{drainPath, `{"reason"}`, 400, "is not JSON (line 1, column"},
		{drainPath, `{"reason":"x",}`, 400, "is not JSON"},
		{drainPath, `{1:2}`, 400, "is not JSON"},
		{drainPath, ` `, 400, "ends too early"},
		{drainPath, `[]`, 400, "has to be a JSON object"},
		{drainPath, `"x"`, 400, "has to be a JSON object"},
		{drainPath, "{\"reason\":\"\xff\"}", 400, "not UTF-8"},
		{drainPath, `{"reason":"a\nb"}`, 400, "control character"},
		{drainPath, `{"reason":"a\u001bb"}`, 400, "control character"},
		{drainPath, `{"reason":"a\u2028b"}`, 400, "control character"},
		{drainPath, `{"reason":"a\u202eb"}`, 400, "control character"},
		{drainPath, `{"reason":"` + strings.Repeat("ü", 251) + `"}`, 400, "more than 500 bytes"},
		{drainPath, `{"for":"0s"}`, 400, "more than 0"},
		{drainPath, `{"for":"-1h"}`, 400, "more than 0"},
		{drainPath, `{"for":"366d"}`, 400, "at most 365d"},
		{drainPath, `{"for":"8760h1ns"}`, 400, "at most 365d"},
		{drainPath, `{"for":"30"}`, 400, "not a duration"},
		{drainPath, `{"for":"soon"}`, 400, "not a duration"},
		{drainPath, `{"for":"99999999y"}`, 400, "not a duration"},
		{pinPath, ``, 400, "has to name the provider"},
		{pinPath, `{}`, 400, "has to name the provider"},
		{pinPath, `{"provider":""}`, 400, "has to name the provider"},
		{pinPath, `{"provider":"a","until":"x"}`, 400, "it may have for, provider, reason"},
		{pinPath, `{"provider":"a","reason":"\t"}`, 400, "control character"},
		{drainPath, `{"reason":"` + strings.Repeat("x", maxBody) + `"}`, 413, "larger than 4096 bytes"},
	} {
		o := &fakeOperator{}
		w := request(newAPI(t, newFakeView(), Options{Operator: o}), http.MethodPut, c.path, c.body, "Content-Type", jsonType)
		p := problemOf(t, w, c.status)
		require.Contains(t, p.Detail, c.detail, c.body)
		require.Equal(t, c.path, p.Instance)
		require.Empty(t, o.orders)
	}
}

func TestABodyHasToBeSaidToBeJSON(t *testing.T) {
	t.Parallel()
	a := newAPI(t, newFakeView(), Options{})
	for _, headers := range [][]string{
		{}, {"Content-Type", "application/x-www-form-urlencoded"}, {"Content-Type", "text/plain"}, {"Content-Type", "application/json; charset=latin-1"},
		{"Content-Type", jsonType, "Content-Encoding", "gzip"}, {"Content-Type", ";"},
	} {
		problemOf(t, request(a, http.MethodPut, drainPath, "{}", headers...), http.StatusUnsupportedMediaType)
		require.Equal(t, http.StatusOK, request(a, http.MethodPut, drainPath, "", headers...).Code, "an empty body is none")
	}
	require.Equal(t, http.StatusOK, request(a, http.MethodPut, drainPath, "{}", "Content-Type", "Application/JSON; charset=UTF-8").Code)
}

func TestABodyOfUnknownLengthIsBoundedToo(t *testing.T) {
	t.Parallel()
	endless := struct{ io.Reader }{io.MultiReader(strings.NewReader(`{"reason":"`), strings.NewReader(strings.Repeat("x", maxBody)))}
	r := httptest.NewRequest(http.MethodPut, drainPath, endless)
	r.Host = "localhost"
	r.Header.Set("Content-Type", jsonType)
	require.EqualValues(t, -1, r.ContentLength)
	w := httptest.NewRecorder()
	newAPI(t, newFakeView(), Options{}).ServeHTTP(w, r)
	problemOf(t, w, http.StatusRequestEntityTooLarge)
}

func TestWhatTheOperatorRefusesIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		detail string
	}{
		{ErrUnknownChain, 404, `no chain "btc"`},
		{errors.Join(errors.New("btc"), ErrUnknownProvider), 404, `no provider "quicknode"`},
		{ErrNothingAwaits, 409, "waits for approval"},
		{errors.New("disk full at /var/lib/secret-place"), 500, "Its log says why"},
	} {
		a := newAPI(t, newFakeView(), Options{Operator: &fakeOperator{err: c.err}})
		p := problemOf(t, request(a, http.MethodPut, drainPath, ""), c.status)
		require.Contains(t, p.Detail, c.detail)
		require.NotContains(t, p.Detail, "secret-place")
	}
	a := newAPI(t, newFakeView(), Options{Operator: &fakeOperator{err: ErrUnknownProvider}})
	problemOf(t, request(a, http.MethodPut, pinPath, `{"provider":"x"}`, "Content-Type", jsonType), http.StatusNotFound)
}

func TestAnOrderHasItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t, newFakeView(), Options{Operator: &fakeOperator{slow: true}})
		begin := time.Now()
		w := request(a, http.MethodPut, drainPath, "")
		problemOf(t, w, http.StatusServiceUnavailable)
		require.Equal(t, orderTimeout, time.Since(begin))
		require.Equal(t, retryAfter, w.Header().Get("Retry-After"))
	})
}

// FuzzOrderBody holds that no body breaks anything, and that what is taken is
// within the bounds.
func FuzzOrderBody(f *testing.F) {
	for _, seed := range []string{
		`{"reason":"maintenance","for":"2h"}`, `{"provider":"a","for":"1d2h"}`, `{"reason":"\ud800"}`, "{\"a\":\xff}", `{"reason":"x"}{`, `[[[[`, `{"for":"1.5h",`, ``, `{"for":"9y"}`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, body string, pins bool) {
		o := &fakeOperator{}
		path := drainPath
		if pins {
			path = pinPath
		}
		w := request(newAPI(t, newFakeView(), Options{Operator: o}), http.MethodPut, path, body, "Content-Type", jsonType)
		if w.Code == http.StatusOK {
			require.Len(t, o.orders, 1)
			require.LessOrEqual(t, len(o.last.Reason), maxReason)
			require.NotContains(t, o.last.Reason, "\n")
			require.True(t, o.last.For >= 0 && o.last.For <= maxFor)
			return
		}
		require.Contains(t, []int{400, 413}, w.Code)
		problemOf(t, w, w.Code)
		require.Empty(t, o.orders)
	})
}
