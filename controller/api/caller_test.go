package api

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// nobodyTrusted is a listener that everybody reaches.
func nobodyTrusted(*http.Request) bool { return false }

func TestWhoSeesWholeAddressesAndGivesOrders(t *testing.T) {
	t.Parallel()
	const token = "s3cret-token"
	bearer := []string{"Authorization", "Bearer " + token}
	for name, c := range map[string]struct {
		o       Options
		headers []string
		whole   bool
		// order is the status of an order.
		order int
	}{
		"a loopback caller":                                      {Options{}, nil, true, 200},
		"a loopback caller by address":                           {Options{}, []string{"Host", "127.0.0.1:9477"}, true, 200},
		"a loopback caller by address of IPv6":                   {Options{}, []string{"Host", "[::1]:9477"}, true, 200},
		"a loopback caller by bare address":                      {Options{}, []string{"Host", "[::1]"}, true, 200},
		"a loopback caller by absolute name":                     {Options{}, []string{"Host", "LocalHost.:9477"}, true, 200},
		"a loopback caller of HTTP/1.0":                          {Options{}, []string{"Host", ""}, true, 200},
		"a page that rebinds its name":                           {Options{}, []string{"Host", "evil.example:9477"}, false, 403},
		"a page that rebinds a name like ours":                   {Options{}, []string{"Host", "localhost.evil.example"}, false, 403},
		"a page that rebinds a name like an address":             {Options{}, []string{"Host", "127.0.0.1.evil.example"}, false, 403},
		"a page that shows some password":                        {Options{}, []string{"Host", "evil.example", "Authorization", "Basic eDp5"}, false, 403},
		"a caller under the external name":                       {Options{ExternalURL: "https://Understudy.example:8443/u"}, []string{"Host", "understudy.example"}, true, 200},
		"a caller under another than the external one":           {Options{ExternalURL: "https://understudy.example"}, []string{"Host", "evil.example"}, false, 403},
		"an authenticated caller under any name":                 {Options{Authenticated: true}, []string{"Host", "anything.example"}, true, 200},
		"a stranger":                                             {Options{Trusted: nobodyTrusted}, nil, false, 403},
		"a stranger on an authenticated API that did not ask":    {Options{Trusted: nobodyTrusted, Authenticated: true}, nil, false, 403},
		"a stranger where nobody said who is trusted":            {Options{Trusted: nobodyTrusted, ExternalURL: "http://a.example"}, []string{"Host", "a.example"}, false, 403},
		"a stranger with a token where there is none":            {Options{Trusted: nobodyTrusted}, bearer, false, 403},
		"a stranger with an empty token where there is none":     {Options{Trusted: nobodyTrusted}, []string{"Authorization", "Bearer "}, false, 403},
		"a loopback caller without the token":                    {Options{AdminToken: token}, nil, true, 401},
		"a loopback caller with the token":                       {Options{AdminToken: token}, bearer, true, 200},
		"a stranger with the token":                              {Options{AdminToken: token, Trusted: nobodyTrusted}, bearer, true, 200},
		"a stranger with the token in a header of its own":       {Options{AdminToken: token, Trusted: nobodyTrusted}, []string{"Authorization", "Basic eDp5", tokenHeader, token}, true, 200},
		"a stranger with the token beside that of a proxy":       {Options{AdminToken: token, Trusted: nobodyTrusted}, []string{"Authorization", "Bearer of-the-proxy", tokenHeader, token}, true, 200},
		"a stranger with the token behind another in its header": {Options{AdminToken: token, Trusted: nobodyTrusted}, []string{"Authorization", "Bearer " + token, tokenHeader, "other"}, true, 200},
		"a stranger with two wrong tokens":                       {Options{AdminToken: token, Trusted: nobodyTrusted}, []string{"Authorization", "Bearer x", tokenHeader, "y"}, false, 401},
		"a stranger with the token, told in small letters":       {Options{AdminToken: token, Trusted: nobodyTrusted}, []string{"Authorization", "bearer " + token}, true, 200},
		"a stranger with a wrong token":                          {Options{AdminToken: token, Trusted: nobodyTrusted}, []string{"Authorization", "Bearer s3cret-tokem"}, false, 401},
		"a stranger with half the token":                         {Options{AdminToken: token, Trusted: nobodyTrusted}, []string{"Authorization", "Bearer s3cret"}, false, 401},
		"a stranger with the token as a password":                {Options{AdminToken: token, Trusted: nobodyTrusted}, []string{"Authorization", "Basic " + token}, false, 401},
		"a page that rebinds its name and has the token":         {Options{AdminToken: token}, append([]string{"Host", "evil.example"}, bearer...), true, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPI(t, newFakeView(), c.o)
			for _, path := range []string{"/active", "/active/btc", "/active/btc?capability=wallet", "/thorchain/providers", "/thorchain/providers/btc"} {
				w := get(a, path, c.headers...)
				require.Equal(t, http.StatusOK, w.Code)
				for _, secret := range secrets {
					require.Equal(t, c.whole, strings.Contains(w.Body.String(), secret), path)
				}
				require.Contains(t, w.Body.String(), "https://")
				require.Contains(t, []string{"no-store", "no-cache"}, w.Header().Get("Cache-Control"))
				if c.whole {
					require.Equal(t, "no-store", w.Header().Get("Cache-Control"), path)
				}
				require.Contains(t, w.Header().Get("Vary"), "Authorization")
			}
			w := get(a, "/active/btc", append([]string{"Accept", "text/plain"}, c.headers...)...)
			want := "https://local-daemon.example\n"
			if c.whole {
				want = address("local-daemon.example") + "\n"
			}
			require.Equal(t, want, w.Body.String())

			w = request(a, http.MethodPut, drainPath, "", c.headers...)
			require.Equal(t, c.order, w.Code, w.Body.String())
			if c.order == http.StatusUnauthorized {
				require.Equal(t, `Bearer realm="understudy"`, w.Header().Get("WWW-Authenticate"))
			}
		})
	}
}

