package chain

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// The ledger of the files in testdata/soroban-rpc and testdata/horizon-rest,
// which are two views of one chain.
const (
	stellarHash   = "26baa81f829d03378312890fbcd0323f49480b341f6827b91e1353d02653efdf"
	stellarParent = "6ffbb8dc7e19113e11d98f2164d855851e79c80ab63b857f2512d3625af055f4"
	stellarMain   = "Public Global Stellar Network ; September 2015"
	stellarHeight = 60643919
)

var stellarTime = time.Date(2026, 1, 6, 14, 8, 7, 0, time.UTC)

func TestSorobanTip(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.SorobanRPC, "node")
	tip, err := tipOf(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(Tip{Height: stellarHeight, Hash: stellarHash, Time: stellarTime}, tip))
	require.Equal(t, []string{"getLatestLedger"}, s.asked)

	tip, err = tipOf(t.Context(), fileAt(t, config.SorobanRPC, "stale"))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(Tip{Height: stellarHeight, Hash: stellarHash}, tip), "older versions do not tell the time")

	requireFailure(t, askTip(t.Context(), fileAt(t, config.SorobanRPC, "starting")), Starting)
	empty := answers{"getLatestLedger": {Body: `{"jsonrpc":"2.0","id":"$id","result":{"id":"` + stellarHash + `","sequence":0}}`}}
	requireFailure(t, askTip(t.Context(), answersAt(t, config.SorobanRPC, empty)), Starting)
}

func TestSorobanTakesALedgerWithItsMetadata(t *testing.T) {
	t.Parallel()
	all := readAnswers(t, "soroban-rpc/node")
	long := func(question string) *scripted {
		body := strings.Replace(all[question].Body, `"AAAAAgAAAAEA"`, `"`+strings.Repeat("A", 2*maxBody)+`"`, 1)
		require.Greater(t, len(body), maxBody)
		return answersAt(t, config.SorobanRPC, all.with(question, given{Body: body}))
	}
	require.NoError(t, askTip(t.Context(), long("getLatestLedger")))
	require.NoError(t, askBlock(stellarHeight)(t.Context(), long("getLedgers")))
}

func TestSorobanIdentity(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"node": stellarMain, "stale": "Test SDF Network ; September 2015"} {
		s := fileAt(t, config.SorobanRPC, file)
		network, err := s.dialect.Identity(t.Context(), s.session(), "")
		require.NoError(t, err)
		require.Equal(t, want, network)
	}
	strictness{
		typ: config.SorobanRPC, file: "node", question: "getNetwork", ask: askIdentity,
		damages: map[string]damage{
			"empty": {`"` + stellarMain + `"`, `""`}, "null": {`"` + stellarMain + `"`, `null`}, "a number": {`"` + stellarMain + `"`, `1`},
		},
	}.run(t)
}

