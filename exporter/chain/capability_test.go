package chain

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// bitcoinCapabilities and evmCapabilities are what can be verified, with one
// that cannot.
var (
	bitcoinCapabilities = []string{config.CapabilityWallet, config.CapabilityTxIndex, config.CapabilityBatch, config.CapabilityArchive}
	evmCapabilities     = []string{config.CapabilityReceipts, config.CapabilityArchive, config.CapabilityBatch, config.CapabilityWallet}
)

// rpcRefusal is an error of JSON-RPC.
func rpcRefusal(status int, code, message string) given {
	return given{Status: status, Body: `{"result":null,"error":{"code":` + code + `,"message":"` + message + `"},"id":"$id"}`}
}

func TestBitcoinCapabilities(t *testing.T) {
	t.Parallel()
	const raw = `{"result":"0200000000","error":null,"id":"$id"}`
	good := readAnswers(t, "bitcoin-rpc/litecoind-0.21").
		with("getwalletinfo", given{Body: `{"result":{"walletname":"w","txcount":0},"error":null,"id":"$id"}`}).
		with("getrawtransaction", given{Body: raw})
	for _, tc := range []struct {
		name     string
		question string
		answer   given
		want     map[string]bool
	}{
		{"all of them", "getrawtransaction", given{Body: raw}, map[string]bool{"wallet": true, "txindex": true, "batch": true}},
		{"no wallet loaded", "getwalletinfo", rpcRefusal(500, "-18", "No wallet is loaded."), map[string]bool{"wallet": false, "txindex": true, "batch": true}},
		{"several wallets", "getwalletinfo", rpcRefusal(500, "-19", "Wallet file not specified"), map[string]bool{"wallet": false, "txindex": true, "batch": true}},
		{"wallet disabled", "getwalletinfo", rpcRefusal(404, "-32601", "Method not found"), map[string]bool{"wallet": false, "txindex": true, "batch": true}},
		{"btcd has none", "getwalletinfo", rpcRefusal(200, "-1", "This implementation does not implement wallet commands"), map[string]bool{"wallet": false, "txindex": true, "batch": true}},
		{"wallet methods not allowed", "getwalletinfo", given{Status: 403}, map[string]bool{"wallet": false, "txindex": true, "batch": true}},
		{"a plain 404 for wallet methods", "getwalletinfo", given{Status: 404, Body: "not found"}, map[string]bool{"wallet": false, "txindex": true, "batch": true}},
		{"a null wallet", "getwalletinfo", given{Body: `{"result":null,"error":null,"id":"$id"}`}, map[string]bool{"wallet": false, "txindex": true, "batch": true}},
		{"no index", "getrawtransaction", rpcRefusal(500, "-5", "No such mempool transaction. Use -txindex or provide a block hash"), map[string]bool{"wallet": true, "txindex": false, "batch": true}},
		{"a transaction that is none", "getrawtransaction", given{Body: `{"result":"xyz","error":null,"id":"$id"}`}, map[string]bool{"wallet": true, "txindex": false, "batch": true}},
		{"pruned", `getblock ["8208901502ff4249df580e4eefd1159b8c4a73ef079836994ea05b4870e4274e"]`, rpcRefusal(500, "-1", "Block not available (pruned data)"), map[string]bool{"wallet": true, "txindex": false, "batch": true}},
		{"batch refused", "batch", rpcRefusal(500, "-32700", "Parse error"), map[string]bool{"wallet": true, "txindex": true, "batch": false}},
		{"a null in the batch", "batch", given{Body: `[{"result":null,"error":null,"id":"$id1"},{"result":null,"error":null,"id":"$id2"}]`}, map[string]bool{"wallet": true, "txindex": true, "batch": false}},
		{"still starting", "getwalletinfo", rpcRefusal(500, "-28", "Verifying wallet..."), map[string]bool{"txindex": true, "batch": true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o, err := bitcoinGiving(t, good.with(tc.question, tc.answer), bitcoinCapabilities...).Observe(t.Context(), Ask{Capabilities: true})
			require.NoError(t, err)
			require.Equal(t, tc.want, o.Capabilities)
		})
	}
}

func TestBitcoinTxIndexCannotBeToldWithoutABlock(t *testing.T) {
	t.Parallel()
	s := bitcoinGiving(t, answers{"getblockchaininfo": {Body: `{"result":{"blocks":0,"bestblockhash":"` + bitcoinGenesis + `","time":1231006505},"error":null,"id":"$id"}`}}, config.CapabilityTxIndex)
	o, err := s.Observe(t.Context(), Ask{Capabilities: true})
	require.NoError(t, err)
	require.Empty(t, o.Capabilities)
}

