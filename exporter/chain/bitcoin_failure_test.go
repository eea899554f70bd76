package chain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestBitcoinDocumentedErrors(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]Reason{
		"starting":            Starting,
		"busy":                Busy,
		"busy-core-25":        Busy,
		"busy-btcd":           Busy,
		"wrong-password":      Unauthorized,
		"wrong-password-btcd": Unauthorized,
		"wrong-verb":          MethodUnsupported,
		"quicknode-limit":     RateLimited,
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			_, err := bitcoinFile(t, file).Observe(t.Context(), Ask{})
			f := requireFailure(t, err, want)
			require.NotZero(t, f.Status)
		})
	}
}

// TestBitcoinMalformedAnswers puts every bad body in the place of each answer of
// a tip, an identity, and a block.
func TestBitcoinMalformedAnswers(t *testing.T) {
	t.Parallel()
	good := readAnswers(t, "bitcoin-rpc/litecoind-0.21")
	for _, method := range []string{"getblockchaininfo", "getblockheader", "getblockhash [0]", "getblockhash [5]", `getblock ["` + litecoinTip + `"]`} {
		for name, body := range badBodies {
			t.Run(method+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := bitcoinGiving(t, good.with(method, given{Body: body}))
				requireFailure(t, bitcoinAll(t, s), BadResponse)
			})
		}
	}
}

// bitcoinAll asks for tip, identity and block and returns the first error.
func bitcoinAll(t *testing.T, s *scripted) error {
	t.Helper()
	_, err := s.Observe(t.Context(), Ask{Identity: true})
	if err == nil {
		_, err = s.Block(t.Context(), 5, true)
	}
	return err
}

func TestBitcoinMalformedFields(t *testing.T) {
	t.Parallel()
	const parent = `"previousblockhash":"15be2ff63578b9e8bed093e3c83e8d4c13422703c56b42afb27e3e5a10b3aaad"`
	header, block := "getblockheader", `getblock ["`+litecoinTip+`"]`
	for _, tc := range []struct{ name, method, old, new string }{
		{"no blocks", "getblockchaininfo", `"blocks":5,`, ``},
		{"no bestblockhash", "getblockchaininfo", `"bestblockhash":"` + litecoinTip + `",`, ``},
		{"a short hash", "getblockchaininfo", litecoinTip, litecoinTip[2:]},
		{"a hash that is a number", "getblockchaininfo", `"` + litecoinTip + `"`, "7"},
		{"a hash that is no hexadecimal", "getblockchaininfo", litecoinTip, strings.Repeat("z", 64)},
		{"a flag that is a text", "getblockchaininfo", `"initialblockdownload":false`, `"initialblockdownload":"false"`},
		{"a negative time", "getblockchaininfo", `"chain":"regtest"`, `"time":-1`},
		{"another id", "getblockchaininfo", `"$id"`, "4711"},
		{"the id as a text", "getblockchaininfo", `"$id"`, `"x"`},
		{"no header time", header, `"time":1796010747,`, ``},
		{"a header time that is a text", header, `1796010747`, `"1796010747"`},
		{"a header without a height", header, `"height":5,`, ``},
		{"a header of another height", header, `"height":5`, `"height":6`},
		{"a header of another block", header, litecoinTip, strings.Repeat("a", 64)},
		{"a previous hash that is none", header, parent, `"previousblockhash":"0x1"`},
		{"a genesis hash that is none", "getblockhash [0]", "530827f3", "xyz"},
		{"a hash that is an object", "getblockhash [5]", `"` + litecoinTip + `"`, `{"hash":1}`},
		{"a block of another height", block, `"height":5`, `"height":4`},
		{"a block without transactions", block, `"tx":["7d4381d5bacccbad56b03ae6e0b4682f9c9255f2f2ba979156a4ee6a6d72bee4"],`, ``},
		{"transactions as objects", block, `"tx":["7d4381d5bacccbad56b03ae6e0b4682f9c9255f2f2ba979156a4ee6a6d72bee4"]`, `"tx":[{}]`},
		{"a transaction that is no hash", block, `"tx":["7d4381d5bacccbad56b03ae6e0b4682f9c9255f2f2ba979156a4ee6a6d72bee4"]`, `"tx":["7d"]`},
		{"a negative number of transactions", block, `"nTx":1`, `"nTx":-1`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			requireFailure(t, bitcoinAll(t, bitcoinGiving(t, changed(t, readAnswers(t, "bitcoin-rpc/litecoind-0.21"), tc.method, tc.old, tc.new))), BadResponse)
		})
	}
	for name, number := range badNumbers {
		for method, field := range map[string]string{"getblockchaininfo": `"blocks":`, header: `"height":`, block: `"height":`} {
			t.Run(method+" "+field+name, func(t *testing.T) {
				t.Parallel()
				all := changed(t, readAnswers(t, "bitcoin-rpc/litecoind-0.21"), method, field+"5", field+number)
				requireFailure(t, bitcoinAll(t, bitcoinGiving(t, all)), BadResponse)
			})
		}
	}
}

func TestBitcoinNullResults(t *testing.T) {
	t.Parallel()
	const null = `{"result":null,"error":null,"id":"$id"}`
	for method, want := range map[string]Reason{
		"getblockchaininfo": BadResponse,
		"getblockheader":    Missing, "getblockhash [0]": Missing, "getblockhash [5]": Missing,
		`getblock ["` + litecoinTip + `"]`: Missing,
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			all := readAnswers(t, "bitcoin-rpc/litecoind-0.21").with(method, given{Body: null})
			requireFailure(t, bitcoinAll(t, bitcoinGiving(t, all)), want)
		})
	}
	t.Run("getblockcount, the second choice", func(t *testing.T) {
		t.Parallel()
		all := readAnswers(t, "bitcoin-rpc/no-blockchaininfo").with("getblockcount", given{Body: null})
		_, err := bitcoinGiving(t, all).Observe(t.Context(), Ask{})
		requireFailure(t, err, BadResponse)
	})
}

func TestBitcoinAnnouncesABlockThatItDoesNotHave(t *testing.T) {
	t.Parallel()
	all := readAnswers(t, "bitcoin-rpc/litecoind-0.21").
		with("getblockheader", given{Status: 500, Body: `{"result":null,"error":{"code":-5,"message":"Block not found"},"id":"$id"}`})
	_, err := bitcoinGiving(t, all).Observe(t.Context(), Ask{})
	requireFailure(t, err, Missing)
}

func FuzzBitcoinTip(f *testing.F) {
	fuzzAnswers(f, config.Bitcoin, config.BitcoinRPC, isHexHash,
		config.CapabilityWallet, config.CapabilityTxIndex, config.CapabilityBatch)
}
