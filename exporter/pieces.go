package exporter

import (
	"bytes"
	"errors"
	"io"

	"github.com/prometheus/common/expfmt"
)

// piecesAhead is how many pieces are encoded ahead of the one that is written:
// enough to keep a few processors at it, and about two megabytes.
const piecesAhead = 4

// encodedPiece is a piece on its way to the page.
type encodedPiece struct {
	piece
	text bytes.Buffer
	// done receives how the encoding ended.
	done chan error
}

// errUnwanted ends the making of a page that nobody reads any more.
var errUnwanted = errors.New("the page is not wanted any more")

// encodePieces writes the families of a view. Pieces are encoded at the same
// time, and written in their order.
func encodePieces(w io.Writer, format expfmt.Format, v *view) error {
	free, queue := make(chan *encodedPiece, piecesAhead+1), make(chan *encodedPiece, piecesAhead)
	for range piecesAhead + 1 {
		free <- &encodedPiece{done: make(chan error, 1)}
	}
	unwanted, made := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(queue)
		made <- encodeAhead(v, format, free, queue, unwanted)
	}()
	var failed error
	for p := range queue {
		err := <-p.done
		if err == nil && failed == nil {
			_, err = w.Write(p.text.Bytes())
		}
		if err != nil && failed == nil {
			failed = err
			close(unwanted)
		}
		free <- p
	}
	if err := <-made; failed == nil {
		failed = err
	}
	return failed
}

// encodeAhead fills pieces from free, lets each be encoded, and queues them in
// their order.
func encodeAhead(v *view, format expfmt.Format, free <-chan *encodedPiece, queue chan<- *encodedPiece, unwanted <-chan struct{}) error {
	current := <-free
	return expose(v, &current.piece, func(*piece) (*piece, error) {
		go func(p *encodedPiece) { p.done <- p.encode(format) }(current)
		queue <- current
		select {
		case <-unwanted:
			return nil, errUnwanted
		case current = <-free:
			return &current.piece, nil
		}
	})
}

// encode writes the piece as text.
func (p *encodedPiece) encode(format expfmt.Format) error {
	p.text.Reset()
	var w io.Writer = &p.text
	if p.continued {
		w = &withoutComments{w: w}
	}
	return expfmt.NewEncoder(w, format).Encode(&p.family)
}
