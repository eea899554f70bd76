package chain

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	litecoinTip = "ec51465a408065d65a72e4fac89e040f8d029d5bc4b130763fcd88f2ec4a1732"
	btcdTip     = "3e7a366977dcb4e15d7918ec603d0a09ead65005257e06709dceac971155e4a5"
	coreTip     = "000000000000000000024bead8df69990852c202db0e0097c1a12ea637d7e96d"
	coreParent  = "0000000000000000000172014ba58d66455762add0512355ad651207918494ab"
)

// bitcoinGiving is a bitcoin-rpc provider that gives set answers.
func bitcoinGiving(tb testing.TB, all answers, capabilities ...string) *scripted {
	tb.Helper()
	c, p := scriptedChain(tb, config.Bitcoin, config.BitcoinRPC, capabilities...)
	return newScripted(tb, c, p, all.to(tb))
}

// bitcoinFile is a bitcoin-rpc provider that gives the answers of a file.
func bitcoinFile(tb testing.TB, name string, capabilities ...string) *scripted {
	tb.Helper()
	return bitcoinGiving(tb, readAnswers(tb, "bitcoin-rpc/"+name), capabilities...)
}

func TestBitcoinTip(t *testing.T) {
	t.Parallel()
	litecoin := Tip{
		Height: 5, Hash: litecoinTip, Parent: "15be2ff63578b9e8bed093e3c83e8d4c13422703c56b42afb27e3e5a10b3aaad",
		Time: time.Unix(1796010747, 0).UTC(), Hints: Hints{Syncing: Some(false)},
	}
	btcd := Tip{
		Height: 5, Hash: btcdTip, Parent: "7c4bcbfbf1888bb3004a5cb11f1d2414039880e05b467d8a7a2eb78cd6e04e07",
		Time: time.Unix(1796010747, 0).UTC(),
	}
	core := Tip{Height: 840000, Hash: coreTip, Time: time.Unix(1713571767, 0).UTC(), Hints: Hints{Syncing: Some(false)}}
	counted := Tip{Height: 840000, Hash: coreTip, Parent: coreParent, Time: time.Unix(1713571767, 0).UTC()}
	withParent := core
	withParent.Parent = coreParent
	for _, tc := range []struct {
		name, file string
		previous   Tip
		want       Tip
		asked      []string
	}{
		{"Litecoin Core, a first look", "litecoind-0.21", Tip{}, litecoin, []string{"getblockchaininfo", `getblockheader ["` + litecoinTip + `"]`}},
		{"Litecoin Core, the same block", "litecoind-0.21", litecoin, litecoin, []string{"getblockchaininfo"}},
		{"btcd, a new block", "btcd-0.26", Tip{Height: 4, Hash: btcd.Parent}, btcd, []string{"getblockchaininfo", `getblockheader ["` + btcdTip + `"]`}},
		{"btcd, the same block", "btcd-0.26", btcd, btcd, []string{"getblockchaininfo"}},
		{"Bitcoin Core 27 tells the time itself", "core-27", Tip{}, core, []string{"getblockchaininfo"}},
		{"Bitcoin Core 27, the same block", "core-27", counted, withParent, []string{"getblockchaininfo"}},
		{"no getblockchaininfo", "no-blockchaininfo", Tip{}, counted,
			[]string{"getblockchaininfo", "getblockcount", "getblockhash [840000]", `getblockheader ["` + coreTip + `"]`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := bitcoinFile(t, tc.file)
			o, err := s.Observe(t.Context(), Ask{Previous: tc.previous})
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tc.want, o.Tip))
			require.Equal(t, tc.asked, s.asked)
		})
	}
}

func TestBitcoinAsksNoMoreForWhatWasRefused(t *testing.T) {
	t.Parallel()
	all := readAnswers(t, "bitcoin-rpc/no-blockchaininfo").
		with("getblockheader", given{Status: 404, Body: `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"$id"}`})
	s := bitcoinGiving(t, all)
	want := Tip{Height: 840000, Hash: coreTip}
	for range 2 {
		s.asked = nil
		o, err := s.Observe(t.Context(), Ask{})
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, o.Tip))
	}
	require.Equal(t, []string{"getblockcount", "getblockhash [840000]"}, s.asked)
}

func TestBitcoinSyncing(t *testing.T) {
	t.Parallel()
	const info = `{"result":{"blocks":100,"bestblockhash":"` + coreTip + `","time":1713571767,MORE},"error":null,"id":"$id"}`
	for _, tc := range []struct {
		name, more string
		want       Optional[bool]
	}{
		{"it says nothing", `"headers":100`, Optional[bool]{}},
		{"it says no", `"headers":100,"initialblockdownload":false`, Some(false)},
		{"it says yes", `"headers":100,"initialblockdownload":true`, Some(true)},
		{"a few headers ahead are normal", `"headers":106,"initialblockdownload":false`, Some(false)},
		{"many headers ahead", `"headers":107,"initialblockdownload":false`, Some(true)},
		{"many headers ahead and not a word", `"headers":900000`, Some(true)},
		{"no headers yet", `"headers":-1,"initialblockdownload":true`, Some(true)},
		{"fewer headers than blocks", `"headers":3`, Optional[bool]{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := bitcoinGiving(t, answers{"getblockchaininfo": {Body: strings.Replace(info, "MORE", tc.more, 1)}})
			o, err := s.Observe(t.Context(), Ask{})
			require.NoError(t, err)
			require.Equal(t, tc.want, o.Hints.Syncing)
		})
	}
}

