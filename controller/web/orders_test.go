package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// resolve is where a link on a page leads.
func resolve(t testing.TB, page, link string) string {
	t.Helper()
	base, err := url.Parse("http://localhost" + page)
	require.NoError(t, err)
	to, err := base.Parse(link)
	require.NoError(t, err)
	return to.RequestURI()
}

// post sends a form as a browser does from a page of the same site.
func post(t testing.TB, w http.Handler, path string, form url.Values, change ...func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range change {
		c(r)
	}
	answered := httptest.NewRecorder()
	w.ServeHTTP(answered, r)
	return answered
}

// with sends cookies.
func with(cookies ...*http.Cookie) func(*http.Request) {
	return func(r *http.Request) {
		for _, c := range cookies {
			r.AddCookie(c)
		}
	}
}

const token = "correct horse battery staple"

func TestOrdersAreCarriedOutAndShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path string
		form       url.Values
		order      string
	}{
		{"a drain for a time", "/chains/btc/quicknode/drain", url.Values{"reason": {"upgrade"}, "for": {"2h"}}, "drain btc/quicknode 2h0m0s upgrade"},
		{"a drain without end", "/chains/btc/quicknode/drain", url.Values{"reason": {""}, "for": {""}}, "drain btc/quicknode 0s"},
		{"the end of a drain", "/chains/btc/quicknode/undrain", nil, "undrain btc/quicknode 0s"},
		{"a pin", "/chains/btc/quicknode/pin", url.Values{"for": {"1d"}}, "pin btc/quicknode 24h0m0s"},
		{"the approval of a return", "/chains/btc/quicknode/failback", nil, "failback btc/ 0s"},
		{"the end of a pin", "/chains/btc/quicknode/unpin", nil, "unpin btc/ 0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, v := statusPage(t, fakeGuard{trusted: true}, answer(t, "failover"))
			answered := post(t, w, c.path, c.form)
			require.Equal(t, http.StatusSeeOther, answered.Code, answered.Body.String())
			require.Equal(t, []string{c.order}, v.orders)
			to := resolve(t, c.path, answered.Header().Get("Location"))
			require.Regexp(t, `^/chains/btc\?done=`, to)
			require.Equal(t, http.StatusOK, get(t, w, to).Code)
		})
	}
}

func TestThePageSaysWhatAnOrderHasDoneOnlyIfItStands(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{trusted: true}, answer(t, "failover"))
	require.NotContains(t, get(t, w, "/chains/btc?done=drain&provider=quicknode").Body.String(), "quicknode is drained.")
	post(t, w, "/chains/btc/quicknode/drain", nil)
	require.Contains(t, get(t, w, "/chains/btc?done=drain&provider=quicknode").Body.String(), "quicknode is drained.")
	require.NotContains(t, get(t, w, "/chains/btc?done=drain&provider=Call+0900-1234").Body.String(), "0900", "an address may be anybody's")
}

