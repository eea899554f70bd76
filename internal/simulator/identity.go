package simulator

import (
	"crypto/sha256"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Identity is what tells one network of a family from another.
type Identity struct {
	// Network is the value a provider proves itself by, in the normal form of
	// [config.Network]: an EVM chain id and an XRP Ledger network id in
	// decimal, the genesis hash of Bitcoin and Tron in hexadecimal and of
	// Solana in base58, the chain id of Cosmos, the passphrase of Stellar.
	// Empty is the family's best known network.
	Network string `json:"network,omitempty"`
	// Genesis is the hash of block 0 in hexadecimal. Empty is the Network
	// where that is the hash, and otherwise a hash made from it.
	Genesis string `json:"genesis,omitempty"`
}

// Genesis hashes of public networks, which are also their identities.
const (
	bitcoinGenesis        = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"
	bitcoinRegtestGenesis = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
	bitcoinTestGenesis    = "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943"
	ethereumGenesis       = "d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3"
	tronGenesis           = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc"
	solanaGenesis         = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
)

// bestKnown is the network of each family that an empty Identity means.
var bestKnown = map[config.Kind]string{
	config.Bitcoin: bitcoinGenesis,
	config.EVM:     "1",
	config.Cosmos:  "cosmoshub-4",
	config.XRPL:    "0",
	config.Tron:    tronGenesis,
	config.Solana:  solanaGenesis,
	config.Stellar: "Public Global Stellar Network ; September 2015",
}

// complete fills what is empty: the network from the family, the genesis hash
// from the network.
func (i Identity) complete(kind config.Kind) Identity {
	if i.Network == "" {
		i.Network = bestKnown[kind]
	}
	switch {
	case i.Genesis != "":
	case kind == config.EVM && i.Network == "1":
		i.Genesis = ethereumGenesis
	case kind == config.Solana:
		if b, ok := parseBase58(i.Network, len(Hash{})); ok {
			i.Genesis = Hash(b).Hex()
		}
	case kind == config.Bitcoin || kind == config.Tron:
		i.Genesis = i.Network
	}
	return i
}

// genesis is the hash of block 0 of a completed identity.
func (i Identity) genesis() Hash {
	if h, ok := parseHash(i.Genesis); ok {
		return h
	}
	return sha256.Sum256([]byte("genesis/" + i.Network))
}

// over is i with whatever the other one names in its place.
func (i Identity) over(other Identity, kind config.Kind) Identity {
	if other == (Identity{}) {
		return i
	}
	if other.Network == "" {
		other.Network = i.Network
	}
	return other.complete(kind)
}
