package chain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxHeight is the largest height that is believed to be one. Every real chain
// is far below; beyond it float64, in which metrics live, loses whole numbers.
const maxHeight = 1 << 53

// Decimal is a number that a protocol writes as JSON number: digits only, no
// sign, fraction, exponent or leading zero.
type Decimal uint64

// UnmarshalJSON accepts nothing but plain digits up to maxHeight.
func (d *Decimal) UnmarshalJSON(raw []byte) error {
	n, err := parseDecimal(string(raw))
	*d = Decimal(n)
	return err
}

// Quoted is a number that a protocol writes as a JSON string of digits, as
// CometBFT and stellar-rpc do.
type Quoted uint64

// UnmarshalJSON accepts nothing but a string of plain digits up to maxHeight.
func (q *Quoted) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf("a number in quotes is expected: %w", err)
	}
	n, err := parseDecimal(text)
	*q = Quoted(n)
	return err
}

// Quantity is Ethereum's number: 0x and hexadecimal digits without leading
// zeros.
type Quantity uint64

// UnmarshalJSON accepts nothing but a quantity up to maxHeight.
func (q *Quantity) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf("a 0x quantity is expected: %w", err)
	}
	n, err := parseQuantity(text)
	*q = Quantity(n)
	return err
}

// Count is how many elements a JSON array has, whatever they are. It is for
// lists that are counted and not read.
type Count int

// UnmarshalJSON accepts nothing but an array, which encoding/json has found to
// be well-formed.
func (c *Count) UnmarshalJSON(raw []byte) error {
	*c = 0
	if raw[0] != '[' {
		return errors.New("a list is expected")
	}
	if len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 {
		return nil
	}
	*c = 1
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 1 {
				*c++
			}
		case '"':
			i = endOfText(raw, i)
		}
	}
	return nil
}

// endOfText is where a JSON string that begins at a place ends.
func endOfText(raw []byte, start int) int {
	for i := start + 1; i < len(raw); i++ {
		i += max(0, bytes.IndexByte(raw[i:], '"'))
		escapes := 0
		for raw[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
	return len(raw)
}

// parseDecimal reads plain digits.
func parseDecimal(text string) (uint64, error) {
	if text == "" || (len(text) > 1 && text[0] == '0') || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%.40q is not a plain number", text)
	}
	return bounded(strconv.ParseUint(text, 10, 64))
}

// parseQuantity reads 0x and hexadecimal digits.
func parseQuantity(text string) (uint64, error) {
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok || digits == "" || (len(digits) > 1 && digits[0] == '0') || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return 0, fmt.Errorf("%.40q is not a quantity", text)
	}
	return bounded(strconv.ParseUint(digits, 16, 64))
}

// errTooHigh does not repeat the number, which may be as long as an answer.
var errTooHigh = errors.New("the number is more than any height can be")

// bounded refuses numbers that no chain can have.
func bounded(n uint64, err error) (uint64, error) {
	if err != nil || n > maxHeight {
		return 0, errTooHigh
	}
	return n, nil
}

// unixTime is a block's time stamp in seconds; zero seconds are no time.
func unixTime(seconds uint64) time.Time {
	if seconds == 0 || seconds > math.MaxInt32*8 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}

// hexHash brings a hexadecimal hash to its normal form, lower case without 0x,
// and says whether it is one of the given number of bytes.
func hexHash(text string, size int) (string, bool) {
	h := strings.ToLower(text)
	h = strings.TrimPrefix(h, "0x")
	if len(h) != 2*size || strings.Trim(h, "0123456789abcdef") != "" {
		return "", false
	}
	return h, true
}
