package config

import (
	"slices"
	"strings"
	"time"
)

// known is what is well known about a chain by its name.
type known struct {
	// names are the spellings of the name, in lower case; upper case is the
	// same chain.
	names []string
	kind  Kind
	// network is the main network's identity, normalised.
	network    string
	checkpoint *Checkpoint
	blockTime  time.Duration
	// blockchair is the chain's name in Blockchair's paths; "" where
	// Blockchair does not serve it.
	blockchair string
}

const (
	bitcoinGenesis   = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"
	pubnetPassphrase = "Public Global Stellar Network ; September 2015"
)

// chains are the well-known chains. The block times of those that Bifrost
// observes are its own (ApproximateBlockMilliseconds in THORNode's
// common/chain.go); genesis hashes stand in the chains' parameters
// (chainparams.cpp of Bitcoin, Litecoin and Dogecoin), EVM chain ids in
// EIP-155's registry, Blockchair's names in its API documentation.
var chains = []known{
	{names: []string{"btc"}, kind: Bitcoin, network: bitcoinGenesis,
		blockTime: 10 * time.Minute, blockchair: "bitcoin"},
	{names: []string{"ltc"}, kind: Bitcoin, network: "12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2",
		blockTime: 150 * time.Second, blockchair: "litecoin"},
	// Bitcoin Cash has Bitcoin's genesis; this is its first block of its own
	// (the UAHF checkpoint in BCHN's and Bitcoin ABC's chainparams.cpp).
	{names: []string{"bch"}, kind: Bitcoin, network: bitcoinGenesis,
		checkpoint: &Checkpoint{Height: 478559, Hash: "000000000000000000651ef99cb9fcbe0dadde1d424bd9f15ff20136191a5eec"},
		blockTime:  10 * time.Minute, blockchair: "bitcoin-cash"},
	{names: []string{"doge"}, kind: Bitcoin, network: "1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691",
		blockTime: time.Minute, blockchair: "dogecoin"},
	{names: []string{"eth"}, kind: EVM, network: "1", blockTime: 12 * time.Second, blockchair: "ethereum"},
	{names: []string{"bsc"}, kind: EVM, network: "56", blockTime: 750 * time.Millisecond},
	{names: []string{"avax"}, kind: EVM, network: "43114", blockTime: 3 * time.Second},
	{names: []string{"base"}, kind: EVM, network: "8453", blockTime: 2 * time.Second},
	{names: []string{"pol", "polygon"}, kind: EVM, network: "137", blockTime: 2 * time.Second},
	{names: []string{"arb"}, kind: EVM, network: "42161", blockTime: 250 * time.Millisecond},
	{names: []string{"op"}, kind: EVM, network: "10", blockTime: 2 * time.Second},
	{names: []string{"gaia", "cosmos"}, kind: Cosmos, network: "cosmoshub-4", blockTime: 6 * time.Second},
	{names: []string{"noble"}, kind: Cosmos, network: "noble-1", blockTime: 1500 * time.Millisecond},
	{names: []string{"thor"}, kind: Cosmos, network: "thorchain-1", blockTime: 6 * time.Second},
	{names: []string{"xrp"}, kind: XRPL, network: "0", blockTime: 4 * time.Second, blockchair: "ripple"},
	{names: []string{"tron"}, kind: Tron, network: "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc",
		blockTime: 3 * time.Second},
	{names: []string{"sol", "solana"}, kind: Solana, network: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
		blockTime: 400 * time.Millisecond},
	{names: []string{"stellar", "xlm"}, kind: Stellar, network: pubnetPassphrase, blockTime: 5 * time.Second, blockchair: "stellar"},
	{names: []string{"soroban"}, kind: Stellar, network: pubnetPassphrase, blockTime: 5 * time.Second},
}

// familyBlockTimes are the block times of the best known chain of each family,
// for chains that are not well known.
var familyBlockTimes = map[Kind]time.Duration{
	Bitcoin: 10 * time.Minute, EVM: 12 * time.Second, Cosmos: 6 * time.Second, XRPL: 4 * time.Second,
	Tron: 3 * time.Second, Solana: 400 * time.Millisecond, Stellar: 5 * time.Second,
}

// wellKnown finds a chain by its name.
func wellKnown(name string) (known, bool) {
	name = strings.ToLower(name)
	i := slices.IndexFunc(chains, func(k known) bool { return slices.Contains(k.names, name) })
	if i < 0 {
		return known{}, false
	}
	return chains[i], true
}

// BlockchairPath is a chain's name in the paths of Blockchair's API, such as
// "bitcoin" for btc. It is false for a chain that Blockchair does not serve.
func BlockchairPath(chain string) (string, bool) {
	k, _ := wellKnown(chain)
	return k.blockchair, k.blockchair != ""
}

// blockchairKind is the family of a chain by its name in Blockchair's paths.
func blockchairKind(path string) (Kind, bool) {
	first, _, _ := strings.Cut(strings.Trim(path, "/"), "/")
	for _, k := range chains {
		if k.blockchair != "" && k.blockchair == first {
			return k.kind, true
		}
	}
	return "", false
}
