package gateway

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// frame is the header of a frame of a WebSocket (RFC 6455, 5.2).
type frame struct {
	// raw are its bytes.
	raw    [14]byte
	size   int
	final  bool
	opcode byte
	masked bool
	mask   [4]byte
	length int64
}

// The opcodes that matter here; from opClose on they are control frames, which
// may come between the parts of a message.
const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
)

// The codes of a closing frame.
const (
	closeGoingAway = 1001
	closePolicy    = 1008
	closeTooBig    = 1009
	closeRestart   = 1012
)

var errFrame = errors.New("not a frame of a WebSocket")

// readFrame reads the header of the next frame.
func readFrame(r *bufio.Reader) (frame, error) {
	var f frame
	if _, err := io.ReadFull(r, f.raw[:2]); err != nil {
		return f, err
	}
	f.size = 2
	f.final, f.opcode, f.masked = f.raw[0]&0x80 != 0, f.raw[0]&0x0f, f.raw[1]&0x80 != 0
	more := 0
	switch f.raw[1] & 0x7f {
	case 126:
		more = 2
	case 127:
		more = 8
	default:
		f.length = int64(f.raw[1] & 0x7f)
	}
	if f.masked {
		more += 4
	}
	if _, err := io.ReadFull(r, f.raw[2:2+more]); err != nil {
		return f, err
	}
	f.size += more
	switch f.raw[1] & 0x7f {
	case 126:
		f.length = int64(binary.BigEndian.Uint16(f.raw[2:]))
	case 127:
		length := binary.BigEndian.Uint64(f.raw[2:])
		if length > 1<<62 {
			return f, errFrame
		}
		f.length = int64(length)
	}
	if f.masked {
		copy(f.mask[:], f.raw[f.size-4:f.size])
	}
	if f.raw[0]&0x70 != 0 {
		// No extension was agreed on.
		return f, errFrame
	}
	return f, nil
}

// unmask takes the mask off, or puts it on.
func (f *frame) unmask(b []byte) {
	if !f.masked {
		return
	}
	for i := range b {
		b[i] ^= f.mask[i&3]
	}
}

// closing is a closing frame as a server sends it.
func closing(code uint16, why string) []byte {
	why = why[:min(len(why), 120)]
	out := []byte{0x80 | opClose, byte(2 + len(why)), byte(code >> 8), byte(code)}
	return append(out, why...)
}

// textFrame is a message of text as a server sends it.
func textFrame(text []byte) []byte {
	out := []byte{0x80 | opText}
	switch n := len(text); {
	case n < 126:
		out = append(out, byte(n))
	case n <= 0xffff:
		out = binary.BigEndian.AppendUint16(append(out, 126), uint16(n))
	default:
		out = binary.BigEndian.AppendUint64(append(out, 127), uint64(n))
	}
	return append(out, text...)
}
