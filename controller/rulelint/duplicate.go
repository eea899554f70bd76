package rulelint

import (
	"fmt"

	"github.com/prometheus/prometheus/model/labels"
)

// duplicates finds rules that make the same series or the same alert twice.
func (l *linter) duplicates() {
	first := map[string]string{}
	for _, s := range l.sources {
		for _, r := range s.rules {
			if r.name() == "" {
				continue
			}
			kind := "record"
			if r.Alert != "" {
				kind = "alert"
			}
			own := kind + " " + r.name() + labels.FromMap(r.labels).String()
			at := r.at(kind)
			if where, ok := first[own]; ok {
				l.duplicate(r, at, where)
				continue
			}
			first[own] = fmt.Sprintf("%s:%d", s.file.Name, max(1, at.line))
		}
	}
}

// duplicate tells of the second of two rules.
func (l *linter) duplicate(r *rule, at place, where string) {
	if r.Alert != "" {
		l.say(r, at, Warning, checkDuplicate, "there is an alert with this name and these labels at %s already, and where both fire they are one; give it another name or labels, or join the two with or", where)
		return
	}
	l.say(r, at, Error, checkDuplicate, "this is recorded with the same labels at %s already, and which value counts is a matter of chance; give it another name or labels", where)
}
