package console

import (
	"strings"
	"unicode/utf8"
)

// columns lays out rows of cells. Widths are in characters; all rows have as many
// cells as there are columns.
type columns struct {
	// right says which columns are numbers, which end at the same place.
	right []bool
	rows  [][]string
}

// lines are the rows, aligned and no longer than a terminal is wide; the last
// cell is cut where it must be. paint may colour the cell of a row and column
// after it was measured.
func (c *columns) lines(paint func(row, column int, cell string) string) []string {
	widths := make([]int, len(c.right))
	for _, row := range c.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(c.rows))
	for r, row := range c.rows {
		var b strings.Builder
		used := 0
		for i, cell := range row {
			if i == len(row)-1 {
				cell = cut(cell, max(width-used, 20))
			}
			gap := strings.Repeat(" ", widths[i]-min(widths[i], utf8.RuneCountInString(cell)))
			painted := paint(r, i, cell)
			if c.right[i] {
				painted = gap + painted
			} else {
				painted += gap
			}
			b.WriteString(painted + "  ")
			used += widths[i] + 2
		}
		lines[r] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// cut is the beginning of text that is too long.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:limit-1]), " ") + "…"
}

// wrap breaks text between words. The first line begins with first, the others
// with as many blanks.
func wrap(first, text string) string {
	indent := strings.Repeat(" ", utf8.RuneCountInString(first))
	var b strings.Builder
	b.WriteString(first)
	used := utf8.RuneCountInString(first)
	begun := false
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case begun && used+1+n > width:
			b.WriteString("\n" + indent)
			used = len(indent)
		case begun:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
		begun = true
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}
