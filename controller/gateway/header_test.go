package gateway

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestOnlyHeadersAboutTheContentGoOut(t *testing.T) {
	t.Parallel()
	for typ, path := range map[config.Type]string{config.EVMRPC: "/rpc/c", config.CosmosREST: "/rpc/c/cosmos/base"} {
		w := newWorld(t, typ, 1, Options{})
		w.do("POST", path, `{"id":1,"method":"eth_chainId"}`,
			"Authorization", "Bearer caller", "Cookie", "session=1", "X-Forwarded-For", "10.0.0.1", "Origin", "https://x",
			"Referer", "https://x", "User-Agent", "caller/1", "Content-Type", "application/json", "Connection", "X-Drop",
			"X-Drop", "1", "Proxy-Authorization", "x", "Te", "trailers", "X-Api-Key", "k", "Forwarded", "for=x")
		r, _ := w.a().lastRequest()
		for name := range r.Header {
			require.Contains(t, []string{"User-Agent", "Accept-Encoding", "Content-Type", "Idempotency-Key"}, name)
		}
		require.NotContains(t, r.Header.Get("User-Agent"), "caller")
		require.Equal(t, "a.example", r.Host)
	}
}

func TestNothingOfAProvidersOwnComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 1, Options{})
	w.a().set(says(200, `{"jsonrpc":"2.0","id":$id,"result":1}`, "Set-Cookie", "key=secret", "WWW-Authenticate", "Basic",
		"Location", "https://a.example/key-a", "Server", "nginx", "X-Ratelimit-Key", "key-a", "Connection", "close",
		"Content-Location", "https://a.example/key-a", "Link", "<https://a.example/key-a>", "Content-Type", "application/json; charset=utf-8",
		"Content-Security-Policy", "script-src *", "X-Content-Type-Options", "any"))
	rec := w.call("eth_chainId")
	require.Equal(t, http.Header{
		"Content-Type": {"application/json; charset=utf-8"}, "Content-Length": {"35"}, ProviderHeader: {"a"},
		"Content-Security-Policy": inert, "X-Content-Type-Options": asTold,
	}, rec.Header())
}

func TestAnErrorThatShowsTheProvidersKeyIsNotPassedOn(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdef0123"
	for name, c := range map[string]struct {
		address string
		status  int
		says    func(*url.URL) string
	}{
		"a path on a page":                {"https://a.example/v2/" + key, 404, func(u *url.URL) string { return "<html><pre>Cannot GET " + u.Path + "</pre>" }},
		"a path in JSON":                  {"https://a.example/v2/" + key, 404, func(u *url.URL) string { return `{"message":"Route GET:` + u.Path + ` not found"}` }},
		"a query in JSON":                 {"https://a.example?api_key=" + key + "&x=1", 404, func(u *url.URL) string { return `{"message":"Route GET:` + u.RequestURI() + ` not found"}` }},
		"a query as the client's mistake": {"https://a.example?api_key=" + key, 400, func(u *url.URL) string { return u.RawQuery + " makes no sense" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.EsploraREST, 2, Options{})
			u, err := config.ParseURL(c.address)
			require.NoError(t, err)
			w.router.change(theChain, func(r *Route) { r.Endpoints[0].URL = u })
			w.a().set(func(r *http.Request, _ []byte) (*http.Response, error) { return respond(c.status, c.says(r.URL)), nil })
			w.b().set(refuses)
			rec := w.do("GET", "/rpc/c/tx/none", "")
			require.Equal(t, 503, rec.Code)
			require.NotContains(t, rec.Body.String(), key)
			w.b().set(says(404, "Transaction not found", "Content-Type", "text/plain"))
			rec = w.do("GET", "/rpc/c/tx/none", "")
			require.Equal(t, 404, rec.Code, "somebody else may say it")
			require.Equal(t, "Transaction not found", rec.Body.String())
		})
	}
}

func TestNoAnswerIsAPageOfOurOwn(t *testing.T) {
	t.Parallel()
	page := says(200, `{"a":"<script src=\"/rpc/c/blocks\"></script>"}`, "Content-Type", "text/html", "Content-Security-Policy", "script-src *")
	for name, c := range map[string]struct {
		answer     answering
		verb, path string
	}{
		"a provider's":          {page, "GET", "/rpc/c/block/x"},
		"a provider's error":    {says(404, `{"error":"<script>"}`, "Content-Type", "text/html"), "GET", "/rpc/c/block/x"},
		"that nobody answered":  {refuses, "GET", "/rpc/c/block/x"},
		"that it is no request": {page, "PUT", "/rpc/c/block/x"},
		"of another chain":      {page, "GET", "/rpc/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.EsploraREST, 1, Options{})
			w.a().set(c.answer)
			rec := w.do(c.verb, c.path, "")
			require.Equal(t, []string{"sandbox; default-src 'none'; frame-ancestors 'none'"}, rec.Header()["Content-Security-Policy"])
			require.Equal(t, []string{"nosniff"}, rec.Header()["X-Content-Type-Options"])
		})
	}
}

