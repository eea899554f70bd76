package chain

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

const (
	// maxBody bounds an answer, both as it arrives and decompressed.
	maxBody = 1 << 20
	// maxBlockBody is the bound for whole blocks, whose transaction ids alone
	// are near a megabyte on a busy chain.
	maxBlockBody = 8 << 20
)

// unzippers are kept since each has a window of 32 KiB. Memory is all that they
// share: Reset forgets the stream before.
var unzippers = sync.Pool{New: func() any { return new(gzip.Reader) }}

// readBody reads at most limit bytes as they arrive and at most limit bytes
// decompressed. More, or an encoding that was not asked for, is a bad response.
func readBody(res *http.Response, limit int64) ([]byte, error) {
	arriving := &io.LimitedReader{R: res.Body, N: limit + 1}
	switch strings.ToLower(res.Header.Get("Content-Encoding")) {
	case "", "identity":
		body, err := readWithin(arriving, limit, res.ContentLength)
		if err == nil && int64(len(body)) > limit {
			err = tooLong(limit)
		}
		return body, err
	case "gzip", "x-gzip":
		return unzip(arriving, limit)
	default:
		return nil, &Failure{Reason: BadResponse, Text: "the answer has an encoding that was not asked for"}
	}
}

// unzip reads a compressed body. A stream of empty blocks never yields a byte:
// that is what the bound on arriving is for.
func unzip(arriving *io.LimitedReader, limit int64) ([]byte, error) {
	z, _ := unzippers.Get().(*gzip.Reader)
	defer unzippers.Put(z)
	var body []byte
	err := z.Reset(arriving)
	if err == nil {
		body, err = readWithin(z, limit, -1)
	}
	switch {
	case arriving.N <= 0, int64(len(body)) > limit:
		return nil, tooLong(limit)
	case errors.Is(err, io.EOF):
		// A header that said gzip, and then nothing.
		return nil, nil
	case err != nil:
		return body, brokenGzip(err, arriving.R)
	}
	return body, nil
}

// readWithin reads to the end, or to one byte more than limit. size is how long
// the body is said to be, or -1.
func readWithin(r io.Reader, limit, size int64) ([]byte, error) {
	if size < 0 || size > limit {
		size = bytes.MinRead
	}
	// MinRead of room at the end lets ReadFrom find the end without growing.
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := b.ReadFrom(io.LimitReader(r, limit+1))
	return b.Bytes(), err
}

func tooLong(limit int64) error {
	return &Failure{Reason: BadResponse, Text: fmt.Sprintf("the answer is longer than %d bytes", limit)}
}

// brokenGzip tells damage in the compression, which is a bad response, from
// damage on the way, which the caller classifies: if the body as it arrived is
// at its end, all of it has arrived.
func brokenGzip(err error, arrived io.Reader) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		if _, end := arrived.Read(make([]byte, 1)); !errors.Is(end, io.EOF) {
			return err
		}
	}
	damaged := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) ||
		errors.Is(err, gzip.ErrChecksum) || strings.HasPrefix(err.Error(), "flate: ")
	if !damaged {
		return err
	}
	return &Failure{Reason: BadResponse, Text: "the compressed answer is broken: " + err.Error()}
}
