package config

import (
	"slices"
	"strconv"
	"strings"
)

// suggest says which word was probably meant; "" when none is close.
func suggest(word string, words []string) string {
	if len(word) > 64 {
		return ""
	}
	normal := strings.ToLower(strings.ReplaceAll(word, "-", "_"))
	best, distance := "", len(word)/3+2
	for _, w := range words {
		if d := editDistance(normal, strings.ReplaceAll(w, "-", "_")); d < distance {
			best, distance = w, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
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
