package chain

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	evmLatest = `eth_getBlockByNumber ["latest",false]`
	evmEmpty  = "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
	evmTip    = "d24fd73f794058a3807db926d8898c6481e902b7edb91ce0d479d6760f276183"
	evmParent = "b390d63aac03bbef75de888d16bd56b91c9291c2a7e38d36ac24731351522bd1"
	evmRoot   = "f0280ae7fd02f2b9684be8d740830710cd62e4869c891c3a0ead32ea757e70a3"
)

// evmGiving is an evm-rpc provider that gives set answers.
func evmGiving(tb testing.TB, all answers, capabilities ...string) *scripted {
	tb.Helper()
	c, p := scriptedChain(tb, config.EVM, config.EVMRPC, capabilities...)
	return newScripted(tb, c, p, all.to(tb))
}

// evmFile is an evm-rpc provider that gives the answers of a file.
func evmFile(tb testing.TB, name string, capabilities ...string) *scripted {
	tb.Helper()
	return evmGiving(tb, readAnswers(tb, "evm-rpc/"+name), capabilities...)
}

func TestEVMObservation(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		file     string
		tip      Tip
		identity string
	}{
		{"anvil-1.7", Tip{
			Height: 5, Hash: "75e0a557f97fb48fe8712ef0ffd563adea924e60b1e555d8234b0318be5fc58e",
			Parent: "ea8cc7c63242d6d3ac40729a681cb77a0bbdd01c2982eb855276bb19503a62ac",
			Time:   time.Unix(0x6b0cf30f, 0).UTC(), Hints: Hints{Syncing: Some(false)},
		}, "31337"},
		{"geth-syncing", Tip{
			Height: 20000000, Hash: evmTip, Parent: evmParent,
			Time: time.Unix(0x665ba27f, 0).UTC(), Hints: Hints{Syncing: Some(true), Peers: Some(25)},
		}, "1"},
	} {
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			s := evmFile(t, tc.file)
			o, err := s.Observe(t.Context(), Ask{Identity: true, Hints: true})
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tc.tip, o.Tip))
			require.Equal(t, tc.identity, o.Identity)
			require.Equal(t, []string{evmLatest, "eth_chainId", "eth_syncing", "net_peerCount"}, s.asked)
		})
	}
}

func TestEVMIdentityIsTheGenesisHashIfThatIsWanted(t *testing.T) {
	t.Parallel()
	s := evmFile(t, "geth-syncing")
	got, err := s.dialect.Identity(t.Context(), s.session(), ethereumGenesis)
	require.NoError(t, err)
	require.Equal(t, ethereumGenesis, got)
}

func TestEVMBlock(t *testing.T) {
	t.Parallel()
	whole := Block{
		Height: 20000000, Hash: evmTip, Parent: evmParent, Time: time.Unix(0x665ba27f, 0).UTC(),
		Transactions: Some(Transactions{Count: 2, Digest: evmRoot}),
	}
	alone := whole
	alone.Transactions = Optional[Transactions]{}
	for transactions, want := range map[bool]Block{true: whole, false: alone} {
		s := evmFile(t, "geth-syncing")
		got, err := s.Block(t.Context(), 20000000, transactions)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, got))
		require.Len(t, s.asked, 1)
	}
	t.Run("empty is not unknown", func(t *testing.T) {
		t.Parallel()
		got, err := evmFile(t, "anvil-1.7").Block(t.Context(), 5, true)
		require.NoError(t, err)
		require.Equal(t, Some(Transactions{Digest: evmEmpty}), got.Transactions)
	})
	t.Run("a node that tells no transactions", func(t *testing.T) {
		t.Parallel()
		all := readAnswers(t, "evm-rpc/anvil-1.7")
		all = changed(t, all, `eth_getBlockByNumber ["0x5",false]`, `"transactions":[],`, ``)
		got, err := evmGiving(t, all).Block(t.Context(), 5, true)
		require.NoError(t, err)
		require.Equal(t, Optional[Transactions]{}, got.Transactions)
	})
	t.Run("null is missing", func(t *testing.T) {
		t.Parallel()
		_, err := evmFile(t, "anvil-1.7").Block(t.Context(), 0x99, true)
		requireFailure(t, err, Missing)
	})
	t.Run("pruned history is no fault", func(t *testing.T) {
		t.Parallel()
		_, err := evmFile(t, "pruned-history").Block(t.Context(), 1, true)
		require.ErrorIs(t, err, ErrPruned)
	})
	t.Run("another block than the one asked for", func(t *testing.T) {
		t.Parallel()
		all := readAnswers(t, "evm-rpc/anvil-1.7")
		_, err := evmGiving(t, answers{"eth_getBlockByNumber": all[evmLatest]}).Block(t.Context(), 6, true)
		requireFailure(t, err, BadResponse)
	})
}

func TestEVMDocumentedErrors(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		reason Reason
		wait   time.Duration
	}{
		"block-null":           {Missing, 0},
		"infura-limit":         {RateLimited, 24 * time.Second},
		"alchemy-quota":        {QuotaExhausted, 0},
		"alchemy-limit-at-200": {RateLimited, 0},
		"ankr-key":             {Unauthorized, 0},
		"bare-text-at-200":     {BadResponse, 0},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			_, err := evmFile(t, file).Observe(t.Context(), Ask{})
			require.Equal(t, want.wait, requireFailure(t, err, want.reason).Wait)
		})
	}
}

