package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// decimal is an integer in the notation that everybody reads alike; YAML has
// more (017, 0x1f, 1_000).
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// usableName is a name that can stand in a path and in a label.
var usableName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// readScalar reads a single value by its shape. What a variable brings in has
// no type of its own: it takes that of its key.
func (r *reader) readScalar(n *yaml.Node, v *value) {
	if n.Kind != yaml.ScalarNode {
		r.blame(v, "it is "+nodeWords(n)+", not "+shapeWords(v.from.shape), example(v.from))
		return
	}
	text, changed, wrong, right := r.expand(n.Value)
	if wrong != "" {
		r.blame(v, wrong, right)
		return
	}
	tag := n.ShortTag()
	if changed {
		tag = ""
	}
	switch tag {
	case "", "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
	case "!!null":
		right := "leave the key out, or give it a value"
		if v.from.required {
			right = example(v.from)
		}
		r.blame(v, "it is empty", right)
		return
	default:
		r.blame(v, "it carries a YAML tag", "write the plain value")
		return
	}
	if !utf8.ValidString(text) {
		// The file is in UTF-8, so a variable is not: as a label it would make the
		// whole page of metrics one that nobody reads.
		r.blame(v, "what the variable brings in is not in UTF-8", "set it in that encoding")
		return
	}
	v.text = text
	switch v.from.shape {
	case shapeInteger:
		r.readInteger(v, tag)
	case shapeBoolean:
		r.readBoolean(v, tag)
	case shapeDuration:
		r.readDuration(v, tag)
	case shapeIdentity, shapeHash:
		// A hash or an id can look like a number to YAML; its text counts.
		if tag == "!!bool" {
			r.blame(v, "it is "+nodeWords(n)+", not "+shapeWords(v.from.shape), example(v.from))
		}
	default:
		if tag != "" && tag != "!!str" {
			r.blame(v, "it is "+nodeWords(n)+", not "+shapeWords(v.from.shape), "put it in quotes if it is meant so")
			return
		}
		r.readText(v)
	}
	if !v.broken && strings.TrimSpace(text) == "" {
		r.blame(v, "it is empty", example(v.from))
	}
}

func (r *reader) readInteger(v *value, tag string) {
	n, err := strconv.ParseInt(v.text, 10, 64)
	switch {
	case tag == "!!str":
		r.blame(v, "it is a text, not a whole number", "write it without quotes, "+example(v.from))
	case !decimal.MatchString(v.text):
		r.blame(v, "it is not a whole number in decimal digits", example(v.from))
	case err != nil || n < v.from.min || n > v.from.max:
		r.blame(v, "it is out of range", fmt.Sprintf("%d to %d is possible", v.from.min, v.from.max))
	}
	v.number = n
}

func (r *reader) readBoolean(v *value, tag string) {
	switch strings.ToLower(v.text) {
	case "true":
		v.flag = true
	case "false":
	default:
		r.blame(v, "it is not a boolean", "true or false")
		return
	}
	if tag == "!!str" {
		r.blame(v, "it is a text, not a boolean", "write it without quotes")
	}
}

func (r *reader) readDuration(v *value, tag string) {
	if tag != "" && tag != "!!str" && v.text != "0" {
		r.blame(v, "it has no unit", example(v.from))
		return
	}
	d, err := parseDuration(v.text)
	if err == nil && d == 0 && !v.from.zero {
		err = errors.New("it is zero")
	}
	if err != nil {
		r.blame(v, err.Error(), example(v.from))
		return
	}
	v.span = d
}

// readText checks the shapes that are texts. A wrong word is not repeated: it
// may be a secret that slipped into the wrong line.
func (r *reader) readText(v *value) {
	switch v.from.shape {
	case shapeWord:
		if slices.Contains(v.from.words, v.text) {
			return
		}
		right := suggest(v.text, v.from.words)
		if right == "" {
			right = alternatives(v.from.words) + " is possible"
		}
		r.blame(v, "the word is not known", right)
	case shapeName:
		if !usableName.MatchString(v.text) {
			r.blame(v, "the name cannot stand in a URL and a label", nameRule)
		}
	case shapeAddress:
		r.readAddress(v)
	}
}

// nameRule says what a name may look like.
const nameRule = "letters, digits and . _ - are possible, a letter or digit first, 63 at most"

func (r *reader) readAddress(v *value) {
	parse := ParseURL
	if v.from.socks {
		parse = parseProxyURL
	}
	u, err := parse(v.text)
	if err != nil {
		r.blame(v, err.Error(), example(v.from))
		return
	}
	v.address = u
}

// shapeWords says in words what a shape is.
func shapeWords(s shape) string {
	switch s {
	case shapeInteger:
		return "a whole number"
	case shapeAddress:
		return "a URL"
	case shapeIdentity:
		return "a chain id, a genesis hash or a passphrase"
	case shapeHash:
		return "the hash of a block"
	case shapeFile:
		return "the name of a file"
	case shapeSecret:
		return "a text"
	default:
		return "a " + string(s)
	}
}

// example is a hint with the key's example; "" when it has none.
func example(b *branch) string {
	if b.key.example == "" {
		return ""
	}
	return "such as " + b.key.example
}
