package simulator

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// distort rewrites the fields of a JSON document as the behaviour says. name is
// what the document itself goes by, and heights are the fields that hold a
// height. What needs no change comes back as it is.
func (v *view) distort(doc []byte, name string, heights map[string]bool) []byte {
	if v.Heights == NumberGood && len(v.Drop) == 0 && len(v.Set) == 0 {
		return doc
	}
	d := distorter{Behaviour: v.Behaviour, heights: heights}
	d.write(name, doc)
	return d.out.Bytes()
}

// distorter copies a document field by field.
type distorter struct {
	*Behaviour
	heights map[string]bool
	out     bytes.Buffer
}

func (d *distorter) write(name string, value json.RawMessage) {
	if text, ok := d.Set[name]; ok {
		d.out.WriteString(text)
		return
	}
	if d.heights[name] {
		d.out.WriteString(d.Heights.write(string(value)))
		return
	}
	switch {
	case len(value) > 0 && value[0] == '{':
		d.object(value)
	case len(value) > 0 && value[0] == '[':
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			break
		}
		d.out.WriteByte('[')
		for i, item := range items {
			if i > 0 {
				d.out.WriteByte(',')
			}
			d.write("", item)
		}
		d.out.WriteByte(']')
	default:
		d.out.Write(value)
	}
}

// object keeps the order of the fields.
func (d *distorter) object(value json.RawMessage) {
	dec := json.NewDecoder(bytes.NewReader(value))
	_, _ = dec.Token()
	d.out.WriteByte('{')
	for first := true; dec.More(); {
		key, _ := dec.Token()
		var field json.RawMessage
		name, ok := key.(string)
		if !ok || dec.Decode(&field) != nil {
			break
		}
		if slices.Contains(d.Drop, name) {
			continue
		}
		if !first {
			d.out.WriteByte(',')
		}
		first = false
		quoted, _ := json.Marshal(name)
		d.out.Write(quoted)
		d.out.WriteByte(':')
		d.write(name, field)
	}
	d.out.WriteByte('}')
}

// write is the number in the wrong form. It is given in the right one: decimal
// or 0x and hexadecimal, in quotes or not.
func (n Number) write(good string) string {
	digits := strings.Trim(good, `"`)
	quote := good[:(len(good)-len(digits))/2]
	hex := strings.HasPrefix(digits, "0x")
	prefix := ""
	if hex {
		prefix, digits = "0x", digits[2:]
	}
	switch n {
	case NumberOtherType:
		switch {
		case hex:
			return decimalOfHex(digits)
		case quote != "":
			return digits
		}
		return `"` + digits + `"`
	case NumberFraction:
		return quote + prefix + digits + ".5" + quote
	case NumberNegative:
		return quote + "-" + prefix + digits + quote
	case NumberLeadingZero:
		return quote + prefix + "0" + digits + quote
	case NumberLetters:
		return `"` + prefix + `zz10"`
	case NumberNull:
		return "null"
	case Number63:
		return quote + power(hex, "0x8000000000000000", "9223372036854775808") + quote
	case Number64:
		return quote + power(hex, "0x10000000000000000", "18446744073709551616") + quote
	}
	return good
}

// decimalOfHex is the number in decimal; of what does not fit, the digits.
func decimalOfHex(digits string) string {
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return digits
	}
	return strconv.FormatUint(n, 10)
}

func power(hex bool, inHex, inDecimal string) string {
	if hex {
		return inHex
	}
	return inDecimal
}

// json is a whole JSON answer of a dialect that is not JSON-RPC, with its
// distortions.
func (v *view) json(value any, heights map[string]bool) reply {
	if v.NullResults {
		value = nil
	}
	return v.rawJSON(value, heights)
}

// rawJSON is json for a value that has its null already.
func (v *view) rawJSON(value any, heights map[string]bool) reply {
	out := jsonReply(http.StatusOK, value)
	out.body = v.distort(out.body, "", heights)
	return out
}
