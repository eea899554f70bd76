package chain

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// The questions of cosmos-rest.
const (
	cosmosLatest  = "GET /cosmos/base/tendermint/v1beta1/blocks/latest"
	cosmosAt      = "GET /cosmos/base/tendermint/v1beta1/blocks/"
	cosmosSyncing = "GET /cosmos/base/tendermint/v1beta1/syncing"
	cosmosNode    = "GET /cosmos/base/tendermint/v1beta1/node_info"
)

func TestCosmosTip(t *testing.T) {
	t.Parallel()
	want := Tip{Height: cosmosHeight, Hash: cosmosHash, Parent: cosmosParent, Time: cosmosBlockTime, Network: "cosmoshub-4"}
	for name, file := range map[string]string{
		"block and sdk_block":              "gateway",
		"block alone, as before SDK 0.47":  "old-gateway",
		"sdk_block beside a block of null": "sdk-block-only",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fileAt(t, config.CosmosREST, file)
			tip, err := tipOf(t.Context(), s)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(want, tip))
			require.Equal(t, []string{cosmosLatest}, s.asked)
		})
	}
}

func TestCosmosTakesABlockWithItsTransactions(t *testing.T) {
	t.Parallel()
	long := func(tb testing.TB, all answers, question string) answers {
		tb.Helper()
		return changed(tb, all, question, `"txs":[`, `"txs":["`+strings.Repeat("A", 2*maxBody)+`",`)
	}
	all := readAnswers(t, "cosmos-rest/gateway")
	at := cosmosAt + strconv.Itoa(cosmosHeight)
	for name, tc := range map[string]struct {
		question   string
		checkpoint *config.Checkpoint
	}{
		"the newest block":            {cosmosLatest, nil},
		"the block at the checkpoint": {at, &config.Checkpoint{Height: cosmosHeight, Hash: cosmosHash}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, p := scriptedChain(t, config.Cosmos, config.CosmosREST)
			c.Checkpoint = tc.checkpoint
			o, err := newScripted(t, c, p, long(t, all, tc.question).to(t)).Observe(t.Context(), Ask{Identity: true})
			require.NoError(t, err)
			require.Equal(t, uint64(cosmosHeight), o.Height)
			require.Equal(t, tc.checkpoint != nil, o.OffCheckpoint.Known)
		})
	}
}

func TestCosmosAndCometBFTAgree(t *testing.T) {
	t.Parallel()
	rest, err := tipOf(t.Context(), fileAt(t, config.CosmosREST, "gateway"))
	require.NoError(t, err)
	rpc, err := tipOf(t.Context(), fileAt(t, config.CometBFTRPC, "node"))
	require.NoError(t, err)
	require.Equal(t, rpc.Hash, rest.Hash)

	byREST, err := blockOf(t.Context(), fileAt(t, config.CosmosREST, "gateway"), cosmosHeight)
	require.NoError(t, err)
	byRPC, err := blockOf(t.Context(), fileAt(t, config.CometBFTRPC, "node"), cosmosHeight)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(byRPC, byREST))
}

func TestCosmosIdentity(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.CosmosREST, "gateway")
	o, err := s.Observe(t.Context(), Ask{Identity: true})
	require.NoError(t, err)
	require.Equal(t, "cosmoshub-4", o.Identity)
	require.Equal(t, []string{cosmosLatest}, s.asked, "the tip told it")

	network, err := s.dialect.Identity(t.Context(), s.session(), "")
	require.NoError(t, err)
	require.Equal(t, "cosmoshub-4", network)

	all := answers{cosmosNode: {Body: `{"default_node_info":{}}`}}
	requireFailure(t, askIdentity(t.Context(), answersAt(t, config.CosmosREST, all)), BadResponse)
}

func TestCosmosHints(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file string
		want Hints
	}{
		"in step":     {"gateway", Hints{Syncing: Some(false)}},
		"catching up": {"sdk-block-only", Hints{Syncing: Some(true)}},
		"not offered": {"old-gateway", Hints{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hints, err := hintsOf(t.Context(), fileAt(t, config.CosmosREST, tc.file))
			require.NoError(t, err)
			require.Equal(t, tc.want, hints)
		})
	}
	s := fileAt(t, config.CosmosREST, "old-gateway")
	for range 2 {
		require.NoError(t, askHints(t.Context(), s))
	}
	require.Equal(t, []string{cosmosSyncing}, s.asked, "what is not offered is not asked for twice")
}

func TestCosmosBlock(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.CosmosREST, "gateway")
	block, err := blockOf(t.Context(), s, cosmosHeight)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(wantCosmosBlock(), block))

	require.ErrorIs(t, askBlock(1)(t.Context(), s), ErrPruned)
	f := requireFailure(t, askBlock(99999999)(t.Context(), s), Missing)
	require.Equal(t, 400, f.Status)
	require.Equal(t, Some(int64(3)), f.Code)

	other := answers{cosmosAt + "7": readAnswers(t, "cosmos-rest/gateway")[cosmosLatest]}
	requireFailure(t, askBlock(7)(t.Context(), answersAt(t, config.CosmosREST, other)), BadResponse)
}

