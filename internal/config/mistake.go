package config

import (
	"fmt"
	"strings"
)

// Mistake is one thing that is wrong in a configuration, with its place.
type Mistake struct {
	// File is the file's name, or "environment".
	File string `json:"file"`
	// Line and Column count from 1; both are 0 where there is no place in a file.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Path is the key's, such as chains.btc.providers[1].rpc_host.
	Path string `json:"path"`
	// Wrong says what is wrong, Right what would be right; Right may be empty.
	Wrong string `json:"wrong"`
	Right string `json:"right,omitempty"`
}

// Error is "FILE:LINE:COL: path: what is wrong, what would be right".
func (m Mistake) Error() string {
	var b strings.Builder
	b.WriteString(m.File)
	if m.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", m.Line, m.Column)
	}
	b.WriteString(": ")
	if m.Path != "" {
		b.WriteString(m.Path + ": ")
	}
	b.WriteString(m.Wrong)
	if m.Right != "" {
		b.WriteString(", " + m.Right)
	}
	return b.String()
}

// Mistakes are all that is wrong, in the order of the file.
type Mistakes []Mistake

// Error has one line per mistake.
func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}
