package chain

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// blockchairGiving is a blockchair-rest provider of a chain that gives set answers.
func blockchairGiving(tb testing.TB, name string, kind config.Kind, address string, all answers) *scripted {
	tb.Helper()
	c, p := scriptedChain(tb, kind, config.BlockchairREST)
	c.Name = name
	var err error
	p.RPCHost, err = config.ParseURL(address)
	require.NoError(tb, err)
	return newScripted(tb, c, p, all.to(tb))
}

// blockchairBitcoin is Blockchair's Bitcoin with the answers of a file.
func blockchairBitcoin(tb testing.TB, file string) *scripted {
	tb.Helper()
	return blockchairGiving(tb, "btc", config.Bitcoin, "https://api.test", readAnswers(tb, "blockchair-rest/"+file))
}

var blockchairChains = []struct {
	file, chain string
	kind        config.Kind
	tip         Tip
	identity    string
}{
	{"bitcoin", "btc", config.Bitcoin, Tip{Height: 840000, Hash: coreTip, Time: time.Date(2024, 4, 20, 0, 9, 27, 0, time.UTC)}, bitcoinGenesis},
	{"ethereum", "ETH", config.EVM, Tip{
		Height: 20000000, Hash: "d24fd73f794058a3807db926d8898c6481e902b7edb91ce0d479d6760f276183", Time: time.Date(2024, 6, 1, 22, 36, 47, 0, time.UTC),
	}, "1"},
	{"ripple", "xrp", config.XRPL, Tip{
		Height: 80000000, Hash: "333bff26aa0ade0276162c6dfe82d3d94d0ec7054dffe5bf2f7baf47a1e02920", Time: time.Date(2023, 5, 23, 1, 2, 3, 0, time.UTC),
	}, "0"},
	{"stellar", "xlm", config.Stellar, Tip{
		Height: 51000000, Hash: "9ca1b3b2c6a3e7dfaf1de1c3c4d2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0", Time: time.Date(2024, 3, 30, 10, 11, 12, 0, time.UTC),
	}, "Public Global Stellar Network ; September 2015"},
}

func TestBlockchairTipAndIdentity(t *testing.T) {
	t.Parallel()
	for _, tc := range blockchairChains {
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			s := blockchairGiving(t, tc.chain, tc.kind, "https://api.test", readAnswers(t, "blockchair-rest/"+tc.file))
			o, err := s.Observe(t.Context(), Ask{Identity: true, Hints: true})
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tc.tip, o.Tip))
			require.Equal(t, tc.identity, o.Identity)
		})
	}
}

func TestBlockchairBlock(t *testing.T) {
	t.Parallel()
	for _, tc := range blockchairChains {
		want := Block{Height: tc.tip.Height, Hash: tc.tip.Hash}
		if tc.kind == config.Bitcoin || tc.kind == config.EVM {
			want.Time = tc.tip.Time
			want.Transactions = Some(Transactions{Count: map[config.Kind]int{config.Bitcoin: 3050, config.EVM: 134}[tc.kind]})
		}
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			s := blockchairGiving(t, tc.chain, tc.kind, "https://api.test", readAnswers(t, "blockchair-rest/"+tc.file))
			got, err := s.Block(t.Context(), tc.tip.Height, true)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(want, got))
			got, err = s.Block(t.Context(), tc.tip.Height, false)
			require.NoError(t, err)
			want := want
			want.Transactions = Optional[Transactions]{}
			require.Empty(t, cmp.Diff(want, got))
		})
	}
}

func TestBlockchairBlockThatIsNotThere(t *testing.T) {
	t.Parallel()
	for height, how := range map[uint64]string{
		840001: "404", 840002: "an empty list", 840003: "null data", 840004: "404 in the context of a 200", 840005: "a null block",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			_, err := blockchairBitcoin(t, "bitcoin").Block(t.Context(), height, true)
			requireFailure(t, err, Missing)
		})
	}
	t.Run("a ledger", func(t *testing.T) {
		t.Parallel()
		_, err := blockchairGiving(t, "xrp", config.XRPL, "https://api.test", readAnswers(t, "blockchair-rest/ripple")).Block(t.Context(), 80000001, true)
		requireFailure(t, err, Missing)
	})
}