func TestEVMCapabilities(t *testing.T) {
	t.Parallel()
	good := readAnswers(t, "evm-rpc/anvil-1.7")
	all := map[string]bool{"receipts": true, "archive": true, "batch": true}
	without := func(capability string) map[string]bool {
		return map[string]bool{"receipts": capability != "receipts", "archive": capability != "archive", "batch": capability != "batch"}
	}
	for _, tc := range []struct {
		name     string
		question string
		answer   given
		want     map[string]bool
	}{
		{"all of them", "eth_getBalance", given{Body: `{"jsonrpc":"2.0","id":"$id","result":"0x2c6b8aa1c2d1aac5f3b2f"}`}, all},
		{"receipts that are there", "eth_getBlockReceipts", given{Body: `{"jsonrpc":"2.0","id":"$id","result":[{"status":"0x1"}]}`}, all},
		{"no such method", "eth_getBlockReceipts", rpcRefusal(200, "-32601", "the method does not exist/is not available"), without("receipts")},
		{"null receipts", "eth_getBlockReceipts", given{Body: `{"jsonrpc":"2.0","id":"$id","result":null}`}, without("receipts")},
		{"receipts that are no list", "eth_getBlockReceipts", given{Body: `{"jsonrpc":"2.0","id":"$id","result":{}}`}, without("receipts")},
		{"not in the plan", "eth_getBlockReceipts", rpcRefusal(403, "-32613", "method not in your plan"), without("receipts")},
		{"missing trie node", "eth_getBalance", rpcRefusal(200, "-32000", "missing trie node 56e81f (path ) state is not available"), without("archive")},
		{"header not found", "eth_getBalance", rpcRefusal(200, "-32000", "header not found"), without("archive")},
		{"pruned history", "eth_getBalance", rpcRefusal(200, "4444", "pruned history unavailable"), without("archive")},
		{"a null balance", "eth_getBalance", given{Body: `{"jsonrpc":"2.0","id":"$id","result":null}`}, without("archive")},
		{"a balance that is a number", "eth_getBalance", given{Body: `{"jsonrpc":"2.0","id":"$id","result":0}`}, without("archive")},
		{"batch refused with one object", "batch", readAnswers(t, "evm-rpc/geth-syncing")["batch"], without("batch")},
		{"batch answered with texts", "batch", given{Body: `[{"id":"$id1","result":"x"},{"id":"$id2","result":"y"}]`}, without("batch")},
		{"batch answered with HTML", "batch", given{Body: "<html>"}, without("batch")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o, err := evmGiving(t, good.with(tc.question, tc.answer), evmCapabilities...).Observe(t.Context(), Ask{Capabilities: true})
			require.NoError(t, err)
			require.Equal(t, tc.want, o.Capabilities)
		})
	}
}

func TestEVMCapabilitiesAskForOldEnoughBlocks(t *testing.T) {
	t.Parallel()
	s := evmFile(t, "geth-syncing", evmCapabilities...)
	_, err := s.Observe(t.Context(), Ask{Capabilities: true})
	require.NoError(t, err)
	require.Equal(t, []string{
		evmLatest, `eth_getBlockReceipts ["0x1312cf8"]`, `eth_getBalance ["0x` + strings.Repeat("0", 40) + `","0x1"]`, "batch",
	}, s.asked)
}

func TestCapabilitiesEndAtAFailureOfTheProvider(t *testing.T) {
	t.Parallel()
	good := readAnswers(t, "evm-rpc/anvil-1.7")
	for name, answer := range map[string]given{
		"a limit":            readAnswers(t, "evm-rpc/infura-limit")["eth_getBlockByNumber"],
		"a limit in a batch": readAnswers(t, "evm-rpc/quicknode-credits-in-batch")["batch"],
		"no connection":      {Err: syscall.ECONNRESET},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			question := "eth_getBalance"
			if strings.Contains(name, "batch") {
				question = "batch"
			}
			o, err := evmGiving(t, good.with(question, answer), config.CapabilityReceipts, config.CapabilityArchive, config.CapabilityBatch).
				Observe(t.Context(), Ask{Capabilities: true})
			requireFailure(t, err, RateLimited, ConnectionReset)
			require.True(t, o.Capabilities["receipts"], "what was found before is kept")
			require.NotContains(t, o.Capabilities, "batch")
		})
	}
	t.Run("what is no HTTP says neither yes nor no", func(t *testing.T) {
		t.Parallel()
		s := evmGiving(t, good.with("eth_getBalance", given{Err: errors.New("malformed HTTP response")}), config.CapabilityArchive)
		o, err := s.Observe(t.Context(), Ask{Capabilities: true})
		require.NoError(t, err)
		require.Empty(t, o.Capabilities)
	})
	t.Run("our own end is no verdict", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		s := evmGiving(t, good, config.CapabilityReceipts)
		s.answer = func(q question) given {
			if q.Name == "eth_getBlockReceipts" {
				cancel()
				return given{Err: context.Canceled}
			}
			return good.to(t)(q)
		}
		o, err := s.Observe(ctx, Ask{Capabilities: true})
		var none *NoVerdict
		require.ErrorAs(t, err, &none)
		require.Empty(t, o.Capabilities)
	})
}