func TestNothingOfASecretReachesStrangersOrTheLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		v := newFakeView()
		const token = "s3cret-token"
		a := newAPI(t, v, Options{
			Trusted: nobodyTrusted, AdminToken: token, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Webhook: http.NotFoundHandler(),
		})
		var seen strings.Builder
		for _, path := range []string{
			"/active", "/active/btc", "/active/btc?capability=wallet", "/active/btc?key=QUERYSECRET", "/active/nope", "/thorchain/providers", "/thorchain/providers/btc",
			"/health", "/-/healthy", "/-/ready", "/openapi.yaml", "/nothing",
		} {
			for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete} {
				w := request(a, method, path, `{"reason":"QUERYSECRET"}`, "Authorization", "Bearer PASSSECRET", "Content-Type", jsonType)
				seen.WriteString(w.Body.String())
				require.NoError(t, w.Header().Write(&seen))
			}
		}
		for _, path := range []string{drainPath, pinPath} {
			seen.WriteString(request(a, http.MethodPut, path, `{"PASS":"x"}`).Body.String())
		}
		s := listen(t, a, "/events")
		v.set(active("btc", "blockchair"))
		v.edit("btc", func(c *wire.Chain) { c.Providers[0].Status = wire.StatusUnhealthy })
		seen.WriteString(s.take())
		s.leave()
		// An order with the token must not leave it in the log.
		require.Equal(t, http.StatusOK, request(a, http.MethodPut, drainPath, "", "Authorization", "Bearer "+token).Code)
		require.Contains(t, seen.String(), "https://blockchair.example")
		for _, secret := range append(secrets, token) {
			require.NotContains(t, seen.String(), secret)
			require.NotContains(t, log.String(), secret)
		}
		require.Contains(t, log.String(), "handler=/active/{chain}")
	})
}

func TestStreamsTellWholeAddressesToWhoMayKnow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{AdminToken: "t"})
		whole, hidden := listen(t, a, "/events"), listen(t, newAPI(t, v, Options{Trusted: nobodyTrusted}), "/events")
		foreign := listen(t, a, "/events", "Authorization", "Bearer t")
		v.edit("btc", func(c *wire.Chain) { c.Providers[0].Status = wire.StatusUnhealthy })
		require.Equal(t, 3, strings.Count(whole.take(), "PATHSECRET"))
		require.NotContains(t, hidden.take(), "PATHSECRET")
		require.Contains(t, foreign.take(), "PATHSECRET")
		for _, l := range []*listener{whole, hidden, foreign} {
			l.leave()
		}
	})
}

