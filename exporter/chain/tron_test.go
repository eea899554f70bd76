package chain

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// The block of the files in testdata/tron-http: 69351239 is 0x4223747.
const (
	tronHash   = "00000000042237478c25c60c1a4b5d2e3f60718293a4b5c6d7e8f90a1b2c3d4e"
	tronParent = "000000000422374641c345896f2d79faf6e7dcdb75860e98a2f84e38e874c236"
	tronHeight = 69351239
	tronMain   = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc"
)

var tronTime = time.Date(2025, 2, 20, 4, 44, 12, 0, time.UTC)

func TestTronTip(t *testing.T) {
	t.Parallel()
	want := Tip{Height: tronHeight, Hash: tronHash, Parent: tronParent, Time: tronTime}
	s := fileAt(t, config.TronHTTP, "fullnode")
	tip, err := tipOf(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, tip))
	require.Equal(t, []string{"POST /wallet/getblock"}, s.asked)

	old := fileAt(t, config.TronHTTP, "old-gateway")
	for range 2 {
		o, err := old.Observe(t.Context(), Ask{})
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, o.Tip))
	}
	require.Equal(t, []string{"POST /wallet/getblock", "POST /wallet/getnowblock", "POST /wallet/getnowblock"}, old.asked)
}

func TestTronWithTheFirstBlockAloneIsStarting(t *testing.T) {
	t.Parallel()
	all := answers{"POST /wallet/getblock": readAnswers(t, "tron-http/genesis")["POST /wallet/getblockbynum"]}
	requireFailure(t, askTip(t.Context(), answersAt(t, config.TronHTTP, all)), Starting)
}

func TestTronAsksForTheNewestBlockWithoutTransactions(t *testing.T) {
	t.Parallel()
	all := readAnswers(t, "tron-http/fullnode")
	var body string
	c, p := scriptedChain(t, config.Tron, config.TronHTTP)
	s := newScripted(t, c, p, func(q question) given {
		body = string(q.Body)
		return all.to(t)(q)
	})
	require.NoError(t, askTip(t.Context(), s))
	require.JSONEq(t, `{"detail":false}`, body)
	require.NoError(t, askBlock(tronHeight)(t.Context(), s))
	require.JSONEq(t, `{"num":69351239}`, body)
}

func TestTronFallsBackOnlyWhereTheRequestIsNotOffered(t *testing.T) {
	t.Parallel()
	now := readAnswers(t, "tron-http/old-gateway")["POST /wallet/getnowblock"]
	for name, tc := range map[string]struct {
		given
		falls bool
	}{
		"404":                      {given{Status: 404, Body: "no"}, true},
		"405":                      {given{Status: 405, Body: "no"}, true},
		"501":                      {given{Status: 501, Body: "no"}, true},
		"a light node's own words": {given{Body: "this API is closed because this node is a lite fullnode"}, true},
		"500":                      {given{Status: 500, Body: "no"}, false},
		"a wrong key":              {given{Status: 401, Body: "no"}, false},
		"a rate limit of 404":      {given{Status: 404, Body: "too many requests"}, false},
		"a malformed answer":       {given{Body: "no"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answersAt(t, config.TronHTTP, answers{"POST /wallet/getblock": tc.given, "POST /wallet/getnowblock": now})
			err := askTip(t.Context(), s)
			if tc.falls {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			require.Len(t, s.asked, 1)
		})
	}
}

func TestTronIdentityIsTheGenesis(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.TronHTTP, "genesis")
	network, err := s.dialect.Identity(t.Context(), s.session(), "")
	require.NoError(t, err)
	require.Equal(t, tronMain, network)
	requireFailure(t, askIdentity(t.Context(), fileAt(t, config.TronHTTP, "nothing")), Missing)
}

func TestTronHints(t *testing.T) {
	t.Parallel()
	hints, err := hintsOf(t.Context(), fileAt(t, config.TronHTTP, "fullnode"))
	require.NoError(t, err)
	require.Equal(t, Hints{Peers: Some(30)}, hints)

	hints, err = hintsOf(t.Context(), fileAt(t, config.TronHTTP, "nothing"))
	require.NoError(t, err)
	require.Equal(t, Hints{}, hints, "not told is not zero")

	old := fileAt(t, config.TronHTTP, "old-gateway")
	for range 2 {
		hints, err = hintsOf(t.Context(), old)
		require.NoError(t, err)
		require.Equal(t, Hints{}, hints)
	}
	require.Equal(t, []string{"POST /wallet/getnodeinfo"}, old.asked)
	requireFailure(t, askHints(t.Context(), fileAt(t, config.TronHTTP, "suspended")), Unauthorized)
}

