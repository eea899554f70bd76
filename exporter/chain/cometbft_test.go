package chain

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// The block of the files in testdata/cometbft-rpc and testdata/cosmos-rest,
// which are two views of one chain.
const (
	cosmosHash   = "cb440fe2f7ec20d54f4726630cebadb8673965ccb57a64bbeda757842fd26375"
	cosmosParent = "92ee93de02ea87db530298f4d66c63984f20a6899019e3dab1a18d2399289140"
	cosmosData   = "3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7"
	cosmosHeight = 23456789
)

var cosmosBlockTime = time.Date(2026, 11, 30, 2, 41, 23, 612345678, time.UTC)

// wantCosmosBlock is that block as both dialects tell it.
func wantCosmosBlock() Block {
	return Block{
		Height: cosmosHeight, Hash: cosmosHash, Parent: cosmosParent, Time: cosmosBlockTime,
		Transactions: Some(Transactions{Count: 2, Digest: cosmosData}),
	}
}

func TestCometBFTTip(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.CometBFTRPC, "node")
	tip, err := tipOf(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(Tip{
		Height: cosmosHeight, Hash: cosmosHash, Time: cosmosBlockTime, Network: "cosmoshub-4",
		Hints: Hints{Syncing: Some(false)},
	}, tip))
	require.Equal(t, []string{"GET /status"}, s.asked)
}

func TestCometBFTWithoutABlockIsStarting(t *testing.T) {
	t.Parallel()
	f := requireFailure(t, askTip(t.Context(), fileAt(t, config.CometBFTRPC, "fresh")), Starting)
	require.Equal(t, "GET /status", f.Request)
	require.Equal(t, 200, f.Status)
}

func TestCometBFTWhatTheStatusLeavesOutIsUnknown(t *testing.T) {
	t.Parallel()
	body := `{"jsonrpc":"2.0","id":-1,"result":{"sync_info":{"latest_block_height":"7","latest_block_hash":"` + cosmosHash + `"}}}`
	all := answers{"GET /status": {Body: body}}
	tip, err := tipOf(t.Context(), answersAt(t, config.CometBFTRPC, all))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(Tip{Height: 7, Hash: cosmosHash}, tip))

	f := requireFailure(t, askIdentity(t.Context(), answersAt(t, config.CometBFTRPC, all)), BadResponse)
	require.Contains(t, f.Text, "network")
}

func TestCometBFTIdentityAndHints(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.CometBFTRPC, "node")
	network, err := s.dialect.Identity(t.Context(), s.session(), "cosmoshub-4")
	require.NoError(t, err)
	require.Equal(t, "cosmoshub-4", network)

	hints, err := hintsOf(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, Hints{Peers: Some(12)}, hints)

	o, err := s.Observe(t.Context(), Ask{Identity: true, Hints: true})
	require.NoError(t, err)
	require.Equal(t, Hints{Syncing: Some(false), Peers: Some(12)}, o.Hints)
	require.Equal(t, "cosmoshub-4", o.Identity)
}

func TestCometBFTPeersAreNotAskedForTwiceInVain(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.CometBFTRPC, "fresh")
	for range 2 {
		hints, err := hintsOf(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, Hints{}, hints)
	}
	require.Equal(t, []string{"GET /net_info"}, s.asked)
}

func TestCometBFTBlock(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.CometBFTRPC, "node")
	block, err := blockOf(t.Context(), s, cosmosHeight)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(wantCosmosBlock(), block))

	without, err := s.dialect.Block(t.Context(), s.session(), cosmosHeight, false)
	require.NoError(t, err)
	require.Equal(t, Optional[Transactions]{}, without.Transactions)

	first, err := blockOf(t.Context(), fileAt(t, config.CometBFTRPC, "first-block"), 1)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(Block{
		Height: 1, Hash: cosmosHash, Time: cosmosBlockTime, Transactions: Some(Transactions{}),
	}, first), "it has no parent, and no transactions, which is not the same as unknown")
}

func TestCometBFTBlockThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.CometBFTRPC, "node")
	require.ErrorIs(t, askBlock(1)(t.Context(), s), ErrPruned)
	f := requireFailure(t, askBlock(99999999)(t.Context(), s), Missing)
	require.Equal(t, Some(int64(-32603)), f.Code)
	requireFailure(t, askBlock(cosmosHeight-1)(t.Context(), s), Missing)

	all := answers{"GET /block": {}}.with("GET /block?height=5", readAnswers(t, "cometbft-rpc/node")["GET /block?height=23456789"])
	requireFailure(t, askBlock(5)(t.Context(), answersAt(t, config.CometBFTRPC, all)), BadResponse)
}

