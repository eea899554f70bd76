package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
)

// castagnoli is the polynomial with support in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A sealed object begins with its checksum, over everything behind it:
//
//	{"crc":"1c291ca3","seq":12,"entry":{…}}
const (
	sealOpen  = `{"crc":"`
	sealClose = `",`
	sealHex   = 8
	sealBytes = len(sealOpen) + sealHex + len(sealClose)
)

var (
	errNoSeal   = errors.New("it does not begin with a checksum")
	errChecksum = errors.New("its checksum does not match")
	errTooLong  = errors.New("it is too long")
)

// seal puts the checksum into a JSON object of at least one member, and a
// newline behind it.
func seal(object []byte) []byte {
	rest := object[1:]
	line := make([]byte, 0, sealBytes+len(rest)+1)
	line = fmt.Appendf(line, "%s%08x%s", sealOpen, crc32.Checksum(rest, castagnoli), sealClose)
	line = append(line, rest...)
	return append(line, '\n')
}

// unseal checks a sealed object without its newline and gives the checksum.
func unseal(line []byte) (uint32, error) {
	if len(line) < sealBytes || string(line[:len(sealOpen)]) != sealOpen ||
		string(line[sealBytes-len(sealClose):sealBytes]) != sealClose {
		return 0, errNoSeal
	}
	want, err := strconv.ParseUint(string(line[len(sealOpen):len(sealOpen)+sealHex]), 16, 32)
	if err != nil {
		return 0, errNoSeal
	}
	sum := crc32.Checksum(line[sealBytes:], castagnoli)
	if uint64(sum) != want {
		return 0, errChecksum
	}
	return sum, nil
}

// record is a line of the journal. Its sequence number is given by the journal
// and grows by one with each line.
type record struct {
	Seq   uint64 `json:"seq"`
	Entry Entry  `json:"entry"`
	// sum is the line's checksum.
	sum uint32
}

// encode is the line of an entry that is already JSON.
func encode(seq uint64, entry []byte) []byte {
	object := make([]byte, 0, len(entry)+40)
	object = append(object, `{"seq":`...)
	object = strconv.AppendUint(object, seq, 10)
	object = append(object, `,"entry":`...)
	object = append(object, entry...)
	return seal(append(object, '}'))
}

// decode reads a line without its newline.
func decode(line []byte) (record, error) {
	sum, err := unseal(line)
	if err != nil {
		return record{}, err
	}
	r := record{sum: sum}
	if err := json.Unmarshal(line, &r); err != nil {
		return record{}, fmt.Errorf("it is not an entry: %w", err)
	}
	return r, nil
}