func TestCosmosWithoutABlockIsStarting(t *testing.T) {
	t.Parallel()
	body := `{"block_id":{"hash":"y0QP4vfsINVPRyZjDOutuGc5Zcy1emS77adXhC/SY3U="},"block":{"header":{"height":"0"}}}`
	s := answersAt(t, config.CosmosREST, answers{cosmosLatest: {Body: body}})
	requireFailure(t, askTip(t.Context(), s), Starting)
}

func TestCosmosMalformedAnswers(t *testing.T) {
	t.Parallel()
	t.Run("latest block", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.CosmosREST, file: "old-gateway", question: cosmosLatest, ask: askTip,
			damages: damagesOf(quotedNumbers("height", "23456789"), hashes("hash", "y0QP4vfsINVPRyZjDOutuGc5Zcy1emS77adXhC/SY3U="), map[string]damage{
				"a hash in hexadecimal":   {"y0QP4vfsINVPRyZjDOutuGc5Zcy1emS77adXhC/SY3U=", cosmosHash},
				"a parent that is none":   {`ku6T3gLqh9tTApj01mxjmE8gpomQGePasaGNI5kokUA=`, `ku6T`},
				"a time that is none":     {`2026-11-30T02:41:23.612345678Z`, `now`},
				"a header that is a list": {`"header":{`, `"header":[],"other":{`},
			}),
		}.run(t)
	})
	t.Run("syncing", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.CosmosREST, file: "gateway", question: cosmosSyncing, ask: askHints,
			damages: map[string]damage{
				"a text": {`false`, `"false"`}, "a number": {`false`, `0`}, "null": {`false`, `null`}, "another member": {`syncing`, `synced`},
			},
		}.run(t)
	})
}

func TestCosmosABlockOfNullIsMissing(t *testing.T) {
	t.Parallel()
	body := `{"block_id":{"hash":""},"block":null,"sdk_block":null}`
	s := answersAt(t, config.CosmosREST, answers{cosmosLatest: {Body: body}})
	requireFailure(t, askTip(t.Context(), s), Missing)
}

func TestCosmosDocumentedErrors(t *testing.T) {
	t.Parallel()
	grpc := func(status int, code, message string) given {
		return given{Status: status, Body: `{"code":` + code + `,"message":"` + message + `","details":[]}`}
	}
	code := func(n int64) Optional[int64] { return Some(n) }
	requireDocumented(t, config.CosmosREST, cosmosLatest, askTip, []documented{
		{"invalid argument", grpc(400, "3", "type mismatch"), Failure{Reason: HTTP4xx, Status: 400, Code: code(3)}},
		{"deadline exceeded", grpc(504, "4", "context deadline exceeded"), Failure{Reason: Timeout, Status: 504, Code: code(4)}},
		{"a block is not found", grpc(404, "5", "could not find the block"), Failure{Reason: Missing, Status: 404, Code: code(5)}},
		{"a path is not found", grpc(404, "5", "Not Found"), Failure{Reason: MethodUnsupported, Status: 404, Code: code(5)}},
		{"permission denied", grpc(403, "7", "no"), Failure{Reason: Unauthorized, Status: 403, Code: code(7)}},
		{"resource exhausted", grpc(429, "8", "slow down"), Failure{Reason: RateLimited, Status: 429, Code: code(8)}},
		{"resource exhausted at 200", grpc(200, "8", "slow down"), Failure{Reason: RateLimited, Code: code(8)}},
		{"out of range", grpc(400, "11", "height"), Failure{Reason: Missing, Status: 400, Code: code(11)}},
		{"unimplemented", grpc(501, "12", "Not Implemented"), Failure{Reason: MethodUnsupported, Status: 501, Code: code(12)}},
		{"internal", grpc(500, "13", "runtime error"), Failure{Reason: HTTP5xx, Status: 500, Code: code(13)}},
		{"unavailable", grpc(503, "14", "connection error: desc = dial tcp 127.0.0.1:9090: connect: connection refused"), Failure{Reason: HTTP5xx, Status: 503, Code: code(14)}},
		{"unauthenticated", grpc(401, "16", "no token"), Failure{Reason: Unauthorized, Status: 401, Code: code(16)}},
		{"an unknown error at 200", grpc(200, "2", "something"), Failure{Reason: RPCError, Code: code(2)}},
		{"a limit of the gateway's own", given{Status: 429, Header: map[string]string{"Retry-After": "30"}, Body: "Too Many Requests"}, Failure{Reason: RateLimited, Status: 429, Wait: 30 * time.Second}},
	})
}

func FuzzCosmos(f *testing.F) {
	fuzzAnswers(f, config.Cosmos, config.CosmosREST, isHexHash)
}