func TestAHeightInAHeaderOfCosmosGoesBothWays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.CosmosREST, 1, Options{})
	w.a().set(says(200, `{"x":1}`, "Grpc-Metadata-X-Cosmos-Block-Height", "17"))
	rec := w.do("GET", "/rpc/c/cosmos/bank/v1beta1/balances/x", "", "X-Cosmos-Block-Height", "17")
	r, _ := w.a().lastRequest()
	require.Equal(t, "17", r.Header.Get("X-Cosmos-Block-Height"))
	require.Equal(t, "17", rec.Header().Get("Grpc-Metadata-X-Cosmos-Block-Height"))
}

func TestTheProvidersOwnCredentialsGoOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.BitcoinRPC, 1, Options{})
	u, err := config.ParseURL("http://user:pa%20ss@node.example:8332/base/?key=own")
	require.NoError(t, err)
	w.router.change(theChain, func(r *Route) { r.Endpoints[0].URL = u })
	w.do("POST", "/rpc/c?key=other&x=1", `{"id":1,"method":"getblockcount"}`)
	r, _ := w.a().lastRequest()
	user, password, ok := r.BasicAuth()
	require.True(t, ok)
	require.Equal(t, []string{"user", "pa ss"}, []string{user, password})
	require.Equal(t, "http://node.example:8332/base/?key=own&x=1", r.URL.String())
}

func TestPathAndQueryAreJoinedToTheProvidersOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, path, want string }{
		{"https://x.example", "/blocks/tip/height", "https://x.example/blocks/tip/height"},
		{"https://x.example/api/", "/blocks/tip/height", "https://x.example/api/blocks/tip/height"},
		{"https://x.example/api", "/address/a%2Bb?x=%20y", "https://x.example/api/address/a%2Bb?x=%20y"},
		{"https://x.example/key?token=t", "/blocks?token=mine&n=1", "https://x.example/key/blocks?token=t&n=1"},
		{"https://x.example", "/tx/a?min_height=5&n=1", "https://x.example/tx/a?n=1"},
		{"https://x.example", "/a%20b", "https://x.example/a%20b"},
	} {
		w := newWorld(t, config.EsploraREST, 1, Options{})
		u, err := config.ParseURL(c.base)
		require.NoError(t, err)
		w.router.change(theChain, func(r *Route) {
			r.Endpoints[0].URL, r.Endpoints[0].Height, r.Endpoints[0].HeightKnown = u, 10, true
		})
		w.do("GET", "/rpc/c"+c.path, "")
		r, _ := w.a().lastRequest()
		require.Equal(t, c.want, r.URL.String())
	}
}

func TestMinHeight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 3, Options{})
	w.router.change(theChain, func(r *Route) {
		r.Endpoints[0].Height, r.Endpoints[0].HeightKnown = 99, true
		r.Endpoints[2].Height, r.Endpoints[2].HeightKnown = 100, true
	})
	const body = `{"id":1,"method":"eth_chainId"}`
	rec := w.do("POST", "/rpc/c?min_height=100", body)
	require.Equal(t, "c", rec.Header().Get(ProviderHeader))
	r, _ := w.providers[2].lastRequest()
	require.Empty(t, r.URL.RawQuery)
	require.NotContains(t, r.Header, MinHeightHeader)
	require.Equal(t, "c", w.post(body, MinHeightHeader, "100").Header().Get(ProviderHeader))
	require.Equal(t, "a", w.post(body, MinHeightHeader, "99").Header().Get(ProviderHeader))
	rec = w.post(body, MinHeightHeader, "101")
	require.Equal(t, 503, rec.Code)
	require.Contains(t, rec.Body.String(), "reached height 101")
	require.Equal(t, 400, w.do("POST", "/rpc/c?min_height=-1", body).Code)
	require.Zero(t, w.b().asked(), "its height is not known")
	require.Zero(t, w.state().switches, "who was left out for its height keeps its place")
}