func TestBitcoinIdentityAndPeers(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		identity string
		peers    int
	}{
		"litecoind-0.21": {"530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9", 3},
		"btcd-0.26":      {"0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206", 0},
		"core-27":        {"000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f", 11},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			o, err := bitcoinFile(t, file).Observe(t.Context(), Ask{Identity: true, Hints: true})
			require.NoError(t, err)
			require.Equal(t, want.identity, o.Identity)
			require.Equal(t, Some(want.peers), o.Hints.Peers)
		})
	}
}

func TestBitcoinPeersAreOptional(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]given{
		"no such method":         {Status: 404, Body: `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"$id"}`},
		"not on the white list":  {Status: 403},
		"403 with a result":      {Status: 403, Body: `{"result":5,"error":null,"id":"$id"}`},
		"not in the plan (405)":  {Status: 405, Body: "method not allowed"},
		"unimplemented, in btcd": {Body: `{"result":null,"error":{"code":-1,"message":"Command unimplemented"},"id":"$id"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := bitcoinGiving(t, readAnswers(t, "bitcoin-rpc/core-27").with("getconnectioncount", refusal))
			for range 2 {
				s.asked = nil
				o, err := s.Observe(t.Context(), Ask{Hints: true})
				require.NoError(t, err)
				require.Equal(t, Optional[int]{}, o.Hints.Peers)
			}
			require.Equal(t, []string{"getblockchaininfo"}, s.asked, "a refused method is not asked again")
		})
	}
}

func TestBitcoinBlock(t *testing.T) {
	t.Parallel()
	core := Block{
		Height: 840000, Hash: coreTip, Parent: coreParent, Time: time.Unix(1713571767, 0).UTC(),
		Transactions: Some(Transactions{Count: 2, Missing: 3048, Digest: "5a3bfc78bb482993dfb567a41f893bb3b10f112e31b9a3ca320033eeded29dc0"}),
	}
	btcd := Block{
		Height: 5, Hash: btcdTip, Parent: "7c4bcbfbf1888bb3004a5cb11f1d2414039880e05b467d8a7a2eb78cd6e04e07", Time: time.Unix(1796010747, 0).UTC(),
		Transactions: Some(Transactions{Count: 1, Digest: "c80ac15fd06c778edef90e4067fa41e3933ffd094fea885ad0115d3668d83ede"}),
	}
	for _, tc := range []struct {
		name, file   string
		height       uint64
		transactions bool
		want         Block
	}{
		{"the hash alone", "core-27", 840000, false, Block{Height: 840000, Hash: coreTip}},
		{"fewer transactions than the header says", "core-27", 840000, true, core},
		{"btcd does not say how many there are", "btcd-0.26", 5, true, btcd},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := bitcoinFile(t, tc.file).Block(t.Context(), tc.height, tc.transactions)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tc.want, got))
		})
	}
}

func TestBitcoinBlockThatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"height-out-of-range", "height-out-of-range-btcd", "block-not-found"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			_, err := bitcoinFile(t, file).Block(t.Context(), 840000, true)
			requireFailure(t, err, Missing)
		})
	}
	t.Run("pruned is no fault", func(t *testing.T) {
		t.Parallel()
		_, err := bitcoinFile(t, "pruned").Block(t.Context(), 840000, true)
		require.ErrorIs(t, err, ErrPruned)
	})
}

func TestBitcoinDigestIsThatOfTheOrder(t *testing.T) {
	t.Parallel()
	digest := func(ids string) string {
		all := readAnswers(t, "bitcoin-rpc/core-27").with("getblock", given{
			Body: `{"result":{"hash":"` + coreTip + `","height":840000,"time":1713571767,"tx":[` + ids + `]},"error":null,"id":"$id"}`,
		})
		block, err := bitcoinGiving(t, all).Block(t.Context(), 840000, true)
		require.NoError(t, err)
		require.Zero(t, block.Transactions.Value.Missing)
		return block.Transactions.Value.Digest
	}
	a, b := `"`+strings.Repeat("a", 64)+`"`, `"`+strings.Repeat("b", 64)+`"`
	require.Equal(t, digest(a+","+b), digest(strings.ToUpper(a)+","+b))
	require.NotEqual(t, digest(a+","+b), digest(b+","+a))
	require.NotEqual(t, digest(a+","+b), digest(a))
	require.NotEqual(t, digest(a), digest(""))
}