func TestBlockchairIdentityOfEVM(t *testing.T) {
	t.Parallel()
	const genesis = "GET /ethereum/dashboards/block/0?limit=0"
	good := readAnswers(t, "blockchair-rest/ethereum")
	other := changed(t, good, genesis, ethereumGenesis, strings.Repeat("ab", 32))
	for _, tc := range []struct {
		name, want string
		all        answers
		identity   string
	}{
		{"the chain id is wanted", "1", good, "1"},
		{"nothing is wanted", "", good, "1"},
		{"the genesis hash is wanted", ethereumGenesis, good, ethereumGenesis},
		{"another network's chain id is wanted", "56", good, "1"},
		{"another network answers", "1", other, strings.Repeat("ab", 32)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := blockchairGiving(t, "eth", config.EVM, "https://api.test", tc.all)
			got, err := s.dialect.Identity(t.Context(), s.session(), tc.want)
			require.NoError(t, err)
			require.Equal(t, tc.identity, got)
		})
	}
}

func TestBlockchairPath(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, chain, address, want string }{
		{"the host alone", "btc", "https://api.test", "GET /bitcoin/stats"},
		{"the host with a slash", "BCH", "https://api.test/", "GET /bitcoin-cash/stats"},
		{"the chain's name is there already", "btc", "https://api.test/bitcoin", "GET /bitcoin/stats"},
		{"a test network", "btc", "https://api.test/bitcoin/testnet/", "GET /bitcoin/testnet/stats"},
		{"behind a proxy", "ltc", "https://proxy.test/blockchair", "GET /blockchair/litecoin/stats"},
		{"a chain of another name", "dash", "https://api.test/dash", "GET /dash/stats"},
		{"with a key", "doge", "https://api.test?key=abcdefghij", "GET /dogecoin/stats?key=abcdefghij"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := blockchairGiving(t, tc.chain, config.Bitcoin, tc.address, nil)
			s.answer = func(question) given { return readAnswers(t, "blockchair-rest/bitcoin")["GET /bitcoin/stats"] }
			_, err := s.Observe(t.Context(), Ask{})
			require.NoError(t, err)
			require.Equal(t, []string{tc.want}, s.asked)
		})
	}
}

func TestBlockchairKeepsTheKeyToItself(t *testing.T) {
	t.Parallel()
	s := blockchairGiving(t, "btc", config.Bitcoin, "https://api.test?key=abcdefghij", nil)
	s.answer = func(question) given {
		return given{Status: 402, Body: `{"data":null,"context":{"code":402,"error":"The key abcdefghij is out of requests"}}`}
	}
	_, err := s.Block(t.Context(), 7, true)
	require.Equal(t, []string{"GET /bitcoin/dashboards/block/7?key=abcdefghij&limit=0"}, s.asked)
	require.NotContains(t, requireFailure(t, err, QuotaExhausted).Error(), "abcdefghij")
}

func TestBlockchairDocumentedErrors(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]Reason{
		"blocked":                 {IPBlocked},
		"blocked-at-200":          {IPBlocked},
		"blocked-434":             {IPBlocked},
		"blocked-503":             {IPBlocked},
		"daily-limit-402":         {QuotaExhausted},
		"limit-429":               {RateLimited},
		"soft-limit-435":          {RateLimited},
		"limit-436-at-200":        {RateLimited},
		"limit-437":               {RateLimited},
		"user-error-400":          {HTTP4xx},
		"wrong-path-404":          {HTTP4xx},
		"server-error-500":        {HTTP5xx},
		"server-error-500-at-200": {RPCError},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			_, err := blockchairBitcoin(t, file).Observe(t.Context(), Ask{})
			requireFailure(t, err, want...)
		})
	}
}