func TestPagesOfOtherSitesGiveNoOrders(t *testing.T) {
	t.Parallel()
	o := &fakeOperator{}
	a := newAPI(t, newFakeView(), Options{Operator: o, ExternalURL: "http://understudy.example"})
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
	} {
		for _, method := range []string{http.MethodPut, http.MethodDelete} {
			problemOf(t, request(a, method, drainPath, "", headers...), http.StatusForbidden)
			problemOf(t, request(a, method, pinPath, "", headers...), http.StatusForbidden)
		}
		problemOf(t, request(a, http.MethodPost, "/thorchain/providers/btc/failback", "", headers...), http.StatusForbidden)
		require.Equal(t, http.StatusOK, get(a, "/active/btc", headers...).Code)
	}
	require.Empty(t, o.orders)
	for _, headers := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Origin", "http://localhost:9477"}, {"Origin", "http://understudy.example"}} {
		require.Equal(t, http.StatusOK, request(a, http.MethodPut, drainPath, "", headers...).Code)
	}
}

func TestOtherHandlersCanHaveTheGuardsOfOrders(t *testing.T) {
	t.Parallel()
	reloaded := 0
	reload := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reloaded++ })
	open := newAPI(t, newFakeView(), Options{}).Guarded("/-/reload", reload)
	require.Equal(t, http.StatusOK, request(open, http.MethodPost, "/-/reload", "").Code)
	problemOf(t, request(open, http.MethodPost, "/-/reload", "", "Sec-Fetch-Site", "cross-site"), http.StatusForbidden)
	problemOf(t, request(open, http.MethodPost, "/-/reload", "", "Host", "evil.example"), http.StatusForbidden)
	closed := newAPI(t, newFakeView(), Options{AdminToken: "t"}).Guarded("/-/reload", reload)
	problemOf(t, request(closed, http.MethodPost, "/-/reload", ""), http.StatusUnauthorized)
	require.Equal(t, 1, reloaded)
}

func TestTheWebhookIsOpenToTheTrustedOrWithItsOwnToken(t *testing.T) {
	t.Parallel()
	taken := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for name, c := range map[string]struct {
		o      Options
		host   string
		status int
	}{
		"from loopback":               {Options{}, "localhost", 200},
		"from a page that rebinds":    {Options{}, "evil.example", 403},
		"from anywhere":               {Options{Trusted: nobodyTrusted}, "localhost", 403},
		"from anywhere, with a token": {Options{Trusted: nobodyTrusted, WebhookOpen: true}, "understudy", 200},
	} {
		c.o.Webhook = taken
		w := request(newAPI(t, newFakeView(), c.o), http.MethodPost, "/webhooks/alertmanager", "{}", "Host", c.host, "Sec-Fetch-Site", "cross-site")
		require.Equal(t, c.status, w.Code, name)
	}
	problemOf(t, request(newAPI(t, newFakeView(), Options{}), http.MethodPost, "/webhooks/alertmanager", "{}"), http.StatusNotFound)
}

// FuzzRequestHeaders holds that nothing a stranger sends gets a secret out of the
// API or breaks it.
func FuzzRequestHeaders(f *testing.F) {
	f.Add("localhost", "text/plain", `W/"42"`, "index=42&capability=wallet", "Bearer x", "42")
	f.Add("[::1", "*/*;q=", `*`, "wait=0&index=1", "Basic eDp5", "-1")
	f.Add("evil.example:99999", "a/b;q=1e309,,;", `"`, "%", "Bearer", "x")
	f.Add("", ";", `W/"42-public"`, "capability=%00&index=18446744073709551615", "", "")
	f.Fuzz(func(t *testing.T, host, accept, match, query, authorization, last string) {
		if strings.Contains(query, "wait") || strings.Contains(query, "index") {
			// Waiting has tests of its own.
			query += "&wait=0"
		}
		a := newAPI(t, newFakeView(), Options{Trusted: nobodyTrusted, AdminToken: "a-token-that-is-not-guessed"})
		for _, path := range []string{"/active", "/active/btc", "/thorchain/providers/btc"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host, r.URL.RawQuery = host, query
			for name, value := range map[string]string{"Accept": accept, "If-None-Match": match, "Authorization": authorization, "Last-Event-Id": last} {
				r.Header[name] = []string{value}
			}
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			require.Contains(t, []int{200, 304, 400, 503}, w.Code)
			require.NotContains(t, w.Body.String(), "SECRET")
		}
	})
}