func TestCometBFTAPrunedBlockIsNoFaultInTheExchanges(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.CometBFTRPC, "node")
	session := s.session()
	_, err := s.dialect.Block(t.Context(), session, 1, false)
	require.ErrorIs(t, err, ErrPruned)
	require.Len(t, session.exchanges, 1)
	require.Empty(t, session.exchanges[0].Reason)
	require.Contains(t, session.exchanges[0].Text, "lowest height is 23000000")
}

func TestCometBFTMalformedAnswers(t *testing.T) {
	t.Parallel()
	upper := "CB440FE2F7EC20D54F4726630CEBADB8673965CCB57A64BBEDA757842FD26375"
	t.Run("status", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.CometBFTRPC, file: "node", question: "GET /status", ask: askTip,
			damages: damagesOf(quotedNumbers("latest_block_height", "23456789"), hashes("latest_block_hash", upper), map[string]damage{
				"a time that is none":         {`2026-11-30T02:41:23.612345678Z`, `yesterday`},
				"a time that is a number":     {`"2026-11-30T02:41:23.612345678Z"`, `1796006483`},
				"catching_up as a text":       {`"catching_up":false`, `"catching_up":"false"`},
				"a network that is no text":   {`"cosmoshub-4"`, `4`},
				"another version of JSON-RPC": {`"jsonrpc":"2.0"`, `"jsonrpc":"1.0"`},
				"a null result":               {`"result":{`, `"result":null, "other":{`},
				"no sync_info":                {`"sync_info"`, `"other"`},
			}),
		}.run(t)
	})
	t.Run("block", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.CometBFTRPC, file: "node", question: "GET /block?height=23456789", ask: askBlock(cosmosHeight),
			damages: damagesOf(quotedNumbers("height", "23456789"), hashes("hash", upper), map[string]damage{
				"another height":            {`"height":"23456789"`, `"height":"23456790"`},
				"a parent that is no hash":  {`92EE93DE02EA87DB`, `beef`},
				"transactions as an object": {`"txs":[`, `"txs":{}, "others":[`},
			}),
		}.run(t)
	})
	t.Run("net_info", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.CometBFTRPC, file: "node", question: "GET /net_info", ask: askHints,
			damages: map[string]damage{
				"a number": {`"12"`, `12`}, "negative": {`"12"`, `"-1"`}, "a fraction": {`"12"`, `"1.5"`}, "2^63": {`"12"`, `"9223372036854775808"`},
			},
		}.run(t)
	})
}

func TestCometBFTDocumentedErrors(t *testing.T) {
	t.Parallel()
	internal := Some(int64(-32603))
	requireDocumented(t, config.CometBFTRPC, "GET /status", askTip, []documented{
		{"an error with 500", given{Status: 500, Body: `{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"Internal error","data":"panic"}}`},
			Failure{Reason: RPCError, Status: 500, Code: internal}},
		{"an error with 200", given{Body: `{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"Internal error"}}`},
			Failure{Reason: RPCError, Code: internal}},
		{"no such method", given{Body: `{"jsonrpc":"2.0","id":-1,"error":{"code":-32601,"message":"Method not found"}}`},
			Failure{Reason: MethodUnsupported, Code: Some(int64(-32601))}},
		{"no such path", given{Status: 404, Body: "404 page not found\n"}, Failure{Reason: HTTP4xx, Status: 404}},
		{"a gateway without its node", given{Status: 502, Body: "<html><title>502 Bad Gateway</title></html>"}, Failure{Reason: HTTP5xx, Status: 502}},
		{"a rate limit with 429", given{Status: 429, Header: map[string]string{"Retry-After": "7"}, Body: "slow down"},
			Failure{Reason: RateLimited, Status: 429, Wait: 7 * time.Second}},
		{"a rate limit within 200", given{Body: `{"message":"API rate limit exceeded"}`}, Failure{Reason: RateLimited}},
		{"a wrong key", given{Status: 401, Body: ""}, Failure{Reason: Unauthorized, Status: 401}},
		{"an error that is a text", given{Body: `{"error":"node is sleeping"}`}, Failure{Reason: RPCError}},
	})
}

func FuzzCometBFT(f *testing.F) {
	fuzzAnswers(f, config.Cosmos, config.CometBFTRPC, isHexHash)
}
