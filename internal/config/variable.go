package config

import (
	"regexp"
	"strings"
)

// variableName is what may stand between "${" and "}".
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand replaces each ${NAME} of a value from the environment; "$${" stands
// for "${" itself and every other "$" for itself. What is put in is not
// looked at again. The error names the variable, or nothing when there is no
// name; the value of a variable is never repeated.
func (r *reader) expand(s string) (expanded string, changed bool, wrong, right string) {
	if r.lookup == nil || !strings.Contains(s, "${") {
		return s, false, "", ""
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "${")
		if !found {
			b.WriteString(s)
			return b.String(), true, "", ""
		}
		if strings.HasSuffix(before, "$") {
			b.WriteString(before + "{")
			s = after
			continue
		}
		name, rest, closed := strings.Cut(after, "}")
		if !closed || !variableName.MatchString(name) {
			return "", false, "a ${ is not followed by the name of a variable and }", "write $${ for a plain ${"
		}
		content, there := r.lookup(name)
		if !there {
			return "", false, "the environment variable " + name + " is not set", "set it, or write $${ for a plain ${"
		}
		b.WriteString(before + content)
		s = rest
	}
}
