package simulator_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestVendorsAreGivenLiterally(t *testing.T) {
	t.Parallel()
	types := map[config.Kind]config.Type{
		config.Bitcoin: config.BitcoinRPC, config.EVM: config.EVMRPC, config.Cosmos: config.CometBFTRPC, config.XRPL: config.XRPLRPC,
		config.Tron: config.TronHTTP, config.Solana: config.SolanaRPC, config.Stellar: config.SorobanRPC, "": config.EVMRPC,
	}
	seen := map[string]bool{}
	for _, vendor := range simulator.Vendors {
		require.NotEmpty(t, vendor.Name)
		require.False(t, seen[vendor.Name], "%q is there twice", vendor.Name)
		seen[vendor.Name] = true
		found, ok := simulator.Vendor(vendor.Name)
		require.True(t, ok)
		require.Equal(t, vendor, found)
		require.Contains(t, types, vendor.Kind)

		// By its name alone, as a script gives it.
		p := newProvider(types[vendor.Kind], simulator.Behaviour{Respond: &simulator.Answer{Name: vendor.Name}})
		got := call(p, "any", `[]`)
		want := vendor.Status
		if want == 0 {
			want = http.StatusOK
		}
		require.Equal(t, want, got.status, vendor.Name)
		require.Equal(t, strings.ReplaceAll(vendor.Body, `"$id"`, "7"), got.body, vendor.Name)
		broken := map[string]bool{"infura invalid host": true, "truncated json inside 200": true, "two answers inside 200": true}
		if strings.Contains(got.header.Get("Content-Type"), "json") {
			require.Equal(t, !broken[vendor.Name], json.Valid([]byte(got.body)), vendor.Name)
		}
		if strings.HasSuffix(vendor.Name, "inside 200") {
			require.Equal(t, http.StatusOK, got.status, vendor.Name)
		}
	}
	require.Len(t, simulator.VendorNames(), len(simulator.Vendors))
	_, ok := simulator.Vendor("nosuch")
	require.False(t, ok)
}
