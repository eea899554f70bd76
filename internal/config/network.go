package config

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	hash64 = regexp.MustCompile(`^(0[xX])?[0-9a-fA-F]{64}$`)
	base58 = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}$`)
)

// anyNetwork is the word that switches the check of the identity off.
const anyNetwork = "any"

// normalNetwork brings the identity of a chain of a family into the form of
// Network.Value. It says what would be right when it has not that form.
func normalNetwork(kind Kind, s string) (normal, wrong, right string) {
	switch kind {
	case EVM, XRPL:
		if kind == EVM && hash64.MatchString(s) {
			return normalHash(s), "", ""
		}
		id, err := parseChainID(s)
		if err != nil {
			return "", "it is not the identity of a chain of this family", "a chain id in decimal or hexadecimal, such as 1 or 0x1"
		}
		return strconv.FormatUint(id, 10), "", ""
	case Bitcoin, Tron:
		if !hash64.MatchString(s) {
			return "", "it is not the identity of a chain of this family", "the hash of the genesis block, 64 hexadecimal digits"
		}
		return normalHash(s), "", ""
	case Solana:
		if !base58.MatchString(s) {
			return "", "it is not the identity of a chain of this family", "the genesis hash in base58"
		}
	}
	return s, "", ""
}

// parseChainID reads a chain id in decimal or, after 0x, in hexadecimal.
func parseChainID(s string) (uint64, error) {
	if rest, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		return strconv.ParseUint(rest, 16, 64)
	}
	return strconv.ParseUint(s, 10, 64)
}

// normalBlockHash brings the hash of a block of a family into the form of
// Checkpoint.Hash.
func normalBlockHash(kind Kind, s string) (normal, wrong, right string) {
	if kind == Solana {
		if !base58.MatchString(s) {
			return "", "it is not the hash of a block", "base58, 32 to 44 letters and digits"
		}
		return s, "", ""
	}
	if !hash64.MatchString(s) {
		return "", "it is not the hash of a block", "64 hexadecimal digits"
	}
	return normalHash(s), "", ""
}

func normalHash(s string) string {
	return strings.TrimPrefix(strings.ToLower(s), "0x")
}