func TestSorobanHealthIsAHint(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body string
		want bool
	}{
		"healthy":     {`"result":{"status":"healthy","latestLedger":5}`, false},
		"backfilling": {`"result":{"status":"backfill in progress"}`, true},
		"stale":       {`"error":{"code":-32603,"message":"latency (33s) since last known ledger closed is too high (>30s)"}`, true},
		"starting":    {`"error":{"code":-32603,"message":"data stores are not initialized: DB is empty"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := answers{"getHealth": {Body: `{"jsonrpc":"2.0","id":"$id",` + tc.body + `}`}}
			hints, err := hintsOf(t.Context(), answersAt(t, config.SorobanRPC, all))
			require.NoError(t, err)
			require.Equal(t, Hints{Syncing: Some(tc.want)}, hints)
		})
	}
	o, err := fileAt(t, config.SorobanRPC, "stale").Observe(t.Context(), Ask{Hints: true})
	require.NoError(t, err, "what a provider says of itself is no failure of the probe")
	require.Equal(t, Some(true), o.Hints.Syncing)

	for name, body := range map[string]string{
		"another error": `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"database is locked"}}`,
		"no status":     `{"jsonrpc":"2.0","id":"$id","result":{}}`,
		"null":          `{"jsonrpc":"2.0","id":"$id","result":null}`,
	} {
		hints, err := hintsOf(t.Context(), answersAt(t, config.SorobanRPC, answers{"getHealth": {Body: body}}))
		requireFailure(t, err, RPCError, BadResponse)
		require.Equal(t, Hints{}, hints, name)
	}
}

func TestSorobanBlock(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.SorobanRPC, "node")
	block, err := blockOf(t.Context(), s, stellarHeight)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(Block{Height: stellarHeight, Hash: stellarHash, Time: stellarTime}, block))
	require.Equal(t, []string{`getLedgers {"pagination":{"limit":1},"startLedger":60643919}`}, s.asked)

	requireFailure(t, askBlock(stellarHeight-1)(t.Context(), s), BadResponse)
	none := answers{"getLedgers": {Body: `{"jsonrpc":"2.0","id":"$id","result":{"ledgers":[]}}`}}
	requireFailure(t, askBlock(5)(t.Context(), answersAt(t, config.SorobanRPC, none)), Missing)
}

func TestSorobanLedgerOutsideTheWindow(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]string{
		"as of 2026":   "start ledger (5) must be between the oldest ledger: 60522960 and the latest ledger: 60643919 for this rpc instance",
		"as of 2024":   "start ledger must be between the oldest ledger: 60522960 and the latest ledger: 60643919 for this rpc instance",
		"after a code": "[-32600] start ledger (5) must be between the oldest ledger: 60522960 and the latest ledger: 60643919 for this rpc instance",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := answers{"getLedgers": {Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32600,"message":"` + message + `"}}`}}
			s := answersAt(t, config.SorobanRPC, all)
			require.ErrorIs(t, askBlock(60522959)(t.Context(), s), ErrPruned)
			f := requireFailure(t, askBlock(60643920)(t.Context(), s), Missing)
			require.Equal(t, Some(int64(-32600)), f.Code)
			require.Error(t, askBlock(60600000)(t.Context(), s), "within its own window")
			require.NotErrorIs(t, askBlock(60600000)(t.Context(), s), ErrPruned)
		})
	}
	absurd := answers{"getLedgers": {Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32600,"message":"oldest ledger: 99999999999999999999 and the latest ledger: 99999999999999999999"}}`}}
	requireFailure(t, askBlock(5)(t.Context(), answersAt(t, config.SorobanRPC, absurd)), RPCError)
}

func TestSorobanMalformedAnswers(t *testing.T) {
	t.Parallel()
	envelope := map[string]damage{
		"the id of another request": {`"id":"$id"`, `"id":4711`},
		"a null result":             {`"result":{`, `"result":null,"other":{`},
		"a result of a list":        {`"result":{`, `"result":[],"other":{`},
	}
	t.Run("latest ledger", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.SorobanRPC, file: "node", question: "getLatestLedger", ask: askTip,
			damages: damagesOf(envelope, numbers("sequence", "60643919"), hashes("id", stellarHash), map[string]damage{
				"a time that is a number":   {`"closeTime":"1767708487"`, `"closeTime":1767708487`},
				"a time that is a date":     {`"closeTime":"1767708487"`, `"closeTime":"2026-01-06T14:08:07Z"`},
				"a time that is a fraction": {`"closeTime":"1767708487"`, `"closeTime":"1767708487.5"`},
			}),
		}.run(t)
	})
	t.Run("ledgers", func(t *testing.T) {
		t.Parallel()
		damages := damagesOf(envelope, numbers("sequence", "60643919"), hashes("hash", stellarHash), map[string]damage{
			"a time that is a number": {`"ledgerCloseTime":"1767708487"`, `"ledgerCloseTime":1767708487`},
			"ledgers of an object":    {`"ledgers":[`, `"ledgers":{},"other":[`},
		})
		delete(damages, "a null result")
		strictness{
			typ: config.SorobanRPC, file: "node", question: "getLedgers", ask: askBlock(stellarHeight), damages: damages,
		}.run(t)
	})
}

func TestSorobanDocumentedErrors(t *testing.T) {
	t.Parallel()
	code := func(n int64) Optional[int64] { return Some(n) }
	requireDocumented(t, config.SorobanRPC, "getLatestLedger", askTip, []documented{
		{"starting", given{Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"data stores are not initialized"}}`},
			Failure{Reason: Starting, Code: code(-32603)}},
		{"stale", given{Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"latency (33s) since last known ledger closed is too high (>30s)"}}`},
			Failure{Reason: Behind, Code: code(-32603)}},
		{"internal", given{Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"could not get latest ledger"}}`},
			Failure{Reason: RPCError, Code: code(-32603)}},
		{"no such method", given{Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32601,"message":"method not found"}}`},
			Failure{Reason: MethodUnsupported, Code: code(-32601)}},
		{"a rate limit with a wait", given{Status: 429, Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"Rate limit exceeded","data":{"retryAfter":3}}}`},
			Failure{Reason: RateLimited, Status: 429, Code: code(-32000), Wait: 3 * time.Second}},
		{"a gateway without its node", given{Status: 503, Body: "upstream connect error"}, Failure{Reason: HTTP5xx, Status: 503}},
	})
}

func FuzzSoroban(f *testing.F) {
	fuzzAnswers(f, config.Stellar, config.SorobanRPC, isHexHash)
}