func TestOrdersAreRefusedInWords(t *testing.T) {
	t.Parallel()
	from := func(site string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", site) }
	}
	for _, c := range []struct {
		name   string
		guard  fakeGuard
		path   string
		form   url.Values
		change func(*http.Request)
		status int
		text   string
	}{
		{name: "without trust", path: "/chains/btc/quicknode/drain", status: http.StatusForbidden, text: "Orders are taken on a loopback listener"},
		{name: "without a session", guard: fakeGuard{token: token, trusted: true}, path: "/chains/btc/quicknode/drain", status: http.StatusUnauthorized, text: "sign in with the admin token"},
		{name: "with a session that is none", guard: fakeGuard{token: token}, path: "/chains/btc/quicknode/drain", change: with(&http.Cookie{Name: sessionName, Value: "AAAA"}), status: http.StatusUnauthorized, text: "sign in"},
		{name: "from another site", guard: fakeGuard{trusted: true}, path: "/chains/btc/quicknode/drain", change: from("cross-site"), status: http.StatusForbidden, text: "comes from a page of another site"},
		{name: "with a duration that is none", guard: fakeGuard{trusted: true}, path: "/chains/btc/quicknode/drain", form: url.Values{"for": {"soon"}}, status: http.StatusBadRequest, text: "for is not a duration"},
		{name: "with a reason of two lines", guard: fakeGuard{trusted: true}, path: "/chains/btc/quicknode/drain", form: url.Values{"reason": {"a\nb"}}, status: http.StatusBadRequest, text: "control character"},
		{name: "too large", guard: fakeGuard{trusted: true}, path: "/chains/btc/quicknode/drain", form: url.Values{"reason": {strings.Repeat("x", maxForm)}}, status: http.StatusBadRequest, text: "too large"},
		{name: "about a provider that is not there", guard: fakeGuard{trusted: true}, path: "/chains/btc/nobody/pin", status: http.StatusNotFound, text: "has no provider"},
		{name: "about a chain that is not there", guard: fakeGuard{trusted: true}, path: "/chains/doge/a/pin", status: http.StatusNotFound, text: "no such chain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, v := statusPage(t, c.guard, answer(t, "failover"))
			var change []func(*http.Request)
			if c.change != nil {
				change = append(change, c.change)
			}
			answered := post(t, w, c.path, c.form, change...)
			require.Equal(t, c.status, answered.Code)
			require.Contains(t, answered.Body.String(), c.text)
			require.Empty(t, v.orders)
		})
	}
}

func TestAReturnThatAwaitsApprovalIsOfferedWhereItIs(t *testing.T) {
	t.Parallel()
	c := answer(t, "failover")
	w, _ := statusPage(t, fakeGuard{trusted: true}, c)
	require.NotContains(t, get(t, w, "/chains/btc").Body.String(), "/failback")
	c.AwaitsApproval = "quicknode"
	w, _ = statusPage(t, fakeGuard{trusted: true}, c)
	require.Contains(t, get(t, w, "/chains/btc").Body.String(), "/chains/btc/quicknode/failback")
	require.NotContains(t, get(t, w, "/chains/btc").Body.String(), "/chains/btc/local-daemon/failback")
	w, _ = statusPage(t, fakeGuard{}, c)
	require.NotContains(t, get(t, w, "/chains/btc").Body.String(), "/failback", "who may not give orders is offered none")

	w, v := statusPage(t, fakeGuard{trusted: true}, c)
	v.refusal = api.ErrNothingAwaits
	refused := post(t, w, "/chains/btc/quicknode/failback", nil)
	require.Equal(t, http.StatusConflict, refused.Code)
	require.Contains(t, refused.Body.String(), "no preferred provider waits for approval any more")
}

func TestAFailureOfAnOrderIsNotShownInDetail(t *testing.T) {
	t.Parallel()
	w, v := statusPage(t, fakeGuard{trusted: true}, answer(t, "failover"))
	v.refusal = http.ErrHijacked
	answered := post(t, w, "/chains/btc/quicknode/drain", nil)
	require.Equal(t, http.StatusInternalServerError, answered.Code)
	require.NotContains(t, answered.Body.String(), http.ErrHijacked.Error())
}

func TestThePageOfARefusalLeadsOn(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{token: token}, answer(t, "failover"))
	const at = "/chains/btc/quicknode/drain"
	body := post(t, w, at, nil).Body.String()
	for _, link := range []string{`href="../../../chains/btc?window=6h#timeline-h"`, `href="../../../login?chain=btc"`} {
		require.Contains(t, body, link)
		require.Equal(t, http.StatusOK, get(t, w, resolve(t, at, strings.Split(link, `"`)[1])).Code)
	}
}

