package api

import (
	"net/http"
	"strconv"
	"strings"
)

// form is how an answer is written.
type form uint8

const (
	formJSON form = iota
	formText
)

// negotiate is the form that a caller prefers: the one of the higher weight, of
// equal ones the one that is named more precisely, of these JSON. A caller who
// accepts neither gets JSON: the address in a form that was not asked for is
// worth more than none.
func negotiate(r *http.Request) form {
	header := r.Header["Accept"]
	if len(header) == 0 || len(header) == 1 && (header[0] == "*/*" || header[0] == "application/json") {
		return formJSON
	}
	var asJSON, asText preference
	for _, line := range header {
		for element := range strings.SplitSeq(line, ",") {
			kind, weight := mediaRange(element)
			asJSON.consider(kind, weight, "application/*", "application/json")
			asText.consider(kind, weight, "text/*", "text/plain")
		}
	}
	if asText.weight > asJSON.weight || asText.weight == asJSON.weight && asText.weight > 0 && asText.precision > asJSON.precision {
		return formText
	}
	return formJSON
}

// preference is how much a form is wanted, by the most precise range that covers
// it.
type preference struct {
	weight    float64
	precision int
}

// exactly is the precision of a range that names the form itself.
const exactly = 3

// consider takes a range into account if it covers the form.
func (p *preference) consider(kind string, weight float64, family, exact string) {
	precision := 0
	switch kind {
	case exact:
		precision = exactly
	case family:
		precision = 2
	case "*/*":
		precision = 1
	}
	if precision > 0 && precision >= p.precision {
		*p = preference{weight, precision}
	}
}

// mediaRange reads an element of Accept. One with a weight that is none weighs
// nothing.
func mediaRange(element string) (string, float64) {
	kind, parameters, _ := strings.Cut(element, ";")
	weight := 1.0
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			q = 0
		}
		weight = q
	}
	return strings.ToLower(strings.TrimSpace(kind)), weight
}
