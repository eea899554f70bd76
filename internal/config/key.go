package config

import "strings"

// shape is the form of the value that a key takes.
type shape string

// The shapes. An address is an http or https URL and prints as scheme and host
// only; a file must exist; a secret prints as <secret>.
const (
	shapeObject   shape = "object"
	shapeTable    shape = "table"
	shapeList     shape = "list"
	shapeText     shape = "text"
	shapeName     shape = "name"
	shapeWord     shape = "word"
	shapeInteger  shape = "integer"
	shapeBoolean  shape = "boolean"
	shapeDuration shape = "duration"
	shapeAddress  shape = "address"
	shapeSecret   shape = "secret"
	shapeFile     shape = "file"
	shapeIdentity shape = "identity"
	shapeHash     shape = "hash"
)

// key is one key of the configuration file. The table of keys drives decoding,
// the detection of unknown keys, the JSON Schema, redaction and the reference
// in the documentation, so that they cannot disagree.
type key struct {
	// path is the key's place: "*" stands for a name that the operator gives,
	// "[]" for the items of a list.
	path  string
	shape shape
	// required keys have no default.
	required bool
	// aka are names by which the key is sought in vain.
	aka []string
	// standard says in words what holds when the key is absent.
	standard string
	// words are the only values of shapeWord.
	words []string
	// min and max bound an integer, both inclusive. A duration of zero is
	// refused unless zero is set.
	min, max int64
	zero     bool
	// socks allows an address to be a socks5 URL besides http and https.
	socks bool
	// doc is one sentence for the operator.
	doc string
	// example is a value as it would stand in the file; it may be empty for
	// objects and lists.
	example string
}

// branch is a key with its place in the tree of keys.
type branch struct {
	key
	name string
	// children are the members of an object, in the order of the table.
	children []*branch
	// each is the one description of all members of a table or all items of a
	// list.
	each *branch
}

// child finds a member by its name; nil when there is none.
func (b *branch) child(name string) *branch {
	for _, c := range b.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// childNames are the names of an object's members.
func (b *branch) childNames() []string {
	names := make([]string, len(b.children))
	for i, c := range b.children {
		names[i] = c.name
	}
	return names
}

// segments splits a key's path into its steps: "providers[].name" is
// "providers", "[]", "name".
func segments(path string) []string {
	return strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")
}

// grow makes a tree of a table of keys. A parent stands before its children in
// the table.
func grow(keys []key) *branch {
	root := &branch{key: key{shape: shapeObject}}
	for _, k := range keys {
		at := root
		steps := segments(k.path)
		for _, s := range steps[:len(steps)-1] {
			at = at.step(s)
		}
		last := steps[len(steps)-1]
		b := &branch{key: k, name: last}
		if last == "*" || last == "[]" {
			at.each = b
			continue
		}
		at.children = append(at.children, b)
	}
	return root
}

// step goes down one segment of a path.
func (b *branch) step(segment string) *branch {
	if segment == "*" || segment == "[]" {
		return b.each
	}
	return b.child(segment)
}

// file describes the whole file: the chains at its top level. Inside a larger
// Bifrost configuration the same tree stands below "bifrost".
var file = grow(concat(chainKeys, providerKeys, httpKeys("chains.*.providers[].http"), failoverKeys, gatewayKeys))

// concat joins the tables in order.
func concat(tables ...[]key) []key {
	var all []key
	for _, t := range tables {
		all = append(all, t...)
	}
	return all
}