func TestSigningInOpensTheOrders(t *testing.T) {
	t.Parallel()
	w, v := statusPage(t, fakeGuard{token: token}, answer(t, "failover"))
	before := get(t, w, "/chains/btc").Body.String()
	require.NotContains(t, before, "/drain\"")
	require.Contains(t, before, "Sign in with the admin token")

	answered := post(t, w, "/login", url.Values{"token": {token}, "chain": {"btc"}})
	require.Equal(t, http.StatusSeeOther, answered.Code)
	require.Equal(t, "/chains/btc", resolve(t, "/login", answered.Header().Get("Location")))
	cookies := answered.Result().Cookies()
	require.Len(t, cookies, 1)
	session := cookies[0]
	require.True(t, session.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, session.SameSite)
	require.NotContains(t, session.Value, token)

	require.Contains(t, get(t, w, "/chains/btc", session).Body.String(), "/drain\"")
	require.Equal(t, http.StatusSeeOther, post(t, w, "/chains/btc/quicknode/drain", nil, with(session)).Code)
	require.Len(t, v.orders, 1)

	ended := post(t, w, "/logout", nil, with(session))
	require.Equal(t, http.StatusSeeOther, ended.Code)
	require.Negative(t, ended.Result().Cookies()[0].MaxAge)
}

func TestSigningInIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		guard  fakeGuard
		form   url.Values
		change []func(*http.Request)
		status int
	}{
		{"with another token", fakeGuard{token: token}, url.Values{"token": {"another"}}, nil, http.StatusUnauthorized},
		{"with none", fakeGuard{token: token}, nil, nil, http.StatusUnauthorized},
		{"where there is none", fakeGuard{}, url.Values{"token": {""}}, nil, http.StatusUnauthorized},
		{"from another site", fakeGuard{token: token}, url.Values{"token": {token}}, []func(*http.Request){func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }}, http.StatusForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, _ := statusPage(t, c.guard, answer(t, "failover"))
			answered := post(t, w, "/login", c.form, c.change...)
			require.Equal(t, c.status, answered.Code)
			require.Empty(t, answered.Result().Cookies())
		})
	}
}

func TestSigningInLeadsToPagesOfOursOnly(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{token: token}, answer(t, "failover"))
	for _, chain := range []string{"", "doge", "//evil.example", "../../evil", "https://evil.example"} {
		answered := post(t, w, "/login", url.Values{"token": {token}, "chain": {chain}})
		require.Equal(t, "./", answered.Header().Get("Location"), chain)
	}
}

func TestASessionEndsByItself(t *testing.T) {
	t.Parallel()
	now := morning
	clock := func() time.Time { return now }
	s, other := newSessions(false, clock), newSessions(false, clock)
	answered := httptest.NewRecorder()
	s.begin(answered, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/login", nil))
	session := answered.Result().Cookies()[0]
	valid := func(s *sessions, value string) bool {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.AddCookie(&http.Cookie{Name: sessionName, Value: value})
		return s.valid(r)
	}
	require.True(t, valid(&s, session.Value))
	require.False(t, valid(&other, session.Value), "another process has another key")
	for i := range session.Value {
		changed := []byte(session.Value)
		changed[i] = map[bool]byte{true: 'A', false: 'B'}[changed[i] != 'A']
		require.False(t, valid(&s, string(changed)), "character %d", i)
	}
	now = now.Add(sessionTime)
	require.False(t, valid(&s, session.Value))
}

func TestTheCookieIsForTLSOnlyWhereThereIsTLS(t *testing.T) {
	t.Parallel()
	for external, secure := range map[string]bool{"": false, "http://status.example": false, "https://status.example/understudy": true} {
		v := &fakeView{chains: []wire.Chain{}}
		w, err := New(Options{View: v, Operator: v, Guard: fakeGuard{token: token, origins: http.NewCrossOriginProtection()}, ExternalURL: external})
		require.NoError(t, err)
		answered := post(t, w, "/login", url.Values{"token": {token}})
		require.Equal(t, secure, answered.Result().Cookies()[0].Secure, external)
	}
}
