package config

import (
	"slices"
	"strconv"
	"strings"
)

// suggestKey says where a key belongs that an object does not have, or which
// was probably meant; that one is returned too, or "". foreign are keys that
// the object may have besides its own.
func suggestKey(name string, object *branch, foreign []string) (right, probably string) {
	for _, c := range object.children {
		if slices.Contains(c.aka, name) {
			return "did you mean " + c.name + "?", c.name
		}
	}
	if homes := homesOf(name, file); len(homes) > 0 {
		return "it belongs to " + alternatives(homes[:min(len(homes), 2)]), ""
	}
	names := object.childNames()
	if w := closest(name, append(names, foreign...)); w != "" {
		return "did you mean " + w + "?", w
	}
	if len(names) <= 12 {
		return alternatives(names) + " is possible", ""
	}
	return "", ""
}

// homesOf are the paths of the objects that have a key of the name.
func homesOf(name string, b *branch) []string {
	var homes []string
	if b.shape == shapeObject && b.child(name) != nil {
		homes = []string{b.path}
		if b.path == "" {
			homes = []string{"the top level"}
		}
	}
	for _, c := range b.children {
		homes = append(homes, homesOf(name, c)...)
	}
	if b.each != nil {
		homes = append(homes, homesOf(name, b.each)...)
	}
	return homes
}

// suggest says which word was probably meant; "" when none is close.
func suggest(word string, words []string) string {
	w := closest(word, words)
	if w == "" {
		return ""
	}
	return "did you mean " + w + "?"
}

// closest is the word that begins alike or else differs least, "" when all
// differ much.
func closest(word string, words []string) string {
	if len(word) > 64 {
		return ""
	}
	normal := strings.ToLower(strings.ReplaceAll(word, "-", "_"))
	best, distance := "", len(word)/3+2
	for _, w := range words {
		candidate := strings.ReplaceAll(w, "-", "_")
		if len(normal) > 2 && strings.HasPrefix(candidate, normal) {
			return w
		}
		if d := editDistance(normal, candidate); d < distance {
			best, distance = w, d
		}
	}
	return best
}

// editDistance is the number of letters to insert, drop or change.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// alternatives lists words for a message: "a, b or c".
func alternatives(words []string) string {
	words = slices.Clone(words)
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func itoa(n int) string { return strconv.Itoa(n) }
