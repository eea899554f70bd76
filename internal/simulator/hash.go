package simulator

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"strings"
)

// Hash names a block or a transaction. Its last eight bytes hide a number (a
// block's height; a transaction's block and place in it), so that what a hash
// belongs to is found without a table of everything there ever was.
type Hash [32]byte

// Hex is lower-case hexadecimal without 0x.
func (h Hash) Hex() string { return hex.EncodeToString(h[:]) }

// String is Hex.
func (h Hash) String() string { return h.Hex() }

// Upper is hexadecimal in upper case, as CometBFT and the XRP Ledger write it.
func (h Hash) Upper() string { return strings.ToUpper(h.Hex()) }

// Prefixed is 0x and lower-case hexadecimal, as EVM chains write it.
func (h Hash) Prefixed() string { return "0x" + h.Hex() }

// Base64 is what the Cosmos REST gateway writes.
func (h Hash) Base64() string { return base64Of(h[:]) }

// Base58 is what Solana writes.
func (h Hash) Base58() string { return base58(h[:]) }

// hide puts n where hidden finds it. The mask comes from bytes that hide leaves
// alone.
func (h *Hash) hide(n uint64) {
	binary.BigEndian.PutUint64(h[24:], n^binary.BigEndian.Uint64(h[8:]))
}

// hidden is the number that hide put in. Of a hash that was made otherwise it
// is any number: the caller has to make the hash again and compare.
func (h *Hash) hidden() uint64 {
	return binary.BigEndian.Uint64(h[24:]) ^ binary.BigEndian.Uint64(h[8:])
}

// parseHash reads hexadecimal of either case, with or without 0x.
func parseHash(text string) (h Hash, ok bool) {
	text = strings.TrimPrefix(text, "0x")
	if len(text) != 2*len(h) {
		return h, false
	}
	_, err := hex.Decode(h[:], []byte(text))
	return h, err == nil
}

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// base58 is Bitcoin's alphabet without a checksum, which is what Solana uses.
func base58(b []byte) string {
	var digits []byte
	n, radix, digit := new(big.Int).SetBytes(b), big.NewInt(58), new(big.Int)
	for n.Sign() > 0 {
		n.DivMod(n, radix, digit)
		digits = append(digits, base58Alphabet[digit.Int64()])
	}
	for _, c := range b {
		if c != 0 {
			break
		}
		digits = append(digits, base58Alphabet[0])
	}
	for i, j := 0, len(digits)-1; i < j; i, j = i+1, j-1 {
		digits[i], digits[j] = digits[j], digits[i]
	}
	return string(digits)
}

// parseBase58 reads so many bytes in base58.
func parseBase58(text string, size int) (b []byte, ok bool) {
	if text == "" || len(text) > 2*size {
		return nil, false
	}
	n, radix := new(big.Int), big.NewInt(58)
	for i := range len(text) {
		digit := strings.IndexByte(base58Alphabet, text[i])
		if digit < 0 {
			return nil, false
		}
		n.Add(n.Mul(n, radix), big.NewInt(int64(digit)))
	}
	if n.BitLen() > 8*size {
		return nil, false
	}
	return n.FillBytes(make([]byte, size)), true
}

// base64Of is bytes in base64.
func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
