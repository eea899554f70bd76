package journal

import (
	"bufio"
	"errors"
	"io"
)

// maxLine is how long a line may be, in bytes with its newline.
const maxLine = 1 << 20

// scanner reads the lines of one file. A line that is damaged, or longer than
// any line of a journal, costs that line only.
type scanner struct {
	name   string
	r      *bufio.Reader
	line   int
	offset int64
	// unfinished says that the last line has no newline.
	unfinished bool
	// last are the lines seen lately, by sequence number, to know one that was
	// written twice: after a failed fsync it is written again into a new file.
	last *memory
}

// memory are the lines seen lately, by the end of their sequence numbers. As
// many can wait for the disk at most.
type memory [maxWaiting]struct {
	seq uint64
	sum uint32
}

// newScanner reads from r. A nil last begins a new one.
func newScanner(name string, r io.Reader, last *memory) *scanner {
	if last == nil {
		last = new(memory)
	}
	return &scanner{name: name, r: bufio.NewReaderSize(r, 64<<10), last: last}
}

// next gives a record or a problem, io.EOF behind the last one, or the error of
// the reader. An unfinished line without damage is a record: only its newline is
// missing.
func (s *scanner) next() (record, *Problem, error) {
	for {
		begin := s.offset
		line, length, err := s.read()
		s.line++
		s.offset += length
		if err != nil && (!errors.Is(err, io.EOF) || length == 0) {
			return record{}, nil, err
		}
		torn := err != nil
		s.unfinished = torn
		r, cause := record{}, errTooLong
		if int64(len(line)) == length {
			if !torn {
				line = line[:length-1]
			}
			r, cause = decode(line)
		}
		if cause != nil {
			return record{}, &Problem{File: s.name, Line: s.line, Offset: begin, Bytes: length, Torn: torn, Cause: cause}, nil
		}
		if s.again(r) {
			continue
		}
		return r, nil, nil
	}
}

// again reports whether the very same line was seen already.
func (s *scanner) again(r record) bool {
	before := &s.last[r.Seq%uint64(len(s.last))]
	if before.seq == r.Seq && before.sum == r.sum && r.Seq != 0 {
		return true
	}
	before.seq, before.sum = r.Seq, r.sum
	return false
}

// read gives the next line with its newline, or as much of it as may be kept,
// and its whole length. The error is io.EOF if there is no newline.
func (s *scanner) read() ([]byte, int64, error) {
	piece, err := s.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return piece, int64(len(piece)), err
	}
	line, length := append([]byte(nil), piece...), int64(len(piece))
	for errors.Is(err, bufio.ErrBufferFull) {
		piece, err = s.r.ReadSlice('\n')
		length += int64(len(piece))
		if length <= maxLine {
			line = append(line, piece...)
		}
	}
	return line, length, err
}