func pack(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

func TestCompression(t *testing.T) {
	t.Parallel()
	good := `{"jsonrpc":"2.0","id":7,"result":"x"}`
	t.Run("goes through if the client asks for it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 1, Options{})
		w.a().set(says(200, pack(t, good), "Content-Encoding", "gzip"))
		rec := w.post(`{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}`, "Accept-Encoding", "br, gzip;q=0.8")
		require.Equal(t, "gzip", rec.Header().Get("Content-Encoding"))
		require.Equal(t, pack(t, good), rec.Body.String())
		r, _ := w.a().lastRequest()
		require.Equal(t, "gzip", r.Header.Get("Accept-Encoding"))
	})
	t.Run("is not asked for otherwise", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 1, Options{})
		w.post(`{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}`, "Accept-Encoding", "gzip;q=0")
		r, _ := w.a().lastRequest()
		require.Equal(t, "identity", r.Header.Get("Accept-Encoding"))
	})
	t.Run("hides nothing", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 2, Options{})
		w.a().set(says(200, pack(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32005,"message":"limit"}}`), "Content-Encoding", "gzip"))
		rec := w.post(`{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}`, "Accept-Encoding", "gzip")
		require.Equal(t, "b", rec.Header().Get(ProviderHeader))
	})
	t.Run("is no bomb", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 1, Options{})
		bomb := pack(t, `{"jsonrpc":"2.0","id":7,"result":"`+strings.Repeat("0", 2<<20)+`"}`)
		w.a().set(says(200, bomb, "Content-Encoding", "gzip"))
		rec := w.post(`{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}`, "Accept-Encoding", "gzip")
		require.Equal(t, len(bomb), rec.Body.Len(), "it is passed on as it is")
	})
	t.Run("of a request is undone", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 1, Options{MaxRequestBody: 1000})
		rec := w.post(pack(t, `{"jsonrpc":"2.0","id":7,"method":"admin_peers"}`), "Content-Encoding", "gzip")
		require.Contains(t, rec.Body.String(), "not let through")
		require.Equal(t, 200, w.post(pack(t, `{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}`), "Content-Encoding", "gzip").Code)
		require.Equal(t, 413, w.post(pack(t, `{"id":7,"method":"x","params":["`+strings.Repeat("0", 5000)+`"]}`), "Content-Encoding", "gzip").Code)
		require.Equal(t, 415, w.post(`x`, "Content-Encoding", "br").Code)
		require.Equal(t, 413, w.post(`{"id":7,"method":"x","params":["`+strings.Repeat("0", 5000)+`"]}`).Code)
	})
}

func TestTheAnswersIDIsTheRequests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ id, answer, want string }{
		"none in an error":    {`"x\u0041"`, `{"jsonrpc":"2.0","error":{"code":3,"message":"execution reverted"}}`, `{"id":"x\u0041","jsonrpc":"2.0","error":{"code":3,"message":"execution reverted"}}`},
		"null in an error":    {`5`, `{"jsonrpc":"2.0","id":null,"error":{"code":3,"message":"execution reverted"}}`, `{"jsonrpc":"2.0","id":5,"error":{"code":3,"message":"execution reverted"}}`},
		"without its escapes": {`"\u0041"`, `{"jsonrpc":"2.0","id":"A","result":1}`, `{"jsonrpc":"2.0","id":"\u0041","result":1}`},
		"rounded":             {`12345678901234567891`, `{"result":1,"error":null,"id":12345678901234567000}`, `{"result":1,"error":null,"id":12345678901234567891}`},
		"the same":            {`"a b"`, ` {"result":1,"id":"a b"} `, ` {"result":1,"id":"a b"} `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.EVMRPC, 1, Options{})
			w.a().set(says(200, c.answer))
			rec := w.post(`{"id":` + c.id + `,"method":"eth_call"}`)
			require.Equal(t, c.want, rec.Body.String())
			require.Equal(t, itoa(len(c.want)), rec.Header().Get("Content-Length"))
		})
	}
}

func TestStatusAndBodyOfBitcoinCoreComeAsTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.BitcoinRPC, 2, Options{})
	for status, body := range map[int]string{
		500: `{"result":null,"error":{"code":-8,"message":"Invalid parameter"},"id":7}` + "\n",
		404: `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":7}` + "\n",
	} {
		for _, p := range w.providers {
			p.set(says(status, body))
		}
		rec := w.call("getblockhash")
		require.Equal(t, status, rec.Code)
		require.Equal(t, body, rec.Body.String())
	}
}
