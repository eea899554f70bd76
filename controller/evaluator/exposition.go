package evaluator

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// maxFamily bounds one family in the binary format, in bytes.
const maxFamily = 64 << 20

// decode reads an exposition, of which all or nothing counts.
func decode(body io.Reader, header http.Header, maxSeries int) ([]*dto.MetricFamily, error) {
	var (
		families []*dto.MetricFamily
		err      error
	)
	switch format := formatOf(header); format.FormatType() {
	case expfmt.TypeProtoDelim:
		families, err = decodeBinary(bufio.NewReaderSize(body, 64<<10), format, maxSeries)
	case expfmt.TypeTextPlain:
		families, err = decodeText(&lineCounter{reader: body, limit: maxSeries, fresh: true}, format)
	default:
		mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
		return nil, &scrapeError{reasonMalformed, fmt.Errorf("it answers with %.50q, which is no exposition of metrics", mediaType)}
	}
	if err == nil {
		return families, nil
	}
	if _, ok := errors.AsType[*scrapeError](err); ok {
		return nil, err
	}
	return nil, &scrapeError{reasonMalformed, err}
}

// formatOf is the format of an answer. Without a type it is taken for text, as
// in Prometheus before 3.
func formatOf(header http.Header) expfmt.Format {
	if header.Get("Content-Type") == "" {
		return expfmt.NewFormat(expfmt.TypeTextPlain)
	}
	return expfmt.ResponseFormat(header)
}

func decodeText(body io.Reader, format expfmt.Format) ([]*dto.MetricFamily, error) {
	var families []*dto.MetricFamily
	d := expfmt.NewDecoder(body, format)
	for {
		f := &dto.MetricFamily{}
		switch err := d.Decode(f); {
		case errors.Is(err, io.EOF):
			return families, nil
		case err != nil:
			return nil, err
		}
		families = append(families, f)
	}
}

// decodeBinary takes the answer apart by itself, since the decoder would believe
// whatever length a family claims to have.
func decodeBinary(body *bufio.Reader, format expfmt.Format, maxSeries int) ([]*dto.MetricFamily, error) {
	var (
		families []*dto.MetricFamily
		frame    bytes.Buffer
		series   int
	)
	for {
		size, err := binary.ReadUvarint(body)
		switch {
		case errors.Is(err, io.EOF):
			return families, nil
		case err != nil:
			return nil, err
		case size > maxFamily:
			return nil, &scrapeError{reasonTooLarge, fmt.Errorf("a family of metrics has %d bytes", size)}
		}
		frame.Reset()
		frame.Write(binary.AppendUvarint(frame.AvailableBuffer(), size))
		if _, err := io.CopyN(&frame, body, int64(size)); err != nil {
			return nil, fmt.Errorf("the answer breaks off: %w", noEOF(err))
		}
		f := &dto.MetricFamily{}
		if err := expfmt.NewDecoder(&frame, format).Decode(f); err != nil {
			return nil, err
		}
		if series += samplesOf(f); series > maxSeries {
			return nil, tooManySeries(maxSeries)
		}
		families = append(families, f)
	}
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func tooManySeries(limit int) error {
	return &scrapeError{reasonTooManySeries, fmt.Errorf("it answers with more than %d series", limit)}
}

// lineCounter bounds the samples of a text before they are parsed: the parser
// reads all of them before it gives any.
type lineCounter struct {
	reader io.Reader
	limit  int
	lines  int
	fresh  bool // At the beginning of a line.
}

// Read reads until there were too many lines that are no comments.
func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		if c.fresh && rest[0] != '#' && rest[0] != '\n' {
			c.lines++
		}
		end := bytes.IndexByte(rest, '\n')
		c.fresh = end >= 0
		if !c.fresh {
			break
		}
		rest = rest[end+1:]
	}
	if c.lines > c.limit {
		return 0, tooManySeries(c.limit)
	}
	return n, err
}
