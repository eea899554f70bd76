package chain

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// simulatedWaits are the vendors' answers that say when to come back.
var simulatedWaits = map[string]time.Duration{
	"infura daily count": 24 * time.Second, "infura daily count inside 200": 24 * time.Second,
	"trongrid suspended": 27 * time.Second, "trongrid suspended as 403": 27 * time.Second,
	"trongrid suspended as 503": 27 * time.Second, "trongrid suspended inside 200": 27 * time.Second,
	"trongrid suspended without a key": 19 * time.Second, "keeper rate limit": 5 * time.Second,
	"nginx too many requests for 20 seconds": 20 * time.Second, "nginx too many requests until a date": 20 * time.Second,
}

// simulatedReasons say what each answer of the simulator's vendors means.
var simulatedReasons = map[Reason][]string{
	RateLimited: {
		"quicknode request limit", "quicknode request limit inside 200", "quicknode credits",
		"alchemy compute units", "alchemy compute units inside 200", "infura daily count", "infura daily count inside 200",
		"drpc free tier timeout", "chainstack rate", "helius rate", "bsc dataseed limit", "solana public rate", "keeper rate limit",
		"trongrid suspended", "trongrid suspended as 403", "trongrid suspended as 503", "trongrid suspended inside 200",
		"trongrid suspended without a key", "blockchair rate", "blockchair soft limit", "blockchair limit 436", "blockchair limit 437",
		"rippled slow down", "rippled slow down as 429", "rippled overloaded", "horizon rate", "cloudflare rate",
		"nginx too many requests", "nginx too many requests for 20 seconds", "nginx too many requests until a date",
	},
	QuotaExhausted: {
		"alchemy monthly capacity", "alchemy monthly capacity as 403", "alchemy monthly capacity as -32000",
		"helius usage", "helius usage inside 200", "blockchair daily limit", "payment required",
	},
	IPBlocked: {"blockchair blacklisted", "blockchair blocked", "blockchair blocked as 503"},
	Unauthorized: {
		"quicknode unauthorized", "quicknode endpoint disabled", "alchemy not authenticated", "alchemy network not enabled",
		"infura invalid project", "ankr unauthorized", "ankr unauthorized inside 200", "drpc invalid token", "helius invalid key",
		"trongrid invalid key", "solana public forbidden", "bitcoind unauthorized", "btcd unauthorized", "rippled forbidden", "nginx forbidden",
	},
	Busy:     {"bitcoind work queue", "bitcoind work queue as 503", "btcd busy", "rippled too busy", "rippled too busy as 503"},
	Starting: {"bitcoind loading", "bitcoind rewinding", "bitcoind verifying", "stellar-rpc starting"},
	Syncing:  {"rippled not synced"},
	Behind: {
		"rippled amendment blocked", "solana behind", "solana unhealthy", "solana context slot", "stellar-rpc stale", "horizon stale",
	},
	Missing: {
		"drpc data missing", "bitcoind height out of range", "bitcoind block not found", "bitcoind pruned", "btcd height out of range",
		"esplora block not found", "geth header not found", "geth missing trie node", "geth pruned history",
		"cometbft height too high", "cometbft pruned", "cosmos height too high", "cosmos pruned", "rippled ledger not found",
		"solana cleaned up", "solana not available", "solana no status yet", "solana storage unreachable",
		"stellar-rpc out of window", "stellar-rpc events out of window", "horizon before history", "horizon not found", "rpc null result",
	},
	MethodUnsupported: {
		"bitcoind method not found", "btcd unimplemented", "geth method not found", "anvil method not found",
		"hardhat method not supported", "cosmos not implemented", "stellar-rpc method not found", "nginx not allowed",
	},
	RPCError: {
		"drpc free tier range", "geth reverted", "geth nonce too low", "geth already known", "geth insufficient funds",
		"geth batch too large", "solana skipped", "solana skipped in long-term storage", "rpc internal error inside 200",
		"rpc server error inside 200",
	},
	HTTP5xx: {
		"blockchair server error", "cosmos unavailable", "horizon internal error", "horizon unhealthy", "nginx bad gateway",
		"nginx unavailable", "nginx gateway timeout", "cloudflare connection timed out", "rpc internal error",
	},
	HTTP4xx:  {"quicknode body too large", "nginx not found"},
	Timeout:  {"horizon timeout"},
	Redirect: {"redirect to another host"},
	BadResponse: {
		"infura invalid host", "cloudflare inside 200", "empty inside 200", "no content", "null inside 200", "empty object inside 200",
		"empty array inside 200", "text inside 200", "rpc no result", "rpc null error", "rpc text for an error", "rpc another id",
		"truncated json inside 200", "two answers inside 200",
	},
}

// vendorType is a type of provider that a vendor's answer may come from.
func vendorType(a simulator.Answer) config.Type {
	for _, typ := range []config.Type{config.EsploraREST, config.BlockchairREST, config.CosmosREST, config.HorizonREST} {
		software, _, _ := strings.Cut(string(typ), "-")
		if strings.HasPrefix(a.Name, software+" ") {
			return typ
		}
	}
	switch a.Kind {
	case config.Stellar:
		return config.SorobanRPC
	case "":
		return config.EVMRPC
	}
	return typesOf([]config.Kind{a.Kind})[0]
}

func TestSimulatedVendors(t *testing.T) {
	t.Parallel()
	reasons := map[string]Reason{}
	for reason, names := range simulatedReasons {
		for _, name := range names {
			require.Empty(t, reasons[name], name)
			reasons[name] = reason
		}
	}
	for _, a := range simulator.Vendors {
		inTheYear2026(t, a.Name, func(t *testing.T) {
			typ := vendorType(a)
			kind := typ.Kind()
			if kind == "" {
				kind = config.Bitcoin
			}
			c := simulator.NewChain(simulator.ChainOptions{Name: "simulated", Kind: kind})
			_, err := simulated(t, c, typ, simulator.Behaviour{Respond: &simulator.Answer{Name: a.Name}}).Observe(t.Context(), Ask{})
			f := requireFailure(t, err, Reasons...)
			require.Equal(t, reasons[a.Name], f.Reason, "%v", f)
			require.Equal(t, simulatedWaits[a.Name], f.Wait, "%v", f)
		})
	}
	for name := range reasons {
		_, known := simulator.Vendor(name)
		require.True(t, known, "the simulator has no answer %q", name)
	}
}
