package prober

import (
	"crypto/sha256"
	"encoding/binary"
)

// Key names one provider of one chain: the labels chain and provider.
type Key struct {
	Chain, Provider string
}

// String is CHAIN/PROVIDER, as the commands take it.
func (k Key) String() string { return k.Chain + "/" + k.Provider }

// share is the key's place between 0 (inclusive) and 1 (exclusive). It depends
// on nothing but the names, so that it is the same after a restart and on every
// machine, and a cryptographic hash spreads even names that differ in one digit.
func (k Key) share() float64 {
	sum := sha256.Sum256([]byte(k.String()))
	return float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
}
