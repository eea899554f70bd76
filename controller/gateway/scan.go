package gateway

import (
	"bytes"
	"encoding/json"
)

// What follows finds its way in JSON without decoding it, and in the beginning of
// JSON whose rest has not arrived. It knows no recursion, so that no depth of
// nesting matters, and it copies nothing. It does not judge whether something is
// JSON: json.Valid does that, where all of it is there.

// space is the index of the first byte from i on that is no white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString is the end of the string that begins at i, and whether it ends.
func skipString(b []byte, i int) (int, bool) {
	for i++; i < len(b); {
		next := bytes.IndexByte(b[i:], '"')
		if next < 0 {
			return len(b), false
		}
		end := i + next
		slashes := 0
		for end-1-slashes >= i && b[end-1-slashes] == '\\' {
			slashes++
		}
		i = end + 1
		if slashes%2 == 0 {
			return i, true
		}
	}
	return len(b), false
}

// skipValue is the end of the value that begins at i, and whether it ends there.
// A number at the very end of b may go on.
func skipValue(b []byte, i int) (int, bool) {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			end, whole := skipString(b, i)
			if !whole || depth == 0 {
				return end, whole
			}
			i = end
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth == 0 {
				return i, false
			}
			depth--
			i++
			if depth == 0 {
				return i, true
			}
		case ',', ':', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return i, false
			}
			i++
		default:
			for i < len(b) && !bytes.ContainsRune(structural, rune(b[i])) {
				i++
			}
			if depth == 0 {
				return i, i < len(b)
			}
		}
	}
	return len(b), false
}

var structural = []byte("\"{}[],: \n\r\t")

// members hands out the members of the object at the beginning of b: the key as
// it stands between its quotes, and the value, which is cut short if b is. It
// stops when each returns false. What it returns is whether b begins with an
// object, and whether that object ends.
func members(b []byte, each func(key, value []byte, whole bool) bool) (object, whole bool) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false, false
	}
	for i++; ; {
		i = space(b, i)
		switch {
		case i >= len(b):
			return true, false
		case b[i] == '}':
			return true, true
		case b[i] == ',':
			i++
			continue
		case b[i] != '"':
			return true, false
		}
		end, ok := skipString(b, i)
		if !ok {
			return true, false
		}
		key := b[i+1 : end-1]
		i = space(b, end)
		if i >= len(b) || b[i] != ':' {
			return true, false
		}
		i = space(b, i+1)
		if i >= len(b) {
			return true, false
		}
		end, ok = skipValue(b, i)
		if !each(key, b[i:end], ok) {
			return true, false
		}
		if !ok {
			return true, false
		}
		i = end
	}
}

// elements hands out the elements of the array at the beginning of b, all of
// which is there.
func elements(b []byte, each func(value []byte) bool) {
	i := space(b, 0)
	if i >= len(b) || b[i] != '[' {
		return
	}
	for i++; ; {
		i = space(b, i)
		switch {
		case i >= len(b) || b[i] == ']':
			return
		case b[i] == ',':
			i++
			continue
		}
		end, ok := skipValue(b, i)
		if !ok || !each(b[i:end]) {
			return
		}
		i = end
	}
}

// keyIs says whether a key is a name, as forgiving as decoders are: some pass
// over upper and lower case, and all read escapes.
func keyIs(key []byte, name string) bool {
	if bytes.IndexByte(key, '\\') >= 0 {
		var plain string
		if json.Unmarshal(quoted(key), &plain) != nil {
			return false
		}
		key = []byte(plain)
	}
	return len(key) == len(name) && bytes.EqualFold(key, []byte(name))
}

func quoted(key []byte) []byte {
	b := make([]byte, 0, len(key)+2)
	return append(append(append(b, '"'), key...), '"')
}

// isNull says whether a value is absent or null.
func isNull(value []byte) bool { return len(value) == 0 || string(value) == "null" }

// sameID says whether two ids are one. A provider may have written it another
// way, and those whose numbers are floating point have lost the end of a long
// one.
func sameID(a, b []byte) bool {
	switch {
	case bytes.Equal(a, b):
		return true
	case len(a) == 0 || len(b) == 0 || len(a) > maxID || len(b) > maxID:
		return false
	case a[0] == '"' && b[0] == '"':
		var x, y string
		return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x == y
	case isNumber(a) && isNumber(b):
		var x, y float64
		return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x == y
	}
	return false
}

// oddID says whether an id may well come back written another way.
func oddID(id []byte) bool { return len(id) > 15 || bytes.ContainsAny(id, `\.eE+`) }

// maxID is the length of ids that are looked into.
const maxID = 1024

func isNumber(b []byte) bool { return b[0] == '-' || b[0] >= '0' && b[0] <= '9' }
