package chain

import (
	"math/big"
	"strings"
)

// base58Alphabet is Bitcoin's, which Solana uses without a checksum.
const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// isBase58Hash says whether a text is 32 bytes in base58, written the only way
// there is: each leading zero byte is one "1".
func isBase58Hash(text string) bool {
	// 32 bytes are at least 32 digits (all zero) and at most 44.
	if len(text) < 32 || len(text) > 44 {
		return false
	}
	n, radix := new(big.Int), big.NewInt(int64(len(base58Alphabet)))
	for i := range len(text) {
		digit := strings.IndexByte(base58Alphabet, text[i])
		if digit < 0 {
			return false
		}
		n.Add(n.Mul(n, radix), big.NewInt(int64(digit)))
	}
	zeros := len(text) - len(strings.TrimLeft(text, base58Alphabet[:1]))
	return zeros+(n.BitLen()+7)/8 == 32
}