func TestEVMSyncingHasManyForms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, result string
		want         Optional[bool]
	}{
		{"false", `false`, Some(false)},
		{"true, on some forks", `true`, Some(true)},
		{"an object", `{"currentBlock":"0x1","highestBlock":"0x2"}`, Some(true)},
		{"Arbitrum's object", `{"batchSeen":12,"msgCount":34}`, Some(true)},
		{"null", `null`, Optional[bool]{}},
		{"a quantity", `"0x0"`, Optional[bool]{}},
		{"a text", `"false"`, Optional[bool]{}},
		{"a list", `[]`, Optional[bool]{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			all := readAnswers(t, "evm-rpc/geth-syncing").with("eth_syncing", given{Body: `{"jsonrpc":"2.0","id":"$id","result":` + tc.result + `}`})
			o, err := evmGiving(t, all).Observe(t.Context(), Ask{Hints: true})
			require.NoError(t, err)
			require.Equal(t, Hints{Syncing: tc.want, Peers: Some(25)}, o.Hints)
		})
	}
}

func TestEVMHintsAreOptional(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]given{
		"not offered":             {Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32601,"message":"the method net_peerCount does not exist/is not available"}}`},
		"not in QuickNode's plan": {Status: 403, Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32612,"message":"method not in your plan"}}`},
		"hardhat's -32004":        {Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32004,"message":"Method net_peerCount is not supported"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := readAnswers(t, "evm-rpc/geth-syncing").with("net_peerCount", refusal).with("eth_syncing", refusal)
			s := evmGiving(t, all)
			for range 2 {
				s.asked = nil
				o, err := s.Observe(t.Context(), Ask{Hints: true})
				require.NoError(t, err)
				require.Equal(t, Hints{}, o.Hints)
			}
			require.Equal(t, []string{evmLatest}, s.asked, "a refused method is not asked again")
		})
	}
	t.Run("a limit is a failure all the same", func(t *testing.T) {
		t.Parallel()
		all := readAnswers(t, "evm-rpc/geth-syncing").with("eth_syncing", readAnswers(t, "evm-rpc/infura-limit")["eth_getBlockByNumber"])
		_, err := evmGiving(t, all).Observe(t.Context(), Ask{Hints: true})
		requireFailure(t, err, RateLimited)
	})
}

func TestEVMMalformedAnswers(t *testing.T) {
	t.Parallel()
	good := readAnswers(t, "evm-rpc/geth-syncing")
	fails := func(name string, all answers) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := evmGiving(t, all).Observe(t.Context(), Ask{Identity: true})
			requireFailure(t, err, BadResponse)
		})
	}
	for name, body := range badBodies {
		fails("block/"+name, good.with(evmLatest, given{Body: body}))
		fails("chain id/"+name, good.with("eth_chainId", given{Body: body}))
	}
	for name, number := range map[string]string{
		"a number": "20000000", "decimal digits": `"20000000"`, "a leading zero": `"0x01312d00"`, "no digits": `"0x"`,
		"letters": `"0xzz10"`, "negative": `"-0x1"`, "a negative number": "-4", "a fraction": "1.5", "2^63": `"0x8000000000000000"`,
		"2^64": `"0x10000000000000000"`, "null": "null", "a list": "[]", "upper-case prefix": `"0X1"`, "white space": `" 0x1"`,
	} {
		fails("number/"+name, changed(t, good, evmLatest, `"number":"0x1312d00"`, `"number":`+number))
		fails("chain id/"+name, changed(t, good, "eth_chainId", `"0x1"`, number))
		if name != "null" {
			fails("timestamp/"+name, changed(t, good, evmLatest, `"timestamp":"0x665ba27f"`, `"timestamp":`+number))
		}
	}
	fails("no number", changed(t, good, evmLatest, `"number":"0x1312d00",`, ``))
	fails("no hash", changed(t, good, evmLatest, `"hash"`, `"hush"`))
	fails("a hash that is a number", good.with(evmLatest, given{Body: `{"jsonrpc":"2.0","id":"$id","result":{"number":-4,"hash":7}}`}))
	fails("a short hash", changed(t, good, evmLatest, `"parentHash":"0xb3`, `"parentHash":"0x`))
	fails("a root that is none", changed(t, good, evmLatest, evmRoot, "x"))
	fails("transactions that are a number", changed(t, good, evmLatest, `"transactions":[`, `"transactions":7,"more":[`))
	fails("another id", changed(t, good, evmLatest, `"$id"`, "1"))
	fails("a null id", changed(t, good, evmLatest, `"$id"`, "null"))
	fails("chain id zero", changed(t, good, "eth_chainId", `"0x1"`, `"0x0"`))
	fails("a result that is an array", good.with(evmLatest, given{Body: `{"jsonrpc":"2.0","id":"$id","result":[{"number":"0x1"}]}`}))
}

func FuzzEVMTip(f *testing.F) {
	fuzzAnswers(f, config.EVM, config.EVMRPC, isHexHash, config.CapabilityReceipts, config.CapabilityArchive, config.CapabilityBatch)
}