func TestTronBlock(t *testing.T) {
	t.Parallel()
	want := Block{
		Height: tronHeight, Hash: tronHash, Parent: tronParent, Time: tronTime,
		Transactions: Some(Transactions{Count: 2, Digest: "06bc918c789485aa3a4f10e1170f3de32827f35645e33ede4d2b877e59f48c26"}),
	}
	s := fileAt(t, config.TronHTTP, "fullnode")
	block, err := blockOf(t.Context(), s, tronHeight)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, block))

	without, err := s.dialect.Block(t.Context(), s.session(), tronHeight, false)
	require.NoError(t, err)
	require.Equal(t, Optional[Transactions]{}, without.Transactions)

	none, err := blockOf(t.Context(), fileAt(t, config.TronHTTP, "old-gateway"), tronHeight)
	require.NoError(t, err)
	require.Equal(t, Some(Transactions{Digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}),
		none.Transactions, "no member transactions means none")

	requireFailure(t, askBlock(tronHeight+1)(t.Context(), s), BadResponse)
	requireFailure(t, askBlock(5)(t.Context(), fileAt(t, config.TronHTTP, "nothing")), Missing)
}

func TestTronDigestIsThatOfTheOrder(t *testing.T) {
	t.Parallel()
	const a, b = "36c0a26217a2fe8370c38d94ce74d409c06afd5b7a617d91113d453350ccc88d", "3fb44b2f54b17265500818159af7c23b6c067355404904b0cb806f40eef75a8d"
	digest := func(ids ...string) string {
		body := `{"blockID":"` + tronHash + `","block_header":{"raw_data":{"number":69351239}},"transactions":[{"txID":"` + strings.Join(ids, `"},{"txID":"`) + `"}]}`
		block, err := blockOf(t.Context(), answersAt(t, config.TronHTTP, answers{"POST /wallet/getblockbynum": {Body: body}}), tronHeight)
		require.NoError(t, err)
		return block.Transactions.Value.Digest
	}
	require.NotEqual(t, digest(a, b), digest(b, a))
	require.NotEqual(t, digest(a, b), digest(a))
	require.Equal(t, digest(a, b), digest(strings.ToUpper(a), b))
}

func TestTronMalformedAnswers(t *testing.T) {
	t.Parallel()
	t.Run("newest block", func(t *testing.T) {
		t.Parallel()
		damages := damagesOf(numbers("number", "69351239"), hashes("blockID", tronHash), map[string]damage{
			"another height than in the id": {`"number":69351239`, `"number":69351240`},
			"no height":                     {`"number":69351239`, `"other":69351239`},
			"a time that is a text":         {`"timestamp":1740026652000`, `"timestamp":"1740026652000"`},
			"a negative time":               {`"timestamp":1740026652000`, `"timestamp":-1`},
			"a header that is a list":       {`"block_header":{`, `"block_header":[],"other":{`},
		})
		// No id at all is how java-tron says that there is no block.
		delete(damages, "blockID is null")
		delete(damages, "blockID is an empty string")
		strictness{
			typ: config.TronHTTP, file: "fullnode", question: "POST /wallet/getblock", ask: askTip,
			damages: damages, empty: []Reason{Missing},
		}.run(t)
	})
	t.Run("block", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.TronHTTP, file: "fullnode", question: "POST /wallet/getblockbynum", ask: askBlock(tronHeight),
			damages: map[string]damage{
				"transactions of an object": {`"transactions":[`, `"transactions":{},"other":[`},
				"an id that is no hash":     {`"txID":"36c0`, `"txID":"3`},
				"a transaction without id":  {`"txID":"36c0`, `"other":"36c0`},
			},
			empty: []Reason{Missing},
		}.run(t)
	})
}

func TestTronDocumentedErrors(t *testing.T) {
	t.Parallel()
	requireDocumented(t, config.TronHTTP, "POST /wallet/getblock", askTip, []documented{
		{"suspended, at 200", readAnswers(t, "tron-http/suspended")["POST /wallet/getblock"], Failure{Reason: RateLimited, Wait: 19 * time.Second}},
		{"suspended, at 403", readAnswers(t, "tron-http/suspended")["POST /wallet/getblockbynum"], Failure{Reason: RateLimited, Status: 403, Wait: 27 * time.Second}},
		{"suspended, at 429", given{Status: 429, Body: `{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 30 s"}`},
			Failure{Reason: RateLimited, Status: 429, Wait: 30 * time.Second}},
		{"a limit at 503", given{Status: 503, Header: map[string]string{"Retry-After": "2"}, Body: `{"Error":"request rate exceeded the allowed_rps(10), and the query server is suspended for 5 s"}`},
			Failure{Reason: RateLimited, Status: 503, Wait: 5 * time.Second}},
		{"a wrong key", given{Status: 401, Body: `{"message":"invalid API key"}`}, Failure{Reason: Unauthorized, Status: 401}},
		{"an exception at 200", given{Body: `{"Error":"class java.lang.NullPointerException : null"}`}, Failure{Reason: RPCError}},
		{"a gateway without its node", given{Status: 502, Body: "<html></html>"}, Failure{Reason: HTTP5xx, Status: 502}},
	})
}

func FuzzTron(f *testing.F) {
	fuzzAnswers(f, config.Tron, config.TronHTTP, isHexHash)
}
