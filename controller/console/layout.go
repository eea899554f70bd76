package console

import (
	"strings"
	"unicode/utf8"
)

const (
	// gap stands between two columns.
	gap = "  "
	// minLast is what the last column has at least, however wide the others are.
	minLast = 24
)

// columns lays out rows of cells. Widths are in characters; all rows have as many
// cells as there are columns.
type columns struct {
	// right says which columns are numbers, which end at the same place.
	right []bool
	rows  [][]string
}

// lines are the rows, aligned, each of one or more lines: the last cell is broken
// where the terminal ends. paint may colour a cell after it was measured.
func (c *columns) lines(paint func(row, column int, cell string) string) []string {
	last := len(c.right) - 1
	widths := make([]int, len(c.right))
	for _, row := range c.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	used := 0
	for _, w := range widths[:last] {
		used += w + len(gap)
	}
	lines := make([]string, len(c.rows))
	for r, row := range c.rows {
		var b strings.Builder
		for i, cell := range row[:last] {
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if c.right[i] {
				b.WriteString(blanks + paint(r, i, cell) + gap)
			} else {
				b.WriteString(paint(r, i, cell) + blanks + gap)
			}
		}
		rest := breakText(row[last], max(width-used, minLast))
		b.WriteString(strings.Join(rest, "\n"+strings.Repeat(" ", used)))
		lines[r] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// breakText breaks text between words into lines. A longer word has a line of its
// own.
func breakText(text string, limit int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > limit:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// wrap breaks text between words. The first line begins with first, the others
// with as many blanks.
func wrap(first, text string) string {
	indent := utf8.RuneCountInString(first)
	lines := breakText(text, max(width-indent, minLast))
	return strings.TrimRight(first+strings.Join(lines, "\n"+strings.Repeat(" ", indent)), " ") + "\n"
}