func TestBlockchairMalformedAnswers(t *testing.T) {
	t.Parallel()
	good := readAnswers(t, "blockchair-rest/bitcoin")
	const stats, genesis, block = "GET /bitcoin/stats", "GET /bitcoin/dashboards/block/0?limit=0", "GET /bitcoin/dashboards/block/840000?limit=0"
	fails := func(name string, all answers) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := blockchairGiving(t, "btc", config.Bitcoin, "https://api.test", all)
			_, err := s.Observe(t.Context(), Ask{Identity: true})
			if err == nil {
				_, err = s.Block(t.Context(), 840000, true)
			}
			requireFailure(t, err, BadResponse)
		})
	}
	for name, body := range badBodies {
		for _, question := range []string{stats, genesis, block} {
			fails(question+"/"+name, good.with(question, given{Body: body}))
		}
	}
	for name, number := range badNumbers {
		fails("best_block_height/"+name, changed(t, good, stats, `"best_block_height":840000`, `"best_block_height":`+number))
		fails("id/"+name, changed(t, good, block, `"id":840000`, `"id":`+number))
		fails("transaction_count/"+name, changed(t, good, block, `"transaction_count":3050`, `"transaction_count":`+number))
	}
	fails("no height", changed(t, good, stats, `"best_block_height":840000,`, ``))
	fails("no hash", changed(t, good, stats, `"best_block_hash":"`+coreTip+`",`, ``))
	fails("no time", changed(t, good, stats, `"best_block_time"`, `"time"`))
	fails("a time with a zone", changed(t, good, stats, `2024-04-20 00:09:27`, `2024-04-20T00:09:27Z`))
	fails("a time that is none", changed(t, good, stats, `2024-04-20`, `2024-13-20`))
	fails("null data", good.with(stats, given{Body: `{"data":null,"context":{"code":200}}`}))
	fails("data that is a list", good.with(stats, given{Body: `{"data":[1],"context":{"code":200}}`}))
	fails("another block", changed(t, good, block, `"id":840000`, `"id":839999`))
	fails("a block without a hash", changed(t, good, block, coreTip, ""))
	fails("a block without a time", changed(t, good, block, `"time":"2024-04-20 00:09:27"`, `"time":""`))
	fails("blocks that are a text", good.with(block, given{Body: `{"data":"x","context":{"code":200}}`}))
	fails("a block that is a text", good.with(block, given{Body: `{"data":{"840000":"x"},"context":{"code":200}}`}))
}

func TestBlockchairMalformedLedgers(t *testing.T) {
	t.Parallel()
	const question = "GET /ripple/raw/ledger/80000000"
	for name, body := range map[string]string{
		"no hash":      `{"data":{"80000000":{"ledger":{"ledger_index":"80000000"}}},"context":{"code":200}}`,
		"a short hash": `{"data":{"80000000":{"ledger":{"ledger_hash":"333BFF"}}},"context":{"code":200}}`,
		"a text":       `{"data":{"80000000":{"ledger":"x"}},"context":{"code":200}}`,
		"HTML at 200":  badBodies["an HTML page"],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := blockchairGiving(t, "xrp", config.XRPL, "https://api.test", answers{question: {Body: body}}).Block(t.Context(), 80000000, true)
			requireFailure(t, err, BadResponse)
		})
	}
	t.Run("a null ledger", func(t *testing.T) {
		t.Parallel()
		all := answers{question: {Body: `{"data":{"80000000":{"ledger":null}},"context":{"code":200}}`}}
		_, err := blockchairGiving(t, "xrp", config.XRPL, "https://api.test", all).Block(t.Context(), 80000000, true)
		requireFailure(t, err, Missing)
	})
}

func FuzzBlockchairTip(f *testing.F) {
	fuzzAnswers(f, config.Bitcoin, config.BlockchairREST, isHexHash)
}

func FuzzBlockchairLedgerTip(f *testing.F) {
	fuzzAnswers(f, config.XRPL, config.BlockchairREST, isHexHash)
}
