package gateway

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
)

// unpack decompresses the beginning of a compressed answer, to look at it: at most
// so many bytes, whatever it would unpack to.
func (a *attempt) unpack(size int) {
	a.plain = a.head
	encoding := a.response.Header["Content-Encoding"]
	if len(encoding) == 0 || encoding[0] == "" || strings.EqualFold(encoding[0], "identity") {
		return
	}
	a.plain = nil
	if len(encoding) > 1 || !strings.EqualFold(encoding[0], "gzip") {
		// Nobody asked for that.
		return
	}
	reader, err := gzip.NewReader(bytes.NewReader(a.head))
	if err != nil {
		return
	}
	plain := make([]byte, size)
	n, err := io.ReadFull(reader, plain)
	a.plain = plain[:n]
	// What fills the space may go on, though all that is compressed has arrived.
	a.cut = err == nil
}
